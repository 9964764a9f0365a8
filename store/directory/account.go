package directory

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// Account is a trading account. A field is nil if the platform does not state it.
// Balances and equity are in the account's currency.
type Account struct {
	ID                uuid.UUID       `bun:"id"`
	ExternalID        string          `bun:"external_id"`
	Platform          *string         `bun:"platform"`
	Login             *string         `bun:"login"`
	Program           *string         `bun:"program"`
	Phase             *string         `bun:"phase"`
	Status            *string         `bun:"status"`
	Currency          *string         `bun:"currency"`
	InitialBalance    *record.Decimal `bun:"initial_balance"`
	Balance           *record.Decimal `bun:"balance"`
	Equity            *record.Decimal `bun:"equity"`
	StartedAt         *time.Time      `bun:"started_at"`
	Metadata          json.RawMessage `bun:"metadata"`     // a JSON object; nil if there is none
	Unrecognized      json.RawMessage `bun:"unrecognized"` // see Trader.Unrecognized
	PlatformUpdatedAt *time.Time      `bun:"platform_updated_at"`
	MissingSince      *time.Time      `bun:"missing_since"` // see Trader.MissingSince
}

// Payout is a payment of profit to a trader. A field is nil if the platform does not
// state it. The amount is in the payout's currency, not the account's.
type Payout struct {
	ID                uuid.UUID       `bun:"id"`
	ExternalID        string          `bun:"external_id"`
	AccountID         *uuid.UUID      `bun:"account_id"` // nil if the account has not arrived, or none was named
	AccountExternalID *string         `bun:"account_external_id"`
	Status            *string         `bun:"status"`
	Amount            *record.Decimal `bun:"amount"`
	Currency          *string         `bun:"currency"`
	RequestedAt       *time.Time      `bun:"requested_at"`
	PaidAt            *time.Time      `bun:"paid_at"`
	Metadata          json.RawMessage `bun:"metadata"`      // a JSON object; nil if there is none
	MissingSince      *time.Time      `bun:"missing_since"` // see Trader.MissingSince
}

// canonicalizeNumbers brings numbers from Postgres, which may have trailing zeros, into canonical
// form.
func canonicalizeNumbers(numbers ...*record.Decimal) error {
	for _, n := range numbers {
		if n == nil {
			continue
		}
		canonical, err := record.ParseDecimal(string(*n))
		if err != nil {
			return err
		}
		*n = canonical
	}
	return nil
}
