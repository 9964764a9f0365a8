package contracttest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/contracttest/render"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// behind serves a handler in front of the platform, and returns options for it.
func (p *platform) behind(t testing.TB, profile contracttest.Profile, handler http.HandlerFunc) contracttest.Options {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	o := p.quick(profile)
	o.URL, o.RootCAs = server.URL, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return o
}

// broken fails the test unless exactly the cases of a row fail.
func broken(t *testing.T, r *contracttest.Report, fails string) {
	t.Helper()
	got := r.Failures()
	slices.Sort(got)
	if want := expand(fails); !slices.Equal(got, want) {
		t.Errorf("failures %v, want %v", got, want)
		for _, result := range r.BrokenRules() {
			t.Logf("%s: %s", result.ID, result.Message)
		}
	}
	checkVerdict(t, r)
}

// A 429 may come at any time, also several in a row. The contract requires clients to wait, so it
// breaks no rule.
func TestThrottledNowAndThen(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as a throttled client does")
	}
	t.Parallel()
	for name, held := range map[string]func(n int64) bool{
		"every fifth request":       func(n int64) bool { return n%5 == 0 },
		"five in a row":             func(n int64) bool { return n%30 < 5 },
		"the first of all requests": func(n int64) bool { return n <= 6 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			var n atomic.Int64
			o := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
				if held(n.Add(1)) {
					w.Header().Set("Retry-After", "1")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				p.ServeHTTP(w, r)
			})
			o.Timing.Sustained = 200 * time.Millisecond
			r := check(t, o)
			broken(t, r, "")
			if r.Verdict != contracttest.Conformant {
				t.Errorf("verdict %s", r.Verdict)
			}
		})
	}
}

// A trade that opens and closes within one second has one updated_at on a platform that keeps
// whole seconds. A trade that closes later needs another one.
func TestClosesWithinASecond(t *testing.T) {
	t.Parallel()
	for held, want := range map[time.Duration]string{300 * time.Millisecond: "", 30 * time.Second: "trades.closing"} {
		p := newPlatform(t)
		trade := reference.Trade{ID: "brief", AccountID: "tie_90000000", Symbol: "EURUSD", Side: "buy", OpenTime: p.began, UpdatedAt: p.began, OpenPrice: wire.NewDecimal(11, 1)}
		p.PutTrade(trade)
		o := p.quick(contracttest.Core)
		o.Progress = func(at contracttest.Progress) {
			if at.Case == "load.sustained" {
				trade.CloseTime, trade.ClosePrice = p.began.Add(held), wire.NewDecimal(12, 1)
				p.PutTrade(trade)
			}
		}
		broken(t, check(t, o), want)
	}
}

// A platform that never stops throttling, or throttles only strangers, is not reported as
// breaking other rules.
func TestThrottledForGood(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	o := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("Authorization"), p.Key) && r.URL.Path != "/health" {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		p.ServeHTTP(w, r)
	})
	r := check(t, o)
	for i := range r.Results {
		if result := &r.Results[i]; result.Status == contracttest.Failed {
			t.Errorf("%s: %s", result.ID, result.Message)
		}
	}
	if got := result(t, r, "auth.no-key.trades"); got.Skip != contracttest.SkipThrottle || r.Verdict != contracttest.Untested {
		t.Errorf("%s %s: %s, verdict %s", got.Status, got.Skip, got.Message, r.Verdict)
	}
}

// RFC 3339 allows small letters in times. A platform that sends them need not read them, because assay
// writes capital ones.
func TestTimesInSmallLetters(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	sent := regexp.MustCompile(`"\d{4}-\d\d-\d\dT[\d:.]+Z"`)
	r := check(t, p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("updated_since"), "z") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(sent.ReplaceAllFunc(answer.Body.Bytes(), bytes.ToLower))
	}))
	broken(t, r, "")
}

// A clock that is wrong is said to be ahead or behind.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]string{time.Hour: "ahead of this machine's", -time.Hour: "behind this machine's"} {
		p := newPlatform(t)
		if err := p.SetFault("clock-skew", fault.Options{Delay: delay}); err != nil {
			t.Fatal(err)
		}
		o := p.quick(contracttest.Core)
		o.Only = []string{"info.date"}
		if got := result(t, check(t, o), "info.date"); !strings.HasSuffix(got.Message, want) || strings.Contains(got.Message, "-1h") {
			t.Errorf("%s: %s", delay, got.Message)
		}
	}
}

// A check whose requests run out says so. It blames no case that the platform passes, and claims
// nothing about what was not requested.
func TestRequestsRunOut(t *testing.T) {
	t.Parallel()
	for n := 10; n < 90; n += 3 {
		p := newPlatform(t)
		o := p.quick(contracttest.Core)
		o.MaxRequests = n
		r := check(t, o)
		for i := range r.Results {
			c := &r.Results[i]
			if c.Skip == contracttest.SkipDepends && result(t, r, c.DependsOn).Status == contracttest.Passed {
				t.Errorf("%d requests: %s blames a case that has passed: %s", n, c.ID, c.Message)
			}
			if strings.Contains(c.Message, "used up its requests") && c.Skip != contracttest.SkipBudget {
				t.Errorf("%d requests: %s has %s: %s", n, c.ID, c.Status, c.Message)
			}
		}
		if got := result(t, r, "info.stale-cursor"); got.Skip == "" && !strings.Contains(got.Message, "works again") {
			t.Errorf("%d requests: %s", n, got.Message)
		}
	}
}

// A platform that breaks one rule is told how to fix that one, and is accused of nothing that only
// looks broken because of it.
func TestFixesFitTheDefect(t *testing.T) {
	t.Parallel()
	answer := func(path string, status int) func(p *platform) http.HandlerFunc {
		return func(p *platform) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == path && strings.HasSuffix(r.Header.Get("Authorization"), p.Key) {
					w.WriteHeader(status)
					return
				}
				p.ServeHTTP(w, r)
			}
		}
	}
	faults := func(names ...string) func(p *platform) http.HandlerFunc {
		return func(p *platform) http.HandlerFunc {
			for _, name := range names {
				if err := p.SetFault(name, fault.Options{}); err != nil {
					t.Error(err)
				}
			}
			return p.ServeHTTP
		}
	}
	for _, tt := range []struct {
		name, id, message, fix string
		handler                func(p *platform) http.HandlerFunc
	}{
		{"a condition that nobody set is met", "live.health", "304 instead of 200", "assay sends no If-None-Match", answer("/health", http.StatusNotModified)},
		{"the key may not read payouts", "live.payouts", "403 instead of 200", "exposes no payouts, answer 404", answer("/payouts", http.StatusForbidden)},
		{"the key may not read trades", "trades.readable", "401 instead of 200", "let the key read /trades too", answer("/trades", http.StatusUnauthorized)},
		{"trades are named with their accounts", "trades.closed", " of account ", "Set both when", faults("half-closed")},
		{"open trades may be on pages that nobody reaches", "trades.open", "see trades.paging", "", faults("no-cursor", "hides-open-trades")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			got := result(t, check(t, p.behind(t, contracttest.Core, tt.handler(p))), tt.id)
			if !strings.Contains(got.Message, tt.message) || !strings.Contains(got.Fix, tt.fix) || (got.Status == contracttest.Failed) != (tt.fix != "") {
				t.Errorf("%s %s\n%s\n%s", got.ID, got.Status, got.Message, got.Fix)
			}
		})
	}
}

// A bare array is a valid list, and its last page.
func TestBareArrays(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	last := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		p.ServeHTTP(recorded, r)
		var page struct {
			Data json.RawMessage `json:"data"`
			Next *string         `json:"next_cursor"`
		}
		body := recorded.Body.Bytes()
		if recorded.Code == http.StatusOK && json.Unmarshal(body, &page) == nil && page.Data != nil && page.Next == nil {
			body = page.Data
		}
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(body)
	})
	broken(t, check(t, last), "")

	server, err := reference.Start(reference.Options{Key: "test-key", Firm: firm.Options{Seed: 7, Start: wednesday, Traders: 20, AccountsPerTrader: 1, Trades: 120, Payouts: 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := server.SetFault("bare-array", fault.Options{}); err != nil {
		t.Fatal(err)
	}
	r := check(t, (&platform{server, server.Now()}).quick(contracttest.Core))
	if broken(t, r, "*.envelope"); r.Verdict != contracttest.Conformant {
		t.Errorf("verdict %s", r.Verdict)
	}
}

// shuffled serves the platform's trades by offset, newest opening first, in pages that omit some
// records.
func (p *platform) shuffled(t *testing.T, leftOut int) http.HandlerFunc {
	t.Helper()
	type trade struct {
		raw    json.RawMessage
		opened string
		at     time.Time
	}
	var all []trade
	for cursor := ""; ; {
		recorded := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodGet, "/trades?limit=500&cursor="+cursor, nil)
		req.Header.Set("Authorization", "Bearer "+p.Key)
		p.ServeHTTP(recorded, req)
		var page struct {
			Data []json.RawMessage `json:"data"`
			Next string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(recorded.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, raw := range page.Data {
			var told struct {
				Opened string    `json:"open_time"`
				At     time.Time `json:"updated_at"`
			}
			if err := json.Unmarshal(raw, &told); err != nil {
				t.Fatal(err)
			}
			all = append(all, trade{raw, told.Opened, told.At})
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b trade) int { return strings.Compare(b.opened, a.opened) })
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/trades" || r.Header.Get("Authorization") != "Bearer "+p.Key {
			p.ServeHTTP(w, r)
			return
		}
		since, _ := time.Parse(time.RFC3339Nano, query.Get("updated_since"))
		limit, err := strconv.Atoi(query.Get("limit"))
		if err != nil {
			limit = 100
		}
		from, _ := strconv.Atoi(strings.TrimPrefix(query.Get("cursor"), "at_")) // the list never changes
		page := struct {
			Data []json.RawMessage `json:"data"`
			Next *string           `json:"next_cursor"`
		}{Data: []json.RawMessage{}}
		rest := slices.DeleteFunc(slices.Clone(all), func(t trade) bool { return t.at.Before(since) })
		for _, t := range rest[min(from, len(rest)):min(from+limit, len(rest))] {
			page.Data = append(page.Data, t.raw)
		}
		if from+limit < len(rest) {
			next := fmt.Sprint("at_", from+limit+leftOut)
			page.Next = &next
		}
		_ = json.NewEncoder(w).Encode(page)
	}
}

// Balances of accounts change all the time, so an account moves to a later page after it was read.
// A platform with small pages breaks no rule of updated_since by that.
func TestAccountsThatMove(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(reference.Options{Key: "test-key", Firm: firm.Options{Seed: 7, Start: wednesday, Traders: 1, AccountsPerTrader: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p := &platform{server, server.Now()}
	trader := p.PutTrader(reference.Trader{ID: "trader"})
	r := check(t, p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path == "/accounts" {
			if query.Get("cursor") == "" {
				for i := range 12 {
					p.PutAccount(reference.Account{ID: fmt.Sprintf("account_%02d", i), TraderID: trader.ID, Currency: "USD"})
				}
			}
			if limit, err := strconv.Atoi(query.Get("limit")); err == nil {
				query.Set("limit", fmt.Sprint(min(limit, 5)))
				r.URL.RawQuery = query.Encode()
			}
		}
		p.ServeHTTP(w, r)
	}))
	for _, id := range []string{"accounts.since-inclusive", "accounts.since-fraction", "accounts.since-offset"} {
		if got := result(t, r, id); got.Status == contracttest.Failed {
			t.Errorf("%s: %s", id, got.Message)
		}
	}
}

// Numbers may be written in several ways, such as 1000.00 and 1000: that is no sign of open positions.
func TestNumbersOfTwoForms(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(reference.Options{Key: "test-key", Firm: firm.Options{Seed: 7, Start: wednesday, Traders: 1, AccountsPerTrader: 0}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p := &platform{server, server.Now()}
	at := wednesday.Add(-time.Hour)
	trader := p.PutTrader(reference.Trader{ID: "trader", UpdatedAt: at})
	money := wire.NewDecimal(1000, 0)
	p.PutAccount(reference.Account{ID: "account", TraderID: trader.ID, Currency: "USD", InitialBalance: money, Balance: money, Equity: money, UpdatedAt: at})
	p.PutTrade(reference.Trade{ID: "trade", AccountID: "account", Symbol: "EURUSD", Side: "buy", OpenTime: at.Add(-time.Hour), CloseTime: at, UpdatedAt: at, OpenPrice: wire.NewDecimal(11, 1), ClosePrice: wire.NewDecimal(12, 1)})
	equity := regexp.MustCompile(`"equity": ?1000`)
	found := false
	r := check(t, p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(answer, r)
		body := equity.ReplaceAll(answer.Body.Bytes(), []byte(`"equity": "1,000.00"`))
		found = found || len(body) != answer.Body.Len()
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	}))
	if got := result(t, r, "trades.open"); got.Status != contracttest.Skipped || !found {
		t.Errorf("trades.open: %s %s; rewritten %v", got.Status, got.Message, found)
	}
}

// The contract sets no order for trades. Missing trades are found in any order.
func TestTradesInAnyOrder(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.behind(t, contracttest.Core, p.shuffled(t, 0)))
	broken(t, r, "")
	if got := result(t, r, "trades.order"); got.Status != contracttest.Noted || r.Verdict != contracttest.Conformant {
		t.Errorf("%s: %s, verdict %s", got.Status, got.Message, r.Verdict)
	}
	for _, id := range []string{"trades.limit-walk", "trades.since", "trades.cursor-since", "trades.since-inclusive", "trades.history"} {
		if got := result(t, r, id); got.Status != contracttest.Passed {
			t.Errorf("%s: %s %s", id, got.Status, got.Message)
		}
	}
	r = check(t, p.behind(t, contracttest.Core, p.shuffled(t, 1)))
	if got := result(t, r, "trades.limit-walk"); got.Status != contracttest.Failed {
		t.Errorf("records are left out between pages, and trades.limit-walk says: %s %s", got.Status, got.Message)
	}
}

// A step of the live check that takes long passes with a warning, as in assay.
func TestSlowStep(t *testing.T) {
	t.Parallel()
	_, o := faulty(t, "slow,delay=60ms,endpoint=/traders", contracttest.LiveCheck)
	o.Timing.Slow = 50 * time.Millisecond
	r := check(t, o)
	for _, id := range []string{"live.traders", "live.traders_next_page"} {
		got := result(t, r, id)
		if got.Status != contracttest.Warned || !strings.Contains(got.Message, "less than 50ms") || !strings.HasPrefix(got.Explain(), "WARNING "+id) {
			t.Errorf("%s: %s", got.Status, got.Explain())
		}
	}
	if got := result(t, r, "live.accounts"); got.Status == contracttest.Failed || r.Verdict != contracttest.Conformant {
		t.Errorf("%s: %s, verdict %s", got.Status, got.Message, r.Verdict)
	}
}

// The hint fits the observation, whichever case made it.
func TestHintsFitTheStatus(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	o := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		since, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("updated_since"))
		if r.URL.Path == "/trades" && err == nil && p.began.Sub(since) > 30*24*time.Hour {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	})
	r := check(t, o)
	if got := result(t, r, "trades.history"); got.Status != contracttest.Failed || !strings.Contains(got.Fix, "log") || strings.Contains(got.Fix, "cap") {
		t.Errorf("%s: %s: %s", got.Status, got.Message, got.Fix)
	}
}

// If /health fails, nothing else is requested, and the report says so once.
func TestHealthFails(t *testing.T) {
	t.Parallel()
	_, o := faulty(t, "status-500,endpoint=/health", contracttest.Core)
	r := check(t, o)
	if broken(t, r, "live.health"); r.Verdict != contracttest.Violations || r.Requests != 3 {
		t.Errorf("verdict %s after %d requests", r.Verdict, r.Requests)
	}
	var text, tap bytes.Buffer
	if err := render.Text(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := render.TAP(&tap, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n"); n > 16 || !strings.Contains(text.String(), " cases: depends: GET /health failed") {
		t.Errorf("%d lines:\n%s", n, &text)
	}
	if n := strings.Count(tap.String(), "# SKIP"); n > 2 {
		t.Errorf("%d lines of cases that were skipped", n)
	}
}

// Cursors that count pages hold up in the kit's reading, and lose records when others change.
func TestCursorsThatCount(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	var mu sync.Mutex
	cursors := map[string]string{} // by request and number of the page
	o := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		q := r.URL.Query()
		number, _ := strconv.Atoi(q.Get("cursor"))
		number = max(number, 1)
		q.Del("cursor")
		list := r.URL.Path + "?" + q.Encode() + "#"
		if number > 1 {
			q.Set("cursor", cursors[list+strconv.Itoa(number)])
		}
		r.URL.RawQuery = q.Encode()
		rec := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(rec, r)
		body := rec.Body.String()
		if before, rest, ok := strings.Cut(body, `"next_cursor":"`); ok {
			cursor, after, _ := strings.Cut(rest, `"`)
			next := strconv.Itoa(number + 1)
			cursors[list+next] = cursor
			body = before + `"next_cursor":"` + next + `"` + after
		}
		maps.Copy(w.Header(), rec.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		_, _ = w.Write([]byte(body))
	})
	r := check(t, o)
	for _, list := range []string{"traders", "accounts", "trades", "payouts"} {
		if got := result(t, r, list+".end"); got.Status != contracttest.Warned || !strings.Contains(got.Message, `looks like a count of pages or records: "2", "3"`) {
			t.Errorf("%s.end: %s %q", list, got.Status, got.Message)
		}
	}
}

// A platform whose members have names of another style learns which ones.
func TestNamesOfAnotherStyle(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.behind(t, contracttest.LiveCheck, func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, strings.ReplaceAll(rec.Body.String(), `"updated_at"`, `"updatedAt"`))
	}))
	if got := result(t, r, "live.traders"); got.Status != contracttest.Failed || !strings.Contains(got.Message, "updated_at is missing, null or empty; the record has updatedAt instead") {
		t.Errorf("%s %q", got.Status, got.Message)
	}
}

// altered serves the platform with bodies that change has altered.
func (p *platform) altered(change func(r *http.Request, body string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, change(r, rec.Body.String()))
	}
}

// The kit reads lists several times over. A record that it has read again, or that breaks a rule
// twice, is still one record.
func TestRecordsAreCountedOnce(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.behind(t, contracttest.Core, p.altered(func(_ *http.Request, body string) string {
		for from, to := range map[string]string{`"currency":"USD"`: `"currency":"dollars"`, `"requested_at":"2`: `"requested_at":"x2`, `"paid_at":"2`: `"paid_at":"x2`} {
			body = strings.ReplaceAll(body, from, to)
		}
		return body
	})))
	const payouts = 117
	for _, id := range []string{"payouts.formats", "payouts.types"} {
		got := result(t, r, id)
		var n int
		if _, err := fmt.Sscanf(got.Message, "%d records: ", &n); err != nil || n < 2 || n > payouts {
			t.Errorf("%s: %q, but there are %d records", id, got.Message, payouts)
		}
	}
}

// A platform in Go sends the zero time as close_time of open trades, one behind a bridge to MetaTrader
// Unix time 0, and others the last time of their database. assay stores them as open, so they are.
func TestOpenTradesWithAZeroTime(t *testing.T) {
	t.Parallel()
	for _, zero := range []string{`"0001-01-01T00:00:00Z"`, `"1970-01-01T00:00:00Z"`, `"0000-00-00 00:00:00"`, `0`, `false`, `"9999-12-31T23:59:59Z"`} {
		p := newPlatform(t)
		r := check(t, p.behind(t, contracttest.Core, p.altered(func(_ *http.Request, body string) string {
			return strings.ReplaceAll(body, `"close_time":null`, `"close_time":`+zero)
		})))
		broken(t, r, "trades.types")
		if got := result(t, r, "trades.open"); got.Status != contracttest.Passed {
			t.Errorf("%s: %s %s", zero, got.Status, got.Message)
		}
	}
}

// A credit makes equity differ from the balance without any position. Nobody can tell from outside,
// so it fails no verdict.
func TestCreditIsNoPosition(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	if err := p.SetFault("hides-open-trades", fault.Options{}); err != nil {
		t.Fatal(err)
	}
	r := check(t, p.quick(contracttest.Core))
	if got := result(t, r, "trades.open"); got.Status != contracttest.Warned || r.Verdict != contracttest.Conformant || !strings.Contains(got.Fix, "credit") {
		t.Errorf("%s: %s, %s, verdict %s", got.Status, got.Message, got.Fix, r.Verdict)
	}
}

// A store that filters after it has read a page sends empty pages in the middle of a list.
func TestEmptyPagesInARow(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	o := p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		n, rest, empty := strings.Cut(q.Get("cursor"), "~")
		left, _ := strconv.Atoi(n)
		switch {
		case empty && left > 0 && r.Header.Get("Authorization") == "Bearer "+p.Key:
			fmt.Fprintf(w, `{"data":[],"next_cursor":"%d~%s"}`, left-1, rest)
			return
		case empty:
			q.Set("cursor", rest)
			r.URL.RawQuery = q.Encode()
		}
		p.altered(func(_ *http.Request, body string) string {
			return strings.Replace(body, `"next_cursor":"`, `"next_cursor":"3~`, 1)
		})(w, r)
	})
	o.MaxRequests = 300
	broken(t, check(t, o), "")
}

// An empty list beside a member that says that the request failed is an error, and no list without payouts.
func TestEmptyListsOfFailures(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	for member, want := range map[string]contracttest.Status{
		`"error":{"code":"internal"}`:         contracttest.Failed,
		`"errors":["the session expired"]`:    contracttest.Failed,
		`"success":false`:                     contracttest.Failed,
		`"ok":"false"`:                        contracttest.Failed,
		`"status":"fail"`:                     contracttest.Failed,
		`"success":true,"status":"success"`:   contracttest.Passed,
		`"error":null,"errors":[],"status":1`: contracttest.Passed,
	} {
		o := p.behind(t, contracttest.LiveCheck, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/payouts" {
				p.ServeHTTP(w, r)
				return
			}
			fmt.Fprintf(w, `{"data":[],%s,"next_cursor":null}`, member)
		})
		if got := result(t, check(t, o), "live.payouts"); got.Status != want {
			t.Errorf("%s: %s, %s, want %s", member, got.Status, got.Message, want)
		}
	}
}

// A trader's route may answer a stranger with 404, as it answers about a trader that does not exist.
func TestTraderHiddenFromStrangers(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/traders/") && r.Header.Get("Authorization") != "Bearer "+p.Key {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		p.ServeHTTP(w, r)
	}))
	broken(t, r, "auth.no-key.trader auth.wrong-key.trader")
}

// A platform may refuse ids that none of its traders can have.
func TestIDsOfAnotherForm(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := check(t, p.behind(t, contracttest.Core, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "no-such-trader") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		p.ServeHTTP(w, r)
	}))
	broken(t, r, "")
}

// The body of an error may hold more than the report shows.
func TestBodiesOfErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ body, fails, message string }{
		{`{"error":{"trace":"` + strings.Repeat("x", 5000) + `","code":"a","message":"b"}}`, "", ""},
		{`{"error":{"code":401,"message":"b"}}`, "errors.unauthorized errors.not-found", "error is no object whose code and message are strings"},
		{`{"error":"unauthorized"}`, "errors.unauthorized errors.not-found", "error is no object whose code and message are strings"},
		{`{"error":{"code":"a"}}`, "errors.unauthorized errors.not-found", "has no error with code and message"},
		{`unauthorized`, "errors.unauthorized errors.not-found", "is not a JSON object with error"},
	} {
		p := newPlatform(t)
		r := check(t, p.behind(t, contracttest.Core, p.altered(func(_ *http.Request, body string) string {
			if strings.Contains(body, `"error"`) {
				return tt.body
			}
			return body
		})))
		broken(t, r, tt.fails)
		if got := result(t, r, "errors.unauthorized"); !strings.Contains(got.Message, tt.message) {
			t.Errorf("%.60s: %s", tt.body, got.Message)
		}
	}
}
