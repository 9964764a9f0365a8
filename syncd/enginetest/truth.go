package enginetest

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// content is the content of a table: a hash of each row, by key.
type content map[string]uint64

// Compare fails the test for every record that the store lacks, has in another
// version than the platform, or has although the platform does not, and if the
// counters differ from the rows.
func (w *Fixture) Compare(t testing.TB) {
	t.Helper()
	if w.Partner != nil {
		w.comparePartner(t)
	} else {
		w.comparePlatform(t)
	}
	counters := w.Texts(t, `SELECT concat_ws(' ', traders, accounts, trades, payouts) FROM sync_state WHERE integration_id = $1`, w.IntegrationID)
	rows := w.Texts(t, `SELECT concat_ws(' ', (SELECT count(*) FROM traders WHERE integration_id = $1), (SELECT count(*) FROM accounts WHERE integration_id = $1),
        (SELECT count(*) FROM trades WHERE integration_id = $1), (SELECT count(*) FROM payouts WHERE integration_id = $1))`, w.IntegrationID)
	if counters[0] != rows[0] {
		t.Errorf("counters (traders accounts trades payouts) say %s, the tables hold %s", counters[0], rows[0])
	}
}

// comparison holds what the platform has of a resource, and the query of key and
// content for what is stored.
type comparison struct {
	name  string
	truth content
	query string
}

// compareContents fails the test for every difference.
func (w *Fixture) compareContents(t testing.TB, seed maphash.Seed, comparisons []comparison) {
	t.Helper()
	for _, c := range comparisons {
		reportDifferences(t, c.name, c.truth, w.readStored(t, seed, c.query))
	}
}

func (w *Fixture) comparePlatform(t testing.TB) {
	t.Helper()
	seed := maphash.MakeSeed()
	w.compareContents(t, seed, []comparison{
		{"traders", w.traderContents(seed), `SELECT external_id, concat_ws('|', external_id, email, first_name, last_name, country, phone, kyc_status, array_to_string(tags, ','), ` +
			instantSQL("registered_at") + `, ` + instantSQL("platform_updated_at") + `) FROM traders WHERE integration_id = $1`},
		{"accounts", w.accountContents(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, platform, login, program, phase, status, currency,
            initial_balance, balance, equity, ` + instantSQL("started_at") + `, ` + instantSQL("platform_updated_at") + `) FROM accounts WHERE integration_id = $1`},
		{"trades", w.tradeContents(seed), `SELECT account_external_id || '/' || id, concat_ws('|', id, symbol, side, volume, ` + instantSQL("open_time") + `, ` + instantSQL("close_time") + `,
            open_price, close_price, stop_loss, take_profit, commission, swap, profit, ` + instantSQL("platform_updated_at") + `) FROM trades WHERE integration_id = $1`},
		{"payouts", w.payoutContents(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, account_external_id, status, amount, currency, ` +
			instantSQL("requested_at") + `, ` + instantSQL("paid_at") + `, ` + instantSQL("platform_updated_at") + `) FROM payouts WHERE integration_id = $1`},
	})
}

// instantSQL returns SQL that formats a time for these comparisons. Null becomes
// "".
func instantSQL(column string) string {
	return `coalesce(to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '')`
}

func reportDifferences(t testing.TB, name string, truth, stored content) {
	t.Helper()
	var missing, other, extra []string
	for key, sum := range truth {
		switch got, found := stored[key]; {
		case !found:
			missing = append(missing, key)
		case got != sum:
			other = append(other, key)
		}
	}
	for key := range stored {
		if _, found := truth[key]; !found {
			extra = append(extra, key)
		}
	}
	report := func(what string, keys []string) {
		if len(keys) > 0 {
			t.Errorf("%s: %d of %d records %s, such as %q", name, len(keys), len(truth), what, keys[:min(len(keys), 3)])
		}
	}
	report("are missing", missing)
	report("are stored in another version", other)
	report("are stored although the platform has none", extra)
}

// readStored runs a query of key and content.
func (w *Fixture) readStored(t testing.TB, seed maphash.Seed, query string) content {
	t.Helper()
	rows, err := w.Conn.Query(context.Background(), query, w.IntegrationID)
	if err != nil {
		t.Fatalf("read rows: %v", err)
	}
	found := make(content)
	var key, text string
	_, err = pgx.ForEachRow(rows, []any{&key, &text}, func() error {
		found[key] = maphash.String(seed, text)
		return nil
	})
	if err != nil {
		t.Fatalf("read rows: %v", err)
	}
	return found
}

// joinLine joins values as concat_ws does: it leaves out nulls.
func joinLine(values ...string) string {
	kept := values[:0]
	for _, v := range values {
		if v != "\x00" {
			kept = append(kept, v)
		}
	}
	return strings.Join(kept, "|")
}

// textColumn returns the text of a text column. Empty is null.
func textColumn(s string) string {
	if s == "" {
		return "\x00"
	}
	return s
}

// numericColumn returns the text of a numeric column.
func numericColumn(d wire.Decimal) string {
	if d.IsNull() {
		return "\x00"
	}
	canonical, err := record.ParseDecimal(d.String())
	if err != nil {
		panic(err)
	}
	return string(canonical)
}

func timeColumn(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000")
}

func (w *Fixture) traderContents(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllTraders() {
		c[r.ID] = maphash.String(seed, joinLine(r.ID, textColumn(r.Email), textColumn(r.FirstName), textColumn(r.LastName), textColumn(r.Country), textColumn(r.Phone), textColumn(r.KYCStatus),
			strings.Join(r.Tags, ","), timeColumn(r.RegisteredAt), timeColumn(r.UpdatedAt)))
	}
	return c
}

func (w *Fixture) accountContents(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllAccounts() {
		c[r.ID] = maphash.String(seed, joinLine(r.ID, textColumn(r.TraderID), textColumn(r.Platform), textColumn(r.Login), textColumn(r.Program), textColumn(r.Phase), textColumn(r.Status), textColumn(r.Currency),
			numericColumn(r.InitialBalance), numericColumn(r.Balance), numericColumn(r.Equity), timeColumn(r.StartedAt), timeColumn(r.UpdatedAt)))
	}
	return c
}

func (w *Fixture) tradeContents(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllTrades() {
		c[fmt.Sprintf("%s/%s", r.AccountID, r.ID)] = maphash.String(seed, joinLine(r.ID, r.Symbol, r.Side, numericColumn(r.Volume), timeColumn(r.OpenTime), timeColumn(r.CloseTime),
			numericColumn(r.OpenPrice), numericColumn(r.ClosePrice), numericColumn(r.StopLoss), numericColumn(r.TakeProfit), numericColumn(r.Commission), numericColumn(r.Swap), numericColumn(r.Profit), timeColumn(r.UpdatedAt)))
	}
	return c
}

func (w *Fixture) payoutContents(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllPayouts() {
		c[r.ID] = maphash.String(seed, joinLine(r.ID, textColumn(r.TraderID), textColumn(r.AccountID), textColumn(r.Status), numericColumn(r.Amount), textColumn(r.Currency),
			timeColumn(r.RequestedAt), timeColumn(r.PaidAt), timeColumn(r.UpdatedAt)))
	}
	return c
}
