package enginetest

import (
	"cmp"
	"hash/maphash"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/partner"
)

// comparePartner compares everything that a partner platform has. Of times that
// are kept as they were sent it is compared whether there is one.
func (w *World) comparePartner(t testing.TB) {
	t.Helper()
	seed := maphash.MakeSeed()
	w.compare(t, seed, []comparison{
		{"customers", w.customers(seed), `SELECT external_id, concat_ws('|', external_id, email, first_name, last_name, country, phone, kyc_status, ` +
			instant("registered_at") + `, ` + instant("platform_updated_at") + `, metadata->>'customer_nr', metadata->>'last_login_ip')
            FROM traders WHERE integration_id = $1`},
		{"accounts", w.propAccounts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, partner_id, metadata->>'partner_account_id', platform, login, program,
            phase, status, currency, initial_balance, balance, equity, ` + instant("started_at") + `, ` + instant("platform_updated_at") + `,
            metadata->>'plan_category_name', coalesce(metadata ? 'funded_at', false), coalesce(metadata ? 'breached_at', false))
            FROM accounts WHERE integration_id = $1`},
		{"trades", w.partnerTrades(seed), `SELECT account_external_id || '/' || id, concat_ws('|', id, symbol, side, volume, ` + instant("open_time") + `, ` + instant("close_time") + `,
            open_price, close_price, stop_loss, take_profit, commission, swap, profit) FROM trades WHERE integration_id = $1`},
		{"payouts", w.partnerPayouts(seed), `SELECT external_id, concat_ws('|', external_id, trader_external_id, account_external_id, status, amount, currency, ` +
			instant("requested_at") + `, ` + instant("paid_at") + `, trim_scale((metadata->>'request_amount')::numeric), trim_scale((metadata->>'profit_split')::numeric))
            FROM payouts WHERE integration_id = $1`},
	})
}

func (w *World) customers(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllCustomers() {
		c[r.CustomerID] = maphash.String(seed, line(r.CustomerID, text(r.Email), text(r.FirstName), text(r.LastName), text(r.Country), text(r.Phone), text(r.KYCStatus),
			moment(r.CreatedAt), moment(r.UpdatedAt), text(r.CustomerNr), text(r.LastLoginIP)))
	}
	return c
}

func (w *World) propAccounts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllAccounts() {
		c[r.AccountNr] = maphash.String(seed, line(r.AccountNr, text(r.CustomerID), text(r.AccountID), text(r.AccountID), text(r.Platform), text(r.Login), text(r.Plan),
			text(r.Phase), text(r.Status), text(r.Currency), number(r.InitialBalance), number(r.CurrentBalance), number(r.CurrentEquity),
			moment(r.CreatedAt), moment(r.UpdatedAt), text(r.PlanCategoryName), known(r.FundedAt), known(r.BreachedAt)))
	}
	return c
}

func (w *World) partnerTrades(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllTrades() {
		c[r.AccountNr+"/"+r.Ticket] = maphash.String(seed, tradeLine(r))
	}
	return c
}

func tradeLine(r partner.Trade) string {
	return line(r.Ticket, cmp.Or(r.Symbol, "UNKNOWN"), r.Side, number(r.Lots), moment(r.OpenDate), moment(r.CloseDate),
		number(r.OpenPrice), number(r.ClosePrice), number(r.StopLossPrice), number(r.TakeProfitPrice), number(r.Commission), number(r.Swap), number(r.PnL))
}

func (w *World) partnerPayouts(seed maphash.Seed) content {
	c := make(content)
	for r := range w.Partner.AllPayouts() {
		c[r.PayoutID] = maphash.String(seed, line(r.PayoutID, text(r.CustomerID), text(r.AccountNr), text(r.Status), number(r.ShareAmount), text(r.Currency),
			moment(r.RequestedAt), moment(r.ApprovedAt), number(r.RequestAmount), number(r.ProfitSplit)))
	}
	return c
}

// known is a boolean of SQL as text.
func known(at time.Time) string {
	if at.IsZero() {
		return "f"
	}
	return "t"
}
