package store

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// Trader is a row of an organization's directory.
type Trader struct {
	ID     uuid.UUID
	Source string // custom_api, partner_platform, manual
	// IntegrationID is nil for a trader made by hand, and when the integration
	// has been deleted.
	IntegrationID     *uuid.UUID
	ExternalID        *string
	FirstName         *string
	LastName          *string
	FullName          *string
	Email             *string
	Country           *string
	Phone             *string
	KYCStatus         *string
	Status            string // active, under_review, restricted, archived
	Tags              []string
	RegisteredAt      *time.Time
	Metadata          json.RawMessage // a JSON object; nil when there is none
	PlatformUpdatedAt *time.Time
	MissingSince      *time.Time // since when a complete audit no longer finds it on the platform
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Account is a trading account.
type Account struct {
	ID                uuid.UUID
	ExternalID        string
	Platform          *string
	Login             *string
	Program           *string
	Phase             *string
	Status            *string
	Currency          *string
	InitialBalance    *record.Decimal
	Balance           *record.Decimal
	Equity            *record.Decimal
	StartedAt         *time.Time
	Metadata          json.RawMessage // a JSON object; nil when there is none
	PlatformUpdatedAt *time.Time
}

// Payout is a payment of profit to a trader.
type Payout struct {
	ID                uuid.UUID
	ExternalID        string
	AccountID         *uuid.UUID // nil: the account has not arrived, or none was named
	AccountExternalID *string
	Status            *string
	Amount            *record.Decimal
	Currency          *string
	RequestedAt       *time.Time
	PaidAt            *time.Time
}

// Trade is a position from open to close.
type Trade struct {
	ID                string     // the platform's; unique within its account only
	AccountID         *uuid.UUID // nil until the account has arrived
	AccountExternalID string
	Symbol            string
	Side              record.Side
	Volume            *record.Decimal // lots
	OpenTime          *time.Time      // nil: the partner's could not be read
	CloseTime         *time.Time      // nil: open
	OpenPrice         *record.Decimal
	ClosePrice        *record.Decimal
	StopLoss          *record.Decimal
	TakeProfit        *record.Decimal
	Commission        *record.Decimal // account currency
	Swap              *record.Decimal // account currency
	Profit            *record.Decimal // net, account currency
	PlatformUpdatedAt *time.Time
}

// TraderFilter narrows the directory.
type TraderFilter struct {
	// Search is a part of the full name, email or external id, in any case;
	// empty does not narrow.
	Search string
}

// TraderDetail is a trader with what the platform tells of him.
type TraderDetail struct {
	Trader
	Accounts []Account
	Payouts  []Payout
	Stats    TraderStats
}

// TraderStats sums a trader's accounts, trades and payouts up.
type TraderStats struct {
	Accounts     int64
	OpenTrades   int64
	ClosedTrades int64
	// NetProfitByCurrency adds the profit of closed trades per currency of
	// their account. Trades of accounts that have not arrived or name no
	// currency are under "".
	NetProfitByCurrency map[string]record.Decimal
	FirstTradeAt        *time.Time
	LastTradeAt         *time.Time
	// PaidOutByCurrency adds the payouts that are paid; "" as above.
	PaidOutByCurrency map[string]record.Decimal
}

// Values of TradeFilter.State.
const (
	TradeOpen   = "open"
	TradeClosed = "closed"
)

// TradeFilter narrows a trader's trades; zero fields do not narrow.
type TradeFilter struct {
	AccountID *uuid.UUID
	Symbol    string     // exactly
	State     string     // TradeOpen or TradeClosed
	From, To  *time.Time // open time, From included, To not
}
