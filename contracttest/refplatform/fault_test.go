package refplatform_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/contracttest/refplatform"
)

// shows are the checks of the faults, by name: each must prove that the fault
// does what its description says. p has the fault on, sound is the same world
// without it.
var shows = map[string]func(t *testing.T, p, sound *refplatform.Server){
	"open-auth": func(t *testing.T, p, _ *refplatform.Server) {
		if r := do(t, p, "GET", "/traders", ""); r.StatusCode != 200 {
			t.Errorf("status %d without a key", r.StatusCode)
		}
	},
	"status-401":          answers(401, "none"),
	"status-403":          answers(403, "none"),
	"status-404":          answers(404, "none"),
	"status-500":          answers(500, "none"),
	"status-502":          answers(502, "none"),
	"status-503":          answers(503, "none"),
	"status-429":          answers(429, "1"),
	"status-429-zero":     answers(429, "0"),
	"status-429-absent":   answers(429, "none"),
	"status-429-date":     answers(429, "date"),
	"status-429-fraction": answers(429, "0.5"),
	"status-429-negative": answers(429, "-5"),
	"status-429-huge":     answers(429, "99999999999999999999"),
	"status-204": func(t *testing.T, p, _ *refplatform.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 204 || body(t, r) != "" {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"payouts-404": func(t *testing.T, p, _ *refplatform.Server) {
		if got := [2]int{get(t, p, "/payouts").StatusCode, get(t, p, "/trades").StatusCode}; got != [2]int{404, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"health-not-ok": func(t *testing.T, p, _ *refplatform.Server) {
		if got := body(t, get(t, p, "/health")); got != `{"status":"degraded"}` {
			t.Error(got)
		}
	},
	"expired-cursor": func(t *testing.T, p, _ *refplatform.Server) {
		first := getPage(t, p, "/trades", nil)
		if r := get(t, p, "/trades?cursor="+*first.NextCursor); r.StatusCode != 400 || !strings.Contains(body(t, r), "invalid_cursor") {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"redirect": func(t *testing.T, p, _ *refplatform.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 302 || r.Header.Get("Location") != "/login" {
			t.Errorf("status %d to %q", r.StatusCode, r.Header.Get("Location"))
		}
	},
	"html-200": func(t *testing.T, p, _ *refplatform.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 200 || !strings.HasPrefix(body(t, r), "<!DOCTYPE html>") {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"clock-skew": func(t *testing.T, p, sound *refplatform.Server) {
		date, err := http.ParseTime(get(t, p, "/trades").Header.Get("Date"))
		if ahead := time.Until(date); err != nil || ahead < 59*time.Minute || ahead > 61*time.Minute {
			t.Errorf("Date %s, %v", date, err)
		}
		want, got := walk(t, sound, "/trades", 500, nil), walk(t, p, "/trades", 500, nil)
		for i := range want {
			if shift := headOf(t, got[i]).UpdatedAt.Sub(headOf(t, want[i]).UpdatedAt); shift != time.Hour {
				t.Fatalf("updated_at is shifted by %s", shift)
			}
		}
		since := headOf(t, got[len(got)-50]).UpdatedAt.Format(time.RFC3339Nano)
		if diff := cmp.Diff(got[len(got)-50:], walk(t, p, "/trades", 500, url.Values{"updated_since": {since}})); diff != "" {
			t.Errorf("updated_since does not follow the skewed clock:\n%s", diff)
		}
	},
	"slow": func(t *testing.T, p, sound *refplatform.Server) {
		began := time.Now()
		_, err := ask(t, p, time.Second/5)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if err := p.SetFault("slow", refplatform.FaultOptions{Delay: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		same(t, p, sound, "/trades")
	},
	"hang": func(t *testing.T, p, _ *refplatform.Server) {
		if _, err := ask(t, p, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	},
	"reset": func(t *testing.T, p, _ *refplatform.Server) {
		if _, err := ask(t, p, 10*time.Second); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%T %v", err, err)
		}
	},
	"cut-body": func(t *testing.T, p, _ *refplatform.Server) {
		if got, err := ask(t, p, 10*time.Second); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) == 0 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	},
	"stall": func(t *testing.T, p, _ *refplatform.Server) {
		if got, err := ask(t, p, time.Second/2); !errors.Is(err, context.DeadlineExceeded) || len(got) == 0 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	},
	"drip": func(t *testing.T, p, sound *refplatform.Server) {
		if got, err := ask(t, p, time.Second/2); !errors.Is(err, context.DeadlineExceeded) || len(got) < 16 || len(got) > 160 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if err := p.SetFault("drip", refplatform.FaultOptions{Delay: time.Microsecond, Size: 1000}); err != nil {
			t.Fatal(err)
		}
		same(t, p, sound, "/trades")
	},
	"truncated-json": spoils(func(b []byte) bool { return len(b) > 0 && !json.Valid(b) }),
	"empty-body":     spoils(func(b []byte) bool { return len(b) == 0 }),
	"trailing-garbage": spoils(func(b []byte) bool {
		return !json.Valid(b) && json.NewDecoder(bytes.NewReader(b)).Decode(new(any)) == nil
	}),
	"byte-order-mark":    spoils(func(b []byte) bool { return bytes.HasPrefix(b, []byte("\xef\xbb\xbf{")) }),
	"wrong-content-type": headed("Content-Type", "text/html; charset=utf-8"),
	"chunked": func(t *testing.T, p, sound *refplatform.Server) {
		request, _ := http.NewRequest("GET", p.URL+"/trades", nil)
		request.Header.Set("Authorization", "Bearer "+key)
		client := p.Client()
		defer client.CloseIdleConnections()
		r, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if r.ContentLength != -1 || body(t, r) != body(t, get(t, sound, "/trades")) {
			t.Errorf("Content-Length %d", r.ContentLength)
		}
	},
	"gzip": func(t *testing.T, p, sound *refplatform.Server) {
		zip, err := gzip.NewReader(get(t, p, "/trades").Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(zip); err != nil || string(got) != body(t, get(t, sound, "/trades")) {
			t.Errorf("unpacked %d bytes, %v", len(got), err)
		}
	},
	"huge-body": func(t *testing.T, p, _ *refplatform.Server) {
		r := get(t, p, "/trades")
		if got := body(t, r); len(got) != 64<<20 || !json.Valid([]byte(got)) || r.Header.Get("Content-Length") != strconv.Itoa(64<<20) {
			t.Errorf("%d bytes", len(got))
		}
	},
	"gzip-bomb": func(t *testing.T, p, _ *refplatform.Server) {
		if err := p.SetFault("gzip-bomb", refplatform.FaultOptions{Size: 32 << 20}); err != nil {
			t.Fatal(err)
		}
		packed := body(t, get(t, p, "/trades"))
		zip, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(zip); err != nil || len(got) < 32<<20 || len(packed) > 64<<10 || !json.Valid(got) {
			t.Errorf("%d bytes unpack to %d, %v", len(packed), len(got), err)
		}
	},
}

// answers checks a status with the error body and the Retry-After header.
func answers(status int, retryAfter string) func(*testing.T, *refplatform.Server, *refplatform.Server) {
	return func(t *testing.T, p, _ *refplatform.Server) {
		for _, path := range []string{"/health", "/traders/tr_00000001", "/trades"} {
			r := get(t, p, path)
			if r.StatusCode != status || !strings.HasPrefix(body(t, r), `{"error":{"code":"`) {
				t.Errorf("status %d", r.StatusCode)
			}
			switch got := r.Header.Get("Retry-After"); {
			case retryAfter == "date":
				if at, err := http.ParseTime(got); err != nil || time.Until(at) > 3*time.Second {
					t.Errorf("Retry-After is %q", got)
				}
			case retryAfter == "none":
				if _, there := r.Header["Retry-After"]; there {
					t.Errorf("Retry-After is %q", got)
				}
			case got != retryAfter:
				t.Errorf("Retry-After is %q, want %q", got, retryAfter)
			}
		}
	}
}

// spoils checks bodies of a complete response with status 200.
func spoils(spoilt func([]byte) bool) func(*testing.T, *refplatform.Server, *refplatform.Server) {
	return func(t *testing.T, p, _ *refplatform.Server) {
		for _, path := range []string{"/health", "/traders/tr_00000001", "/trades"} {
			if r := get(t, p, path); r.StatusCode != 200 || !spoilt([]byte(body(t, r))) {
				t.Errorf("%s: status %d and a body that is not spoilt", path, r.StatusCode)
			}
		}
	}
}

func headed(name, want string) func(*testing.T, *refplatform.Server, *refplatform.Server) {
	return func(t *testing.T, p, _ *refplatform.Server) {
		if got := get(t, p, "/trades").Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// same checks that both platforms answer alike.
func same(t *testing.T, p, sound *refplatform.Server, path string) {
	t.Helper()
	if diff := cmp.Diff(body(t, get(t, sound, path)), body(t, get(t, p, path))); diff != "" {
		t.Errorf("(-sound +faulty):\n%s", diff)
	}
}

// ask reads /trades over the network.
func ask(t *testing.T, p *refplatform.Server, patience time.Duration) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/trades?limit=5", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	transport := p.Client().Transport.(*http.Transport)
	transport.ForceAttemptHTTP2 = false
	defer transport.CloseIdleConnections()
	r, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, info := range refplatform.Faults() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := shows[info.Name]
			if show == nil {
				show = showsInLists[info.Name]
			}
			if show == nil {
				t.Fatal("no test shows this fault")
			}
			if info.Description == "" {
				t.Error("no description")
			}
			p, sound := start(t, small(31)), start(t, small(31))
			if err := p.SetFault(info.Name, refplatform.FaultOptions{}); err != nil {
				t.Fatal(err)
			}
			show(t, p, sound)
			if !p.ClearFault(info.Name) || p.ClearFault(info.Name) {
				t.Error("ClearFault did not switch the fault off once")
			}
			same(t, p, sound, "/trades?limit=3")
			same(t, p, sound, "/health")
		})
	}
}

func start(t testing.TB, o refplatform.Options) *refplatform.Server {
	t.Helper()
	s, err := refplatform.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestFaultOptions(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(32))
	statuses := func(n int, path string) (got []int) {
		for range n {
			got = append(got, get(t, p, path).StatusCode)
		}
		return got
	}
	set := func(name string, o refplatform.FaultOptions) {
		t.Helper()
		if err := p.SetFault(name, o); err != nil {
			t.Fatal(err)
		}
	}
	set("status-500", refplatform.FaultOptions{Endpoint: "/trades", After: 1, Times: 2})
	if diff := cmp.Diff([]int{200, 200}, statuses(2, "/accounts")); diff != "" {
		t.Errorf("another endpoint:\n%s", diff)
	}
	if diff := cmp.Diff([]int{200, 500, 500, 200, 200}, statuses(5, "/trades")); diff != "" {
		t.Errorf("after=1 times=2:\n%s", diff)
	}
	set("status-500", refplatform.FaultOptions{Times: 1})
	if diff := cmp.Diff([]int{500, 200}, statuses(2, "/traders/tr_00000001")); diff != "" {
		t.Errorf("set again:\n%s", diff)
	}
	set("status-500", refplatform.FaultOptions{Probability: 0.3})
	got := statuses(400, "/health")
	if n := 400 - len(slices.DeleteFunc(slices.Clone(got), func(s int) bool { return s == 500 })); n < 80 || n > 160 {
		t.Errorf("probability 0.3 struck %d of 400", n)
	}
	set("status-500", refplatform.FaultOptions{Probability: 0.3})
	if diff := cmp.Diff(got, statuses(400, "/health")); diff != "" {
		t.Errorf("the same seed strikes other requests:\n%s", diff)
	}
	p.ClearFaults()
	set("missing-id", refplatform.FaultOptions{Every: 3})
	for i, record := range getPage(t, p, "/trades", nil).Data {
		if has := headOf(t, string(record)).ID != ""; has == (i%3 == 0) {
			t.Errorf("record %d has an id: %v", i, has)
		}
	}
	set("status-429", refplatform.FaultOptions{Value: "7"})
	if got := get(t, p, "/trades").Header.Get("Retry-After"); got != "7" {
		t.Errorf("Retry-After is %q", got)
	}
	p.ClearFaults()
	set("unordered", refplatform.FaultOptions{})
	set("numeric-ids", refplatform.FaultOptions{})
	set("envelope-items", refplatform.FaultOptions{})
	if got := body(t, get(t, p, "/traders?limit=2")); !strings.HasPrefix(got, `{"items":[{"id":`) || strings.Contains(got, "tr_") {
		t.Errorf("three faults at once: %s", got)
	}
}

func TestWrongFaults(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(33))
	tests := []struct {
		name, fault string
		o           refplatform.FaultOptions
		want        string
	}{
		{"unknown name", "status-418", refplatform.FaultOptions{}, "want one of open-auth, status-401"},
		{"unknown endpoint", "slow", refplatform.FaultOptions{Endpoint: "/orders"}, "want one of /health, /traders"},
		{"endpoint it cannot strike", "unordered", refplatform.FaultOptions{Endpoint: "/health"}, "cannot strike /health"},
		{"probability", "slow", refplatform.FaultOptions{Probability: 1.5}, "want 0 to 1"},
		{"negative", "slow", refplatform.FaultOptions{Times: -1}, "negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := p.SetFault(tt.fault, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, fault string
		want              refplatform.FaultOptions
		fails             string
	}{
		{name: "name only", text: "slow", fault: "slow"},
		{name: "all options", text: "drip,endpoint=/trades,after=1,times=2,probability=0.5,every=3,delay=1.5s,size=2MiB,value=a,b=c", fault: "drip",
			want: refplatform.FaultOptions{Endpoint: "/trades", After: 1, Times: 2, Probability: 0.5, Every: 3, Delay: 1500 * time.Millisecond, Size: 2 << 20, Value: "a,b=c"}},
		{name: "bytes", text: "drip,size=77", fault: "drip", want: refplatform.FaultOptions{Size: 77}},
		{name: "no name", text: ",times=1", fails: "no name"},
		{name: "no value", text: "slow,times", fails: "no value"},
		{name: "unknown option", text: "slow,often=1", fails: "want endpoint, after"},
		{name: "bad number", text: "slow,times=x", fails: "option times"},
		{name: "size overflows", text: "slow,size=99999999999GiB", fails: "option size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name, got, err := refplatform.ParseFault(tt.text)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want one with %q", err, tt.fails)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || name != tt.fault || diff != "" {
				t.Errorf("name %q, error %v (-want +got):\n%s", name, err, diff)
			}
		})
	}
}

func FuzzParseFault(f *testing.F) {
	for _, seed := range []string{"slow", "drip,size=2MiB,delay=1s", "x,value=a,b", ",", "a,=,", "a,size=-1GiB"} {
		f.Add(seed)
	}
	p := newPlatform(f, refplatform.Options{Key: key})
	f.Fuzz(func(t *testing.T, text string) {
		if name, o, err := refplatform.ParseFault(text); err == nil {
			if err := p.SetFault(name, o); err == nil {
				p.ClearFaults()
			} else if !utf8.ValidString(err.Error()) && utf8.ValidString(text) {
				t.Errorf("error is no text: %q", err)
			}
		}
	})
}
