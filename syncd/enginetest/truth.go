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
	"github.com/assayhq/assay/internal/simulator/reference"
)

// content is a table's rows: a hash of what each holds, by key.
type content map[string]uint64

// Compare fails the test for every record that the store lacks, has in another
// version than the platform, or has although the platform does not, and when
// the counters differ from the rows.
func (w *World) Compare(t testing.TB) {
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

// comparison is what the platform has of a resource and the query of key and
// content for what is stored.
type comparison struct {
	name  string
	truth content
	query string
}

// compare fails the test for every difference.
func (w *World) compare(t testing.TB, seed maphash.Seed, comparisons []comparison) {
	t.Helper()
	for _, c := range comparisons {
		differences(t, c.name, c.truth, w.stored(t, seed, c.query))
	}
}

func (w *World) comparePlatform(t testing.TB) {
	t.Helper()
	seed := maphash.MakeSeed()
	w.compare(t, seed, []comparison{
		{"traders", w.traders(seed), `SELECT external_id, concat_ws('|', external_id, email, first_name, last_name, country, phone, kyc_status, array_to_string(tags, ','), ` +
			instant("registered_at") + `, ` + instant("platform_updated_at") + `) FROM traders WHERE integration_id = $1`},
		{"accounts", w.accounts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, platform, login, program, phase, status, currency,
            initial_balance, balance, equity, ` + instant("started_at") + `, ` + instant("platform_updated_at") + `) FROM accounts WHERE integration_id = $1`},
		{"trades", w.trades(seed), `SELECT account_external_id || '/' || id, concat_ws('|', id, symbol, side, volume, ` + instant("open_time") + `, ` + instant("close_time") + `,
            open_price, close_price, stop_loss, take_profit, commission, swap, profit, ` + instant("platform_updated_at") + `) FROM trades WHERE integration_id = $1`},
		{"payouts", w.payouts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, account_external_id, status, amount, currency, ` +
			instant("requested_at") + `, ` + instant("paid_at") + `, ` + instant("platform_updated_at") + `) FROM payouts WHERE integration_id = $1`},
	})
}

// instant is SQL for a time in the form that these comparisons use; null is "".
func instant(column string) string {
	return `coalesce(to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '')`
}

func differences(t testing.TB, name string, truth, stored content) {
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

// stored reads a query of key and content.
func (w *World) stored(t testing.TB, seed maphash.Seed, query string) content {
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

// line joins values as concat_ws does: nulls are left out.
func line(values ...string) string {
	kept := values[:0]
	for _, v := range values {
		if v != "\x00" {
			kept = append(kept, v)
		}
	}
	return strings.Join(kept, "|")
}

// text is a text column: empty is null.
func text(s string) string {
	if s == "" {
		return "\x00"
	}
	return s
}

// number is a numeric column.
func number(d reference.Decimal) string {
	if d.IsNull() {
		return "\x00"
	}
	canonical, err := record.ParseDecimal(d.String())
	if err != nil {
		panic(err)
	}
	return string(canonical)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000")
}

func (w *World) traders(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllTraders() {
		c[r.ID] = maphash.String(seed, line(r.ID, text(r.Email), text(r.FirstName), text(r.LastName), text(r.Country), text(r.Phone), text(r.KYCStatus),
			strings.Join(r.Tags, ","), moment(r.RegisteredAt), moment(r.UpdatedAt)))
	}
	return c
}

func (w *World) accounts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllAccounts() {
		c[r.ID] = maphash.String(seed, line(r.ID, text(r.TraderID), text(r.Platform), text(r.Login), text(r.Program), text(r.Phase), text(r.Status), text(r.Currency),
			number(r.InitialBalance), number(r.Balance), number(r.Equity), moment(r.StartedAt), moment(r.UpdatedAt)))
	}
	return c
}

func (w *World) trades(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllTrades() {
		c[fmt.Sprintf("%s/%s", r.AccountID, r.ID)] = maphash.String(seed, line(r.ID, r.Symbol, r.Side, number(r.Volume), moment(r.OpenTime), moment(r.CloseTime),
			number(r.OpenPrice), number(r.ClosePrice), number(r.StopLoss), number(r.TakeProfit), number(r.Commission), number(r.Swap), number(r.Profit), moment(r.UpdatedAt)))
	}
	return c
}

func (w *World) payouts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Platform.AllPayouts() {
		c[r.ID] = maphash.String(seed, line(r.ID, text(r.TraderID), text(r.AccountID), text(r.Status), number(r.Amount), text(r.Currency),
			moment(r.RequestedAt), moment(r.PaidAt), moment(r.UpdatedAt)))
	}
	return c
}
