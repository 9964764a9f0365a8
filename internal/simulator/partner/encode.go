package partner

import "time"

// appendCustomer writes a customer.
func (t *tables) appendCustomer(dst []byte, ref uint32, c *Customer) []byte {
	w := t.writer(dst, Customers, ref)
	w.begin()
	w.id(customerID, c.CustomerID, false)
	w.id(customerNr, c.CustomerNr, true)
	w.text(customerEmail, c.Email)
	w.text(customerFirstName, c.FirstName)
	w.text(customerLastName, c.LastName)
	w.text(customerCountry, c.Country)
	w.text(customerPhone, c.Phone)
	w.text(customerKYC, c.KYCStatus)
	w.time(customerCreatedAt, c.CreatedAt)
	if !t.o.NoUpdatedAt {
		w.time(customerUpdatedAt, c.UpdatedAt)
	}
	w.text(customerLastLoginIP, c.LastLoginIP)
	return w.end()
}

// appendAccount writes an account whose spelling has been settled.
func (t *tables) appendAccount(dst []byte, ref uint32, a *Account) []byte {
	w := t.writer(dst, Accounts, ref)
	asNr, asPlan := t.accountNames(ref)
	w.begin()
	w.account(accountNr, a.AccountNr)
	if asNr < nrAsAccountID {
		w.id(accountID, a.AccountID, false)
	}
	w.id(accountCustomer, a.CustomerID, false)
	if asNr < nrAsLogin {
		w.text(accountLogin, a.Login)
	}
	w.words(accountPlatform, a.Platform)
	w.text(accountPlan, a.Plan)
	w.id(accountPlanCategoryID, a.PlanCategoryID, false)
	if asPlan < planAsName {
		w.text(accountPlanCategoryName, a.PlanCategoryName)
	}
	w.words(accountPhase, a.Phase)
	w.words(accountStatus, a.Status)
	w.text(accountCurrency, a.Currency)
	w.number(accountInitialBalance, a.InitialBalance, true)
	w.number(accountBalance, a.CurrentBalance, true)
	w.number(accountEquity, a.CurrentEquity, true)
	w.time(accountCreatedAt, a.CreatedAt)
	if !t.o.NoUpdatedAt {
		w.time(accountUpdatedAt, a.UpdatedAt)
	}
	w.time(accountFundedAt, a.FundedAt)
	w.time(accountBreachedAt, a.BreachedAt)
	return w.end()
}

// appendTrade writes a trade. Some open ones come with a close time and a close
// price, which mean nothing.
func (t *tables) appendTrade(dst []byte, ref uint32, r *Trade) []byte {
	w := t.writer(dst, ClosedTrades, ref)
	closed, closePrice := r.CloseDate, r.ClosePrice
	if closed.IsZero() && w.dialect == Seeded && w.throw(tradeCloseDate, aboutCase, 3) == 0 {
		closed, closePrice = r.OpenDate.Add(time.Hour), r.OpenPrice
	}
	w.begin()
	w.id(tradeTicket, r.Ticket, true)
	w.account(tradeAccount, t.accountName(&w.spelling, tradeAccount, r.AccountNr))
	w.text(tradeSymbol, r.Symbol)
	w.side(tradeSide, r.Side)
	w.number(tradeLots, r.Lots, false)
	w.time(tradeOpenDate, r.OpenDate)
	w.time(tradeCloseDate, closed)
	w.number(tradeOpenPrice, r.OpenPrice, false)
	w.number(tradeClosePrice, closePrice, false)
	w.number(tradeStopLoss, r.StopLossPrice, false)
	w.number(tradeTakeProfit, r.TakeProfitPrice, false)
	w.number(tradeCommission, r.Commission, false)
	w.number(tradeSwap, r.Swap, false)
	w.number(tradePnL, r.PnL, false)
	return w.end()
}

// appendPayout writes a payout whose spelling has been settled.
func (t *tables) appendPayout(dst []byte, ref uint32, p *Payout) []byte {
	w := t.writer(dst, Payouts, ref)
	w.begin()
	w.id(payoutID, p.PayoutID, false)
	w.id(payoutCustomer, p.CustomerID, false)
	w.account(payoutAccount, t.accountName(&w.spelling, payoutAccount, p.AccountNr))
	w.number(payoutShareAmount, p.ShareAmount, false)
	if t.shareName(ref) < shareAsRequest {
		w.number(payoutRequestAmount, p.RequestAmount, false)
	}
	w.number(payoutProfitSplit, p.ProfitSplit, false)
	w.text(payoutCurrency, p.Currency)
	w.words(payoutStatus, p.Status)
	w.time(payoutRequestedAt, p.RequestedAt)
	w.time(payoutApprovedAt, p.ApprovedAt)
	return w.end()
}

// spelling is how the record in a row of a list is written. Trades are spelled
// alike in both of their lists.
func (t *tables) spelling(list List, ref uint32) spelling {
	s := spelling{dialect: t.o.Dialect, ref: ref, numeric: t.o.NumericAccountNumbers}
	if s.dialect == Seeded {
		s.seed = listSeed(t.o.Seed, list)
	}
	return s
}

func (t *tables) writer(dst []byte, list List, ref uint32) writer {
	return writer{spelling: t.spelling(list, ref), dst: dst, fields: list.fields()}
}

// accountNames are the numbers of the names that an account's number and plan have.
func (t *tables) accountNames(ref uint32) (nr, plan int) {
	s := t.spelling(Accounts, ref)
	return s.alias(accountNr, len(accountFields[accountNr])), s.alias(accountPlan, len(accountFields[accountPlan]))
}

func (t *tables) shareName(ref uint32) int {
	s := t.spelling(Payouts, ref)
	return s.alias(payoutShareAmount, len(payoutFields[payoutShareAmount]))
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
		p.RequestAmount = Decimal{}
	}
}

// accountName is the id by which a record names its account: the number, or,
// now and then, the second id.
func (t *tables) accountName(s *spelling, field int, nr string) string {
	if s.dialect != Seeded || nr == "" || s.throw(field, aboutNothing, 4) != 0 {
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
