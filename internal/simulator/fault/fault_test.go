package fault_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
)

// shows are the checks of the faults that any platform can have, by name: each must prove that the
// fault does what its description says. p has the fault on, sound is the same platform without it.
var shows = map[string]func(t *testing.T, p, sound *platform){
	"open-auth": func(t *testing.T, p, _ *platform) {
		if r, err := p.try(t, p.paths[0], "", time.Minute); err != nil || r.status != http.StatusOK {
			t.Errorf("status %d without a key, %v", r.status, err)
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
	"status-204":          spoils(204, func(b []byte) bool { return len(b) == 0 }),
	"redirect": func(t *testing.T, p, _ *platform) {
		if r := p.get(t, p.paths[0]); r.status != http.StatusFound || r.header.Get("Location") != "/login" {
			t.Errorf("status %d to %q", r.status, r.header.Get("Location"))
		}
	},
	"html-200": spoils(200, func(b []byte) bool { return bytes.HasPrefix(b, []byte("<!DOCTYPE html>")) }),
	"slow": func(t *testing.T, p, sound *platform) {
		p.set(t, "slow", fault.Options{Delay: time.Hour})
		waits(t, p, sound)
		p.set(t, "slow", fault.Options{Delay: time.Millisecond})
		same(t, p, sound)
	},
	"hang": waits,
	"reset": func(t *testing.T, p, _ *platform) {
		if _, err := p.try(t, p.paths[0], p.Key, time.Minute); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%T %v", err, err)
		}
	},
	"cut-body": func(t *testing.T, p, _ *platform) {
		if r, err := p.try(t, p.paths[0], p.Key, time.Minute); !errors.Is(err, io.ErrUnexpectedEOF) || r.body == "" {
			t.Errorf("%d bytes, %v", len(r.body), err)
		}
	},
	"stall": func(t *testing.T, p, sound *platform) {
		half := len(sound.get(t, p.paths[0]).body) / 2
		if got := p.readSome(t, half); got != half {
			t.Errorf("%d bytes came, want half of the body, %d", got, half)
		}
	},
	"drip": func(t *testing.T, p, sound *platform) {
		p.set(t, "drip", fault.Options{Delay: time.Hour})
		if got := p.readSome(t, 16); got != 16 {
			t.Errorf("%d bytes came", got)
		}
		p.set(t, "drip", fault.Options{Delay: time.Microsecond, Size: 1000})
		same(t, p, sound)
	},
	"truncated-json": spoils(200, func(b []byte) bool { return len(b) > 0 && !json.Valid(b) }),
	"empty-body":     spoils(200, func(b []byte) bool { return len(b) == 0 }),
	"trailing-garbage": spoils(200, func(b []byte) bool {
		return !json.Valid(b) && json.NewDecoder(bytes.NewReader(b)).Decode(new(any)) == nil
	}),
	"byte-order-mark": spoils(200, func(b []byte) bool { return bytes.HasPrefix(b, []byte("\xef\xbb\xbf{")) }),
	"wrong-content-type": func(t *testing.T, p, _ *platform) {
		if got := p.get(t, p.paths[0]).header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("Content-Type is %q", got)
		}
	},
	"chunked": func(t *testing.T, p, sound *platform) {
		if r := p.get(t, p.paths[0]); r.length != -1 || r.body != sound.get(t, p.paths[0]).body {
			t.Errorf("Content-Length %d", r.length)
		}
	},
	"gzip": func(t *testing.T, p, sound *platform) {
		if got := unpack(t, p.get(t, p.paths[0])); got != sound.get(t, p.paths[0]).body {
			t.Errorf("unpacked %d bytes", len(got))
		}
	},
	"huge-body": func(t *testing.T, p, _ *platform) {
		p.set(t, "huge-body", fault.Options{Size: 3 << 20})
		if r := p.get(t, p.paths[0]); len(r.body) != 3<<20 || !json.Valid([]byte(r.body)) || r.length != 3<<20 {
			t.Errorf("%d bytes, %d announced", len(r.body), r.length)
		}
	},
	"gzip-bomb": func(t *testing.T, p, _ *platform) {
		p.set(t, "gzip-bomb", fault.Options{Size: 4 << 20})
		r := p.get(t, p.paths[0])
		if got := unpack(t, r); len(got) < 4<<20 || len(r.body) > 64<<10 || !json.Valid([]byte(got)) {
			t.Errorf("%d bytes unpack to %d", len(r.body), len(got))
		}
	},
}

// answers checks a status with the error body and the Retry-After header.
func answers(status int, retryAfter string) func(*testing.T, *platform, *platform) {
	return func(t *testing.T, p, _ *platform) {
		for _, path := range p.paths {
			r := p.get(t, path)
			if r.status != status || !strings.HasPrefix(r.body, `{"error":{"code":"`) {
				t.Errorf("%s: status %d", path, r.status)
			}
			switch got := r.header.Get("Retry-After"); {
			case retryAfter == "date":
				if at, err := http.ParseTime(got); err != nil || time.Until(at) > 3*time.Second {
					t.Errorf("Retry-After is %q", got)
				}
			case retryAfter == "none":
				if _, there := r.header["Retry-After"]; there {
					t.Errorf("Retry-After is %q", got)
				}
			case got != retryAfter:
				t.Errorf("Retry-After is %q, want %q", got, retryAfter)
			}
		}
	}
}

// spoils checks the status and the body of every path.
func spoils(status int, spoilt func([]byte) bool) func(*testing.T, *platform, *platform) {
	return func(t *testing.T, p, _ *platform) {
		for _, path := range p.paths {
			if r := p.get(t, path); r.status != status || !spoilt([]byte(r.body)) {
				t.Errorf("%s: status %d and %.200q", path, r.status, r.body)
			}
		}
	}
}

// waits checks that the response is not there after a moment.
func waits(t *testing.T, p, _ *platform) {
	if _, err := p.try(t, p.paths[0], p.Key, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// same checks that both platforms answer alike.
func same(t *testing.T, p, sound *platform) {
	t.Helper()
	for _, path := range p.paths {
		if diff := cmp.Diff(sound.get(t, path).body, p.get(t, path).body); diff != "" {
			t.Errorf("%s (-sound +faulty):\n%s", path, diff)
		}
	}
}

func unpack(t *testing.T, r response) string {
	t.Helper()
	zip, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readSome reads the first list until n bytes have come, gives up a moment later and returns how
// many bytes came in all.
func (p *platform) readSome(t *testing.T, n int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := p.open(t, ctx, p.paths[0], p.Key)
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

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for kind := range kinds {
		sound := start(t, kind)
		for _, info := range fault.Describe(slices.Concat(fault.Status[int, int](), fault.Connection[int, int](), fault.Body[int, int]())) {
			t.Run(info.Name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				show := shows[info.Name]
				if show == nil || info.Description == "" {
					t.Fatalf("no test shows this fault, or it has no description: %q", info.Description)
				}
				p := start(t, kind)
				p.set(t, info.Name, fault.Options{})
				show(t, p, sound)
				if !p.ClearFault(info.Name) || p.ClearFault(info.Name) {
					t.Error("ClearFault did not switch the fault off once")
				}
				same(t, p, sound)
			})
		}
	}
}

func TestCutsOverHTTP2(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reset", "cut-body"} {
		p := start(t, "reference")
		p.set(t, name, fault.Options{})
		client := p.Client()
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+p.paths[0], http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+p.Key)
		r, err := client.Do(request)
		if err == nil {
			_, err = io.ReadAll(r.Body)
			_ = r.Body.Close()
		}
		if err == nil || name == "cut-body" && r.ProtoMajor != 2 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
