package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// TestPartnerFields follows the records of a partner platform, in all spellings, through the live
// check, syncd and the database to the API's responses.
func TestPartnerFields(t *testing.T) {
	t.Parallel()
	small := partner.Options{Firm: firm.Options{Traders: 24, AccountsPerTrader: 1, Trades: 120, Payouts: 40, Start: worldStart, Weekends: true}}
	t.Run("each alias of each field", func(t *testing.T) {
		t.Parallel()
		o := small
		o.Firm.Seed, o.Dialect = 4, partner.Walk
		d := newPartnerCustomer(t, o)
		d.addRare()
		d.addUnusable()
		seen := d.followPlatform(t, d.addClosing()...)
		for _, list := range partner.Lists() {
			for field, names := range partner.Aliases(list) {
				for _, name := range names {
					if seen[list][field][name] == 0 {
						t.Errorf("%s: no record had its %s under the name %s", list, field, name)
					}
				}
			}
		}
	})
	for _, seed := range []uint64{11, 12, 13} {
		t.Run(fmt.Sprint("spellings by seed ", seed), func(t *testing.T) {
			t.Parallel()
			o := small
			o.Firm.Seed, o.Dialect, o.TicketsPerAccount, o.NumericAccountNumbers = seed, partner.Seeded, seed%2 == 0, seed%2 == 1
			newPartnerCustomer(t, o).followPlatform(t)
		})
	}
}

// addRare adds records that are too rare in a small world, for each name of each field: a
// breached account, payouts from an account, and open trades, one of them without a symbol.
func (d *partnerCustomer) addRare() {
	var account partner.Account
	for a := range d.partner.AllAccounts() {
		account = a
	}
	at := d.partner.Now()
	breached := account
	breached.AccountNr, breached.AccountID, breached.Login, breached.Status, breached.BreachedAt = "4499000001", "7799000001", "", "breached", at.Add(-time.Hour)
	d.partner.PutAccount(breached)
	for i := range 6 {
		d.partner.PutPayout(partner.Payout{
			PayoutID: fmt.Sprint("pay-9900000", i), CustomerID: account.CustomerID, AccountNr: account.AccountNr, ShareAmount: wire.NewDecimal(80000, 2),
			RequestAmount: wire.NewDecimal(1000, 0), ProfitSplit: wire.NewDecimal(80, 0), Currency: "USD", Status: "paid",
			RequestedAt: at.Add(-2 * time.Hour), ApprovedAt: at,
		})
	}
	for i := range 8 {
		trade := openTrade(account.AccountNr, fmt.Sprint(990000000+i), at)
		if i == 5 {
			trade.Symbol = ""
		}
		d.partner.OpenTrade(trade)
	}
}

// openTrade returns a trade with a value for every field that an open trade can have.
func openTrade(account, ticket string, at time.Time) partner.Trade {
	return partner.Trade{
		Ticket: ticket, AccountNr: account, Symbol: "EURUSD", Side: "sell", Lots: wire.NewDecimal(125, 2), OpenDate: at.Add(-time.Hour).Truncate(time.Second),
		OpenPrice: wire.NewDecimal(108500, 5), StopLossPrice: wire.NewDecimal(109, 2), TakeProfitPrice: wire.NewDecimal(1, 0),
		Commission: wire.NewDecimal(-35, 1), Swap: wire.NewDecimal(0, 0), PnL: wire.NewDecimal(1234567890123456, 2),
	}
}

// addClosing adds open trades that have a close time and a close price, under each of their
// names, and returns them as they must arrive: without these.
func (d *partnerCustomer) addClosing() (closing []partner.Trade) {
	var nr string
	for a := range d.partner.AllAccounts() {
		nr = a.AccountNr
	}
	at, names := d.partner.Now(), partner.Aliases(partner.OpenTrades)
	for i, name := range names["closeDate"] {
		trade := openTrade(nr, fmt.Sprint(991000000+i), at)
		d.partner.PutRaw(partner.OpenTrades, trade.Ticket, at, fmt.Sprintf(
			`{"ticket": %q, "accountNr": %q, "symbol": "EURUSD", "side": "sell", "lots": 1.25, "openDate": %q, "openPrice": 1.08500, "stopLossPrice": 1.09,
"takeProfitPrice": 1, "commission": -3.5, "swap": 0, "pnl": 12345678901234.56, %q: %q, %q: 1.07}`,
			trade.Ticket, nr, trade.OpenDate.Format(time.RFC3339), name, at.Format(time.RFC3339), names["closePrice"][i%len(names["closePrice"])]))
		closing = append(closing, trade)
	}
	return closing
}

// addUnusable adds a closed trade without a close time.
func (d *partnerCustomer) addUnusable() {
	d.partner.PutRaw(partner.ClosedTrades, "992000001", d.partner.Now(), `{"ticket": "992000001", "accountNr": "4410", "closeDate": "04.03.2026"}`)
	d.quarantined = append(d.quarantined, "trades 4410/992000001 close_time_missing /closeDate")
}

// followPlatform connects the platform, has it read once, and compares the API's responses with the
// simulator's truth and additional trades. It returns which names of each field were used.
func (d *partnerCustomer) followPlatform(t *testing.T, more ...partner.Trade) walked {
	t.Helper()
	report := d.connectPlatform(t, nil)
	wantSteps(t, report)
	seen := make(walked)
	for _, x := range d.runSync(t) {
		seen.read(t, x)
	}
	t.Logf("names that were met, of those that there are, with the number of records:\n%s", seen.table())
	want := d.expectDirectory(more...)
	if diff := cmp.Diff(want, d.readDirectory(t)); diff != "" {
		t.Errorf("the platform's records and the API's (-want +got):\n%s", diff)
	}
	if others := d.readPages(t, "/v1/traders?source=custom_api", 25); len(others) > 0 {
		t.Errorf("%d traders have another source", len(others))
	}
	d.wantSynced(t, want)
	return seen
}

// wantSteps compares the report of a successful live check.
func wantSteps(t *testing.T, report map[string]any) {
	t.Helper()
	var steps []string
	for _, s := range objects(report["steps"]) {
		steps = append(steps, fmt.Sprintf("%v required=%v %v %v %v", s["name"], s["required"], s["status"], s["http_status"], s["endpoint"]))
	}
	want := []string{
		"authentication required=true passed 200 GET /v1/prop-accounts?limit=1&page=1",
		"traders required=true passed 200 GET /v1/customers?limit=1&page=1",
		"trading_accounts required=true passed 200 GET /v1/prop-accounts?limit=1&page=1",
		"closed_trades required=true passed 200 GET /v1/trades/closed?limit=1&page=1",
		"payouts required=false passed 200 GET /v1/payouts?limit=1&page=1",
	}
	if diff := cmp.Diff(want, steps); diff != "" || fmt.Sprintf("%v %v", report["kind"], report["ok"]) != "partner_platform true" {
		t.Errorf("report %v, steps (-want +got):\n%s", report, diff)
	}
}

// wantSynced checks what the API returns for an integration whose first cycle succeeded.
func (d *partnerCustomer) wantSynced(t *testing.T, want directory) {
	t.Helper()
	i := d.getObject(t, d.integrationPath())
	counters := map[string]any{
		"traders": json.Number(fmt.Sprint(len(want.Traders))), "accounts": json.Number(fmt.Sprint(len(want.Accounts))),
		"trades": json.Number(fmt.Sprint(len(want.Trades))), "payouts": json.Number(fmt.Sprint(len(want.Payouts))),
		"new_trades": json.Number(fmt.Sprint(len(want.Trades))),
	}
	if diff := cmp.Diff(counters, i["counters"]); diff != "" || i["health_status"] != "healthy" || i["last_error"] != nil {
		t.Errorf("integration %v, counters (-want +got):\n%s", i, diff)
	}
	// Open and closed trades are two streams and one run.
	var runs []string
	for _, r := range d.readPages(t, d.integrationPath()+"/runs", 100) {
		runs = append(runs, fmt.Sprintf("%v %v %v", r["resource"], r["mode"], r["status"]))
	}
	if diff := cmp.Diff([]string{"payouts backfill succeeded", "trades backfill succeeded", "accounts backfill succeeded", "traders backfill succeeded"}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	var streams []string
	for _, s := range objects(d.getObject(t, d.integrationPath()+"/schedule")["streams"]) {
		streams = append(streams, fmt.Sprintf("%v %v backfilling=%v watermark=%v", s["stream"], s["last_status"], s["backfilling"], s["watermark"] != nil))
	}
	var all []string
	for _, name := range []string{"traders", "accounts", "trades_open", "trades_closed", "payouts"} {
		// Open trades are read completely every time, so they have no watermark.
		all = append(all, fmt.Sprintf("%s succeeded backfilling=false watermark=%v", name, name != "trades_open"))
	}
	if diff := cmp.Diff(all, streams); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
	var quarantined []string
	for _, q := range d.readPages(t, d.integrationPath()+"/quarantine", 100) {
		quarantined = append(quarantined, fmt.Sprintf("%v %v %v %v", q["resource"], q["key"], q["rule"], q["pointer"]))
	}
	if diff := cmp.Diff(d.quarantined, quarantined); diff != "" {
		t.Errorf("quarantine (-want +got):\n%s", diff)
	}
	if rules := texts(d.readPages(t, d.integrationPath()+"/findings", 100), "rule"); !slices.Contains(rules, "symbol_missing") {
		t.Errorf("findings %q lack the symbols that were missing", rules)
	}
	if answer := d.callAPI(t, http.MethodPost, d.integrationPath()+"/sync", nil, http.StatusOK); fmt.Sprint(answer["queued"]) != "true" {
		t.Errorf("a sync on request answers %v", answer)
	}
}

// walked counts the records with a field under a name, by list, field and name.
type walked map[partner.List]map[string]map[string]int

// read counts the records of a response.
func (w walked) read(t *testing.T, x exchange) {
	t.Helper()
	var answer struct{ Data []map[string]any }
	check(t, json.Unmarshal(x.body, &answer))
	fields := partner.Aliases(x.list)
	if w[x.list] == nil {
		w[x.list] = make(map[string]map[string]int)
		for field := range fields {
			w[x.list][field] = make(map[string]int)
		}
	}
	for _, record := range answer.Data {
		for field, names := range fields {
			// The first name with a value is the one that counts.
			if i := slices.IndexFunc(names, func(name string) bool { return told(record, name) }); i >= 0 {
				w[x.list][field][names[i]]++
			}
		}
	}
}

// told reports whether a record has a text or a number under a dotted name.
func told(record map[string]any, name string) bool {
	outer, inner, nested := strings.Cut(name, ".")
	value := record[outer]
	if nested {
		object, _ := value.(map[string]any)
		value = object[inner]
	}
	switch value := value.(type) {
	case string:
		return value != ""
	case float64:
		return true
	}
	return false
}

// table renders the counts.
func (w walked) table() string {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "list\tfield\tnames\trecords by name")
	for _, list := range partner.Lists() {
		names := partner.Aliases(list)
		for _, field := range slices.Sorted(maps.Keys(names)) {
			var each []string
			for _, name := range names[field] {
				if n := w[list][field][name]; n > 0 {
					each = append(each, fmt.Sprintf("%s %d", name, n))
				}
			}
			fmt.Fprintf(table, "%s\t%s\t%d of %d\t%s\n", list, field, len(each), len(names[field]), strings.Join(each, ", "))
		}
	}
	_ = table.Flush()
	return text.String()
}
