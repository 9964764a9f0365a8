package partner

import (
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// appendCustomer writes a customer.
func (t *tables) appendCustomer(dst []byte, ref uint32, c *Customer) []byte {
	w := t.newWriter(dst, Customers, ref)
	w.beginRecord()
	w.writeID(customerID, c.CustomerID, false)
	w.writeID(customerNr, c.CustomerNr, true)
	w.writeText(customerEmail, c.Email)
	w.writeText(customerFirstName, c.FirstName)
	w.writeText(customerLastName, c.LastName)
	w.writeText(customerCountry, c.Country)
	w.writeText(customerPhone, c.Phone)
	w.writeText(customerKYC, c.KYCStatus)
	w.writeTime(customerCreatedAt, c.CreatedAt)
	if !t.o.NoUpdatedAt {
		w.writeTime(customerUpdatedAt, c.UpdatedAt)
	}
	w.writeText(customerLastLoginIP, c.LastLoginIP)
	return w.endRecord()
}

// appendAccount writes an account whose spelling has been settled.
func (t *tables) appendAccount(dst []byte, ref uint32, a *Account) []byte {
	w := t.newWriter(dst, Accounts, ref)
	asNr, asPlan := t.accountNames(ref)
	w.beginRecord()
	w.writeAccountID(accountNr, a.AccountNr)
	if asNr < nrAsAccountID {
		w.writeID(accountID, a.AccountID, false)
	}
	w.writeID(accountCustomer, a.CustomerID, false)
	if asNr < nrAsLogin {
		w.writeText(accountLogin, a.Login)
	}
	w.writeWords(accountPlatform, a.Platform)
	w.writeText(accountPlan, a.Plan)
	w.writeID(accountPlanCategoryID, a.PlanCategoryID, false)
	if asPlan < planAsName {
		w.writeText(accountPlanCategoryName, a.PlanCategoryName)
	}
	w.writeWords(accountPhase, a.Phase)
	w.writeWords(accountStatus, a.Status)
	w.writeText(accountCurrency, a.Currency)
	w.writeNumber(accountInitialBalance, a.InitialBalance, true)
	w.writeNumber(accountBalance, a.CurrentBalance, true)
	w.writeNumber(accountEquity, a.CurrentEquity, true)
	w.writeTime(accountCreatedAt, a.CreatedAt)
	if !t.o.NoUpdatedAt {
		w.writeTime(accountUpdatedAt, a.UpdatedAt)
	}
	w.writeTime(accountFundedAt, a.FundedAt)
	w.writeTime(accountBreachedAt, a.BreachedAt)
	return w.endRecord()
}

// appendTrade writes a trade. Some open ones come with a close time and a close
// price, which mean nothing.
func (t *tables) appendTrade(dst []byte, ref uint32, r *Trade) []byte {
	w := t.newWriter(dst, ClosedTrades, ref)
	closed, closePrice := r.CloseDate, r.ClosePrice
	if closed.IsZero() && w.dialect == Seeded && w.chooseBelow(tradeCloseDate, aboutCase, 3) == 0 {
		closed, closePrice = r.OpenDate.Add(time.Hour), r.OpenPrice
	}
	w.beginRecord()
	w.writeID(tradeTicket, r.Ticket, true)
	w.writeAccountID(tradeAccount, t.accountName(&w.spelling, tradeAccount, r.AccountNr))
	w.writeText(tradeSymbol, r.Symbol)
	w.writeSide(tradeSide, r.Side)
	w.writeNumber(tradeLots, r.Lots, false)
	w.writeTime(tradeOpenDate, r.OpenDate)
	w.writeTime(tradeCloseDate, closed)
	w.writeNumber(tradeOpenPrice, r.OpenPrice, false)
	w.writeNumber(tradeClosePrice, closePrice, false)
	w.writeNumber(tradeStopLoss, r.StopLossPrice, false)
	w.writeNumber(tradeTakeProfit, r.TakeProfitPrice, false)
	w.writeNumber(tradeCommission, r.Commission, false)
	w.writeNumber(tradeSwap, r.Swap, false)
	w.writeNumber(tradePnL, r.PnL, false)
	return w.endRecord()
}

// appendPayout writes a payout whose spelling has been settled.
func (t *tables) appendPayout(dst []byte, ref uint32, p *Payout) []byte {
	w := t.newWriter(dst, Payouts, ref)
	w.beginRecord()
	w.writeID(payoutID, p.PayoutID, false)
	w.writeID(payoutCustomer, p.CustomerID, false)
	w.writeAccountID(payoutAccount, t.accountName(&w.spelling, payoutAccount, p.AccountNr))
	w.writeNumber(payoutShareAmount, p.ShareAmount, false)
	if t.shareName(ref) < shareAsRequest {
		w.writeNumber(payoutRequestAmount, p.RequestAmount, false)
	}
	w.writeNumber(payoutProfitSplit, p.ProfitSplit, false)
	w.writeText(payoutCurrency, p.Currency)
	w.writeWords(payoutStatus, p.Status)
	w.writeTime(payoutRequestedAt, p.RequestedAt)
	w.writeTime(payoutApprovedAt, p.ApprovedAt)
	return w.endRecord()
}

// recordSpelling returns how the record in a row of a list is written. Trades are
// spelled alike in both of their lists.
func (t *tables) recordSpelling(list List, ref uint32) spelling {
	s := spelling{dialect: t.o.Dialect, ref: ref, numeric: t.o.NumericAccountNumbers}
	if s.dialect == Seeded {
		s.seed = listSeed(t.o.Firm.Seed, list)
	}
	return s
}

func (t *tables) newWriter(dst []byte, list List, ref uint32) writer {
	return writer{spelling: t.recordSpelling(list, ref), dst: dst, fields: list.fieldNames()}
}

// accountNames are the numbers of the names that an account's number and plan have.
func (t *tables) accountNames(ref uint32) (nr, plan int) {
	s := t.recordSpelling(Accounts, ref)
	return s.chooseAlias(accountNr, len(accountFields[accountNr])), s.chooseAlias(accountPlan, len(accountFields[accountPlan]))
}

func (t *tables) shareName(ref uint32) int {
	s := t.recordSpelling(Payouts, ref)
	return s.chooseAlias(payoutShareAmount, len(payoutFields[payoutShareAmount]))
}

// settleAccount brings a record into line with what its spelling can say: a
// name that two fields share gives both the same value, and a name that goes
// before another's silences that.
func (t *tables) settleAccount(ref uint32, a *Account) {
	asNr, asPlan := t.accountNames(ref)
	if asNr >= nrAsLogin || a.Login == "" {
		a.Login = a.AccountNr
	}
	switch asNr {
	case nrAsAccountID:
		a.AccountID = a.AccountNr
	case nrAsID:
		a.AccountID = ""
	}
	if asPlan == planAsName || asPlan == planAsName2 {
		a.PlanCategoryName = a.Plan
	}
}

// settlePayout is settleAccount for payouts.
func (t *tables) settlePayout(ref uint32, p *Payout) {
	switch t.shareName(ref) {
	case shareAsRequest:
		p.RequestAmount = p.ShareAmount
	case shareAsAmount:
		p.RequestAmount = wire.Decimal{}
	}
}

// accountName is the id by which a record names its account: the number, or,
// now and then, the second id.
func (t *tables) accountName(s *spelling, field int, nr string) string {
	if s.dialect != Seeded || nr == "" || s.chooseBelow(field, aboutNothing, 4) != 0 {
		return nr
	}
	ref, found := t.accounts.Find(nr)
	if !found || t.accounts.Updated(ref) == 0 {
		return nr
	}
	if second := t.secondIDOf(ref); second != "" {
		return second
	}
	return nr
}
