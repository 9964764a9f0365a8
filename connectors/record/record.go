package record

import (
	"strings"
	"time"
)

// Kind says which kind of platform an integration connects (service API,
// Integration.kind) and is the source of what it delivers.
type Kind string

const (
	// CustomAPI is a customer's own platform, built to assay's contract.
	CustomAPI Kind = "custom_api"
	// PartnerPlatform is a supported third-party trading platform.
	PartnerPlatform Kind = "partner_platform"
)

// Trader is one person who trades on the platform (platform contract, Trader).
type Trader struct {
	ID           string    // required; the platform's stable id
	UpdatedAt    time.Time // zero when the platform does not send it (partner platforms)
	Email        string
	FirstName    string
	LastName     string
	Country      string // ISO 3166-1 alpha-2 by contract; partners send names
	Phone        string
	RegisteredAt time.Time
	KYCStatus    string   // custom_api: one of KYCStatuses; partners: free text
	Tags         []string // nil when the platform sends none
	Metadata     string   // text of a JSON object, or empty
	Unrecognized string   // unknown values of enumerations by field, as Metadata
}

// FullName joins the first and last name with one space. It is empty if neither is
// known.
func (t Trader) FullName() string {
	switch {
	case t.FirstName == "":
		return t.LastName
	case t.LastName == "":
		return t.FirstName
	}
	return t.FirstName + " " + t.LastName
}

// SplitName splits a full name at its first space (platform contract, Trader): the
// first name is before it, the last name after it.
func SplitName(full string) (first, last string) {
	first, last, _ = strings.Cut(full, " ")
	return first, strings.TrimSpace(last)
}

// Account is one trading account (platform contract, Account).
type Account struct {
	ID             string // required; the platform's stable id
	TraderID       string // id of its Trader; required on custom_api
	UpdatedAt      time.Time
	Platform       string // custom_api: one of Platforms; partners: lower-cased free text
	Login          string
	Program        string
	Phase          string // custom_api: one of Phases; partners: lower-cased free text
	Status         string // custom_api: one of AccountStatuses; partners: lower-cased free text
	Currency       string // ISO 4217 by contract
	InitialBalance Decimal
	Balance        Decimal
	Equity         Decimal // includes open profit
	StartedAt      time.Time
	PartnerID      string // the partner's second account id (partner_account_id)
	Metadata       string // text of a JSON object, or empty
	Unrecognized   string // as Trader.Unrecognized
}

// Trade is one position from open to close (platform contract, Trade). It is
// open while CloseTime is zero.
type Trade struct {
	ID        string // required; unique within AccountID only, stable from open to close
	AccountID string // required
	// AccountName is how a partner named the account. Empty means by AccountID.
	AccountName AccountName
	Symbol      string
	Side        Side
	OpenTime    time.Time // zero only for partner trades without a readable openDate
	UpdatedAt   time.Time // zero on partner platforms
	Volume      Decimal   // lots, not contract units
	CloseTime   time.Time // zero while open
	OpenPrice   Decimal
	ClosePrice  Decimal // empty while open
	StopLoss    Decimal
	TakeProfit  Decimal
	Commission  Decimal // account currency, typically negative
	Swap        Decimal // account currency
	Profit      Decimal // net result in account currency
}

// Open reports whether the position had not been closed when it was read.
func (t Trade) Open() bool { return t.CloseTime.IsZero() }

// longestHeld is longer than a position is held on the platforms that assay reads.
const longestHeld = 10 * 365 * 24 * time.Hour

// HasPlaceholderClose reports whether CloseTime is no time at which the position can have been closed,
// because it lies ten years or more before the position was opened, or after the trade was last changed
// (opened, if that is unknown). Platforms write the first or last time that they can store, such as
// 1900-01-01 or 9999-12-31, for a position that is open. It is false if CloseTime or OpenTime is zero.
func (t Trade) HasPlaceholderClose() bool {
	if t.CloseTime.IsZero() || t.OpenTime.IsZero() {
		return false
	}
	changed := t.UpdatedAt
	if changed.IsZero() {
		changed = t.OpenTime
	}
	return !t.CloseTime.After(t.OpenTime.Add(-longestHeld)) || !t.CloseTime.Before(changed.Add(longestHeld))
}

// Payout is one payment of profit to a trader (platform contract, Payout).
type Payout struct {
	ID          string // required
	TraderID    string // required on custom_api
	AccountID   string
	AccountName AccountName // as Trade.AccountName
	Status      string      // custom_api: one of PayoutStatuses; partners: lower-cased free text
	UpdatedAt   time.Time
	Amount      Decimal // what the trader receives
	Currency    string  // ISO 4217 by contract
	RequestedAt time.Time
	PaidAt      time.Time // zero until paid
	Metadata    string    // text of a JSON object, or empty
}
