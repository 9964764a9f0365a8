package reference_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/reference"
)

// shows are the checks of the faults, by name: each must prove that the fault
// does what its description says. p has the fault on, sound is the same world
// without it.
var shows = map[string]func(t *testing.T, p, sound *reference.Server){
	"open-auth": func(t *testing.T, p, _ *reference.Server) {
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
	"status-204": func(t *testing.T, p, _ *reference.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 204 || body(t, r) != "" {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"payouts-404": func(t *testing.T, p, _ *reference.Server) {
		if got := [2]int{get(t, p, "/payouts").StatusCode, get(t, p, "/trades").StatusCode}; got != [2]int{404, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"health-not-ok": func(t *testing.T, p, _ *reference.Server) {
		if got := body(t, get(t, p, "/health")); got != `{"status":"degraded"}` {
			t.Error(got)
		}
	},
	"expired-cursor": func(t *testing.T, p, _ *reference.Server) {
		first := getPage(t, p, "/trades", nil)
		if r := get(t, p, "/trades?cursor="+*first.NextCursor); r.StatusCode != 400 || !strings.Contains(body(t, r), "invalid_cursor") {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"redirect": func(t *testing.T, p, _ *reference.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 302 || r.Header.Get("Location") != "/login" {
			t.Errorf("status %d to %q", r.StatusCode, r.Header.Get("Location"))
		}
	},
	"html-200": func(t *testing.T, p, _ *reference.Server) {
		if r := get(t, p, "/trades"); r.StatusCode != 200 || !strings.HasPrefix(body(t, r), "<!DOCTYPE html>") {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"clock-skew": func(t *testing.T, p, sound *reference.Server) {
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
	"slow": func(t *testing.T, p, sound *reference.Server) {
		if err := p.SetFault("slow", reference.FaultOptions{Delay: time.Hour}); err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, p, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := p.SetFault("slow", reference.FaultOptions{Delay: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		same(t, p, sound, "/trades")
	},
	"hang": func(t *testing.T, p, _ *reference.Server) {
		if _, err := ask(t, p, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	},
	"reset": func(t *testing.T, p, _ *reference.Server) {
		if _, err := ask(t, p, 10*time.Second); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%T %v", err, err)
		}
	},
	"cut-body": func(t *testing.T, p, _ *reference.Server) {
		if got, err := ask(t, p, 10*time.Second); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) == 0 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	},
	"stall": func(t *testing.T, p, sound *reference.Server) {
		whole := len(body(t, get(t, sound, "/trades?limit=5")))
		if got := askFor(t, p, whole/2); got != whole/2 {
			t.Errorf("%d of %d bytes came", got, whole)
		}
	},
	"drip": func(t *testing.T, p, sound *reference.Server) {
		if err := p.SetFault("drip", reference.FaultOptions{Delay: time.Hour}); err != nil {
			t.Fatal(err)
		}
		if got := askFor(t, p, 16); got != 16 {
			t.Errorf("%d bytes came", got)
		}
		if err := p.SetFault("drip", reference.FaultOptions{Delay: time.Microsecond, Size: 1000}); err != nil {
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
	"chunked": func(t *testing.T, p, sound *reference.Server) {
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
	"gzip": func(t *testing.T, p, sound *reference.Server) {
		zip, err := gzip.NewReader(get(t, p, "/trades").Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(zip); err != nil || string(got) != body(t, get(t, sound, "/trades")) {
			t.Errorf("unpacked %d bytes, %v", len(got), err)
		}
	},
	"huge-body": func(t *testing.T, p, _ *reference.Server) {
		if err := p.SetFault("huge-body", reference.FaultOptions{Size: 3 << 20}); err != nil {
			t.Fatal(err)
		}
		r := get(t, p, "/trades")
		if got := body(t, r); len(got) != 3<<20 || !json.Valid([]byte(got)) || r.Header.Get("Content-Length") != strconv.Itoa(3<<20) {
			t.Errorf("%d bytes", len(got))
		}
	},
	"gzip-bomb": func(t *testing.T, p, _ *reference.Server) {
		if err := p.SetFault("gzip-bomb", reference.FaultOptions{Size: 4 << 20}); err != nil {
			t.Fatal(err)
		}
		packed := body(t, get(t, p, "/trades"))
		zip, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(zip); err != nil || len(got) < 4<<20 || len(packed) > 64<<10 || !json.Valid(got) {
			t.Errorf("%d bytes unpack to %d, %v", len(packed), len(got), err)
		}
	},
}

// answers checks a status with the error body and the Retry-After header.
func answers(status int, retryAfter string) func(*testing.T, *reference.Server, *reference.Server) {
	return func(t *testing.T, p, _ *reference.Server) {
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
func spoils(spoilt func([]byte) bool) func(*testing.T, *reference.Server, *reference.Server) {
	return func(t *testing.T, p, _ *reference.Server) {
		for _, path := range []string{"/health", "/traders/tr_00000001", "/trades"} {
			if r := get(t, p, path); r.StatusCode != 200 || !spoilt([]byte(body(t, r))) {
				t.Errorf("%s: status %d and a body that is not spoilt", path, r.StatusCode)
			}
		}
	}
}

func headed(name, want string) func(*testing.T, *reference.Server, *reference.Server) {
	return func(t *testing.T, p, _ *reference.Server) {
		if got := get(t, p, "/trades").Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// same checks that both platforms answer alike.
func same(t *testing.T, p, sound *reference.Server, path string) {
	t.Helper()
	if diff := cmp.Diff(body(t, get(t, sound, path)), body(t, get(t, p, path))); diff != "" {
		t.Errorf("(-sound +faulty):\n%s", diff)
	}
}

// ask reads /trades over the network.
func ask(t *testing.T, p *reference.Server, patience time.Duration) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := request(t, ctx, p)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// askFor reads /trades over the network until n bytes have come, gives up a
// moment later and returns how many bytes came in all.
func askFor(t *testing.T, p *reference.Server, n int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := request(t, ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	rest, err := io.ReadAll(r.Body)
	if err == nil {
		t.Error("the response is complete")
	}
	return n + len(rest)
}

// request asks for five trades on a connection of its own.
func request(t *testing.T, ctx context.Context, p *reference.Server) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/trades?limit=5", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	transport := p.Client().Transport.(*http.Transport)
	transport.ForceAttemptHTTP2 = false
	transport.DisableKeepAlives = true
	return (&http.Client{Transport: transport}).Do(request)
}

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, info := range reference.Faults() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := shows[info.Name]
			if show == nil {
				show = showsInLists[info.Name]
			}
			if show == nil {
				show = showsHabits[info.Name]
			}
			if show == nil {
				t.Fatal("no test shows this fault")
			}
			if info.Description == "" {
				t.Error("no description")
			}
			p, sound := start(t, small(31)), start(t, small(31))
			if err := p.SetFault(info.Name, reference.FaultOptions{}); err != nil {
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

func start(t testing.TB, o reference.Options) *reference.Server {
	t.Helper()
	s, err := reference.Start(o)
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
