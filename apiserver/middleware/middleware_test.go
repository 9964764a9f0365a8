package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

type testServer struct {
	stack    *middleware.Stack
	server   *httptest.Server
	registry *prometheus.Registry
	log      *storetest.Log
}

// setup serves the handler wrapped in the middleware.
func setup(t *testing.T, handler func(*middleware.Stack) http.HandlerFunc) testServer {
	t.Helper()
	b := testServer{registry: prometheus.NewRegistry(), log: new(storetest.Log)}
	stack, err := middleware.New(middleware.Config{
		Logger:   slog.New(slog.NewJSONHandler(b.log, nil)),
		Registry: b.registry,
		Problems: problem.NewWriter("https://assay.example"),
		Now:      time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.stack = stack
	b.server = httptest.NewUnstartedServer(stack.Wrap(handler(stack), nil))
	b.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	b.server.Start()
	t.Cleanup(b.server.Close)
	return b
}

// events returns the log lines after the server has finished all requests.
func (b testServer) events(t *testing.T) []map[string]any {
	t.Helper()
	b.server.Close()
	var events []map[string]any
	for line := range strings.Lines(b.log.String()) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		delete(event, "time")
		events = append(events, event)
	}
	return events
}

// listExemplars returns the examples of the histogram of requests after one, whose span the tracer makes.
func listExemplars(t testing.TB, tracer trace.Tracer) (examples []string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	answerRequest(t, registry, tracer)()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, b := range f.Metric[0].GetHistogram().GetBucket() {
			if e := b.GetExemplar(); e != nil {
				examples = append(examples, fmt.Sprint(f.GetName(), " ", e.Label[0].GetName(), "=", e.Label[0].GetValue()))
			}
		}
	}
	return examples
}

// answerRequest returns a function that has the middleware answer a request for a list.
func answerRequest(t testing.TB, registry prometheus.Registerer, tracer trace.Tracer) func() {
	t.Helper()
	stack, err := middleware.New(middleware.Config{Logger: slog.New(slog.DiscardHandler), Registry: registry, Problems: problem.NewWriter("https://assay.example"), Now: time.Now, Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	handler := stack.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		event := middleware.EventFrom(r.Context())
		event.Route, event.Read = "/v1/traders", true
	}), nil)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/traders", http.NoBody)
	return func() { handler.ServeHTTP(httptest.NewRecorder(), request) }
}

// TestExemplars: durations lead to the trace of a request, if it is one that is sent.
func TestExemplars(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	sampled := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("")
	got := listExemplars(t, sampled)
	id := spans.Ended()[0].SpanContext().TraceID().String()
	want := []string{"assay_apiserver_read_duration_seconds trace_id=" + id, "assay_apiserver_request_duration_seconds trace_id=" + id}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exemplars (-want +got):\n%s", diff)
	}
	dropped := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())).Tracer("")
	for name, tracer := range map[string]trace.Tracer{"without tracing": nil, "of a trace that is not sent": dropped} {
		if got := listExemplars(t, tracer); got != nil {
			t.Errorf("%s: exemplars %v", name, got)
		}
	}
}

// BenchmarkMiddleware measures what the middleware costs a request, without and with tracing.
func BenchmarkMiddleware(b *testing.B) {
	for name, tracer := range map[string]trace.Tracer{"tracing=off": nil, "tracing=on": sdktrace.NewTracerProvider().Tracer("")} {
		b.Run(name, func(b *testing.B) {
			answer := answerRequest(b, prometheus.NewRegistry(), tracer)
			b.ReportAllocs()
			for b.Loop() {
				answer()
			}
		})
	}
}

func get(t *testing.T, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t, func(*middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }
	})
	res, _ := get(t, b.server.URL, nil)
	for name, want := range map[string]string{
		"X-Content-Type-Options":    "nosniff",
		"Cache-Control":             "no-store",
		"Strict-Transport-Security": "max-age=31536000",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sent string
		kept bool
	}{
		{"shortest", "aB3._-xx", true},
		{"longest", strings.Repeat("a", 128), true},
		{"none", "", false},
		{"too short", "abcdefg", false},
		{"too long", strings.Repeat("a", 129), false},
		{"space", "abc defgh", false},
		{"slash", "abc/defgh", false},
		{"not ASCII", "abcdefghä", false},
	}
	b := setup(t, func(s *middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, store.ErrNotFound) }
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, body := get(t, b.server.URL, http.Header{"X-Request-Id": {tt.sent}})
			got := res.Header.Get("X-Request-Id")
			if tt.kept != (got == tt.sent) || len(got) < 8 {
				t.Errorf("answered %q to %q", got, tt.sent)
			}
			if !strings.Contains(body, `"request_id":"`+got+`"`) {
				t.Errorf("the problem has another id than %q: %s", got, body)
			}
		})
	}
}

func TestWideEvent(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0190c42e-1111-7000-8000-000000000001")
	b := setup(t, func(s *middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			event := middleware.EventFrom(r.Context())
			event.Route = "/v1/things/{id}"
			event.KeyID, event.OrganizationID = id, id
			switch r.URL.Path {
			case "/good":
				_, _ = w.Write([]byte("0123456789"))
			case "/missing":
				s.Fail(w, r, fmt.Errorf("thing 7: %w", store.ErrNotFound))
			case "/broken":
				s.Fail(w, r, errors.New("relation things does not exist"))
			case "/away":
				s.Fail(w, r, context.DeadlineExceeded)
			case "/faulty":
				event.ObjectID = id
				s.Fail(w, r, problem.Validation(
					problem.Fault{Parameter: "hunter2", Code: problem.UnknownField, Detail: "hunter2"},
					problem.Fault{Pointer: "#/hunter2", Code: problem.TooLong}, problem.Fault{Pointer: "#/y", Code: problem.UnknownField},
				))
			case "/known":
				w.WriteHeader(http.StatusNotModified)
			}
		}
	})
	for _, path := range []string{"/good?token=hunter2", "/missing", "/broken", "/away", "/faulty", "/known"} {
		get(t, b.server.URL+path, http.Header{"X-Request-Id": {"request-1"}, "Authorization": {"Bearer hunter2"}})
	}
	events := b.events(t)
	base := func(level string, status float64, more map[string]any) map[string]any {
		event := map[string]any{
			"level": level, "msg": "request served", "request_id": "request-1", "client": "127.0.0.1", "method": "GET",
			"route": "/v1/things/{id}", "status": status, "api_key_id": id.String(), "organization_id": id.String(),
		}
		for k, v := range more {
			event[k] = v
		}
		return event
	}
	want := []map[string]any{
		base("INFO", 200, map[string]any{"bytes": 10.0}),
		base("INFO", 404, map[string]any{"problem": "not_found", "cause": "thing 7: not found"}),
		base("ERROR", 500, map[string]any{"problem": "internal_error", "cause": "relation things does not exist"}),
		base("WARN", 503, map[string]any{"problem": "service_unavailable", "cause": "context deadline exceeded"}),
		base("INFO", 422, map[string]any{"problem": "validation_failed", "object_id": id.String(), "faults": []any{"unknown_field", "too_long"}}),
		base("INFO", 304, map[string]any{"bytes": 0.0}),
	}
	for _, event := range events {
		if event["problem"] != nil {
			delete(event, "bytes")
		}
		if _, ok := event["duration_ms"].(float64); !ok {
			t.Errorf("no duration in %v", event)
		}
		delete(event, "duration_ms")
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if strings.Contains(b.log.String(), "hunter2") {
		t.Error("a secret was logged")
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	b := setup(t, func(*middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				w.Header().Set("Content-Length", "100")
				_, _ = w.Write([]byte("half"))
			}
			panic("out of cheese")
		}
	})
	res, body := get(t, b.server.URL, nil)
	if res.StatusCode != http.StatusInternalServerError || strings.Contains(body, "cheese") {
		t.Errorf("answered %d: %s", res.StatusCode, body)
	}
	if res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("Content-Type %q", res.Header.Get("Content-Type"))
	}
	// A response that has begun is broken off, so that nobody mistakes it for a complete one.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a kept connection would be tried again
	late, err := client.Get(b.server.URL + "/late")
	if err == nil {
		_, err = io.ReadAll(late.Body)
		_ = late.Body.Close()
	}
	if err == nil {
		t.Error("a half answer looks complete")
	}
	events := b.events(t)
	if len(events) != 2 {
		t.Fatalf("%d events: %v", len(events), events)
	}
	for _, event := range events {
		if event["status"] != 500.0 || event["level"] != "ERROR" || event["cause"] != "panic: out of cheese" ||
			!strings.Contains(fmt.Sprint(event["stack"]), "middleware_test") {
			t.Errorf("event: %v", event)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				s.Fail(w, r, err)
			}
		}
	})
	tests := []struct {
		name string
		body io.Reader // a reader of unknown length is sent in chunks
		want int
	}{
		{"exactly 1 MiB", strings.NewReader(strings.Repeat("x", 1<<20)), http.StatusOK},
		{"a byte more", strings.NewReader(strings.Repeat("x", 1<<20+1)), http.StatusRequestEntityTooLarge},
		{"a byte more in chunks", io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20+1))), http.StatusRequestEntityTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := http.Post(b.server.URL, "application/json", tt.body)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			if res.StatusCode != tt.want {
				t.Errorf("answered %d, want %d", res.StatusCode, tt.want)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	b := setup(t, func(*middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			middleware.EventFrom(r.Context()).Route = "/v1/things/{id}"
			w.WriteHeader(http.StatusNoContent)
		}
	})
	for _, method := range []string{"GET", "GET", "DELETE", "BREW"} {
		req, err := http.NewRequestWithContext(t.Context(), method, b.server.URL+"/v1/things/7", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	b.server.Close()
	const want = `# HELP assay_apiserver_inflight_requests Requests in progress.
# TYPE assay_apiserver_inflight_requests gauge
assay_apiserver_inflight_requests 0
# HELP assay_apiserver_requests_total Requests served; the code 499 means that the client disconnected.
# TYPE assay_apiserver_requests_total counter
assay_apiserver_requests_total{code="204",method="DELETE",route="/v1/things/{id}"} 1
assay_apiserver_requests_total{code="204",method="GET",route="/v1/things/{id}"} 2
assay_apiserver_requests_total{code="204",method="other",route="/v1/things/{id}"} 1
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_apiserver_inflight_requests", "assay_apiserver_requests_total"); err != nil {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(b.registry, "assay_apiserver_request_duration_seconds"); n != 1 {
		t.Errorf("%d duration series, want 1", n)
	}
}

func TestClientGone(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	b := setup(t, func(s *middleware.Stack) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			close(reached)
			<-r.Context().Done()
			s.Fail(w, r, r.Context().Err())
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-reached
		cancel()
	}()
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("an answer came to a cancelled request")
	}
	if events := b.events(t); len(events) != 1 || events[0]["status"] != 499.0 || events[0]["level"] != "INFO" {
		t.Errorf("events: %v", events)
	}
}
