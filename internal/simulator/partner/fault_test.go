package partner_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/partner"
)

// shower proves that a fault does what its description says. p has the fault
// on, sound is the same world without it.
type shower = func(t *testing.T, p, sound *partner.Server)

// shows are the checks of the faults of any HTTP platform, by name.
var shows = map[string]shower{
	"open-auth": func(t *testing.T, p, _ *partner.Server) {
		if r := do(t, p, "GET", "/v1/customers", ""); r.StatusCode != 200 {
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
	"status-204":          raw(204, `^$`),
	"redirect":            raw(302, `^$`),
	"html-200":            raw(200, `^<!DOCTYPE html>`),
	"payouts-404": func(t *testing.T, p, _ *partner.Server) {
		if got := [2]int{get(t, p, "/v1/payouts").StatusCode, get(t, p, "/v1/customers").StatusCode}; got != [2]int{404, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"slow":  waits,
	"hang":  waits,
	"stall": waits,
	"drip":  waits,
	"reset": cuts, "cut-body": cuts,
	"truncated-json":     raw(200, `^\{"data":\[[^\]]*[^}]$`),
	"empty-body":         raw(200, `^$`),
	"trailing-garbage":   raw(200, `\}\}\n<!-- served by node 7 -->$`),
	"byte-order-mark":    raw(200, "^\xef\xbb\xbf\\{\"data\""),
	"wrong-content-type": headed("Content-Type", "text/html; charset=utf-8"),
	"chunked":            headed("Content-Length", ""),
	"gzip":               headed("Content-Encoding", "gzip"),
	"huge-body": func(t *testing.T, p, _ *partner.Server) {
		if err := p.SetFault("huge-body", partner.FaultOptions{Size: 3 << 20}); err != nil {
			t.Fatal(err)
		}
		if got := body(t, get(t, p, "/v1/customers")); len(got) != 3<<20 || !json.Valid([]byte(got)) {
			t.Errorf("%d bytes", len(got))
		}
	},
	"gzip-bomb": func(t *testing.T, p, _ *partner.Server) {
		if err := p.SetFault("gzip-bomb", partner.FaultOptions{Size: 4 << 20}); err != nil {
			t.Fatal(err)
		}
		headed("Content-Encoding", "gzip")(t, p, nil)
		if got := len(body(t, get(t, p, "/v1/customers"))); got > 64<<10 {
			t.Errorf("%d bytes", got)
		}
	},
}

// answers checks a status with the error body and the Retry-After header.
func answers(status int, retryAfter string) shower {
	return func(t *testing.T, p, _ *partner.Server) {
		r := get(t, p, "/v1/customers")
		if r.StatusCode != status || !strings.HasPrefix(body(t, r), `{"error":{"code":"`) {
			t.Errorf("status %d", r.StatusCode)
		}
		switch got := r.Header.Get("Retry-After"); {
		case retryAfter == "date":
			if at, err := http.ParseTime(got); err != nil || time.Until(at) > 3*time.Second {
				t.Errorf("Retry-After is %q", got)
			}
		case retryAfter == "none" && got != "", retryAfter != "none" && got != retryAfter:
			t.Errorf("Retry-After is %q, want %q", got, retryAfter)
		}
	}
}

// raw checks the status and the bytes of a page of every list.
func raw(status int, pattern string) shower {
	return func(t *testing.T, p, _ *partner.Server) {
		for _, list := range partner.Lists() {
			r := get(t, p, path(list)+"?limit=3")
			if got := body(t, r); r.StatusCode != status || !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: status %d: %.300s … %s", list, r.StatusCode, got, got[max(0, len(got)-80):])
			}
		}
	}
}

func headed(name, want string) shower {
	return func(t *testing.T, p, _ *partner.Server) {
		if got := get(t, p, "/v1/payouts").Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// waits checks that the answer is not there after a moment.
func waits(t *testing.T, p, _ *partner.Server) {
	if _, err := ask(t, p, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// cuts checks that the connection ends before the answer does.
func cuts(t *testing.T, p, _ *partner.Server) {
	if _, err := ask(t, p, 10*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// ask reads the closed trades over the network.
func ask(t *testing.T, p *partner.Server, patience time.Duration) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/v1/trades/closed", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.Key)
	client := p.Client()
	defer client.CloseIdleConnections()
	r, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

func TestEveryFaultShowsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, info := range partner.Faults() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := shows[info.Name]
			if show == nil {
				show = showsInLists[info.Name]
			}
			if show == nil || info.Description == "" {
				t.Fatalf("no test shows this fault, or it has no description: %q", info.Description)
			}
			p, sound := start(t, small(31)), start(t, small(31))
			if err := p.SetFault(info.Name, partner.FaultOptions{}); err != nil {
				t.Fatal(err)
			}
			show(t, p, sound)
			if !p.ClearFault(info.Name) || p.ClearFault(info.Name) {
				t.Error("ClearFault did not switch the fault off once")
			}
			for _, list := range partner.Lists() {
				if diff := cmp.Diff(body(t, get(t, sound, path(list))), body(t, get(t, p, path(list)))); diff != "" {
					t.Errorf("%s after the fault (-sound +cleared):\n%s", list, diff)
				}
			}
		})
	}
}

// The faults of records find their fields under whatever name.
func TestFaultsOfRecordsInEveryDialect(t *testing.T) {
	t.Parallel()
	iso := regexp.MustCompile(`[2-]\d\dT\d\d|":"?1[67]\d{8}`)
	for _, dialect := range partner.Dialects() {
		o := small(32)
		o.Dialect, o.Trades = dialect, 300
		for fault, gone := range map[string][]string{
			"missing-id": {"customerId", "accountNr", "ticket", "payoutId"}, "local-times": nil, "account-null": nil,
		} {
			p := newPlatform(t, o)
			if err := p.SetFault(fault, partner.FaultOptions{}); err != nil {
				t.Fatal(err)
			}
			for i, list := range []partner.List{partner.Customers, partner.Accounts, partner.ClosedTrades, partner.Payouts} {
				for _, record := range walk(t, p, list, 100, nil) {
					s := read(t, list, record)
					switch {
					case gone != nil && s.str(gone[i]) != "" && (list != partner.Accounts || s.object["login"] == nil && s.object["accountId"] == nil):
						t.Fatalf("%s %s: %s", dialect, fault, record)
					case fault == "local-times" && iso.MatchString(record):
						t.Fatalf("%s %s: %s", dialect, fault, record)
					case fault == "account-null" && list == partner.ClosedTrades && (s.str("accountNr") != "" || !strings.Contains(record, `"account":null`)):
						t.Fatalf("%s %s: %s", dialect, fault, record)
					}
				}
			}
		}
	}
}

func TestFaultOptions(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(33))
	name, o, err := partner.ParseFault("status-500,endpoint=/v1/trades/closed,after=1,times=2")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetFault(name, o); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, at := range []string{"open", "closed", "closed", "closed", "closed"} {
		got = append(got, get(t, p, "/v1/trades/"+at).StatusCode)
	}
	if diff := cmp.Diff([]int{200, 200, 500, 500, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	p.ClearFaults()
	for name, want := range map[string]string{"status-418": "want one of open-auth, status-401", "ignores-scope": "cannot strike /v1/customers"} {
		if err := p.SetFault(name, partner.FaultOptions{Endpoint: "/v1/customers"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	if err := p.SetFault("slow", partner.FaultOptions{Endpoint: "/health"}); err == nil || !strings.Contains(err.Error(), "want one of /v1/customers") {
		t.Errorf("unknown endpoint: %v", err)
	}
}

func start(t testing.TB, o partner.Options) *partner.Server {
	t.Helper()
	s, err := partner.Start(o)
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
