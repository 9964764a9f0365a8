package refplatform

import "time"

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
	InitialBalance Decimal
	Balance        Decimal
	Equity         Decimal // balance and the profit of open trades
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
	Volume     Decimal // lots
	CloseTime  time.Time
	OpenPrice  Decimal
	ClosePrice Decimal
	StopLoss   Decimal
	TakeProfit Decimal
	Commission Decimal // account currency, negative
	Swap       Decimal // account currency
	Profit     Decimal // net of commission and swap, account currency
}

// Payout is one payment to a trader (contract, Payout).
type Payout struct {
	ID          string
	TraderID    string
	Status      string // pending, approved, paid, rejected or cancelled
	UpdatedAt   time.Time
	AccountID   string
	Amount      Decimal // what the trader receives
	Currency    string  // ISO 4217
	RequestedAt time.Time
	PaidAt      time.Time // zero until paid
}

// AppendJSON appends the record as the platform sends it.
func (t *Trader) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), t.ID)
	dst = appendTime(append(dst, `,"updated_at":`...), t.UpdatedAt)
	dst = appendNullable(append(dst, `,"email":`...), t.Email)
	dst = appendNullable(append(dst, `,"first_name":`...), t.FirstName)
	dst = appendNullable(append(dst, `,"last_name":`...), t.LastName)
	dst = appendNullable(append(dst, `,"country":`...), t.Country)
	dst = appendNullable(append(dst, `,"phone":`...), t.Phone)
	dst = appendTime(append(dst, `,"registered_at":`...), t.RegisteredAt)
	dst = appendNullable(append(dst, `,"kyc_status":`...), t.KYCStatus)
	dst = append(dst, `,"tags":[`...)
	for i, tag := range t.Tags {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, tag)
	}
	dst = appendRaw(append(dst, `],"metadata":`...), t.Metadata)
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (a *Account) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), a.ID)
	dst = appendString(append(dst, `,"trader_id":`...), a.TraderID)
	dst = appendTime(append(dst, `,"updated_at":`...), a.UpdatedAt)
	dst = appendNullable(append(dst, `,"platform":`...), a.Platform)
	dst = appendNullable(append(dst, `,"login":`...), a.Login)
	dst = appendNullable(append(dst, `,"program":`...), a.Program)
	dst = appendNullable(append(dst, `,"phase":`...), a.Phase)
	dst = appendNullable(append(dst, `,"status":`...), a.Status)
	dst = appendNullable(append(dst, `,"currency":`...), a.Currency)
	dst = a.InitialBalance.append(append(dst, `,"initial_balance":`...))
	dst = a.Balance.append(append(dst, `,"balance":`...))
	dst = a.Equity.append(append(dst, `,"equity":`...))
	dst = appendTime(append(dst, `,"started_at":`...), a.StartedAt)
	dst = appendRaw(append(dst, `,"metadata":`...), a.Metadata)
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (t *Trade) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), t.ID)
	dst = appendString(append(dst, `,"account_id":`...), t.AccountID)
	dst = appendString(append(dst, `,"symbol":`...), t.Symbol)
	dst = appendString(append(dst, `,"side":`...), t.Side)
	dst = appendTime(append(dst, `,"open_time":`...), t.OpenTime)
	dst = appendTime(append(dst, `,"updated_at":`...), t.UpdatedAt)
	dst = t.Volume.append(append(dst, `,"volume":`...))
	dst = appendTime(append(dst, `,"close_time":`...), t.CloseTime)
	dst = t.OpenPrice.append(append(dst, `,"open_price":`...))
	dst = t.ClosePrice.append(append(dst, `,"close_price":`...))
	dst = t.StopLoss.append(append(dst, `,"stop_loss":`...))
	dst = t.TakeProfit.append(append(dst, `,"take_profit":`...))
	dst = t.Commission.append(append(dst, `,"commission":`...))
	dst = t.Swap.append(append(dst, `,"swap":`...))
	dst = t.Profit.append(append(dst, `,"profit":`...))
	return append(dst, '}')
}

// AppendJSON appends the record as the platform sends it.
func (p *Payout) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), p.ID)
	dst = appendString(append(dst, `,"trader_id":`...), p.TraderID)
	dst = appendString(append(dst, `,"status":`...), p.Status)
	dst = appendTime(append(dst, `,"updated_at":`...), p.UpdatedAt)
	dst = appendNullable(append(dst, `,"account_id":`...), p.AccountID)
	dst = p.Amount.append(append(dst, `,"amount":`...))
	dst = appendNullable(append(dst, `,"currency":`...), p.Currency)
	dst = appendTime(append(dst, `,"requested_at":`...), p.RequestedAt)
	dst = appendTime(append(dst, `,"paid_at":`...), p.PaidAt)
	return append(dst, '}')
}
