package partnertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/partnerplatform/partnertest"
)

// shower proves that a fault does what its description says. p has the fault
// on, sound is the same world without it.
type shower = func(t *testing.T, p, sound *partnertest.Server)

// shows are the checks of the faults, by name.
var shows = map[string]shower{
	"open-auth": func(t *testing.T, p, _ *partnertest.Server) {
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
	"payouts-404": func(t *testing.T, p, _ *partnertest.Server) {
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
	"huge-body": func(t *testing.T, p, _ *partnertest.Server) {
		if err := p.SetFault("huge-body", partnertest.FaultOptions{Size: 3 << 20}); err != nil {
			t.Fatal(err)
		}
		if got := body(t, get(t, p, "/v1/customers")); len(got) != 3<<20 || !json.Valid([]byte(got)) {
			t.Errorf("%d bytes", len(got))
		}
	},
	"gzip-bomb": func(t *testing.T, p, _ *partnertest.Server) {
		if err := p.SetFault("gzip-bomb", partnertest.FaultOptions{Size: 4 << 20}); err != nil {
			t.Fatal(err)
		}
		headed("Content-Encoding", "gzip")(t, p, nil)
		if got := len(body(t, get(t, p, "/v1/customers"))); got > 64<<10 {
			t.Errorf("%d bytes", got)
		}
	},

	"data-null":        raw(200, `^\{"data":null,"metadata":\{"total_count":\d+\}\}$`),
	"bare-array":       raw(200, `^\[\{"\w.*\}\]$`),
	"envelope-items":   raw(200, `^\{"items":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-results": raw(200, `^\{"results":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-records": raw(200, `^\{"records":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-unknown": raw(200, `^\{"rows":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"two-lists":        raw(200, `^\{"data":\[\{.*\],"items":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"total-too-high":   total(func(n int) string { return strconv.Itoa(n + 1000) }),
	"total-too-low":    total(func(n int) string { return strconv.Itoa(max(n-1000, 1)) }),
	"total-zero":       total(func(int) string { return "0" }),
	"total-negative":   total(func(int) string { return "-1" }),
	"total-null":       total(func(int) string { return "null" }),
	"total-word":       total(func(int) string { return `"many"` }),
	"total-string":     total(func(n int) string { return `"` + strconv.Itoa(n) + `"` }),
	"total-page":       total(func(n int) string { return strconv.Itoa(min(n, 100)) }),
	"total-absent":     raw(200, `\]\}$`),
	"total-moved":      raw(200, `\],"total_count":\d+\}$`),
	"unordered": func(t *testing.T, p, sound *partnertest.Server) {
		want, got := getPage(t, sound, partnertest.ClosedTrades, nil), getPage(t, p, partnertest.ClosedTrades, nil)
		slices.Reverse(got.Data)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	},
	"duplicate-records": func(t *testing.T, p, sound *partnertest.Server) {
		want, got := getPage(t, sound, partnertest.ClosedTrades, nil), getPage(t, p, partnertest.ClosedTrades, nil)
		if diff := cmp.Diff(append(want.Data, want.Data...), got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-page": func(t *testing.T, p, _ *partnertest.Server) {
		first := getPage(t, p, partnertest.ClosedTrades, nil)
		if diff := cmp.Diff(first, getPage(t, p, partnertest.ClosedTrades, url.Values{"page": {"7"}})); diff != "" {
			t.Error(diff)
		}
	},
	"endless-list": func(t *testing.T, p, sound *partnertest.Server) {
		total := p.Counts().ClosedTrades
		pages := (total + 99) / 100
		far := getPage(t, p, partnertest.ClosedTrades, url.Values{"page": {strconv.Itoa(40*pages + 3)}})
		if diff := cmp.Diff(getPage(t, sound, partnertest.ClosedTrades, url.Values{"page": {"3"}}).Data, far.Data); diff != "" || far.Metadata != nil {
			t.Errorf("metadata %v, %s", far.Metadata, diff)
		}
	},
	"ignores-limit": func(t *testing.T, p, sound *partnertest.Server) {
		if n := len(getPage(t, p, partnertest.ClosedTrades, nil).Data); n != 1000 {
			t.Errorf("%d records on a page", n)
		}
		if err := p.SetFault("ignores-limit", partnertest.FaultOptions{Size: 50}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := 1; n <= 30; n++ {
			for _, record := range getPage(t, p, partnertest.ClosedTrades, url.Values{"page": {strconv.Itoa(n)}}).Data {
				got = append(got, string(record))
			}
		}
		if diff := cmp.Diff(walk(t, sound, partnertest.ClosedTrades, 100, nil), got); diff != "" {
			t.Errorf("by pages of 50:\n%s", diff)
		}
	},
	"short-pages": func(t *testing.T, p, sound *partnertest.Server) {
		want, got := getPage(t, sound, partnertest.ClosedTrades, nil), getPage(t, p, partnertest.ClosedTrades, nil)
		if diff := cmp.Diff(want.Data[:50], got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"overlapping-pages": func(t *testing.T, p, sound *partnertest.Server) {
		want := walk(t, sound, partnertest.ClosedTrades, 100, nil)
		for n, from := range map[int]int{1: 0, 2: 90, 3: 190} {
			var got []string
			for _, record := range getPage(t, p, partnertest.ClosedTrades, url.Values{"page": {strconv.Itoa(n)}}).Data {
				got = append(got, string(record))
			}
			if diff := cmp.Diff(want[from:from+100], got); diff != "" {
				t.Errorf("page %d:\n%s", n, diff)
			}
		}
	},
	"skipped-records": func(t *testing.T, p, sound *partnertest.Server) {
		want, got := getPage(t, sound, partnertest.ClosedTrades, nil), getPage(t, p, partnertest.ClosedTrades, nil)
		if diff := cmp.Diff(want.Data[:99], got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-order": func(t *testing.T, p, sound *partnertest.Server) {
		got := walk(t, p, partnertest.ClosedTrades, 100, url.Values{"sort_order": {"desc"}})
		if diff := cmp.Diff(walk(t, sound, partnertest.ClosedTrades, 100, nil), got); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-updated-gte": func(t *testing.T, p, _ *partnertest.Server) {
		if got := walk(t, p, partnertest.Customers, 100, url.Values{"updated_gte": {"2030-01-01T00:00:00Z"}}); len(got) != 130 {
			t.Errorf("%d customers", len(got))
		}
	},
	"nothing-updated": func(t *testing.T, p, _ *partnertest.Server) {
		since := url.Values{"updated_gte": {"2000-01-01T00:00:00Z"}}
		if got := [2]int{len(walk(t, p, partnertest.Customers, 100, since)), len(walk(t, p, partnertest.Customers, 100, nil))}; got != [2]int{0, 130} {
			t.Errorf("%v customers", got)
		}
	},
	"ignores-scope": func(t *testing.T, p, _ *partnertest.Server) {
		if got := walk(t, p, partnertest.Accounts, 100, url.Values{"platforms": {"nobody"}}); len(got) != 260 {
			t.Errorf("%d accounts", len(got))
		}
	},

	"lagging-open": func(t *testing.T, p, sound *partnertest.Server) {
		if err := p.SetFault("lagging-open", partnertest.FaultOptions{Delay: 5 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		var want []string
		for r := range p.AllTrades() {
			if r.CloseDate.IsZero() || !r.CloseDate.Before(p.Now().Add(-5*time.Hour)) {
				want = append(want, r.Ticket)
			}
		}
		tickets := func(s sent) string { return s.str("ticket") }
		lagging := walk(t, p, partnertest.OpenTrades, 10, nil)
		if diff := cmp.Diff(want, readAll(t, partnertest.OpenTrades, lagging, tickets)); diff != "" || len(want) <= sound.Counts().OpenTrades {
			t.Errorf("%d open, %d listed:\n%s", sound.Counts().OpenTrades, len(want), diff)
		}
		records(partnertest.OpenTrades, `"closeDate":null,.*"closePrice":null,.*"pnl":null\}`)(t, p, sound)
	},
	"lagging-closed": func(t *testing.T, p, sound *partnertest.Server) {
		if err := p.SetFault("lagging-closed", partnertest.FaultOptions{Delay: 5 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(walk(t, sound, partnertest.ClosedTrades, 100, nil), func(r string) bool {
			return !read(t, partnertest.ClosedTrades, r).time("closeDate").Before(sound.Now().Add(-5 * time.Hour))
		})
		if diff := cmp.Diff(want, walk(t, p, partnertest.ClosedTrades, 100, nil)); diff != "" || len(want) == sound.Counts().ClosedTrades {
			t.Errorf("(-want +got):\n%s", diff)
		}
	},

	"missing-id": records(partnertest.OpenTrades, `^\{"accountNr":"\d+"`),
	"null-id":    records(partnertest.Accounts, `^\{"accountNr":null,`),
	"empty-id":   records(partnertest.Customers, `^\{"customerId":"",`),
	"object-id":  records(partnertest.Payouts, `^\{"payoutId":\{"value":"pay-\d+"\},`),
	"huge-numeric-ids": func(t *testing.T, p, sound *partnertest.Server) {
		records(partnertest.ClosedTrades, `^\{"ticket":900719925474099\d{11,},`)(t, p, sound)
		records(partnertest.Customers, `^\{"customerId":900719925474099\d{9},`)(t, p, sound)
	},
	"account-null":         records(partnertest.ClosedTrades, `^\{"ticket":\d+,"account":null,"symbol"`),
	"account-empty-object": records(partnertest.Payouts, `"customer":\{"customerId":"[^"]+"\},"account":\{\},"shareAmount"`),
	"customer-number":      records(partnertest.Accounts, `,"customer":17,`),
	"object-for-scalar":    records(partnertest.Accounts, `"phase":\{"value":"[a-z0-9 ]+"\}`),
	"record-number":        records(partnertest.OpenTrades, `^\d+$`),
	"record-null":          records(partnertest.OpenTrades, `^null$`),
	"record-list":          records(partnertest.Customers, `^\[\{.*\}\]$`),
	"offset-times":         records(partnertest.ClosedTrades, `"openDate":"[-0-9]+T[0-9:]+\+05:30","closeDate":"[-0-9]+T[0-9:]+\+05:30"`),
	"zoneless-times":       records(partnertest.ClosedTrades, `"closeDate":"[-0-9]+ [0-9:]+"`),
	"unix-times":           records(partnertest.ClosedTrades, `"closeDate":1[67]\d{8},`),
	"unix-milli-times":     records(partnertest.Customers, `"createdAt":1[67]\d{8}000,"updatedAt":1[67]\d{8}000,`),
	"local-times":          records(partnertest.ClosedTrades, `"closeDate":"\d\d\.\d\d\.20\d\d \d\d:\d\d"`),
	"word-times":           records(partnertest.Payouts, `"requestedAt":"yesterday"`),
	"missing-updated-at":   records(partnertest.Accounts, `"createdAt":"[^"]+","fundedAt"`),
	"unknown-enum":         records(partnertest.Payouts, `"status":"sideways"`),
	"upper-case-enum":      records(partnertest.ClosedTrades, `"side":"(BUY|SELL)"`),
	"huge-number":          records(partnertest.Accounts, `"currentBalance":1e1000000000,`),
	"float-noise":          records(partnertest.ClosedTrades, `"pnl":-?\d+\.\d\d00000000000004\}`),
	"lone-surrogate":       records(partnertest.ClosedTrades, `"symbol":"\\ud83d[A-Z]`),
	"nul":                  records(partnertest.ClosedTrades, `"symbol":"\\u0000[A-Z]`),
	"record-not-object":    records(partnertest.OpenTrades, `^"record"$`),
	"unknown-fields":       records(partnertest.OpenTrades, `,"internal_row":\{"shard":\d,"flags":\[1,null,"x"\]\}\}$`),
	"invalid-utf8": func(t *testing.T, p, _ *partnertest.Server) {
		for _, list := range partnertest.Lists() {
			if got := body(t, get(t, p, path(list))); utf8.ValidString(got) || !json.Valid([]byte(strings.ToValidUTF8(got, "?"))) {
				t.Errorf("%s is fine", list)
			}
		}
	},
	"deep-nesting": raw(200, `\[{1000}`),
	"huge-record": func(t *testing.T, p, _ *partnertest.Server) {
		if got := getPage(t, p, partnertest.ClosedTrades, nil).Data; len(got[0]) < 2<<20 || len(got[1]) > 1000 {
			t.Errorf("records of %d and %d bytes", len(got[0]), len(got[1]))
		}
	},
}

// answers checks a status with the error body and the Retry-After header.
func answers(status int, retryAfter string) shower {
	return func(t *testing.T, p, _ *partnertest.Server) {
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
	return func(t *testing.T, p, _ *partnertest.Server) {
		for _, list := range partnertest.Lists() {
			r := get(t, p, path(list)+"?limit=3")
			if got := body(t, r); r.StatusCode != status || !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: status %d: %.300s … %s", list, r.StatusCode, got, got[max(0, len(got)-80):])
			}
		}
	}
}

func headed(name, want string) shower {
	return func(t *testing.T, p, _ *partnertest.Server) {
		if got := get(t, p, "/v1/payouts").Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// total checks the total of the closed trades.
func total(want func(n int) string) shower {
	return func(t *testing.T, p, sound *partnertest.Server) {
		n := *getPage(t, sound, partnertest.ClosedTrades, nil).Metadata.Total
		if got := body(t, get(t, p, "/v1/trades/closed")); !strings.HasSuffix(got, `],"metadata":{"total_count":`+want(n)+`}}`) {
			t.Errorf("ends %s", got[len(got)-60:])
		}
	}
}

// records checks every record of a list.
func records(list partnertest.List, pattern string) shower {
	return func(t *testing.T, p, _ *partnertest.Server) {
		match := regexp.MustCompile(pattern)
		all := walk(t, p, list, 100, nil)
		for _, record := range all {
			if !match.MatchString(record) {
				t.Fatalf("%s does not match %s", record, pattern)
			}
		}
		if len(all) == 0 {
			t.Error("no records")
		}
	}
}

// waits checks that the answer is not there after a moment.
func waits(t *testing.T, p, _ *partnertest.Server) {
	if _, err := ask(t, p, time.Second/5); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// cuts checks that the connection ends before the answer does.
func cuts(t *testing.T, p, _ *partnertest.Server) {
	if _, err := ask(t, p, 10*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// ask reads the closed trades over the network.
func ask(t *testing.T, p *partnertest.Server, patience time.Duration) ([]byte, error) {
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
	for _, info := range partnertest.Faults() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			show := shows[info.Name]
			if show == nil || info.Description == "" {
				t.Fatalf("no test shows this fault, or it has no description: %q", info.Description)
			}
			p, sound := start(t, small(31)), start(t, small(31))
			if err := p.SetFault(info.Name, partnertest.FaultOptions{}); err != nil {
				t.Fatal(err)
			}
			show(t, p, sound)
			if !p.ClearFault(info.Name) || p.ClearFault(info.Name) {
				t.Error("ClearFault did not switch the fault off once")
			}
			for _, list := range partnertest.Lists() {
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
	for _, dialect := range partnertest.Dialects() {
		o := small(32)
		o.Dialect, o.Trades = dialect, 300
		for fault, gone := range map[string][]string{
			"missing-id": {"customerId", "accountNr", "ticket", "payoutId"}, "local-times": nil, "account-null": nil,
		} {
			p := newPlatform(t, o)
			if err := p.SetFault(fault, partnertest.FaultOptions{}); err != nil {
				t.Fatal(err)
			}
			for i, list := range []partnertest.List{partnertest.Customers, partnertest.Accounts, partnertest.ClosedTrades, partnertest.Payouts} {
				for _, record := range walk(t, p, list, 100, nil) {
					s := read(t, list, record)
					switch {
					case gone != nil && s.str(gone[i]) != "" && (list != partnertest.Accounts || s.object["login"] == nil && s.object["accountId"] == nil):
						t.Fatalf("%s %s: %s", dialect, fault, record)
					case fault == "local-times" && iso.MatchString(record):
						t.Fatalf("%s %s: %s", dialect, fault, record)
					case fault == "account-null" && list == partnertest.ClosedTrades && (s.str("accountNr") != "" || !strings.Contains(record, `"account":null`)):
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
	name, o, err := partnertest.ParseFault("status-500,endpoint=/v1/trades/closed,after=1,times=2")
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
		if err := p.SetFault(name, partnertest.FaultOptions{Endpoint: "/v1/customers"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	if err := p.SetFault("slow", partnertest.FaultOptions{Endpoint: "/health"}); err == nil || !strings.Contains(err.Error(), "want one of /v1/customers") {
		t.Errorf("unknown endpoint: %v", err)
	}
}

func start(t testing.TB, o partnertest.Options) *partnertest.Server {
	t.Helper()
	s, err := partnertest.Start(o)
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
