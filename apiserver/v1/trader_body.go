package v1

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// traderBody is a Trader (api.md, Objects).
type traderBody struct {
	ID                uuid.UUID      `json:"id"`
	Source            string         `json:"source"`
	IntegrationID     *uuid.UUID     `json:"integration_id"` // null: made by hand, or the integration was removed
	ExternalID        *string        `json:"external_id"`
	FullName          *string        `json:"full_name"`
	FirstName         *string        `json:"first_name"`
	LastName          *string        `json:"last_name"`
	Email             *string        `json:"email"`
	Country           *string        `json:"country"`
	Phone             *string        `json:"phone"`
	KYCStatus         *string        `json:"kyc_status"`
	Status            string         `json:"status"`
	Tags              []string       `json:"tags"`
	RegisteredAt      *time.Time     `json:"registered_at"`
	Metadata          jsontext.Value `json:"metadata"`
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"`
	MissingSince      *time.Time     `json:"missing_since"`
	Overrides         []string       `json:"overrides"` // fields that people have set on a synced trader
	CreatedAt         time.Time      `json:"created_at"`
	UpdatedAt         time.Time      `json:"updated_at"`
}

func traderOf(t store.Trader) traderBody {
	return traderBody{
		ID: t.ID, Source: t.Source, IntegrationID: t.IntegrationID, ExternalID: t.ExternalID,
		FullName: t.FullName, FirstName: t.FirstName, LastName: t.LastName, Email: t.Email, Country: t.Country,
		Phone: t.Phone, KYCStatus: t.KYCStatus, Status: t.Status, Tags: t.Tags, RegisteredAt: t.RegisteredAt,
		Metadata: jsontext.Value(t.Metadata), PlatformUpdatedAt: t.PlatformUpdatedAt, MissingSince: t.MissingSince,
		Overrides: t.Overrides, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

// traderDetailBody is a Trader with all that belongs to it.
type traderDetailBody struct {
	traderBody `json:",inline"`
	Accounts   []accountBody `json:"accounts"`
	Payouts    []payoutBody  `json:"payouts"`
	Notes      []noteBody    `json:"notes"`      // newest first
	Interviews []struct{}    `json:"interviews"` // none can be held yet
	Stats      statsBody     `json:"stats"`
}

func traderDetailOf(t store.TraderDetail) traderDetailBody {
	return traderDetailBody{
		traderBody: traderOf(t.Trader),
		Accounts:   convert(t.Accounts, accountOf),
		Payouts:    convert(t.Payouts, payoutOf),
		Notes:      convert(t.Notes, noteOf),
		Stats: statsBody{
			Accounts: t.Stats.Accounts, OpenTrades: t.Stats.OpenTrades, ClosedTrades: t.Stats.ClosedTrades,
			NetProfitByCurrency: numbersOf(t.Stats.NetProfitByCurrency),
			FirstTradeAt:        t.Stats.FirstTradeAt, LastTradeAt: t.Stats.LastTradeAt,
			PaidOutByCurrency: numbersOf(t.Stats.PaidOutByCurrency),
		},
	}
}

// statsBody sums a trader up. Where no currency is known its name is empty.
type statsBody struct {
	Accounts            int64             `json:"accounts"`
	OpenTrades          int64             `json:"open_trades"`
	ClosedTrades        int64             `json:"closed_trades"`
	NetProfitByCurrency map[string]number `json:"net_profit_by_currency"`
	FirstTradeAt        *time.Time        `json:"first_trade_at"`
	LastTradeAt         *time.Time        `json:"last_trade_at"`
	PaidOutByCurrency   map[string]number `json:"paid_out_by_currency"`
}

func numbersOf(m map[string]record.Decimal) map[string]number {
	numbers := make(map[string]number, len(m))
	for key, value := range m {
		numbers[key] = number(value)
	}
	return numbers
}

// noteBody is a Note (api.md, Objects).
type noteBody struct {
	ID         uuid.UUID `json:"id"`
	Body       string    `json:"body"`
	AuthorName string    `json:"author_name"` // of the key that wrote it
	CreatedAt  time.Time `json:"created_at"`
}

func noteOf(n store.Note) noteBody { return noteBody(n) }

// accountBody is an Account (api.md, Objects).
type accountBody struct {
	ID                uuid.UUID      `json:"id"`
	ExternalID        string         `json:"external_id"`
	Platform          *string        `json:"platform"`
	Login             *string        `json:"login"`
	Program           *string        `json:"program"`
	Phase             *string        `json:"phase"`
	Status            *string        `json:"status"`
	Currency          *string        `json:"currency"`
	InitialBalance    number         `json:"initial_balance"`
	Balance           number         `json:"balance"`
	Equity            number         `json:"equity"`
	StartedAt         *time.Time     `json:"started_at"`
	Metadata          jsontext.Value `json:"metadata"`
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"`
}

func accountOf(a store.Account) accountBody {
	return accountBody{
		ID: a.ID, ExternalID: a.ExternalID, Platform: a.Platform, Login: a.Login, Program: a.Program, Phase: a.Phase,
		Status: a.Status, Currency: a.Currency, InitialBalance: numberOf(a.InitialBalance), Balance: numberOf(a.Balance),
		Equity: numberOf(a.Equity), StartedAt: a.StartedAt, Metadata: jsontext.Value(a.Metadata), PlatformUpdatedAt: a.PlatformUpdatedAt,
	}
}

// payoutBody is a Payout (api.md, Objects).
type payoutBody struct {
	ID                uuid.UUID  `json:"id"`
	ExternalID        string     `json:"external_id"`
	AccountExternalID *string    `json:"account_external_id"`
	Status            *string    `json:"status"`
	Amount            number     `json:"amount"`
	Currency          *string    `json:"currency"`
	RequestedAt       *time.Time `json:"requested_at"`
	PaidAt            *time.Time `json:"paid_at"`
}

func payoutOf(p store.Payout) payoutBody {
	return payoutBody{
		ID: p.ID, ExternalID: p.ExternalID, AccountExternalID: p.AccountExternalID, Status: p.Status,
		Amount: numberOf(p.Amount), Currency: p.Currency, RequestedAt: p.RequestedAt, PaidAt: p.PaidAt,
	}
}

// tradeBody is a Trade (api.md, Objects).
type tradeBody struct {
	ID                string      `json:"id"`         // the platform's
	AccountID         *uuid.UUID  `json:"account_id"` // null until the account has arrived
	AccountExternalID string      `json:"account_external_id"`
	Symbol            string      `json:"symbol"`
	Side              record.Side `json:"side"`
	Volume            number      `json:"volume"` // lots
	OpenTime          *time.Time  `json:"open_time"`
	CloseTime         *time.Time  `json:"close_time"` // null: open
	OpenPrice         number      `json:"open_price"`
	ClosePrice        number      `json:"close_price"`
	StopLoss          number      `json:"stop_loss"`
	TakeProfit        number      `json:"take_profit"`
	Commission        number      `json:"commission"`
	Swap              number      `json:"swap"`
	Profit            number      `json:"profit"`
	PlatformUpdatedAt *time.Time  `json:"platform_updated_at"`
}

func tradeOf(t store.Trade) tradeBody {
	return tradeBody{
		ID: t.ID, AccountID: t.AccountID, AccountExternalID: t.AccountExternalID, Symbol: t.Symbol, Side: t.Side,
		Volume: numberOf(t.Volume), OpenTime: t.OpenTime, CloseTime: t.CloseTime, OpenPrice: numberOf(t.OpenPrice),
		ClosePrice: numberOf(t.ClosePrice), StopLoss: numberOf(t.StopLoss), TakeProfit: numberOf(t.TakeProfit),
		Commission: numberOf(t.Commission), Swap: numberOf(t.Swap), Profit: numberOf(t.Profit), PlatformUpdatedAt: t.PlatformUpdatedAt,
	}
}
