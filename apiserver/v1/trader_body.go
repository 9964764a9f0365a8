package v1

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
)

// traderBody is a Trader: a person in the directory. What a platform says of
// the person is taken over as it is; the API's own members are id, source,
// status and the times of the row.
type traderBody struct {
	ID                uuid.UUID      `json:"id"`                                                 // the API's own id; where two traders turn out to be one, the id of the other leads nowhere from then on
	Source            string         `json:"source" api:"max=100,of=apiserver/v1.traderSource"`  // where the person comes from
	IntegrationID     *uuid.UUID     `json:"integration_id"`                                     // the integration that reads the person; null: made by hand, or the integration was removed
	ExternalID        *string        `json:"external_id" api:"max=512" example:"T-1042"`         // the platform's id, which may hold any text; null: made by hand without one
	FullName          *string        `json:"full_name" api:"max=8193" example:"Zoe Miller"`      // first and last name, or what a person wrote; null: unknown
	FirstName         *string        `json:"first_name" api:"max=4096" example:"Zoe"`            // null: unknown
	LastName          *string        `json:"last_name" api:"max=4096" example:"Miller"`          // null: unknown
	Email             *string        `json:"email" api:"max=4096" example:"zoe@example.com"`     // as the platform spells it, and not checked; null: unknown
	Country           *string        `json:"country" api:"max=4096" example:"DE"`                // two capital letters (ISO 3166-1) on custom_api, elsewhere also a name; null: unknown
	Phone             *string        `json:"phone" api:"max=4096" example:"+4930123456"`         // as the platform spells it; null: unknown
	KYCStatus         *string        `json:"kyc_status" api:"max=4096" example:"verified"`       // not_started, pending, verified or failed on custom_api, elsewhere any text; null: unknown
	Status            string         `json:"status" api:"of=apiserver/v1.traderStatus"`          // what people have made of the person
	Tags              []string       `json:"tags" api:"max=256,items=150" example:"[\"vip\"]"`   // labels, in the platform's order, those of people after them; none: an empty array
	RegisteredAt      *time.Time     `json:"registered_at"`                                      // when the person registered on the platform; null: unknown
	Metadata          jsontext.Value `json:"metadata" example:"{\"desk\": \"fx\"}"`              // whatever else the platform tells, on a partner_platform customer_nr and last_login_ip; null: nothing
	Unrecognized      jsontext.Value `json:"unrecognized" example:"null"`                        // on custom_api, what the platform sent as kyc_status, which is null then, and what the contract does not know; null: nothing
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"`                                // when the platform last changed the person; null: it does not tell
	MissingSince      *time.Time     `json:"missing_since" example:"null"`                       // since when a complete reading no longer finds the person on the platform; null: it does
	Overrides         []string       `json:"overrides" api:"max=100,open,items=20" example:"[]"` // members of a trader read from a platform that a person has set: what the platform sends for them is kept, and not shown
	CreatedAt         time.Time      `json:"created_at"`                                         // when the person came into the directory
	UpdatedAt         time.Time      `json:"updated_at"`                                         // when a member of the person last changed
}

// traderSource is where a trader comes from.
type traderSource string

// The sources of traders.
const (
	_ traderSource = "custom_api"       // read from a customer's own platform
	_ traderSource = "partner_platform" // read from a supported trading platform
	_ traderSource = "manual"           // made by hand
)

// traderStatus is what people have made of a trader.
type traderStatus string

// The statuses of traders.
const (
	_ traderStatus = "active"       // nothing is the matter
	_ traderStatus = "under_review" // somebody is looking into the person
	_ traderStatus = "restricted"   // somebody has decided that the person may not do everything
	_ traderStatus = "archived"     // kept, and left out of lists
)

func traderOf(t directory.Trader) traderBody {
	return traderBody{
		ID: t.ID, Source: t.Source, IntegrationID: t.IntegrationID, ExternalID: t.ExternalID,
		FullName: t.FullName, FirstName: t.FirstName, LastName: t.LastName, Email: t.Email, Country: t.Country,
		Phone: t.Phone, KYCStatus: t.KYCStatus, Status: t.Status, Tags: t.Tags, RegisteredAt: t.RegisteredAt,
		Metadata: jsontext.Value(t.Metadata), Unrecognized: jsontext.Value(t.Unrecognized), PlatformUpdatedAt: t.PlatformUpdatedAt, MissingSince: t.MissingSince,
		Overrides: t.Overrides, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

// traderDetailBody is a Trader with all that belongs to the person.
type traderDetailBody struct {
	traderBody `json:",inline"`
	Platform   *platformTraderBody   `json:"platform"                    ` // what the platform tells of the members that people may set; null: `overrides` is empty
	Accounts   []accountBody         `json:"accounts" api:"items=100000"`  // trading accounts, those started last first
	Payouts    []payoutBody          `json:"payouts" api:"items=100000"`   // payouts, those requested last first
	Notes      []noteBody            `json:"notes" api:"items=1000"`       // what people have written about the trader, newest first
	Interviews []traderInterviewBody `json:"interviews" api:"items=200"`   // the newest interviews, the newest first
	Stats      statsBody             `json:"stats"`                        // sums over the accounts
}

// platformTraderBody is what the platform tells of a trader, behind what people
// have set.
//
//openapi:name PlatformTrader
type platformTraderBody struct {
	FullName   *string  `json:"full_name" api:"max=8193" example:"Zoe Miller"`    // null: unknown
	Email      *string  `json:"email" api:"max=4096" example:"zoe@example.com"`   // null: unknown
	ExternalID *string  `json:"external_id" api:"max=512" example:"T-1042"`       // null: unknown
	Country    *string  `json:"country" api:"max=4096" example:"DE"`              // null: unknown
	Phone      *string  `json:"phone" api:"max=4096" example:"+4930123456"`       // null: unknown
	Tags       []string `json:"tags" api:"max=256,items=150" example:"[\"vip\"]"` // labels, in the platform's order; none: an empty array
}

// traderInterviewBody is an interview of a trader, in short.
//
//openapi:name TraderInterview
type traderInterviewBody struct {
	ID             uuid.UUID            `json:"id"`                                                   // the interview
	Reference      *string              `json:"reference" api:"max=128" example:"PO-2041"`            // the firm's own name of it; null: none
	Reason         string               `json:"reason" api:"of=apiserver/v1.interviewReason"`         // why it is held
	Status         interviews.Status    `json:"status"`                                               // where it is in its life
	Partial        bool                 `json:"partial"`                                              // time ran out before all questions were answered
	AttentionLevel *string              `json:"attention_level" api:"of=apiserver/v1.attentionLevel"` // how much attention the report asks for; null: there is none
	Decision       *interviews.Decision `json:"decision"`                                             // the decision in force; null: none
	CreatedAt      time.Time            `json:"created_at"`                                           // when it was made
	CompletedAt    *time.Time           `json:"completed_at"`                                         // when the first report was there; null: there is none
	RetakeOfID     *uuid.UUID           `json:"retake_of_id" example:"null"`                          // the interview that it repeats; null: none
}

func traderInterviewOf(i directory.TraderInterview) traderInterviewBody {
	return traderInterviewBody{
		ID: i.ID, Reference: i.Reference, Reason: i.Reason, Status: interviews.Status(i.Status), Partial: i.Partial, AttentionLevel: i.AttentionLevel,
		Decision: (*interviews.Decision)(i.Decision), CreatedAt: i.CreatedAt, CompletedAt: i.CompletedAt, RetakeOfID: i.RetakeOfID,
	}
}

func traderDetailOf(t directory.TraderDetail) traderDetailBody {
	return traderDetailBody{
		traderBody: traderOf(t.Trader),
		Platform:   (*platformTraderBody)(t.Platform),
		Accounts:   convertRows(t.Accounts, accountOf),
		Payouts:    convertRows(t.Payouts, payoutOf),
		Notes:      convertRows(t.Notes, noteOf),
		Interviews: convertRows(t.Interviews, traderInterviewOf),
		Stats: statsBody{
			Accounts: t.Stats.Accounts, OpenTrades: t.Stats.OpenTrades, ClosedTrades: t.Stats.ClosedTrades,
			NetProfitByCurrency: numbersOf(t.Stats.NetProfitByCurrency),
			FirstTradeAt:        t.Stats.FirstTradeAt, LastTradeAt: t.Stats.LastTradeAt,
			PaidOutByCurrency: numbersOf(t.Stats.PaidOutByCurrency),
		},
	}
}

// statsBody is sums over a trader's accounts.
//
//openapi:name TraderStats
type statsBody struct {
	Accounts            int64             `json:"accounts"`                                                                      // how many accounts
	OpenTrades          int64             `json:"open_trades"`                                                                   // trades without a close time
	ClosedTrades        int64             `json:"closed_trades"`                                                                 // trades with one
	NetProfitByCurrency map[string]number `json:"net_profit_by_currency" api:"nonnull,items=10000" example:"{\"USD\": 1250.40}"` // the sum of `profit`, the net result, of closed trades, by the account's currency; the name of an unknown one is empty
	FirstTradeAt        *time.Time        `json:"first_trade_at"`                                                                // when the first trade was opened; null: none was
	LastTradeAt         *time.Time        `json:"last_trade_at"`                                                                 // when the last trade was opened; null: none was
	PaidOutByCurrency   map[string]number `json:"paid_out_by_currency" api:"nonnull,items=10000" example:"{\"USD\": 800}"`       // amounts of payouts whose status is `paid`, by currency; the name of an unknown one is empty
}

func numbersOf(m map[string]record.Decimal) map[string]number {
	numbers := make(map[string]number, len(m))
	for key, value := range m {
		numbers[key] = number(value)
	}
	return numbers
}

// noteBody is a Note: what somebody has written about a trader.
type noteBody struct {
	ID         uuid.UUID `json:"id"`                                                                // of the note
	Body       string    `json:"body" api:"min=1,max=10000" example:"Asked for a second document."` // the text, which may have several lines
	AuthorName string    `json:"author_name" api:"max=320" example:"Reporting"`                     // the name of the key that wrote it
	CreatedAt  time.Time `json:"created_at"`                                                        // when it was written
}

func noteOf(n directory.Note) noteBody { return noteBody(n) }

// accountBody is an Account of a trader on a platform.
type accountBody struct {
	ID                uuid.UUID      `json:"id"`                                                       // the API's own id
	ExternalID        string         `json:"external_id" api:"max=512" example:"A-77"`                 // the platform's id
	Platform          *string        `json:"platform"                    api:"max=4096" example:"mt5"` // the trading software: mt4, mt5, ctrader, matchtrader, tradelocker, dxtrade or other on custom_api, elsewhere any text; null: unknown
	Login             *string        `json:"login" api:"max=4096" example:"500123"`                    // the number or name to log in with; null: unknown
	Program           *string        `json:"program" api:"max=4096" example:"Two-step 100k"`           // the firm's product; null: unknown
	Phase             *string        `json:"phase" api:"max=4096" example:"funded"`                    // evaluation, verification, funded or other on custom_api, elsewhere any text; null: unknown
	Status            *string        `json:"status" api:"max=4096" example:"active"`                   // active, passed, breached, closed or suspended on custom_api, elsewhere any text; null: unknown
	Currency          *string        `json:"currency" api:"max=4096" example:"USD"`                    // of the balances and of the account's trades (ISO 4217); null: unknown
	InitialBalance    number         `json:"initial_balance" example:"100000"`                         // what the account began with; null: unknown
	Balance           number         `json:"balance" example:"101250.40"`                              // without open profit; null: unknown
	Equity            number         `json:"equity" example:"101198.15"`                               // with open profit; null: unknown
	StartedAt         *time.Time     `json:"started_at"`                                               // when the account was opened; null: unknown
	Metadata          jsontext.Value `json:"metadata" example:"{\"server\": \"live-2\"}"`              // whatever else the platform tells, on a partner_platform partner_account_id, plan_category_name, funded_at and breached_at as it spells them; null: nothing
	Unrecognized      jsontext.Value `json:"unrecognized" example:"{\"platform\": \"mt6\"}"`           // on custom_api, by platform, phase and status, which are null then, what the platform sent for them and the contract does not know; null: nothing
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"`                                      // when the platform last changed the account; null: it does not tell
}

func accountOf(a directory.Account) accountBody {
	return accountBody{
		ID: a.ID, ExternalID: a.ExternalID, Platform: a.Platform, Login: a.Login, Program: a.Program, Phase: a.Phase,
		Status: a.Status, Currency: a.Currency, InitialBalance: numberOf(a.InitialBalance), Balance: numberOf(a.Balance),
		Equity: numberOf(a.Equity), StartedAt: a.StartedAt, Metadata: jsontext.Value(a.Metadata), Unrecognized: jsontext.Value(a.Unrecognized),
		PlatformUpdatedAt: a.PlatformUpdatedAt,
	}
}

// payoutBody is a Payout to a trader.
type payoutBody struct {
	ID                uuid.UUID      `json:"id"`                                                                  // the API's own id
	ExternalID        string         `json:"external_id" api:"max=512" example:"P-9"`                             // the platform's id
	AccountExternalID *string        `json:"account_external_id" api:"max=512" example:"A-77"`                    // the platform's id of the account that it is from, until that has arrived possibly the second id that a partner_platform gave; null: of none
	Status            *string        `json:"status" api:"max=4096" example:"paid"`                                // pending, approved, paid, rejected or cancelled on custom_api, elsewhere any text; null: unknown
	Amount            number         `json:"amount" example:"800"`                                                // in the currency's whole units; null: unknown
	Currency          *string        `json:"currency" api:"max=4096" example:"USD"`                               // ISO 4217; null: unknown
	RequestedAt       *time.Time     `json:"requested_at"`                                                        // when it was asked for; null: unknown
	PaidAt            *time.Time     `json:"paid_at"`                                                             // when it was paid; null: it was not, or unknown
	Metadata          jsontext.Value `json:"metadata" example:"{\"profit_split\": 80, \"request_amount\": 1000}"` // whatever else the platform tells, on a partner_platform profit_split and request_amount; null: nothing
}

func payoutOf(p directory.Payout) payoutBody {
	return payoutBody{
		ID: p.ID, ExternalID: p.ExternalID, AccountExternalID: p.AccountExternalID, Status: p.Status,
		Amount: numberOf(p.Amount), Currency: p.Currency, RequestedAt: p.RequestedAt, PaidAt: p.PaidAt,
		Metadata: jsontext.Value(p.Metadata),
	}
}

// tradeBody is a Trade of an account.
type tradeBody struct {
	ID                string      `json:"id" api:"max=512" example:"880123"`                // the platform's id, unique within the account
	AccountID         *uuid.UUID  `json:"account_id"`                                       // the API's id of the account; null until the account has arrived
	AccountExternalID string      `json:"account_external_id" api:"max=512" example:"A-77"` // the platform's id of the account
	Symbol            string      `json:"symbol" api:"max=4096" example:"EURUSD"`           // what was traded, as the platform spells it; UNKNOWN: a partner_platform did not tell
	Side              record.Side `json:"side"`                                             // the direction; buy also where a partner_platform tells none that is known
	Volume            number      `json:"volume" example:"0.10"`                            // in lots; null: unknown
	OpenTime          *time.Time  `json:"open_time"`                                        // when it was opened; null: unknown
	CloseTime         *time.Time  `json:"close_time"`                                       // when it was closed; null: it is open
	OpenPrice         number      `json:"open_price" example:"1.08500"`                     // null: unknown
	ClosePrice        number      `json:"close_price" example:"1.08965"`                    // null: it is open, or unknown
	StopLoss          number      `json:"stop_loss" example:"1.08200"`                      // the price at which a loss ends it; null: none, or unknown
	TakeProfit        number      `json:"take_profit" example:"1.09000"`                    // the price at which a profit ends it; null: none, or unknown
	Commission        number      `json:"commission" example:"-0.70"`                       // in the account's currency, negative when it was charged; null: unknown
	Swap              number      `json:"swap" example:"0"`                                 // interest of positions kept overnight, in the account's currency; null: unknown
	Profit            number      `json:"profit" example:"46.50"`                           // the net result, in the account's currency; null: unknown
	PlatformUpdatedAt *time.Time  `json:"platform_updated_at"`                              // when the platform last changed the trade; null: it does not tell
}

func tradeOf(t directory.Trade) tradeBody {
	return tradeBody{
		ID: t.ID, AccountID: t.AccountID, AccountExternalID: t.AccountExternalID, Symbol: t.Symbol, Side: t.Side,
		Volume: numberOf(t.Volume), OpenTime: t.OpenTime, CloseTime: t.CloseTime, OpenPrice: numberOf(t.OpenPrice),
		ClosePrice: numberOf(t.ClosePrice), StopLoss: numberOf(t.StopLoss), TakeProfit: numberOf(t.TakeProfit),
		Commission: numberOf(t.Commission), Swap: numberOf(t.Swap), Profit: numberOf(t.Profit), PlatformUpdatedAt: t.PlatformUpdatedAt,
	}
}
