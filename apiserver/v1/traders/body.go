package traders

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
)

// traderBody is a Trader: a person in the directory. The members that a platform sends are taken
// over unchanged. The API's own members are `id`, `source`, `status`, and the row's timestamps.
type traderBody struct {
	// Unique identifier of the trader. If two traders turn out to be the same person, they are
	// merged, and the other trader's ID no longer works.
	ID     uuid.UUID `json:"id"`
	Source string    `json:"source" api:"max=100,of=apiserver/v1/traders.traderSource"` // where the trader comes from
	// Unique identifier of the integration that the trader is read from. Null if the trader was
	// created manually or the integration was deleted.
	IntegrationID *uuid.UUID `json:"integration_id"`
	// The trader's ID on the platform, which can be any text. Null if the trader was created
	// manually without one.
	ExternalID *string `json:"external_id" api:"max=512" example:"T-1042"`
	FullName   *string `json:"full_name" api:"max=8193" example:"Zoe Miller"` // First and last name, or the name that a person entered. Null if it is unknown.
	FirstName  *string `json:"first_name" api:"max=4096" example:"Zoe"`       // First name. Null if it is unknown.
	LastName   *string `json:"last_name" api:"max=4096" example:"Miller"`     // Last name. Null if it is unknown.
	// Email address as spelled by the platform, not validated. Null if it is unknown.
	Email *string `json:"email" api:"max=4096" example:"zoe@example.com"`
	// Two-letter country code (ISO 3166-1) in capitals on `custom_api`. Other platforms may send a
	// name. Null if it is unknown.
	Country *string `json:"country" api:"max=4096" example:"DE"`
	Phone   *string `json:"phone" api:"max=4096" example:"+4930123456"` // Phone number as spelled by the platform. Null if it is unknown.
	// `not_started`, `pending`, `verified`, or `failed` on `custom_api`. Other platforms may send
	// any text. Null if it is unknown.
	KYCStatus *string `json:"kyc_status" api:"max=4096" example:"verified"`
	Status    string  `json:"status" api:"of=apiserver/v1/traders.traderStatus"` // status of the trader, set by people
	// Labels in the platform's order, followed by those that people added. Empty if there are none.
	Tags         []string   `json:"tags" api:"max=256,items=150" example:"[\"vip\"]"`
	RegisteredAt *time.Time `json:"registered_at"` // When the trader registered on the platform. Null if it is unknown.
	// Further data from the platform. On a `partner_platform`: `customer_nr` and `last_login_ip`.
	// Null if there is none.
	Metadata jsontext.Value `json:"metadata" example:"{\"desk\": \"fx\"}"`
	// On `custom_api`, the value that the platform sent as `kyc_status` if the contract does not
	// define it. `kyc_status` is null then. Null if there is none.
	Unrecognized      jsontext.Value `json:"unrecognized" example:"null"`
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"` // When the platform last changed the trader. Null if it is unknown.
	// When a complete read first missed the trader on the platform. Null if the trader is
	// there.
	MissingSince *time.Time `json:"missing_since" example:"null"`
	// Members that a person has set for a trader who is read from a platform. The values that the
	// platform sends for them are stored but not shown.
	Overrides []string   `json:"overrides" api:"max=100,open,items=20" example:"[]"`
	ErasedAt  *time.Time `json:"erased_at" example:"null"` // When the trader was erased, or null.
	CreatedAt time.Time  `json:"created_at"`               // when the trader was added to the directory
	UpdatedAt time.Time  `json:"updated_at"`               // when a member of the trader was last changed
}

// traderSource is where a trader comes from.
type traderSource string

// The sources of traders.
const (
	_ traderSource = "custom_api"       // The trader is read from a customer's own platform.
	_ traderSource = "partner_platform" // The trader is read from a supported trading platform.
	_ traderSource = "manual"           // The trader was created manually.
)

// traderStatus is what people have made of a trader.
type traderStatus string

// The statuses of traders.
const (
	_ traderStatus = "active"       // No review or restriction applies.
	_ traderStatus = "under_review" // Someone is reviewing the trader.
	_ traderStatus = "restricted"   // Someone decided to restrict what the trader may do.
	_ traderStatus = "archived"     // The trader is kept but left out of lists.
)

func traderOf(t directory.Trader) traderBody {
	return traderBody{
		ID: t.ID, Source: t.Source, IntegrationID: t.IntegrationID, ExternalID: t.ExternalID,
		FullName: t.FullName, FirstName: t.FirstName, LastName: t.LastName, Email: t.Email, Country: t.Country,
		Phone: t.Phone, KYCStatus: t.KYCStatus, Status: t.Status, Tags: t.Tags, RegisteredAt: t.RegisteredAt,
		Metadata: jsontext.Value(t.Metadata), Unrecognized: jsontext.Value(t.Unrecognized), PlatformUpdatedAt: t.PlatformUpdatedAt, MissingSince: t.MissingSince,
		Overrides: t.Overrides, ErasedAt: t.ErasedAt, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

// DetailBody is a Trader with accounts, payouts, notes, interviews, and statistics.
//
//openapi:name TraderDetail
type DetailBody struct {
	traderBody `json:",inline"`
	Platform   *platformTraderBody   `json:"platform"                    ` // The platform's values of the members that people can set. Null if `overrides` is empty.
	Accounts   []accountBody         `json:"accounts" api:"items=100000"`  // trading accounts, most recently started first
	Payouts    []payoutBody          `json:"payouts" api:"items=100000"`   // payouts, most recently requested first
	Notes      []noteBody            `json:"notes" api:"items=1000"`       // notes that people wrote about the trader, newest first
	Interviews []traderInterviewBody `json:"interviews" api:"items=200"`   // the most recent interviews, newest first
	Stats      statsBody             `json:"stats"`                        // totals over all accounts
}

// platformTraderBody is the platform's values of a trader's members that people have set.
//
//openapi:name PlatformTrader
type platformTraderBody struct {
	FullName   *string  `json:"full_name" api:"max=8193" example:"Zoe Miller"`    // Full name. Null if it is unknown.
	Email      *string  `json:"email" api:"max=4096" example:"zoe@example.com"`   // Email address. Null if it is unknown.
	ExternalID *string  `json:"external_id" api:"max=512" example:"T-1042"`       // ID on the platform. Null if it is unknown.
	Country    *string  `json:"country" api:"max=4096" example:"DE"`              // Country. Null if it is unknown.
	Phone      *string  `json:"phone" api:"max=4096" example:"+4930123456"`       // Phone number. Null if it is unknown.
	Tags       []string `json:"tags" api:"max=256,items=150" example:"[\"vip\"]"` // Labels in the platform's order. An empty array if there are none.
}

// traderInterviewBody is a summary of a trader's interview.
//
//openapi:name TraderInterview
type traderInterviewBody struct {
	ID             uuid.UUID            `json:"id"`                                                              // unique identifier of the interview
	Reference      *string              `json:"reference" api:"max=128" example:"PO-2041"`                       // The firm's own reference of the interview. Null if it has none.
	Reason         string               `json:"reason" api:"of=apiserver/v1/interviews.interviewReason"`         // why the interview is held
	Status         interviews.Status    `json:"status"`                                                          // stage of the interview
	Partial        bool                 `json:"partial"`                                                         // whether time ran out before all questions were answered
	AttentionLevel *string              `json:"attention_level" api:"of=apiserver/v1/interviews.attentionLevel"` // How much attention the report calls for. Null if there is no report.
	Decision       *interviews.Decision `json:"decision"`                                                        // The decision in force. Null if there is none.
	CreatedAt      time.Time            `json:"created_at"`                                                      // when the interview was created
	CompletedAt    *time.Time           `json:"completed_at"`                                                    // When the first report was ready. Null if there is no report.
	RetakeOfID     *uuid.UUID           `json:"retake_of_id" example:"null"`                                     // Unique identifier of the interview that this one is a retake of. Null if it is not a retake.
}

func traderInterviewOf(i directory.TraderInterview) traderInterviewBody {
	return traderInterviewBody{
		ID: i.ID, Reference: i.Reference, Reason: i.Reason, Status: interviews.Status(i.Status), Partial: i.Partial, AttentionLevel: i.AttentionLevel,
		Decision: (*interviews.Decision)(i.Decision), CreatedAt: i.CreatedAt, CompletedAt: i.CompletedAt, RetakeOfID: i.RetakeOfID,
	}
}

// DetailOf converts a trader with all that belongs to it to its wire form.
func DetailOf(t directory.TraderDetail) DetailBody {
	return DetailBody{
		traderBody: traderOf(t.Trader),
		Platform:   (*platformTraderBody)(t.Platform),
		Accounts:   response.ConvertRows(t.Accounts, accountOf),
		Payouts:    response.ConvertRows(t.Payouts, payoutOf),
		Notes:      response.ConvertRows(t.Notes, noteOf),
		Interviews: response.ConvertRows(t.Interviews, traderInterviewOf),
		Stats: statsBody{
			Accounts: t.Stats.Accounts, OpenTrades: t.Stats.OpenTrades, ClosedTrades: t.Stats.ClosedTrades,
			NetProfitByCurrency: numbersOf(t.Stats.NetProfitByCurrency),
			FirstTradeAt:        t.Stats.FirstTradeAt, LastTradeAt: t.Stats.LastTradeAt,
			PaidOutByCurrency: numbersOf(t.Stats.PaidOutByCurrency),
		},
	}
}

// statsBody is totals over a trader's accounts, without what is missing on the platform.
//
//openapi:name TraderStats
type statsBody struct {
	Accounts     int64 `json:"accounts"`      // number of accounts
	OpenTrades   int64 `json:"open_trades"`   // number of trades without a close time
	ClosedTrades int64 `json:"closed_trades"` // number of trades with a close time
	// Sum of `profit`, the net result, of closed trades, by the account's currency. The key of an
	// unknown currency is empty.
	NetProfitByCurrency map[string]response.Number `json:"net_profit_by_currency" api:"nonnull,items=10000" example:"{\"USD\": 1250.40}"`
	FirstTradeAt        *time.Time                 `json:"first_trade_at"` // When the first trade was opened. Null if there is none.
	LastTradeAt         *time.Time                 `json:"last_trade_at"`  // When the last trade was opened. Null if there is none.
	// Sum of payouts with the status `paid`, by currency. The key of an unknown currency is empty.
	PaidOutByCurrency map[string]response.Number `json:"paid_out_by_currency" api:"nonnull,items=10000" example:"{\"USD\": 800}"`
}

func numbersOf(m map[string]record.Decimal) map[string]response.Number {
	numbers := make(map[string]response.Number, len(m))
	for key, value := range m {
		numbers[key] = response.Number(value)
	}
	return numbers
}

// noteBody is a Note about a trader.
type noteBody struct {
	ID         uuid.UUID `json:"id"`                                                                // unique identifier of the note
	Body       string    `json:"body" api:"min=1,max=10000" example:"Asked for a second document."` // text of the note, which may have several lines
	AuthorName string    `json:"author_name" api:"max=320" example:"Reporting"`                     // name of the API key or person that wrote the note
	CreatedAt  time.Time `json:"created_at"`                                                        // when the note was written
}

func noteOf(n directory.Note) noteBody { return noteBody(n) }

// accountBody is an Account of a trader on a platform.
type accountBody struct {
	ID         uuid.UUID `json:"id"`                                       // unique identifier of the account
	ExternalID string    `json:"external_id" api:"max=512" example:"A-77"` // the account's ID on the platform
	// Trading software: `mt4`, `mt5`, `ctrader`, `matchtrader`, `tradelocker`, `dxtrade`, or `other`
	// on `custom_api`. Other platforms may send any text. Null if it is unknown.
	Platform *string `json:"platform"                    api:"max=4096" example:"mt5"`
	Login    *string `json:"login" api:"max=4096" example:"500123"`          // Number or name used to log in. Null if it is unknown.
	Program  *string `json:"program" api:"max=4096" example:"Two-step 100k"` // The firm's product. Null if it is unknown.
	// `evaluation`, `verification`, `funded`, or `other` on `custom_api`. Other platforms may send
	// any text. Null if it is unknown.
	Phase *string `json:"phase" api:"max=4096" example:"funded"`
	// `active`, `passed`, `breached`, `closed`, or `suspended` on `custom_api`. Other platforms may
	// send any text. Null if it is unknown.
	Status *string `json:"status" api:"max=4096" example:"active"`
	// Currency of the balances and of the account's trades (ISO 4217). Null if it is unknown.
	Currency       *string         `json:"currency" api:"max=4096" example:"USD"`
	InitialBalance response.Number `json:"initial_balance" example:"100000"` // Balance at the start of the account. Null if it is unknown.
	Balance        response.Number `json:"balance" example:"101250.40"`      // Balance without open profit. Null if it is unknown.
	Equity         response.Number `json:"equity" example:"101198.15"`       // Balance including open profit. Null if it is unknown.
	StartedAt      *time.Time      `json:"started_at"`                       // When the account was opened. Null if it is unknown.
	// Further data from the platform. On a `partner_platform`: `partner_account_id`,
	// `plan_category_name`, `funded_at`, and `breached_at`, as spelled by the platform. Null if
	// there is none.
	Metadata jsontext.Value `json:"metadata" example:"{\"server\": \"live-2\"}"`
	// On `custom_api`, the values that the platform sent as `platform`, `phase`, and `status` if the
	// contract does not define them. Those members are null then. Null if there are none.
	Unrecognized      jsontext.Value `json:"unrecognized" example:"{\"platform\": \"mt6\"}"`
	PlatformUpdatedAt *time.Time     `json:"platform_updated_at"` // When the platform last changed the account. Null if the platform does not state it.
	// When an audit that read all accounts first missed the account. Null while the platform lists
	// it. Totals and analyses leave out a missing account and its trades.
	MissingSince *time.Time `json:"missing_since" example:"null"`
}

func accountOf(a directory.Account) accountBody {
	return accountBody{
		ID: a.ID, ExternalID: a.ExternalID, Platform: a.Platform, Login: a.Login, Program: a.Program, Phase: a.Phase,
		Status: a.Status, Currency: a.Currency, InitialBalance: response.NumberOf(a.InitialBalance), Balance: response.NumberOf(a.Balance),
		Equity: response.NumberOf(a.Equity), StartedAt: a.StartedAt, Metadata: jsontext.Value(a.Metadata), Unrecognized: jsontext.Value(a.Unrecognized),
		PlatformUpdatedAt: a.PlatformUpdatedAt, MissingSince: a.MissingSince,
	}
}

// payoutBody is a Payout to a trader.
type payoutBody struct {
	ID         uuid.UUID `json:"id"`                                      // unique identifier of the payout
	ExternalID string    `json:"external_id" api:"max=512" example:"P-9"` // the payout's ID on the platform
	// ID on the platform of the account that the payout is from. Until that account has arrived, it
	// may be the account's second ID on a `partner_platform`. Null if the payout has no account.
	AccountExternalID *string `json:"account_external_id" api:"max=512" example:"A-77"`
	// `pending`, `approved`, `paid`, `rejected`, or `cancelled` on `custom_api`. Other platforms may
	// send any text. Null if it is unknown.
	Status      *string         `json:"status" api:"max=4096" example:"paid"`
	Amount      response.Number `json:"amount" example:"800"`                  // Amount in whole units of the currency. Null if it is unknown.
	Currency    *string         `json:"currency" api:"max=4096" example:"USD"` // Currency code (ISO 4217). Null if it is unknown.
	RequestedAt *time.Time      `json:"requested_at"`                          // When the payout was requested. Null if it is unknown.
	PaidAt      *time.Time      `json:"paid_at"`                               // When the payout was paid. Null if it was not paid, or if it is unknown.
	// Further data from the platform. On a `partner_platform`: `profit_split` and `request_amount`.
	// Null if there is none.
	Metadata jsontext.Value `json:"metadata" example:"{\"profit_split\": 80, \"request_amount\": 1000}"`
	// When an audit that read all payouts first missed the payout. Null while the platform lists it.
	// Totals leave out a missing payout.
	MissingSince *time.Time `json:"missing_since" example:"null"`
}

func payoutOf(p directory.Payout) payoutBody {
	return payoutBody{
		ID: p.ID, ExternalID: p.ExternalID, AccountExternalID: p.AccountExternalID, Status: p.Status,
		Amount: response.NumberOf(p.Amount), Currency: p.Currency, RequestedAt: p.RequestedAt, PaidAt: p.PaidAt,
		Metadata: jsontext.Value(p.Metadata), MissingSince: p.MissingSince,
	}
}

// TradeBody is a Trade of an account.
type TradeBody struct {
	ID                string     `json:"id" api:"max=512" example:"880123"`                // the trade's ID on the platform, unique within the account
	AccountID         *uuid.UUID `json:"account_id"`                                       // Unique identifier of the account. Null until the account has arrived.
	AccountExternalID string     `json:"account_external_id" api:"max=512" example:"A-77"` // the account's ID on the platform
	// Symbol that was traded, as spelled by the platform. `UNKNOWN` if a `partner_platform` does not
	// send it.
	Symbol            string          `json:"symbol" api:"max=4096" example:"EURUSD"`
	Side              record.Side     `json:"side"`                          // Direction of the trade. Also `buy` if a `partner_platform` sends no known direction.
	Volume            response.Number `json:"volume" example:"0.10"`         // Volume in lots. Null if it is unknown.
	OpenTime          *time.Time      `json:"open_time"`                     // When the trade was opened. Null if it is unknown.
	CloseTime         *time.Time      `json:"close_time"`                    // When the trade was closed. Null while it is open.
	OpenPrice         response.Number `json:"open_price" example:"1.08500"`  // Price at which the trade was opened. Null if it is unknown.
	ClosePrice        response.Number `json:"close_price" example:"1.08965"` // Price at which the trade was closed. Null while it is open, or if it is unknown.
	StopLoss          response.Number `json:"stop_loss" example:"1.08200"`   // Price at which the trade is closed with a loss. Null if there is none or it is unknown.
	TakeProfit        response.Number `json:"take_profit" example:"1.09000"` // Price at which the trade is closed with a profit. Null if there is none or it is unknown.
	Commission        response.Number `json:"commission" example:"-0.70"`    // Commission in the account's currency. Negative if it was charged. Null if it is unknown.
	Swap              response.Number `json:"swap" example:"0"`              // Interest on positions held overnight, in the account's currency. Null if it is unknown.
	Profit            response.Number `json:"profit" example:"46.50"`        // Net result in the account's currency. Null if it is unknown.
	PlatformUpdatedAt *time.Time      `json:"platform_updated_at"`           // When the platform last changed the trade. Null if the platform does not state it.
	// When an audit that read all trades of its period first missed the trade. Null while the
	// platform lists it. Totals and analyses leave out a missing trade.
	MissingSince *time.Time `json:"missing_since" example:"null"`
}

// TradeOf converts a trade to its wire form.
func TradeOf(t directory.Trade) TradeBody {
	return TradeBody{
		ID: t.ID, AccountID: t.AccountID, AccountExternalID: t.AccountExternalID, Symbol: t.Symbol, Side: t.Side,
		Volume: response.NumberOf(t.Volume), OpenTime: t.OpenTime, CloseTime: t.CloseTime, OpenPrice: response.NumberOf(t.OpenPrice),
		ClosePrice: response.NumberOf(t.ClosePrice), StopLoss: response.NumberOf(t.StopLoss), TakeProfit: response.NumberOf(t.TakeProfit),
		Commission: response.NumberOf(t.Commission), Swap: response.NumberOf(t.Swap), Profit: response.NumberOf(t.Profit), PlatformUpdatedAt: t.PlatformUpdatedAt,
		MissingSince: t.MissingSince,
	}
}
