package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// reply is one scripted answer of a platform.
type reply struct {
	status int
	header http.Header
	body   string
}

func retryAfter(v string) http.Header { return http.Header{"Retry-After": {v}} }

// script answers requests with the replies in turn; the last one repeats.
func script(replies ...reply) http.HandlerFunc {
	next := make(chan reply, len(replies))
	for _, r := range replies {
		next <- r
	}
	last := replies[len(replies)-1]
	return func(w http.ResponseWriter, _ *http.Request) {
		r := last
		select {
		case r = <-next:
		default:
		}
		for k, v := range r.header {
			w.Header()[k] = v
		}
		w.WriteHeader(r.status)
		_, _ = w.Write([]byte(r.body))
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	ok := reply{status: 200, body: `{"data":[]}`}
	bad := reply{status: 500, body: "oops"}
	tests := []struct {
		name    string
		policy  fetch.Policy
		anon    bool
		replies []reply
		broken  int // how often the decoder reports a broken body

		code       connectors.Code
		requests   int
		retryAfter time.Duration
		min, max   time.Duration // duration of the Get
		throttled  bool          // some of it in Stats.Throttled
		codes      []string      // of the events
		retries    []string
	}{
		{name: "at once", replies: []reply{ok}, requests: 1, codes: []string{"200"}, retries: []string{""}},
		{
			name: "5xx then fine", replies: []reply{bad, ok}, requests: 2, max: 2 * time.Second,
			codes: []string{"500", "200"}, retries: []string{"server_error", ""},
		},
		{
			name: "5xx for good", replies: []reply{bad}, code: connectors.CodeServerError, requests: 3, max: 6 * time.Second,
			codes: []string{"500", "500", "500"}, retries: []string{"server_error", "server_error", ""},
		},
		{
			name: "check, 5xx for good", policy: fetch.CheckPolicy, replies: []reply{bad}, code: connectors.CodeServerError,
			requests: 3, max: 6 * time.Second,
			codes: []string{"500", "500", "500"}, retries: []string{"server_error", "server_error", ""},
		},
		{
			name: "broken twice", replies: []reply{ok}, broken: 2, requests: 3, max: 6 * time.Second,
			codes: []string{"unexpected_response", "unexpected_response", "200"}, retries: []string{"unexpected_response", "unexpected_response", ""},
		},
		{
			name: "broken for good", replies: []reply{ok}, broken: 9, code: connectors.CodeUnexpectedResponse, requests: 3, max: 6 * time.Second,
			codes:   []string{"unexpected_response", "unexpected_response", "unexpected_response"},
			retries: []string{"unexpected_response", "unexpected_response", ""},
		},
		{
			name: "sync, 429", replies: []reply{{status: 429, header: retryAfter("7")}}, code: connectors.CodeThrottled,
			requests: 1, retryAfter: 7 * time.Second, codes: []string{"429"}, retries: []string{""},
		},
		{
			name: "sync, 429 after a 500", replies: []reply{bad, {status: 429}}, code: connectors.CodeThrottled,
			requests: 2, retryAfter: 10 * time.Second, max: 2 * time.Second, codes: []string{"500", "429"}, retries: []string{"server_error", ""},
		},
		{
			name: "sync, 503 with header", replies: []reply{{status: 503, header: retryAfter("0")}}, code: connectors.CodeThrottled,
			requests: 1, retryAfter: time.Second, codes: []string{"503"}, retries: []string{""},
		},
		{
			name: "sync, 503 with an unusable header", replies: []reply{{status: 503, header: retryAfter("soon")}}, code: connectors.CodeThrottled,
			requests: 1, retryAfter: 10 * time.Second, codes: []string{"503"}, retries: []string{""},
		},
		{
			name: "sync, 503 without header", replies: []reply{{status: 503}, ok}, requests: 2, max: 2 * time.Second,
			codes: []string{"503", "200"}, retries: []string{"server_error", ""},
		},
		{
			name: "check waits out 429", policy: fetch.CheckPolicy, replies: []reply{{status: 429, header: retryAfter("7")}, ok},
			requests: 2, min: 7 * time.Second, max: 7700 * time.Millisecond, throttled: true,
			codes: []string{"429", "200"}, retries: []string{"throttled", ""},
		},
		{
			name: "check, 429 for good", policy: fetch.CheckPolicy, replies: []reply{{status: 429, header: retryAfter("99999999999")}},
			code: connectors.CodeThrottled, requests: 3, retryAfter: time.Minute, min: 2 * time.Minute, max: 132 * time.Second, throttled: true,
			codes: []string{"429", "429", "429"}, retries: []string{"throttled", "throttled", ""},
		},
		{
			name: "check, at most two retries of any kind", policy: fetch.CheckPolicy,
			replies: []reply{bad, {status: 429, header: retryAfter("1")}, bad, ok}, code: connectors.CodeServerError,
			requests: 3, min: time.Second, max: 4 * time.Second, throttled: true,
			codes: []string{"500", "429", "500"}, retries: []string{"server_error", "throttled", ""},
		},
		{name: "401", replies: []reply{{status: 401}}, code: connectors.CodeUnauthorized, requests: 1, codes: []string{"401"}, retries: []string{""}},
		{name: "403", replies: []reply{{status: 403}}, code: connectors.CodeForbidden, requests: 1, codes: []string{"403"}, retries: []string{""}},
		{name: "404", replies: []reply{{status: 404}}, code: connectors.CodeNotFound, requests: 1, codes: []string{"404"}, retries: []string{""}},
		{name: "204", replies: []reply{{status: 204}}, code: connectors.CodeUnexpectedResponse, requests: 1, codes: []string{"204"}, retries: []string{""}},
		{name: "418", replies: []reply{{status: 418}}, code: connectors.CodeUnexpectedResponse, requests: 1, codes: []string{"418"}, retries: []string{""}},
		{name: "799", replies: []reply{{status: 799}}, code: connectors.CodeUnexpectedResponse, requests: 1, codes: []string{"other"}, retries: []string{""}},
		{
			name: "302", replies: []reply{{status: 302, header: http.Header{"Location": {"https://elsewhere.test/"}}}},
			code: connectors.CodeUnexpectedRedirect, requests: 1, codes: []string{"302"}, retries: []string{""},
		},
		{
			name: "307 to nonsense", replies: []reply{{status: 307, header: http.Header{"Location": {"http://[::1"}}}},
			code: connectors.CodeUnexpectedRedirect, requests: 1, codes: []string{"307"}, retries: []string{""},
		},
		{name: "anonymous 401", anon: true, replies: []reply{{status: 401}}, requests: 1, codes: []string{"401"}, retries: []string{""}},
		{
			name: "anonymous, 5xx for good", anon: true, policy: fetch.CheckPolicy, replies: []reply{bad}, requests: 3, max: 6 * time.Second,
			codes: []string{"500", "500", "500"}, retries: []string{"server_error", "server_error", ""},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(tt.replies...))
				p := platform(n.client(fetch.Options{}), "https://p.test/api")
				broken, began := tt.broken, time.Now()
				res, err := p.Get(t.Context(), fetch.Request{Path: "/traders", Resource: "traders", Policy: tt.policy, Anonymous: tt.anon},
					func(fetch.Answer) error {
						if broken--; broken >= 0 {
							return fmt.Errorf("%w: no comma", alias.ErrSyntax)
						}
						return nil
					})
				took := time.Since(began)
				res.Release()
				if took < tt.min || took > tt.max {
					t.Errorf("took %v, want %v to %v", took, tt.min, tt.max)
				}
				if res.Stats.Requests != tt.requests {
					t.Errorf("%d requests, want %d", res.Stats.Requests, tt.requests)
				}
				if (res.Stats.Throttled > 0) != tt.throttled {
					t.Errorf("throttled for %v, want some: %v", res.Stats.Throttled, tt.throttled)
				}
				if want := took - res.Stats.Throttled; res.Latency != want {
					t.Errorf("latency %v, want %v of %v without what the platform asked to wait", res.Latency, want, took)
				}
				checkEvents(t, n.events, tt.codes, tt.retries)
				if tt.code == "" {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				want := &connectors.Error{
					Code: tt.code, HTTPStatus: res.Status, Endpoint: "GET /traders",
					RetryAfter: tt.retryAfter, Stats: res.Stats,
				}
				if diff := cmp.Diff(want, platformError(t, err), cmpopts.IgnoreFields(connectors.Error{}, "Message", "Err")); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func checkEvents(t *testing.T, events []fetch.Event, codes, retries []string) {
	t.Helper()
	var gotCodes, gotRetries []string
	for _, e := range events {
		gotCodes, gotRetries = append(gotCodes, e.Code), append(gotRetries, e.Retry)
		if e.Kind != record.CustomAPI || e.Resource != "traders" {
			t.Errorf("event %+v has the wrong labels", e)
		}
	}
	if diff := cmp.Diff(codes, gotCodes); diff != "" {
		t.Errorf("event codes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(retries, gotRetries); diff != "" {
		t.Errorf("event retries (-want +got):\n%s", diff)
	}
}

func TestCheckDeadline(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		replies []reply
		code    connectors.Code
		status  int
	}{
		{"429", []reply{{status: 429, header: retryAfter("60")}}, connectors.CodeThrottled, 429},
		{"no Retry-After", []reply{{status: 429}}, connectors.CodeThrottled, 429},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(tt.replies...))
				p := platform(n.client(fetch.Options{}), "https://p.test")
				ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
				defer cancel()
				began := time.Now()
				_, _, err := getContext(ctx, p, fetch.Request{Policy: fetch.CheckPolicy})
				e := platformError(t, err)
				if e.Code != tt.code || e.HTTPStatus != tt.status {
					t.Errorf("got %v, want %s with %d", e, tt.code, tt.status)
				}
				if took := time.Since(began); took != 0 {
					t.Errorf("began a wait that it could not end: %v", took)
				}
			})
		})
	}
}

// A retry of a 5xx for which the deadline leaves no time is a timeout.
func TestCheckDeadlineServerError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second) // in the bubble: a second's work
			w.WriteHeader(502)
		})
		p := platform(n.client(fetch.Options{}), "https://p.test")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second+1)
		defer cancel()
		_, _, err := getContext(ctx, p, fetch.Request{Policy: fetch.CheckPolicy})
		if e := platformError(t, err); e.Code != connectors.CodeTimeout || e.HTTPStatus != 502 {
			t.Errorf("got %v, want timeout with 502", e)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"before headers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"in the body", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"data":[`))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // otherwise the server ends the body, and the answer is complete after all
		}},
		{"between attempts", script(reply{status: 429, header: retryAfter("60")})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", tt.handler)
				p := platform(n.client(fetch.Options{}), "https://p.test")
				ctx, cancel := context.WithCancel(t.Context())
				defer time.AfterFunc(3*time.Second, cancel).Stop()
				began := time.Now()
				_, res, err := getContext(ctx, p, fetch.Request{Policy: fetch.CheckPolicy})
				res.Release()
				if !errors.Is(err, context.Canceled) || errors.As(err, new(*connectors.Error)) {
					t.Errorf("got %v, want context.Canceled itself", err)
				}
				if took := time.Since(began); took != 3*time.Second {
					t.Errorf("returned after %v", took)
				}
			})
		})
	}
}

func TestRequestAsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var seen []*http.Request
		n.serve("p.test", "1.0.0.1", func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r)
			w.Header().Set("Date", "Wed, 05 Nov 2025 10:00:00 GMT")
		})
		p := platform(n.client(fetch.Options{}), "https://p.test/pre%20fix")
		query := url.Values{"updated_since": {"2025-01-01T00:00:00Z"}, "limit": {"5"}, "cursor": {"a&b"}}
		_, res, err := get(t, p, fetch.Request{Path: "/traders/a%2Fb", Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := get(t, p, fetch.Request{Anonymous: true}); err != nil {
			t.Fatal(err)
		}
		if got, want := seen[0].RequestURI, "/pre%20fix/traders/a%2Fb?cursor=a%26b&limit=5&updated_since=2025-01-01T00%3A00%3A00Z"; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
		want := http.Header{
			"Accept": {"application/json"}, "Accept-Encoding": {"gzip"},
			"Authorization": {"Bearer " + testKey}, "User-Agent": {fetch.UserAgent},
		}
		if diff := cmp.Diff(want, seen[0].Header); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}
		delete(want, "Authorization")
		if diff := cmp.Diff(want, seen[1].Header); diff != "" {
			t.Errorf("anonymous header (-want +got):\n%s", diff)
		}
		if seen[0].Method != "GET" || seen[0].ContentLength != 0 {
			t.Errorf("sent %s with %d bytes", seen[0].Method, seen[0].ContentLength)
		}
		if res.Endpoint != "GET /traders/a%2Fb?cursor=a%26b&limit=5&updated_since=2025-01-01T00%3A00%3A00Z" {
			t.Errorf("endpoint %q", res.Endpoint)
		}
		if !res.Date.Equal(time.Date(2025, 11, 5, 10, 0, 0, 0, time.UTC)) || res.Status != 200 {
			t.Errorf("date %v, status %d", res.Date, res.Status)
		}
	})
}

func TestAnonymousSeesEveryStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 302, 401, 403, 404, 418} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(reply{status: status, header: http.Header{"Location": {"https://x.test"}}, body: "hello"}))
				var got fetch.Answer
				_, err := platform(n.client(fetch.Options{}), "https://p.test").Get(t.Context(), fetch.Request{Path: "/traders", Anonymous: true},
					func(a fetch.Answer) error {
						got = fetch.Answer{Status: a.Status, Header: a.Header, Body: []byte(string(a.Body))}
						return nil
					})
				if err != nil || got.Status != status || string(got.Body) != "hello" || got.Header.Get("Location") != "https://x.test" {
					t.Errorf("decoder got %+v, error %v", got, err)
				}
			})
		})
	}
}
