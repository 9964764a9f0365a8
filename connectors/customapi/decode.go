package customapi

import (
	"strings"
	"time"
	"unicode"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// identity is what the rules of a page need to know of a record.
type identity struct {
	key       string // of quarantine; empty when the record's id could not be read
	id        string
	owner     record.Owner
	updatedAt time.Time
	numeric   bool // the id was a number
}

// Names implements alias.Identity.
func (w identity) Names() (key, id string) { return w.key, w.id }

// BelongsTo implements alias.Identity.
func (w identity) BelongsTo() record.Owner { return w.owner }

// vocabulary holds the contract's enumerations.
type vocabulary struct {
	kycStatuses, platforms, phases, accountStatuses, payoutStatuses []string
}

func newVocabulary() vocabulary {
	return vocabulary{
		kycStatuses:     record.KYCStatuses(),
		platforms:       record.Platforms(),
		phases:          record.Phases(),
		accountStatuses: record.AccountStatuses(),
		payoutStatuses:  record.PayoutStatuses(),
	}
}

func (v vocabulary) readTrader(r *alias.Record) (record.Trader, identity) {
	t := record.Trader{
		ID:           r.ID(traderID),
		UpdatedAt:    r.Time(traderUpdatedAt),
		Email:        readEmail(r),
		FirstName:    r.Text(traderFirstName),
		LastName:     r.Text(traderLastName),
		Country:      readCode(r, traderCountry, 2, ruleCountryFormat),
		Phone:        readPhone(r),
		RegisteredAt: r.Time(traderRegisteredAt),
		KYCStatus:    r.Enum(traderKYCStatus, v.kycStatuses),
		Tags:         r.Strings(traderTags),
	}
	if t.FirstName == "" && t.LastName == "" {
		t.FirstName, t.LastName = record.SplitName(r.Text(traderFullName))
	}
	t.Metadata, t.Unrecognized = r.Object(traderMetadata), r.Unrecognized()
	return t, identity{t.ID, t.ID, record.Owner{TraderID: t.ID}, t.UpdatedAt, r.IsNumber(traderID)}
}

func (v vocabulary) readAccount(r *alias.Record) (record.Account, identity) {
	a := record.Account{
		ID:             r.ID(accountID),
		TraderID:       r.ID(accountTraderID),
		UpdatedAt:      r.Time(accountUpdatedAt),
		Platform:       r.Enum(accountPlatform, v.platforms),
		Login:          r.ID(accountLogin),
		Program:        r.Text(accountProgram),
		Phase:          r.Enum(accountPhase, v.phases),
		Status:         r.Enum(accountStatus, v.accountStatuses),
		Currency:       readCode(r, accountCurrency, 3, ruleCurrencyFormat),
		InitialBalance: r.Decimal(accountInitialBalance),
		Balance:        r.Decimal(accountBalance),
		Equity:         r.Decimal(accountEquity),
		StartedAt:      r.Time(accountStartedAt),
	}
	a.Metadata, a.Unrecognized = r.Object(accountMetadata), r.Unrecognized()
	return a, identity{a.ID, a.ID, record.Owner{TraderID: a.TraderID, AccountID: a.ID}, a.UpdatedAt, r.IsNumber(accountID)}
}

func (v vocabulary) readTrade(r *alias.Record) (record.Trade, identity) {
	t := record.Trade{
		ID:         r.ID(tradeID),
		AccountID:  r.ID(tradeAccountID),
		Symbol:     r.Text(tradeSymbol),
		Side:       readSide(r),
		OpenTime:   r.Time(tradeOpenTime),
		UpdatedAt:  r.Time(tradeUpdatedAt),
		Volume:     r.Decimal(tradeVolume),
		CloseTime:  readCloseTime(r),
		OpenPrice:  r.Decimal(tradeOpenPrice),
		ClosePrice: r.Decimal(tradeClosePrice),
		StopLoss:   r.Decimal(tradeStopLoss),
		TakeProfit: r.Decimal(tradeTakeProfit),
		Commission: r.Decimal(tradeCommission),
		Swap:       r.Decimal(tradeSwap),
		Profit:     r.Decimal(tradeProfit),
	}
	if t.HasPlaceholderClose() {
		r.Find(alias.RuleInvalidTime)
		t.CloseTime = time.Time{}
	}
	if t.CloseTime.IsZero() != (t.ClosePrice == "") {
		r.Find(ruleCloseIncomplete)
	}
	if !t.CloseTime.IsZero() && t.CloseTime.Before(t.OpenTime) {
		r.Find(ruleCloseBeforeOpen)
	}
	who := identity{"", t.ID, record.Owner{AccountID: t.AccountID}, t.UpdatedAt, r.IsNumber(tradeID)}
	if !r.Usable() && t.ID != "" && t.AccountID != "" {
		who.key = record.TradeKey(t.AccountID, t.ID)
	}
	return t, who
}

// readCloseTime reads when a trade closed, or the zero time while it is open. A value that
// cannot be read rejects the trade, because leaving it out would show a closed trade
// as an open one. What platforms write for "no time" leaves the trade open, with the
// finding invalid_time or wrong_type.
func readCloseTime(r *alias.Record) time.Time {
	t := r.Time(tradeCloseTime)
	if raw := r.Raw(tradeCloseTime); t.IsZero() && raw != "" && !isNoTime(raw) {
		r.Reject(tradeCloseTime, alias.RuleInvalidTime, "close_time is not an RFC 3339 time with an offset, so a closed trade looks like an open one.")
	}
	return t
}

// isNoTime reports whether the JSON text is what languages and databases write if
// there is no time and cannot be read as one: false, zero, MySQL's 0000-00-00, the
// first instant of year 1, or the last day of year 9999 in a form or with an offset that
// the contract does not allow. Others can be read: see record.Trade.HasPlaceholderClose.
func isNoTime(raw string) bool {
	text := strings.TrimSpace(strings.Trim(raw, `"`))
	d, err := record.ParseDecimal(text)
	return err == nil && d == "0" || text == "false" || strings.HasPrefix(text, "0000-00-00") ||
		strings.HasPrefix(text, "0001-01-01T00:00:00") || strings.HasPrefix(text, "9999-12-31")
}

// readSide reads the side of a trade in any letter case. Numbers follow the order
// types of MetaTrader, where 0 buys and 1 sells.
func readSide(r *alias.Record) record.Side {
	switch r.Word(tradeSide) {
	case "":
		return ""
	case "0", "buy", "long":
		return record.Buy
	case "1", "sell", "short":
		return record.Sell
	}
	r.Fault(tradeSide, alias.RuleUnknownEnumValue, "is not one of buy, sell, long, short, 0 and 1")
	return ""
}

func (v vocabulary) readPayout(r *alias.Record) (record.Payout, identity) {
	p := record.Payout{
		ID:          r.ID(payoutID),
		TraderID:    r.ID(payoutTraderID),
		AccountID:   r.ID(payoutAccountID),
		Status:      r.Enum(payoutStatus, v.payoutStatuses),
		UpdatedAt:   r.Time(payoutUpdatedAt),
		Amount:      r.Decimal(payoutAmount),
		Currency:    readCode(r, payoutCurrency, 3, ruleCurrencyFormat),
		RequestedAt: r.Time(payoutRequestedAt),
		PaidAt:      r.Time(payoutPaidAt),
	}
	if !p.PaidAt.IsZero() && p.Status != "" && p.Status != statusPaid {
		r.Find(rulePaidAtEarly)
	}
	return p, identity{p.ID, p.ID, record.Owner{TraderID: p.TraderID, AccountID: p.AccountID}, p.UpdatedAt, r.IsNumber(payoutID)}
}

// statusPaid is the only status of a payout that may have a paid_at.
const statusPaid = "paid"

// readEmail reads an email address, which is kept as sent. One without a single @
// between other characters, or with a space, is a finding.
func readEmail(r *alias.Record) string {
	text := r.Text(traderEmail)
	if text == "" {
		return ""
	}
	name, domain, ok := strings.Cut(text, "@")
	if !ok || name == "" || domain == "" || strings.Contains(domain, "@") || strings.ContainsFunc(text, unicode.IsSpace) {
		r.Find(ruleEmailFormat)
	}
	return text
}

// readPhone reads a phone number, which is kept as sent. One that is not a plus sign
// and up to fifteen digits is a finding.
func readPhone(r *alias.Record) string {
	text := r.Text(traderPhone)
	if text == "" {
		return ""
	}
	digits, plus := strings.CutPrefix(text, "+")
	ok := plus && len(digits) > 1 && len(digits) <= 15 && digits[0] != '0'
	for i := range len(digits) {
		ok = ok && digits[i] >= '0' && digits[i] <= '9'
	}
	if !ok {
		r.Find(rulePhoneFormat)
	}
	return text
}

// readCode reads a country or currency code, which is kept as sent. One that is
// not of the given number of capital letters is a finding.
func readCode(r *alias.Record, f, letters int, rule string) string {
	text := r.Text(f)
	if text == "" {
		return ""
	}
	ok := len(text) == letters
	for i := range len(text) {
		ok = ok && text[i] >= 'A' && text[i] <= 'Z'
	}
	if !ok {
		r.Find(rule)
	}
	return text
}
