package firm

import (
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// The records of the world name one another by row. How a platform calls and
// spells them is its contract's business. Empty texts, zero times and null
// decimals are unknown.

// NoAccount means that there is no account.
const NoAccount = ^uint32(0)

// Trader is one person.
type Trader struct {
	UpdatedAt    time.Time
	Email        string
	FirstName    string
	LastName     string
	Country      string // ISO 3166-1 alpha-2
	Phone        string // E.164
	RegisteredAt time.Time
	KYCStatus    string // not_started, pending, verified or failed
	Tags         []string
	CRM          int    // number in the sales department's list; 0 is none
	Source       string // how the trader was found; set with CRM
}

// Account is one trading account.
type Account struct {
	Trader         uint32
	UpdatedAt      time.Time
	Platform       string // mt4, mt5, ctrader, matchtrader, tradelocker, dxtrade or other
	Login          string
	Program        string // such as Two-Step
	Size           string // such as 100K
	Phase          string // evaluation, verification, funded or other
	Status         string // active, passed, breached, closed or suspended
	Currency       string // ISO 4217
	InitialBalance wire.Decimal
	Balance        wire.Decimal
	Equity         wire.Decimal // balance and the profit of open trades
	StartedAt      time.Time
	Server         string // empty with Leverage
	Leverage       string
}

// Trade is one position. It is open while CloseTime is zero; CloseTime,
// ClosePrice and Profit are set together.
type Trade struct {
	Account    uint32
	Number     uint32 // within its account, from 1
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

// Payout is one payment to a trader.
type Payout struct {
	Trader      uint32
	Account     uint32 // NoAccount for a commission
	Status      string // pending, approved, paid, rejected or cancelled
	UpdatedAt   time.Time
	Gross       wire.Decimal // the amount withdrawn; ProfitSplit percent of it are the trader's; zero for a commission
	Amount      wire.Decimal // what the trader receives
	Currency    string       // ISO 4217
	RequestedAt time.Time
	PaidAt      time.Time // zero until paid
}
