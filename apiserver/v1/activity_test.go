package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

// shownActivity is the part of an activity that the tests check.
type shownActivity struct {
	Window                            struct{ From, To *time.Time }
	Timezone, Timezone_basis, Ruleset string //nolint:revive // as the member is called
	Accounts                          []struct {
		ID, Login, Platform, File string
		Trades                    int
	}
	Totals  struct{ Trades, Closed, Active_days int } //nolint:revive // as the member is called
	Sources []struct {
		Kind string
		Rows int
	}
	Excluded []struct {
		Reason string
		Count  int
	}
	Detectors []struct{ Kind, Status string }
	Charts    struct{ By_hour []int } //nolint:revive // as the member is called
}

func (a shownActivity) String() string {
	var b strings.Builder
	for _, x := range a.Accounts {
		fmt.Fprintf(&b, "account %s %s %d, ", x.Login, x.Platform, x.Trades)
	}
	for _, x := range a.Sources {
		fmt.Fprintf(&b, "%s %d, ", x.Kind, x.Rows)
	}
	for _, x := range a.Excluded {
		fmt.Fprintf(&b, "without %d %s, ", x.Count, x.Reason)
	}
	return b.String() + fmt.Sprintf("%d trades", a.Totals.Trades)
}

// trades returns n trades of an account, opened every ten minutes from a given time on.
func trades(account string, from time.Time, n int) []record.Trade {
	list := make([]record.Trade, n)
	for i := range list {
		at := from.Add(time.Duration(i) * 10 * time.Minute)
		list[i] = record.Trade{
			ID: fmt.Sprintf("%s-%d", account, i), AccountID: account, Symbol: "EURUSD", Side: []record.Side{record.Buy, record.Sell}[i%2], OpenTime: at,
			CloseTime: at.Add(5 * time.Minute), Volume: "0.5", OpenPrice: "1.1", ClosePrice: "1.2", Profit: record.Decimal(fmt.Sprint(i%7 - 3)),
		}
	}
	return list
}

// june is a morning of June 2026.
func june(day int) time.Time { return time.Date(2026, 6, day, 8, 0, 0, 0, time.UTC) }

// traderOfTwo creates a trader that two platforms know.
func (b *testAPI) traderOfTwo(t testing.TB) (path string, id uuid.UUID) {
	t.Helper()
	custom := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	partner := storetest.Integration(t, b.db, b.org.ID, "https://partner.example")
	storetest.Records(t, b.databaseURL, custom, record.Batch{
		Traders:  []record.Trader{{ID: "t-1", FirstName: "Ada", Email: "ada@example.com"}},
		Accounts: []record.Account{{ID: "A-1", TraderID: "t-1", Login: "7001", Platform: "mt5", Currency: "USD", InitialBalance: "50000"}},
		Trades:   trades("A-1", june(10), 30),
	})
	storetest.Records(t, b.databaseURL, partner, record.Batch{
		Traders:  []record.Trader{{ID: "c-9", FirstName: "Ada", Email: "Ada@Example.com"}},
		Accounts: []record.Account{{ID: "P-1", TraderID: "c-9", Login: "88", Platform: "ctrader", Currency: "EUR"}},
		Trades:   trades("P-1", june(12), 20),
	})
	id = uuid.MustParse(b.readText(t, `SELECT id::text FROM traders WHERE external_id = 't-1' AND organization_id = $1`, b.org.ID))
	return "/v1/traders/" + id.String() + "/activity", id
}

// juneOnly requests the whole of June 2026.
const juneOnly = "?from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z"

// TestActivityOfTwoPlatformsAndAFile checks that a file's data about an account that a platform
// also has counts only outside of the platform's time.
func TestActivityOfTwoPlatformsAndAFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, trader := b.traderOfTwo(t)
	get := func(query string) shownActivity {
		t.Helper()
		return decodeInto[shownActivity](t, b.send(t, "GET", path+query, b.key, nil).want(t, http.StatusOK))
	}
	if diff := cmp.Diff("account 7001 mt5 30, account 88 ctrader 20, integration 30, integration 20, 50 trades", get(juneOnly).String()); diff != "" {
		t.Errorf("two platforms (-want +got):\n%s", diff)
	}
	// 40 trades from June 15 on, outside of that time, and as another account.
	b.upload(t, trader, part{"file", "more.csv", statement(40)}, part{name: "account_login", content: "7001"}, part{name: "timezone", content: "+00:00"}).want(t, http.StatusCreated)
	b.upload(t, trader, part{"file", "other.csv", statement(10)}, part{name: "account_login", content: "9009"}, part{name: "timezone", content: "+00:00"}).want(t, http.StatusCreated)
	want := "account 7001 mt5 70, account 88 ctrader 20, account 9009 other 10, integration 30, integration 20, file 40, file 10, 100 trades"
	if diff := cmp.Diff(want, get(juneOnly).String()); diff != "" {
		t.Errorf("and two files (-want +got):\n%s", diff)
	}
	// Trades that the platform also has, under its own ids.
	covered := strings.ReplaceAll(statement(5), "2026-06-15", "2026-06-10")
	b.upload(t, trader, part{"file", "covered.csv", covered}, part{name: "account_login", content: "7001"}, part{name: "timezone", content: "+00:00"}).want(t, http.StatusCreated)
	want = "account 7001 mt5 70, account 88 ctrader 20, account 9009 other 10, integration 30, integration 20, file 40, file 10, file 5, without 5 covered_by_sync, 100 trades"
	if diff := cmp.Diff(want, get(juneOnly).String()); diff != "" {
		t.Errorf("and one that is covered (-want +got):\n%s", diff)
	}
	all := get(juneOnly)
	for i, file := range []string{"", "", "other.csv"} {
		if all.Accounts[i].File != file {
			t.Errorf("account %s is known from the file %q, want %q", all.Accounts[i].Login, all.Accounts[i].File, file)
		}
	}
	one := get(juneOnly + "&account_id=" + all.Accounts[1].ID)
	if len(one.Accounts) != 1 || one.Accounts[0].ID != all.Accounts[1].ID || one.Totals.Trades != all.Accounts[1].Trades {
		t.Errorf("one account: %s", one)
	}
	if got := get("?from=2026-06-12T00:00:00Z&to=2026-06-13T00:00:00Z"); got.Totals.Trades != 20 {
		t.Errorf("one day: %s", got)
	}
}

// TestActivityOfDistinctTraders checks that traders of two platforms with one email are analyzed apart
// once somebody has said that they are not the same person.
func TestActivityOfDistinctTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, trader := b.traderOfTwo(t)
	other := b.listDuplicates(t, trader).Data[0].Trader.ID
	dismissal := "/v1/traders/" + other.String() + "/duplicates/" + trader.String() + "/dismissal"
	get := func(path string) string {
		t.Helper()
		return decodeInto[shownActivity](t, b.send(t, "GET", path+juneOnly, b.key, nil).want(t, http.StatusOK)).String()
	}
	together := get(path)
	b.send(t, "PUT", dismissal, b.key, nil).want(t, http.StatusNoContent)
	for path, want := range map[string]string{
		path: "account 7001 mt5 30, integration 30, 30 trades", "/v1/traders/" + other.String() + "/activity": "account 88 ctrader 20, integration 20, 20 trades",
	} {
		if diff := cmp.Diff(want, get(path)); diff != "" {
			t.Errorf("apart (-want +got):\n%s", diff)
		}
	}
	b.send(t, "DELETE", dismissal, b.key, nil).want(t, http.StatusNoContent)
	if diff := cmp.Diff(together, get(path)); diff != "" {
		t.Errorf("together again (-want +got):\n%s", diff)
	}
}

func TestActivityQuery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, _ := b.traderOfTwo(t)
	prague := decodeInto[shownActivity](t, b.send(t, "GET", path+juneOnly+"&timezone=Europe/Prague&preset=minimum_hold", b.key, nil).want(t, http.StatusOK))
	utc := decodeInto[shownActivity](t, b.send(t, "GET", path+juneOnly, b.key, nil).want(t, http.StatusOK))
	if prague.Timezone != "Europe/Prague" || prague.Ruleset != "minimum_hold" || utc.Timezone != "UTC" || utc.Ruleset != "neutral" {
		t.Errorf("timezones %s and %s, rulesets %s and %s", prague.Timezone, utc.Timezone, prague.Ruleset, utc.Ruleset)
	}
	if prague.Charts.By_hour[10] != utc.Charts.By_hour[8] || utc.Charts.By_hour[8] == 0 {
		t.Errorf("hours in Prague %v, in UTC %v", prague.Charts.By_hour, utc.Charts.By_hour)
	}
	week := decodeInto[shownActivity](t, b.send(t, "GET", path+"?window_days=7&timezone=%2B02:00", b.key, nil).want(t, http.StatusOK))
	if got := week.Window.To.Sub(*week.Window.From); got != 7*24*time.Hour || week.Window.To.UTC().Hour() != 22 || !week.Window.To.After(time.Now()) {
		t.Errorf("a week of %s until %s", got, week.Window.To)
	}
	for query, parameter := range map[string]string{
		"?window_days=0": "window_days", "?window_days=366": "window_days", "?window_days=7&from=2026-06-01T00:00:00Z": "window_days",
		"?from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z": "to", "?from=1999-06-02T00:00:00Z&to=2026-06-01T00:00:00Z": "to",
		"?from=2000-01-01T00:00:00Z": "from", "?from=0001-01-01T00:00:00Z": "from", "?from=" + time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339): "from",
		"?to=0001-03-01T00:00:00Z": "to", "?window_days=365&to=0001-01-01T00:00:00Z": "to",
		"?timezone=Moon": "timezone", "?timezone=Local": "timezone", "?preset=mine": "preset", "?account_id=7": "account_id",
		"?account_id=" + uuid.NewString(): "account_id", "?days=7": "days",
	} {
		r := b.send(t, "GET", path+query, b.key, nil)
		r.wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if !strings.Contains(r.body, `"parameter":"`+parameter+`"`) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
}

// TestActivityHasATag checks that the tag changes if and only if the data does.
func TestActivityHasATag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, trader := b.traderOfTwo(t)
	first := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	ask := request{method: "GET", path: path, key: b.key, header: with("If-None-Match", first.header.Get("ETag"))}
	b.ask(t, ask).want(t, http.StatusNotModified)
	b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated)
	b.ask(t, ask).want(t, http.StatusOK)
}

// TestActivityOfNobody checks that a trader without any trade has an activity, too.
func TestActivityOfNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Nobody")
	got := decodeInto[shownActivity](t, b.send(t, "GET", "/v1/traders/"+trader.String()+"/activity"+juneOnly, b.key, nil).want(t, http.StatusOK))
	if got.String() != "0 trades" || len(got.Detectors) == 0 {
		t.Errorf("%s, %d detectors", got, len(got.Detectors))
	}
	for _, d := range got.Detectors {
		if d.Status == "ok" {
			t.Errorf("%s has looked at nothing and says ok", d.Kind)
		}
	}
}

func TestRuleset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/analysis/ruleset"
	type ruleset struct {
		Name    string
		Holding struct{ Min_hold_seconds *float64 } //nolint:revive // as the member is called
		Bursts  struct{ Window_seconds float64 }    //nolint:revive // as the member is called
	}
	neutral := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	if got := decodeInto[ruleset](t, neutral); got.Name != "neutral" {
		t.Errorf("to begin with %+v", got)
	}
	put := request{method: "PUT", path: path, key: b.key, header: with("If-Match", neutral.header.Get("ETag")), body: `{"name": "ours", "holding": {"min_hold_seconds": 180}}`}
	ours := b.ask(t, put).want(t, http.StatusOK)
	if got := decodeInto[ruleset](t, ours); got.Name != "ours" || *got.Holding.Min_hold_seconds != 180 || got.Bursts.Window_seconds != 120 {
		t.Errorf("afterwards %+v", got)
	}
	b.ask(t, put).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	if again := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); again.body != ours.body || again.header.Get("ETag") != ours.header.Get("ETag") {
		t.Errorf("read %s\nwritten %s", again.body, ours.body)
	}
	if got := decodeInto[ruleset](t, b.send(t, "GET", path, b.other, nil).want(t, http.StatusOK)); got.Name != "neutral" {
		t.Errorf("another organization has %+v", got)
	}
	_, trader := b.traderOfTwo(t)
	activity := decodeInto[shownActivity](t, b.send(t, "GET", "/v1/traders/"+trader.String()+"/activity"+juneOnly, b.key, nil).want(t, http.StatusOK))
	if activity.Ruleset != "ours" {
		t.Errorf("activity is judged by %s", activity.Ruleset)
	}
}

// TestRulesetTellsAllFaults checks that all faults are reported at once.
func TestRulesetTellsAllFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"name": "Ours!", "colour": 1, "bursts": {"min_opens": 0, "window": 5, "high_share": 2}, "contract_sizes": {"EURUSD": -1}, "holding": {"min_hold_seconds": null}}`
	r := b.send(t, "PUT", "/v1/analysis/ruleset", b.key, body)
	r.wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	for _, pointer := range []string{"#/name", "#/colour", "#/bursts/min_opens", "#/bursts/window", "#/bursts/high_share", "#/contract_sizes/EURUSD"} {
		if !strings.Contains(r.body, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s is not told of: %s", pointer, r.body)
		}
	}
	for _, body := range []string{`[]`, `"x"`, `{"bursts": 1}`, `{"bursts": {"min_opens": "many"}}`, `{"name": null}`} {
		b.send(t, "PUT", "/v1/analysis/ruleset", b.key, body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	}
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/analysis/calendar"
	const none = "time,currency,impact\n"
	if got := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); got.body != none {
		t.Errorf("where there is none: %q", got.body)
	}
	text := "time,currency,impact,title\n2026-06-10T08:00:00Z,USD,high,CPI\n2026-01-09T13:30:00Z,EUR,low,x\n"
	put := request{method: "PUT", path: path, key: b.key, header: with("Content-Type", "text/csv; charset=UTF-8"), body: text}
	type calendar struct {
		Number, Events int
		From, To       time.Time
	}
	got := decodeInto[calendar](t, b.ask(t, put).want(t, http.StatusOK))
	want := calendar{1, 2, time.Date(2026, 1, 9, 13, 30, 0, 0, time.UTC), june(10)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calendar (-want +got):\n%s", diff)
	}
	read := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	if read.body != text || read.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("reads %q as %s", read.body, read.header.Get("Content-Type"))
	}
	if got := b.send(t, "GET", path, b.other, nil).want(t, http.StatusOK); got.body != none {
		t.Errorf("another organization reads %q", got.body)
	}
	put.body = "time,currency,impact\n2026-06-10 08:00,USD,high\n2026-06-10T08:00:00Z,dollars,high\n2026-06-10T08:00:00Z,USD,enormous\n"
	r := b.ask(t, put)
	r.wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	for _, line := range []string{"Line 2", "Line 3", "Line 4"} {
		if !strings.Contains(r.body, line) {
			t.Errorf("%s is not told of: %s", line, r.body)
		}
	}
	put.header = with("Content-Type", "application/json")
	b.ask(t, put).wantProblem(t, http.StatusUnsupportedMediaType, "unsupported_media_type")
	if kept := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); kept.body != text {
		t.Errorf("what was refused has changed the calendar to %q", kept.body)
	}
}
