package enginetest

import (
	"cmp"
	"hash/maphash"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/partner"
)

// comparePartner compares everything that a partner platform has. Of times that are
// stored as they were sent, it only compares whether there is one.
func (w *Fixture) comparePartner(t testing.TB) {
	t.Helper()
	seed := maphash.MakeSeed()
	w.compareContents(t, seed, []comparison{
		{"customers", w.customerContents(seed), `SELECT external_id, concat_ws('|', external_id, email, first_name, last_name, country, phone, kyc_status, ` +
			instantSQL("registered_at") + `, ` + instantSQL("platform_updated_at") + `, metadata->>'customer_nr', metadata->>'last_login_ip')
            FROM traders WHERE integration_id = $1`},
		{"accounts", w.propAccounts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, partner_id, metadata->>'partner_account_id', platform, login, program,
            phase, status, currency, initial_balance, balance, equity, ` + instantSQL("started_at") + `, ` + instantSQL("platform_updated_at") + `,
            metadata->>'plan_category_name', coalesce(metadata ? 'funded_at', false), coalesce(metadata ? 'breached_at', false))
            FROM accounts WHERE integration_id = $1`},
		{"trades", w.partnerTrades(seed), `SELECT account_external_id || '/' || id, concat_ws('|', id, symbol, side, volume, ` + instantSQL("open_time") + `, ` + instantSQL("close_time") + `,
            open_price, close_price, stop_loss, take_profit, commission, swap, profit) FROM trades WHERE integration_id = $1`},
		{"payouts", w.partnerPayouts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, account_external_id, status, amount, currency, ` +
			instantSQL("requested_at") + `, ` + instantSQL("paid_at") + `, trim_scale((metadata->>'request_amount')::numeric), trim_scale((metadata->>'profit_split')::numeric))
            FROM payouts WHERE integration_id = $1`},
	})
}

func (w *Fixture) customerContents(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllCustomers() {
		c[r.CustomerID] = maphash.String(seed, joinLine(r.CustomerID, textColumn(r.Email), textColumn(r.FirstName), textColumn(r.LastName), textColumn(r.Country), textColumn(r.Phone), textColumn(r.KYCStatus),
			timeColumn(r.CreatedAt), timeColumn(r.UpdatedAt), textColumn(r.CustomerNr), textColumn(r.LastLoginIP)))
	}
	return c
}

func (w *Fixture) propAccounts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllAccounts() {
		c[r.AccountNr] = maphash.String(seed, joinLine(r.AccountNr, textColumn(r.CustomerID), textColumn(r.AccountID), textColumn(r.AccountID), textColumn(r.Platform), textColumn(r.Login), textColumn(r.Plan),
			textColumn(r.Phase), textColumn(r.Status), textColumn(r.Currency), numericColumn(r.InitialBalance), numericColumn(r.CurrentBalance), numericColumn(r.CurrentEquity),
			timeColumn(r.CreatedAt), timeColumn(r.UpdatedAt), textColumn(r.PlanCategoryName), isKnownText(r.FundedAt), isKnownText(r.BreachedAt)))
	}
	return c
}

func (w *Fixture) partnerTrades(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllTrades() {
		c[r.AccountNr+"/"+r.Ticket] = maphash.String(seed, tradeLine(r))
	}
	return c
}

func tradeLine(r partner.Trade) string {
	return joinLine(r.Ticket, cmp.Or(r.Symbol, "UNKNOWN"), r.Side, numericColumn(r.Lots), timeColumn(r.OpenDate), timeColumn(r.CloseDate),
		numericColumn(r.OpenPrice), numericColumn(r.ClosePrice), numericColumn(r.StopLossPrice), numericColumn(r.TakeProfitPrice), numericColumn(r.Commission), numericColumn(r.Swap), numericColumn(r.PnL))
}

func (w *Fixture) partnerPayouts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllPayouts() {
		c[r.PayoutID] = maphash.String(seed, joinLine(r.PayoutID, textColumn(r.CustomerID), textColumn(r.AccountNr), textColumn(r.Status), numericColumn(r.ShareAmount), textColumn(r.Currency),
			timeColumn(r.RequestedAt), timeColumn(r.ApprovedAt), numericColumn(r.RequestAmount), numericColumn(r.ProfitSplit)))
	}
	return c
}

// isKnownText returns whether a time is known, as the text of an SQL boolean.
func isKnownText(at time.Time) string {
	if at.IsZero() {
		return "f"
	}
	return "t"
}
