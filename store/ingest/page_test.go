package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

func closed(t *record.Trade) {
	t.CloseTime, t.ClosePrice, t.Profit = t.UpdatedAt, "1.0901", "23.5"
}

func untimed(t *record.Trade) { t.UpdatedAt = time.Time{} }

func trades(list ...record.Trade) record.Batch { return record.Batch{Trades: list} }

func TestWritePageMergesTrades(t *testing.T) {
	t.Parallel()
	note := func(symbol string) func(*record.Trade) { return func(t *record.Trade) { t.Symbol = symbol } }
	second := time.Now().Add(time.Minute).Truncate(time.Second) // not over yet, however busy the machine is
	justNow := func(t *record.Trade) { t.UpdatedAt = second }
	finely := func(t *record.Trade) { t.UpdatedAt = t.UpdatedAt.Add(250 * time.Millisecond) }
	type step struct {
		batch record.Batch
		want  syncing.RunTotals
		rules []string
	}
	for _, tt := range []struct {
		name  string
		steps []step
		rows  []string // account/id symbol open|closed
	}{
		{
			name:  "a new trade is inserted, the same again writes nothing",
			steps: []step{{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}}, {batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Unchanged: 1}}},
			rows:  []string{"a/1 EURUSD open"},
		}, {
			name:  "ids are unique per account only",
			steps: []step{{batch: trades(storetest.Trade("a", "1", 0), storetest.Trade("b", "1", 0)), want: syncing.RunTotals{Inserted: 2}}},
			rows:  []string{"a/1 EURUSD open", "b/1 EURUSD open"},
		}, {
			name: "a newer version replaces an older one",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 5, closed)), want: syncing.RunTotals{Updated: 1}},
			},
			rows: []string{"a/1 EURUSD closed"},
		}, {
			name: "an older version never replaces a newer one",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 5, closed)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Stale: 1}},
			},
			rows: []string{"a/1 EURUSD closed"},
		}, {
			name:  "of two versions on a page the newest wins, whatever their order",
			steps: []step{{batch: trades(storetest.Trade("a", "1", 5, closed), storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}}},
			rows:  []string{"a/1 EURUSD closed"},
		}, {
			name:  "of equally old versions on a page the closed one wins",
			steps: []step{{batch: trades(storetest.Trade("a", "1", 0, closed), storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}, rules: []string{"id_not_unique"}}},
			rows:  []string{"a/1 EURUSD closed"},
		}, {
			name: "a change without a new updated_at is taken over and noticed",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 0, note("GBPUSD"))), want: syncing.RunTotals{Updated: 1}, rules: []string{"changed_without_updated_at"}},
			},
			rows: []string{"a/1 GBPUSD open"},
		}, {
			name: "a trade that closes without a new updated_at ends closed",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 0, closed)), want: syncing.RunTotals{Updated: 1}, rules: []string{"closed_without_updated_at"}},
				{batch: trades(storetest.Trade("a", "1", 0)), want: syncing.RunTotals{Stale: 1}},
			},
			rows: []string{"a/1 EURUSD closed"},
		}, {
			name: "a change within the second of updated_at, in whole seconds, breaks no rule",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0, justNow), storetest.Trade("a", "2", 0, justNow)), want: syncing.RunTotals{Inserted: 2}},
				{batch: trades(storetest.Trade("a", "1", 0, justNow, closed), storetest.Trade("a", "2", 0, justNow, note("GBPUSD"))), want: syncing.RunTotals{Updated: 2}},
			},
			rows: []string{"a/1 EURUSD closed", "a/2 GBPUSD open"},
		}, {
			name: "a change with the same fraction of a second does",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0, justNow, finely)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 0, justNow, finely, closed)), want: syncing.RunTotals{Updated: 1}, rules: []string{"closed_without_updated_at"}},
			},
			rows: []string{"a/1 EURUSD closed"},
		}, {
			name: "without times the later observation wins, but closed beats open",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 0, untimed)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 9, closed, untimed)), want: syncing.RunTotals{Updated: 1}},
				{batch: trades(storetest.Trade("a", "1", 0, untimed, note("GBPUSD"))), want: syncing.RunTotals{Stale: 1}},
			},
			rows: []string{"a/1 EURUSD closed"},
		}, {
			name: "a platform may reopen a trade with a newer version",
			steps: []step{
				{batch: trades(storetest.Trade("a", "1", 5, closed)), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a", "1", 9)), want: syncing.RunTotals{Updated: 1}, rules: []string{"trade_reopened"}},
			},
			rows: []string{"a/1 EURUSD open"},
		}, {
			name: "text that COPY and arrays treat specially survives",
			steps: []step{
				{batch: trades(storetest.Trade("a\tb", `1\2`, 0, note("{\"X\",\n\\N}"))), want: syncing.RunTotals{Inserted: 1}},
				{batch: trades(storetest.Trade("a\tb", `1\2`, 1, note("NULL"))), want: syncing.RunTotals{Updated: 1}},
			},
			rows: []string{"a\tb/1\\2 NULL open"},
		},
	} {
		for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
			t.Run(tt.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				b := setupCycle(t)
				for i, s := range tt.steps {
					out := b.WritePage(t, b.NewRun(record.StreamTrades, mode), s.batch)
					if diff := cmp.Diff(s.want, out.Page); diff != "" {
						t.Errorf("step %d: counts (-want +got):\n%s", i, diff)
					}
					var rules []string
					for _, f := range out.Findings {
						rules = append(rules, f.Rule)
					}
					if diff := cmp.Diff(s.rules, rules); diff != "" {
						t.Errorf("step %d: findings (-want +got):\n%s", i, diff)
					}
				}
				rows := b.Texts(t, `SELECT account_external_id || '/' || id || ' ' || symbol || CASE WHEN close_time IS NULL THEN ' open' ELSE ' closed' END
                    FROM trades ORDER BY account_external_id, id`)
				if diff := cmp.Diff(tt.rows, rows); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				b.CheckCounters(t)
			})
		}
	}
}

func TestWritePageStoresEveryField(t *testing.T) {
	t.Parallel()
	at := day.Add(90*time.Minute + 123456*time.Microsecond)
	batches := map[record.Stream]record.Batch{
		record.StreamTraders: {Traders: []record.Trader{{
			ID: "t1", UpdatedAt: at, Email: "Ada@x.test", FirstName: "Ada", LastName: "Lovelace", Country: "GB", Phone: "+44", RegisteredAt: day,
			KYCStatus: "verified", Tags: []string{"vip", `a "b"`, ""}, Metadata: `{"a": 1.10}`, Unrecognized: `{"kyc_status": 1}`,
		}}},
		record.StreamAccounts: {Accounts: []record.Account{{
			ID: "a1", TraderID: "t1", UpdatedAt: at, Platform: "mt5", Login: "77", Program: "100k", Phase: "funded", Status: "active", Currency: "USD",
			InitialBalance: "100000", Balance: "100023.45", Equity: "99999999999999999999.99", StartedAt: day, PartnerID: "p9", Metadata: `{"b": "\\"}`, Unrecognized: `{"phase": "\\"}`,
		}}},
		record.StreamTrades: {Trades: []record.Trade{{
			ID: "1", AccountID: "a1", Symbol: "XAUUSD", Side: record.Sell, OpenTime: day, UpdatedAt: at, Volume: "0.01", CloseTime: at,
			OpenPrice: "2650.1", ClosePrice: "2651.2", StopLoss: "2660", TakeProfit: "2600", Commission: "-0.07", Swap: "0", Profit: "-1.17",
		}}},
		record.StreamPayouts: {Payouts: []record.Payout{{
			ID: "p1", TraderID: "t1", AccountID: "a1", Status: "paid", UpdatedAt: at, Amount: "800.5", Currency: "USD", RequestedAt: day, PaidAt: at, Metadata: `{"c": null}`,
		}}},
	}
	queries := map[record.Stream]string{
		record.StreamTraders:  `SELECT concat_ws('|', external_id, source, full_name, first_name, last_name, email, country, phone, kyc_status, status, tags, registered_at, metadata, unrecognized, platform_updated_at) FROM traders`,
		record.StreamAccounts: `SELECT concat_ws('|', external_id, trader_external_id, partner_id, platform, login, program, phase, status, currency, initial_balance, balance, equity, started_at, metadata, unrecognized, platform_updated_at) FROM accounts`,
		record.StreamTrades:   `SELECT concat_ws('|', id, account_external_id, symbol, side, volume, open_time, close_time, open_price, close_price, stop_loss, take_profit, commission, swap, profit, platform_updated_at) FROM trades`,
		record.StreamPayouts:  `SELECT concat_ws('|', external_id, trader_external_id, account_external_id, status, amount, currency, requested_at, paid_at, metadata, platform_updated_at) FROM payouts`,
	}
	want := map[record.Stream]string{
		record.StreamTraders:  `t1|custom_api|Ada Lovelace|Ada|Lovelace|Ada@x.test|GB|+44|verified|active|{vip,"a \"b\"",""}|2026-11-02 08:00:00+00|{"a": 1.10}|{"kyc_status": 1}|2026-11-02 09:30:00.123456+00`,
		record.StreamAccounts: `a1|t1|p9|mt5|77|100k|funded|active|USD|100000|100023.45|99999999999999999999.99|2026-11-02 08:00:00+00|{"b": "\\"}|{"phase": "\\"}|2026-11-02 09:30:00.123456+00`,
		record.StreamTrades:   `1|a1|XAUUSD|sell|0.01|2026-11-02 08:00:00+00|2026-11-02 09:30:00.123456+00|2650.1|2651.2|2660|2600|-0.07|0|-1.17|2026-11-02 09:30:00.123456+00`,
		record.StreamPayouts:  `p1|t1|a1|paid|800.5|USD|2026-11-02 08:00:00+00|2026-11-02 09:30:00.123456+00|{"c": null}|2026-11-02 09:30:00.123456+00`,
	}
	for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			b.Texts(t, `SELECT set_config('TimeZone', 'UTC', false)`)
			for stream, batch := range batches {
				b.WritePage(t, b.NewRun(stream, mode), batch)
				if diff := cmp.Diff([]string{want[stream]}, b.Texts(t, queries[stream])); diff != "" {
					t.Errorf("%s (-want +got):\n%s", stream, diff)
				}
				if out := b.WritePage(t, b.NewRun(stream, syncing.ModeIncremental), batch); out.Page.Unchanged != 1 {
					t.Errorf("%s read again: %+v, want one unchanged", stream, out.Page)
				}
			}
			b.CheckCounters(t)
		})
	}
}

func TestWritePageIsFenced(t *testing.T) {
	t.Parallel()
	many := func(from, n int) record.Batch {
		var list []record.Trade
		for i := range n {
			list = append(list, storetest.Trade("a", fmt.Sprint(from+i), 0))
		}
		return trades(list...)
	}
	for _, tt := range []struct {
		name  string
		mode  syncing.Mode
		more  bool
		later bool // another page of the run has changed records before
		page  record.Batch
	}{
		{"first load", syncing.ModeBackfill, true, false, many(100, 10)},
		{"later page of a first load", syncing.ModeBackfill, true, true, many(100, 10)},
		{"changed records", syncing.ModeIncremental, false, false, many(100, 10)},
		{"changed records on a later page", syncing.ModeIncremental, true, true, many(100, 10)},
		{"nothing new, more to come", syncing.ModeIncremental, true, false, many(0, 10)},
		{"an empty page, more to come", syncing.ModeIncremental, true, false, record.Batch{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeBackfill), many(0, 10))
			if _, err := b.Conn.Exec(context.Background(), `UPDATE sync_state SET token = token + 1, run = NULL`); err != nil {
				t.Fatal(err)
			}
			run := b.NewRun(record.StreamTrades, tt.mode)
			run.Listed = tt.later
			_, err := ingest.WritePage(context.Background(), b.DB, ingest.PageCommit{
				Claim: &b.Claim, Batch: tt.page, Run: run, More: tt.more, Lease: storetest.Lease,
			})
			if !errors.Is(err, store.ErrFenced) {
				t.Errorf("error %v, want ErrFenced", err)
			}
			if got := b.Texts(t, `SELECT concat_ws(' ', trades, run IS NULL, (SELECT count(*) FROM trades)) FROM sync_state`); got[0] != "10 t 10" {
				t.Errorf("state %q: the fenced page left traces", got)
			}
		})
	}
}

// TestLoadedPages checks that each page of a first load after the first one has the fence in the
// same message as the rows, prepared or not, regardless of the cursor's content.
func TestLoadedPages(t *testing.T) {
	t.Parallel()
	many := func(from int) record.Batch {
		var list []record.Trade
		for i := range 10 {
			list = append(list, storetest.Trade("a", fmt.Sprint(from+i), 0))
		}
		return trades(list...)
	}
	for name, pooler := range map[string]bool{"prepared": false, "pooler": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(b.Conn.Config().ConnString()), Pooler: pooler, Keyring: storetest.Keyring()})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			b.DB = db
			more := func(p *ingest.PageCommit) { p.More = true }
			run := b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeBackfill), many(0), more).Run
			for i, cursor := range []string{`it's $2 \ '' "$1"`, `'); DROP TABLE trades; --`, "\u2028$5$4"} {
				run.Cursor = cursor
				run = b.WritePage(t, run, many(10+10*i), more).Run
				got := b.Texts(t, `SELECT concat_ws(' ', trades, (SELECT count(*) FROM trades), run ->> 'cursor') FROM sync_state`)
				if want := fmt.Sprintf("%d %[1]d %s", 20+10*i, cursor); got[0] != want {
					t.Fatalf("state %q, want %q", got[0], want)
				}
			}
			if _, err := b.Conn.Exec(t.Context(), `UPDATE sync_state SET token = token + 1`); err != nil {
				t.Fatal(err)
			}
			_, err = ingest.WritePage(t.Context(), b.DB, ingest.PageCommit{Claim: &b.Claim, Batch: many(100), Run: run, More: true, Lease: storetest.Lease})
			if !errors.Is(err, store.ErrFenced) {
				t.Errorf("error %v, want ErrFenced", err)
			}
			if got := b.Texts(t, `SELECT concat_ws(' ', trades, (SELECT count(*) FROM trades)) FROM sync_state`); got[0] != "40 40" {
				t.Errorf("%q: the fenced page left traces", got)
			}
		})
	}
}

func TestWritePageQuarantine(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	bad := record.Rejected{Key: record.TradeKey("a", "2"), Raw: `{"id":"2"}`, Pointer: "/side", Rule: "required_missing", Detail: "side is missing."}
	reject := func(p *ingest.PageCommit) { p.Rejected = []record.Rejected{bad} }
	for i := range 2 {
		out := b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", i)), reject)
		if out.Quarantined != 1 || out.Page.Quarantined != 1 {
			t.Fatalf("pass %d: %+v, want one quarantined", i, out)
		}
	}
	if got := b.Texts(t, `SELECT concat_ws('|', resource, rule, pointer, raw, count) FROM quarantine`); !cmp.Equal(got, []string{`trades|required_missing|/side|{"id":"2"}|2`}) {
		t.Errorf("quarantine %q", got)
	}
	out := b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "2", 0)))
	if out.Quarantined != 0 {
		t.Errorf("%d rows in quarantine after the valid version, want none", out.Quarantined)
	}
	b.CheckCounters(t)
}

func TestWritePageFindings(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	numeric := func(p *ingest.PageCommit) {
		p.Findings = []record.Finding{{Rule: "numeric_string", Resource: record.Trades, Count: 2, Samples: []string{"1", "2"}}}
	}
	count := func() []string { return b.Texts(t, `SELECT rule || ' ' || count FROM findings`) }
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", 0)), numeric)
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", 0)), numeric)
	if got := count(); !cmp.Equal(got, []string{"numeric_string 2"}) {
		t.Errorf("findings %q: the same records read again must not count again", got)
	}
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", 1)), numeric)
	if got := count(); !cmp.Equal(got, []string{"numeric_string 4"}) {
		t.Errorf("findings %q, want both changes counted", got)
	}
}

func TestWritePageAdoptsManualTraders(t *testing.T) {
	t.Parallel()
	manual := func(b *cycle, email, external string) uuid.UUID {
		id := uuid.Must(uuid.NewV7())
		_, err := b.Conn.Exec(context.Background(), `INSERT INTO traders (id, organization_id, source, full_name, email, external_id)
VALUES ($1, $2, 'manual', 'By Hand', $3, nullif($4, ''))`, id, b.Org, email, external)
		if err != nil {
			panic(err)
		}
		return id
	}
	for _, tt := range []struct {
		name   string
		before func(*cycle) uuid.UUID // the row that must survive; nil for a new one
		pages  []record.Batch
		rows   []string
		rule   string
	}{
		{
			name:   "on arrival, whatever the case",
			before: func(b *cycle) uuid.UUID { return manual(b, "ada@x.test", "") },
			pages:  []record.Batch{trader("t1", "ADA@x.test", 0)},
			rows:   []string{"t1 custom_api Synced"},
		}, {
			name:   "when an email changes, and the directory keeps one row",
			before: func(b *cycle) uuid.UUID { return manual(b, "ada@x.test", "") },
			pages:  []record.Batch{trader("t1", "other@x.test", 0), trader("t1", "ada@x.test", 1)},
			rows:   []string{"t1 custom_api Synced"},
		}, {
			name:   "with the same external id",
			before: func(b *cycle) uuid.UUID { return manual(b, "ada@x.test", "t1") },
			pages:  []record.Batch{trader("t1", "ada@x.test", 0)},
			rows:   []string{"t1 custom_api Synced"},
		}, {
			name:   "not with another external id",
			before: func(b *cycle) uuid.UUID { manual(b, "ada@x.test", "t9"); return uuid.Nil },
			pages:  []record.Batch{trader("t1", "ada@x.test", 0)},
			rows:   []string{"t1 custom_api Synced", "t9 manual By Hand"},
		}, {
			name:   "none of several",
			before: func(b *cycle) uuid.UUID { manual(b, "ada@x.test", ""); manual(b, "Ada@x.test", ""); return uuid.Nil },
			pages:  []record.Batch{trader("t1", "ada@x.test", 0)},
			rows:   []string{"- manual By Hand", "- manual By Hand", "t1 custom_api Synced"},
			rule:   "ambiguous_email",
		}, {
			name:   "none of two with the same email",
			before: func(b *cycle) uuid.UUID { manual(b, "ada@x.test", ""); return uuid.Nil },
			pages:  []record.Batch{{Traders: append(trader("t1", "ada@x.test", 0).Traders, trader("t2", "ada@x.test", 0).Traders...)}},
			rows:   []string{"- manual By Hand", "t1 custom_api Synced", "t2 custom_api Synced"},
			rule:   "ambiguous_email",
		}, {
			name:   "the one of two with the same email who has the external id",
			before: func(b *cycle) uuid.UUID { return manual(b, "ada@x.test", "t1") },
			pages:  []record.Batch{{Traders: append(trader("t1", "ada@x.test", 0).Traders, trader("t2", "ada@x.test", 0).Traders...)}},
			rows:   []string{"t1 custom_api Synced", "t2 custom_api Synced"},
		},
	} {
		for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
			t.Run(tt.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				b := setupCycle(t)
				kept := tt.before(b)
				var out ingest.PageOutcome
				for _, page := range tt.pages {
					out = b.WritePage(t, b.NewRun(record.StreamTraders, mode), page)
				}
				rows := b.Texts(t, `SELECT coalesce(external_id, '-') || ' ' || source || ' ' || full_name FROM traders ORDER BY 1`)
				if diff := cmp.Diff(tt.rows, rows); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if kept != uuid.Nil {
					if got := b.Texts(t, `SELECT id::text FROM traders WHERE external_id = 't1'`); got[0] != kept.String() {
						t.Errorf("the trader's id is %s, want that of the row made by hand, %s", got[0], kept)
					}
				}
				if tt.rule != "" && (len(out.Findings) != 1 || out.Findings[0].Rule != tt.rule) {
					t.Errorf("findings %+v, want %s", out.Findings, tt.rule)
				}
				b.CheckCounters(t)
			})
		}
	}
}
