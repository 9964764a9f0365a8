package fetch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
)

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// pack compresses n zeros. A megabyte becomes one kilobyte. It joins gzip members
// of a megabyte, which is one valid stream.
func pack(n int) []byte {
	member := func(n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(make([]byte, n))
		_ = z.Close()
		return b.Bytes()
	}
	if n < 1<<20 {
		return member(n)
	}
	whole := bytes.Repeat(member(1<<20), n>>20)
	if rest := n % (1 << 20); rest > 0 {
		whole = append(whole, member(rest)...)
	}
	return whole
}

func gzipped(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b)
	}
}

func plain(n int64, declared bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if declared {
			w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
		}
		_, _ = io.Copy(w, io.LimitReader(zeros{}, n))
	}
}

func TestBodySizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		handler http.HandlerFunc
		size    int // -1 means too large
	}{
		{"empty", plain(0, true), 0},
		{"one byte", plain(1, true), 1},
		{"just small, declared", plain(fetch.SmallBody, true), fetch.SmallBody},
		{"just small, chunked", plain(fetch.SmallBody, false), fetch.SmallBody},
		{"just large", plain(fetch.SmallBody+1, false), fetch.SmallBody + 1},
		{"just allowed, declared", plain(fetch.MaxBody, true), fetch.MaxBody},
		{"just allowed, chunked", plain(fetch.MaxBody, false), fetch.MaxBody},
		{"just too large, declared", plain(fetch.MaxBody+1, true), -1},
		{"just too large, chunked", plain(fetch.MaxBody+1, false), -1},
		{"10 GB, declared", plain(10<<30, true), -1},
		{"10 GB, chunked", plain(10<<30, false), -1},
		{"gzip", gzipped(pack(1000)), 1000},
		{"gzip, just allowed", gzipped(pack(fetch.MaxBody)), fetch.MaxBody},
		{"gzip, just too large", gzipped(pack(fetch.MaxBody + 1)), -1},
		{"gzip bomb", gzipped(pack(1 << 30)), -1},
		{"gzip that says nothing without end", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			member := bytes.Repeat(pack(0), 5000)
			for {
				if _, err := w.Write(member); err != nil {
					return
				}
			}
		}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", tt.handler)
				c := n.client(fetch.Options{})
				body, res, err := get(t, platform(c, "https://p.test"), fetch.Request{})
				if tt.size < 0 {
					if e := platformError(t, err); e.Code != connectors.CodeResponseTooLarge || e.Stats.Requests != 1 {
						t.Errorf("got %v after %d requests, want response_too_large after one", e, e.Stats.Requests)
					}
				} else if err != nil || len(body) != tt.size || strings.Trim(body, "\x00") != "" {
					t.Errorf("got %d bytes, error %v; want %d zeros", len(body), err, tt.size)
				}
				if fetch.SmallBody < len(body) {
					if held := c.LargeHeld(); !held {
						t.Error("the token came back before Release")
					}
				}
				res.Release()
				if c.LargeHeld() {
					t.Error("the token is still held")
				}
			})
		})
	}
}

// flaky answers the first request with bad and the others correctly.
func flaky(bad http.HandlerFunc) http.HandlerFunc {
	var once sync.Once
	return func(w http.ResponseWriter, r *http.Request) {
		done := false
		once.Do(func() { bad(w, r); done = true })
		if !done {
			_, _ = w.Write([]byte("fine"))
		}
	}
}

func damaged(b []byte) http.HandlerFunc {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 0xff
	return gzipped(b)
}

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	abort := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[`))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	short := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		abort(w, r)
	}
	text := []byte(strings.Repeat("some text that compresses ", 100))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	tests := []struct {
		name    string
		handler http.HandlerFunc
		code    connectors.Code
		message string
	}{
		{"chunked body breaks off", abort, connectors.CodeConnectFailed, "the connection was lost after 9 bytes of the answer"},
		{"declared body breaks off", short, connectors.CodeConnectFailed, "the connection was lost after 9 bytes of the answer"},
		{"gzip damaged", damaged(packed.Bytes()), connectors.CodeUnexpectedResponse, "the body cannot be read (the gzip encoding is damaged: "},
		{"gzip cut short", gzipped(packed.Bytes()[:30]), connectors.CodeUnexpectedResponse, "the body cannot be read (the gzip encoding is damaged: "},
		{"not gzip at all", gzipped([]byte("<html>")), connectors.CodeUnexpectedResponse, "the body cannot be read (the gzip encoding is damaged: "},
		{"gzip of nothing", gzipped(nil), connectors.CodeUnexpectedResponse, "the body cannot be read (the gzip encoding is damaged: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("good.test", "1.0.0.1", flaky(tt.handler))
				n.serve("bad.test", "1.0.0.2", tt.handler)
				c := n.client(fetch.Options{})
				body, res, err := get(t, platform(c, "https://good.test"), fetch.Request{})
				if err != nil || res.Stats.Requests != 2 || body != "fine" {
					t.Errorf("got %q, error %v, after %d requests; want a retry that gets it", body, err, res.Stats.Requests)
				}
				_, _, err = get(t, platform(c, "https://bad.test"), fetch.Request{})
				e := platformError(t, err)
				if e.Code != tt.code || e.HTTPStatus != 200 || e.Stats.Requests != 3 || !strings.HasPrefix(e.Message, tt.message) || e.Unreachable {
					t.Errorf("got %v after %d requests, want %s: %s", e, e.Stats.Requests, tt.code, tt.message)
				}
			})
		})
	}
}

func TestUnknownEncoding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", script(reply{status: 200, header: http.Header{"Content-Encoding": {"br"}}, body: "x"}))
		_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
		if e := platformError(t, err); e.Code != connectors.CodeUnexpectedResponse || e.Stats.Requests != 1 || !strings.Contains(e.Message, `content encoding "br"`) {
			t.Errorf("got %v", e)
		}
	})
}

// drip sends a byte every three seconds until the client has gone.
func drip(w http.ResponseWriter, r *http.Request) {
	for {
		_, _ = w.Write([]byte(" "))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
}

func TestAttemptTimeLimit(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		name    string
		handler http.HandlerFunc
		status  int
		message string
	}{
		{"no header", silent, 0, "no answer within 20 seconds"},
		{"body drips", drip, 200, "the answer was not complete within 20 seconds; 7 bytes had arrived"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", tt.handler)
				_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
				e := platformError(t, err)
				want := &connectors.Error{
					Code: connectors.CodeTimeout, HTTPStatus: tt.status, Message: tt.message,
					Endpoint: "GET /traders", Stats: connectors.Stats{Requests: 3}, Err: e.Err,
				}
				if diff := cmp.Diff(want.Error(), e.Error()); diff != "" || e.Stats != want.Stats {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				for _, ev := range n.events {
					if ev.Duration != fetch.AttemptLimit || ev.Code != "timeout" {
						t.Errorf("event %+v, want a timeout after %v", ev, fetch.AttemptLimit)
					}
				}
			})
		})
	}
}

func TestDecoderErrors(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"own error", own, "own"},
		{
			"unexpected response is quoted", &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: "no list"},
			"unexpected_response at GET /traders (HTTP 200): no list; the answer begins: {\"a\": \ufffd 1}",
		},
		{
			"not quoted twice", &connectors.Error{Code: connectors.CodeUnexpectedResponse, Message: "saw {\"a\": \ufffd 1}", Endpoint: "GET /x"},
			"unexpected_response at GET /x (HTTP 200): saw {\"a\": \ufffd 1}",
		},
		{
			"other codes are not quoted", &connectors.Error{Code: connectors.CodeInvalidRecords, Message: "all bad"},
			"invalid_records at GET /traders (HTTP 200): all bad",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(reply{status: 200, body: "{\"a\":\n\t\xff 1}"}))
				p := platform(n.client(fetch.Options{}), "https://p.test")
				res, err := p.Get(t.Context(), fetch.Request{Path: "/traders"}, func(fetch.Answer) error { return tt.err })
				if err == nil || err.Error() != tt.want {
					t.Errorf("got  %v\nwant %v", err, tt.want)
				}
				if res.Stats.Requests != 1 {
					t.Errorf("%d requests", res.Stats.Requests)
				}
			})
		})
	}
}
