package reference

import (
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// Resource names one of the four lists.
type Resource string

// The lists of the contract, in the order in which they are polled.
const (
	Traders  Resource = "traders"
	Accounts Resource = "accounts"
	Trades   Resource = "trades"
	Payouts  Resource = "payouts"
)

// Resources lists the four in polling order.
func Resources() []Resource { return []Resource{Traders, Accounts, Trades, Payouts} }

// Trader is one person (contract, Trader). Empty strings, zero times and null
// decimals of all record types are sent as null.
type Trader struct {
	ID           string
	UpdatedAt    time.Time
	Email        string
	FirstName    string
	LastName     string
	Country      string // ISO 3166-1 alpha-2
	Phone        string // E.164
	RegisteredAt time.Time
	KYCStatus    string   // not_started, pending, verified or failed
	Tags         []string // sent as [] when there are none
	Metadata     string   // JSON text of an object
}

// Account is one trading account (contract, Account).
type Account struct {
	ID             string
	TraderID       string
	UpdatedAt      time.Time
	Platform       string
	Login          string
	Program        string
	Phase          string // evaluation, verification, funded or other
	Status         string // active, passed, breached, closed or suspended
	Currency       string // ISO 4217
	InitialBalance wire.Decimal
	Balance        wire.Decimal
	Equity         wire.Decimal // balance and the profit of open trades
	StartedAt      time.Time
	Metadata       string // JSON text of an object
}

// Trade is one position from open to close (contract, Trade). It is open while
// CloseTime is zero; CloseTime, ClosePrice and Profit are set together.
type Trade struct {
	ID         string // unique within AccountID
	AccountID  string
	Symbol     string
	Side       string // buy or sell
	OpenTime   time.Time
	UpdatedAt  time.Time
	Volume     wire.Decimal // lots
	CloseTime  time.Time
	OpenPrice  wire.Decimal
	ClosePrice wire.Decimal
	StopLoss   wire.Decimal
	TakeProfit wire.Decimal
	Commission wire.Decimal // account currency, negative
	Swap       wire.Decimal // account currency
	Profit     wire.Decimal // net of commission and swap, account currency
}

// Payout is one payment to a trader (contract, Payout).
type Payout struct {
	ID          string
	TraderID    string
	Status      string // pending, approved, paid, rejected or cancelled
	UpdatedAt   time.Time
	AccountID   string
	Amount      wire.Decimal // what the trader receives
	Currency    string       // ISO 4217
	RequestedAt time.Time
	PaidAt      time.Time // zero until paid
}

// AppendJSON appends the record as the platform sends it.
func (t *Trader) AppendJSON(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `{"id":`...), t.ID)
	dst = wire.AppendTime(append(dst, `,"updated_at":`...), t.UpdatedAt)
	dst = wire.AppendNullable(append(dst, `,"email":`...), t.Email)
	dst = wire.AppendNullable(append(dst, `,"first_name":`...), t.FirstName)
	dst = wire.AppendNullable(append(dst, `,"last_name":`...), t.LastName)
	dst = wire.AppendNullable(append(dst, `,"country":`...), t.Country)
	dst = wire.AppendNullable(append(dst, `,"phone":`...), t.Phone)
	dst = wire.AppendTime(append(dst, `,"registered_at":`...), t.RegisteredAt)
	dst = wire.AppendNullable(append(dst, `,"kyc_status":`...), t.KYCStatus)
	dst = append(dst, `,"tags":[`...)
	for i, tag := range t.Tags {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(dst, tag)
	}
	dst = wire.AppendRaw(append(dst, `],"metadata":`...), t.Metadata)
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (a *Account) AppendJSON(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `{"id":`...), a.ID)
	dst = wire.AppendString(append(dst, `,"trader_id":`...), a.TraderID)
	dst = wire.AppendTime(append(dst, `,"updated_at":`...), a.UpdatedAt)
	dst = wire.AppendNullable(append(dst, `,"platform":`...), a.Platform)
	dst = wire.AppendNullable(append(dst, `,"login":`...), a.Login)
	dst = wire.AppendNullable(append(dst, `,"program":`...), a.Program)
	dst = wire.AppendNullable(append(dst, `,"phase":`...), a.Phase)
	dst = wire.AppendNullable(append(dst, `,"status":`...), a.Status)
	dst = wire.AppendNullable(append(dst, `,"currency":`...), a.Currency)
	dst = a.InitialBalance.Append(append(dst, `,"initial_balance":`...))
	dst = a.Balance.Append(append(dst, `,"balance":`...))
	dst = a.Equity.Append(append(dst, `,"equity":`...))
	dst = wire.AppendTime(append(dst, `,"started_at":`...), a.StartedAt)
	dst = wire.AppendRaw(append(dst, `,"metadata":`...), a.Metadata)
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (t *Trade) AppendJSON(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `{"id":`...), t.ID)
	dst = wire.AppendString(append(dst, `,"account_id":`...), t.AccountID)
	dst = wire.AppendString(append(dst, `,"symbol":`...), t.Symbol)
	dst = wire.AppendString(append(dst, `,"side":`...), t.Side)
	dst = wire.AppendTime(append(dst, `,"open_time":`...), t.OpenTime)
	dst = wire.AppendTime(append(dst, `,"updated_at":`...), t.UpdatedAt)
	dst = t.Volume.Append(append(dst, `,"volume":`...))
	dst = wire.AppendTime(append(dst, `,"close_time":`...), t.CloseTime)
	dst = t.OpenPrice.Append(append(dst, `,"open_price":`...))
	dst = t.ClosePrice.Append(append(dst, `,"close_price":`...))
	dst = t.StopLoss.Append(append(dst, `,"stop_loss":`...))
	dst = t.TakeProfit.Append(append(dst, `,"take_profit":`...))
	dst = t.Commission.Append(append(dst, `,"commission":`...))
	dst = t.Swap.Append(append(dst, `,"swap":`...))
	dst = t.Profit.Append(append(dst, `,"profit":`...))
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (p *Payout) AppendJSON(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `{"id":`...), p.ID)
	dst = wire.AppendString(append(dst, `,"trader_id":`...), p.TraderID)
	dst = wire.AppendString(append(dst, `,"status":`...), p.Status)
	dst = wire.AppendTime(append(dst, `,"updated_at":`...), p.UpdatedAt)
	dst = wire.AppendNullable(append(dst, `,"account_id":`...), p.AccountID)
	dst = p.Amount.Append(append(dst, `,"amount":`...))
	dst = wire.AppendNullable(append(dst, `,"currency":`...), p.Currency)
	dst = wire.AppendTime(append(dst, `,"requested_at":`...), p.RequestedAt)
	dst = wire.AppendTime(append(dst, `,"paid_at":`...), p.PaidAt)
	return append(dst, '}')
}
