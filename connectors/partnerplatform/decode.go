package partnerplatform

import (
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// identity is what the rules of a page need to know of a record.
type identity struct {
	key       string // of quarantine; empty when the record's id could not be read
	id        string
	owner     record.Owner
	account   string // of a trade, otherwise empty
	updatedAt time.Time
	closedAt  time.Time
}

// Names implements alias.Identity.
func (w identity) Names() (key, id string) { return w.key, w.id }

// BelongsTo implements alias.Identity.
func (w identity) BelongsTo() record.Owner { return w.owner }

func readCustomer(r *alias.Record) (record.Trader, identity) {
	t := record.Trader{
		ID:           r.ID(customerID),
		UpdatedAt:    r.Time(customerUpdatedAt),
		Email:        r.Text(customerEmail),
		FirstName:    r.Text(customerFirstName),
		LastName:     r.Text(customerLastName),
		Country:      r.Text(customerCountry),
		Phone:        r.Text(customerPhone),
		RegisteredAt: r.Time(customerCreatedAt),
		KYCStatus:    r.Text(customerKYCStatus),
	}
	r.Keep("customer_nr", customerNumber)
	r.Keep("last_login_ip", customerLastLoginIP)
	t.Metadata = r.Kept()
	return t, identity{key: t.ID, id: t.ID, owner: record.Owner{TraderID: t.ID}, updatedAt: t.UpdatedAt}
}

func readAccount(r *alias.Record) (record.Account, identity) {
	a := record.Account{
		ID:             r.ID(accountNumber),
		TraderID:       r.ID(accountTraderID),
		UpdatedAt:      r.Time(accountUpdatedAt),
		Platform:       readLower(r, accountPlatform),
		Login:          r.ID(accountLogin),
		Program:        r.Text(accountPlan),
		Phase:          readLower(r, accountPhase),
		Status:         readLower(r, accountStatus),
		Currency:       r.Text(accountCurrency),
		InitialBalance: r.Decimal(accountInitialBalance),
		Balance:        r.Decimal(accountBalance),
		Equity:         r.Decimal(accountEquity),
		StartedAt:      r.Time(accountCreatedAt),
		PartnerID:      r.ID(accountPartnerID),
	}
	if a.Login == "" {
		a.Login = a.ID
	}
	r.Keep("partner_account_id", accountPartnerID)
	r.Keep("plan_category_name", accountPlanCategoryName)
	r.Keep("funded_at", accountFundedAt)
	r.Keep("breached_at", accountBreachedAt)
	a.Metadata = r.Kept()
	return a, identity{key: a.ID, id: a.ID, owner: record.Owner{TraderID: a.TraderID, AccountID: a.ID}, updatedAt: a.UpdatedAt}
}

// openTrade reads a trade of the list of open trades. It ignores what the trade
// says about its close, because that has not happened yet.
func openTrade(r *alias.Record) (record.Trade, identity) {
	t := readTrade(r)
	return t, tradeIdentity(r, t)
}

// closedTrade reads a trade of the list of closed trades.
func closedTrade(r *alias.Record) (record.Trade, identity) {
	t := readTrade(r)
	t.CloseTime = r.Time(tradeCloseDate)
	t.ClosePrice = r.Decimal(tradeClosePrice)
	switch {
	case t.CloseTime.IsZero() || t.HasPlaceholderClose():
		r.Reject(tradeCloseDate, ruleCloseTimeMissing, "A closed trade has no readable closeDate, so it looks like an open one.")
	case t.CloseTime.Before(t.OpenTime):
		r.Find(ruleCloseBeforeOpen)
	}
	return t, tradeIdentity(r, t)
}

// readTrade reads what open and closed trades have in common.
func readTrade(r *alias.Record) record.Trade {
	t := record.Trade{
		ID:         r.ID(tradeTicket),
		AccountID:  r.ID(tradeAccount),
		Symbol:     r.Text(tradeSymbol),
		Side:       readSide(r),
		OpenTime:   r.Time(tradeOpenDate),
		Volume:     readLots(r),
		OpenPrice:  r.Decimal(tradeOpenPrice),
		StopLoss:   r.Decimal(tradeStopLoss),
		TakeProfit: r.Decimal(tradeTakeProfit),
		Commission: r.Decimal(tradeCommission),
		Swap:       r.Decimal(tradeSwap),
		Profit:     r.Decimal(tradeProfit),
	}
	i, ok := r.ChooseAlias(tradeAccount)
	if ok && tradeByPartnerID(i) {
		t.AccountName = record.NamedByPartnerID(t.AccountID)
	}
	if t.Symbol == "" {
		t.Symbol = unknownSymbol
		r.Find(ruleSymbolMissing)
	}
	if t.OpenTime.IsZero() {
		r.Find(ruleOpenTimeMissing)
	}
	return t
}

func tradeIdentity(r *alias.Record, t record.Trade) identity {
	who := identity{id: t.ID, owner: record.Owner{AccountID: t.AccountID}, account: t.AccountID, closedAt: t.CloseTime}
	if !r.Usable() && t.ID != "" && t.AccountID != "" {
		who.key = record.TradeKey(t.AccountID, t.ID)
	}
	return who
}

// readSide reads the side of a trade in any letter case. A side that is no sell
// counts as a buy (platform contract, Third-party platform records).
func readSide(r *alias.Record) record.Side {
	switch r.Word(tradeSide) {
	case "sell", "short", "1":
		return record.Sell
	case "buy", "long", "0":
	default:
		r.Find(ruleSideAssumed)
	}
	return record.Buy
}

// readLots reads the size of a trade. volume and quantity may count units of a
// currency instead of lots, and are used only within (0, 100].
func readLots(r *alias.Record) record.Decimal {
	if size := r.Decimal(tradeLots); size != "" {
		return size
	}
	for _, f := range [...]int{tradeVolume, tradeQuantity} {
		if size := r.Decimal(f); isBelievable(size) {
			return size
		}
	}
	return ""
}

// isBelievable reports whether a size is within (0, 100].
func isBelievable(size record.Decimal) bool {
	whole, _, _ := strings.Cut(string(size), ".")
	return size != "" && size != "0" && size[0] != '-' && (len(whole) <= 2 || size == "100")
}

func readPayout(r *alias.Record) (record.Payout, identity) {
	p := record.Payout{
		ID:          r.ID(payoutID),
		TraderID:    r.ID(payoutTraderID),
		AccountID:   r.ID(payoutAccount),
		Status:      readLower(r, payoutStatus),
		Amount:      r.Decimal(payoutAmount),
		Currency:    r.Text(payoutCurrency),
		RequestedAt: r.Time(payoutRequestedAt),
		PaidAt:      r.Time(payoutApprovedAt),
	}
	i, ok := r.ChooseAlias(payoutAccount)
	if ok && payoutByPartnerID(i) {
		p.AccountName = record.NamedByPartnerID(p.AccountID)
	}
	r.Keep("profit_split", payoutProfitSplit)
	r.Keep("request_amount", payoutRequestAmount)
	p.Metadata = r.Kept()
	return p, identity{key: p.ID, id: p.ID, owner: record.Owner{TraderID: p.TraderID, AccountID: p.AccountID}}
}

// readLower reads free text in lower case.
func readLower(r *alias.Record, f int) string { return strings.ToLower(r.Text(f)) }
