package partner

import (
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// List names one of the five lists, as its path does behind /v1/.
type List string

// The lists of the contract.
const (
	Customers    List = "customers"
	Accounts     List = "prop-accounts"
	ClosedTrades List = "trades/closed"
	OpenTrades   List = "trades/open"
	Payouts      List = "payouts"
)

// Lists lists the five.
func Lists() []List { return []List{Customers, Accounts, ClosedTrades, OpenTrades, Payouts} }

// endpoints lists the routes as fault.Options.Endpoint names them.
func endpoints() []string {
	var paths []string
	for _, l := range Lists() {
		paths = append(paths, l.urlPath())
	}
	return paths
}

func (l List) urlPath() string { return "/v1/" + string(l) }

// The records hold values in the form in which the contract wants them stored:
// ids as text, times in UTC, platforms, phases and statuses in lower case.
// Empty texts, zero times and null decimals are unknown.

// Customer is one person.
type Customer struct {
	CustomerID  string
	CustomerNr  string // digits
	UpdatedAt   time.Time
	Email       string
	FirstName   string
	LastName    string
	Country     string // ISO 3166-1 alpha-2, or in English as it is sent
	Phone       string
	KYCStatus   string
	CreatedAt   time.Time
	LastLoginIP string
}

// Account is one prop account.
type Account struct {
	AccountNr        string // digits
	AccountID        string // the platform's second id of the account; empty when the record is spelled without it
	CustomerID       string
	UpdatedAt        time.Time
	Login            string // AccountNr when the record is spelled without it
	Platform         string
	Plan             string
	PlanCategoryID   string // what plan_category_ids filters by
	PlanCategoryName string
	Phase            string
	Status           string
	Currency         string
	InitialBalance   wire.Decimal
	CurrentBalance   wire.Decimal
	CurrentEquity    wire.Decimal
	CreatedAt        time.Time
	FundedAt         time.Time
	BreachedAt       time.Time
}

// Trade is one position, open while CloseDate is zero.
type Trade struct {
	Ticket          string // unique within AccountNr
	AccountNr       string // also when the trade is sent with the account's second id
	Symbol          string // empty when it is not sent, to be stored as UNKNOWN
	Side            string // buy or sell
	Lots            wire.Decimal
	OpenDate        time.Time
	CloseDate       time.Time
	OpenPrice       wire.Decimal
	ClosePrice      wire.Decimal
	StopLossPrice   wire.Decimal
	TakeProfitPrice wire.Decimal
	Commission      wire.Decimal
	Swap            wire.Decimal
	PnL             wire.Decimal
}

// Payout is one payment to a customer.
type Payout struct {
	PayoutID      string
	CustomerID    string
	AccountNr     string       // empty for a commission
	UpdatedAt     time.Time    // what updated_gte filters by; it is not sent
	ShareAmount   wire.Decimal // what the customer receives
	RequestAmount wire.Decimal // what is withdrawn; null when the record is spelled without it
	ProfitSplit   wire.Decimal // percent
	Currency      string
	Status        string
	RequestedAt   time.Time
	ApprovedAt    time.Time // zero until paid
}

// Counts are numbers of records.
type Counts struct{ Customers, Accounts, ClosedTrades, OpenTrades, Payouts int }
