package ops_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracing "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/assayhq/assay/store/storetest"
)

// traces is an OTLP collector that keeps what it is sent.
type traces struct {
	*httptest.Server
	mu    sync.Mutex
	spans map[string][]*tracing.Span // by service
	paths map[string]bool            // that were called
}

func newTraces(t *testing.T) *traces {
	t.Helper()
	c := &traces{spans: make(map[string][]*tracing.Span), paths: make(map[string]bool)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.paths[r.URL.Path] = true
		for _, from := range request.ResourceSpans {
			service := attributeOf(from.Resource.Attributes, "service.name")
			for _, scope := range from.ScopeSpans {
				c.spans[service] = append(c.spans[service], scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// find waits for a span of the service that fits.
func (c *traces) find(t *testing.T, what, service, name string, fits func(*tracing.Span) bool) (found *tracing.Span) {
	t.Helper()
	storetest.Eventually(t, what, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range c.spans[service] {
			if s.Name == name && (fits == nil || fits(s)) {
				found = s
			}
		}
		return found != nil
	})
	return found
}

func attributeOf(list []*common.KeyValue, key string) string {
	for _, a := range list {
		if a.Key == key {
			if n, ok := a.Value.Value.(*common.AnyValue_IntValue); ok {
				return fmt.Sprint(n.IntValue)
			}
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func childOf(parent *tracing.Span) func(*tracing.Span) bool {
	return func(s *tracing.Span) bool {
		return bytes.Equal(s.TraceId, parent.TraceId) && bytes.Equal(s.ParentSpanId, parent.SpanId)
	}
}

// logged waits for a log event with the message that belongs to the span.
func (s *stack) logged(service, message string, span *tracing.Span) {
	s.t.Helper()
	storetest.Eventually(s.t, fmt.Sprintf("%s logs %q with the ids of %s", service, message, span.Name), func() bool {
		for line := range strings.Lines(s.processes[service].Log()) {
			var event struct {
				Msg     string
				TraceID string `json:"trace_id"`
				SpanID  string `json:"span_id"`
			}
			if json.Unmarshal([]byte(line), &event) == nil && event.Msg == message && event.TraceID == hex.EncodeToString(span.TraceId) && event.SpanID == hex.EncodeToString(span.SpanId) {
				return true
			}
		}
		return false
	})
}

// timed are the histograms of what is done within a span.
var timed = []string{
	"assay_apiserver_request_duration_seconds", "assay_apiserver_read_duration_seconds", "assay_apiserver_platform_request_duration_seconds",
	"assay_syncd_request_duration_seconds", "assay_syncd_run_duration_seconds", "assay_syncd_page_write_seconds", "assay_webhook_delivery_latency_seconds",
}

// timedIn returns the process that serves a histogram.
func timedIn(name string) string {
	if strings.HasPrefix(name, "assay_apiserver_") {
		return "apiserver"
	}
	return "syncd"
}

// awaitExemplar waits until a histogram, as OpenMetrics shows it, leads to a trace that was sent.
func (c *traces) awaitExemplar(s *stack, name string) {
	s.t.Helper()
	service := timedIn(name)
	exemplar := regexp.MustCompile(name + `_bucket\{[^}]*\} \d+ # \{trace_id="([0-9a-f]{32})"\}`)
	storetest.Eventually(s.t, name+" has an exemplar", func() bool {
		request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.Debug[service]+"/metrics", http.NoBody)
		if err != nil {
			return false
		}
		request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return false
		}
		var ids []string
		for _, m := range exemplar.FindAllSubmatch(body, -1) {
			ids = append(ids, string(m[1]))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.ContainsFunc(c.spans[service], func(s *tracing.Span) bool { return slices.Contains(ids, hex.EncodeToString(s.TraceId)) })
	})
}

// TestTraces has both daemons send their traces to a collector, and follows a request, a sync and a
// webhook through them. It takes long because it starts both daemons, and waits for a cycle, a
// delivery and their traces.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := newTraces(t)
	s := newStack(t, "ASSAY_OTLP_ENDPOINT="+c.URL, "OTEL_BSP_SCHEDULE_DELAY=100", "ASSAY_LOG_LEVEL=debug")
	stopAPI, stopSync := s.start("apiserver"), s.start("syncd")
	const token = "token-in-the-path"
	status, answer := s.call(http.MethodPost, "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, s.receiver.URL+"/"+token+"?key="+token))
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated || made.Secret == "" {
		t.Fatalf("make endpoint: %d %s", status, answer)
	}
	id := s.connect("Working", s.platform)

	t.Log("a request, with the trace of its caller")
	const theirs = "0af7651916cd43dd8448eb211c80319c"
	if status, answer := s.call(http.MethodGet, "/v1/traders?search=somebody", "", "traceparent", "00-"+theirs+"-b7ad6b7169203331-00"); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	request := c.find(t, "the request's span", "apiserver", "GET /v1/traders", nil)
	if got := attributeOf(request.Attributes, "http.response.status_code"); got != "200" || request.Kind != tracing.Span_SPAN_KIND_SERVER {
		t.Errorf("the request's span has status %s and kind %s", got, request.Kind)
	}
	if len(request.Links) != 1 || hex.EncodeToString(request.Links[0].TraceId) != theirs || hex.EncodeToString(request.TraceId) == theirs {
		t.Errorf("the span is in trace %x with links %v, want a trace of its own that links to the caller's", request.TraceId, request.Links)
	}
	s.logged("apiserver", "request served", request)
	check := c.find(t, "the span of connecting", "apiserver", "POST /v1/integrations", nil)
	c.find(t, "a request of the live check", "apiserver", "platform traders", childOf(check))

	t.Log("a sync")
	run := c.find(t, "a run's span", "syncd", "sync run trades", func(s *tracing.Span) bool { return attributeOf(s.Attributes, "assay.status") == "succeeded" })
	slice := c.find(t, "its slice", "syncd", "sync slice", func(s *tracing.Span) bool { return bytes.Equal(s.SpanId, run.ParentSpanId) })
	if got := attributeOf(slice.Attributes, "assay.integration_id"); got != id {
		t.Errorf("the slice is that of %q, want %s", got, id)
	}
	page := c.find(t, "a request to the platform", "syncd", "platform trades", childOf(slice))
	if got := attributeOf(page.Attributes, "http.response.status_code"); got != "200" || page.Kind != tracing.Span_SPAN_KIND_CLIENT {
		t.Errorf("the request to the platform has status %s and kind %s", got, page.Kind)
	}
	s.logged("syncd", "platform asked", page)

	t.Log("durations lead to traces")
	for _, name := range timed {
		c.awaitExemplar(s, name)
	}

	t.Log("a webhook, and a sync that fails")
	attempt := c.find(t, "an attempt's span", "syncd", "webhook attempt", nil)
	header, ok := s.received.Load(attributeOf(attempt.Attributes, "assay.event_id"))
	if want := fmt.Sprintf("00-%x-%x-01", attempt.TraceId, attempt.SpanId); !ok || header.(http.Header).Get("traceparent") != want {
		t.Errorf("the receiver was sent %v, want traceparent %s", header, want)
	}
	s.setFault(s.platform, "status-401", 1)
	s.post("/v1/integrations/" + id + "/sync")
	c.find(t, "the refusal", "syncd", "platform traders", func(s *tracing.Span) bool {
		return attributeOf(s.Attributes, "error.type") == "401" && s.Status.GetCode() == tracing.Status_STATUS_CODE_ERROR
	})
	c.find(t, "the run that is blocked", "syncd", "sync run traders", func(s *tracing.Span) bool { return attributeOf(s.Attributes, "assay.status") == "blocked" })
	stopAPI()
	stopSync()
	c.checkSecrets(t, s.Key, s.platform.Key, made.Secret, token, "somebody", storetest.KeyringText)
}

// checkSecrets searches everything that was sent for secrets.
func (c *traces) checkSecrets(t *testing.T, secrets ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.paths) != 1 || !c.paths["/v1/traces"] {
		t.Errorf("the collector was called at %v, want /v1/traces", c.paths)
	}
	for service, spans := range c.spans {
		for _, span := range spans {
			text := prototext.Format(span)
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("a span of %s tells %s:\n%s", service, secret, text)
				}
			}
		}
	}
}
