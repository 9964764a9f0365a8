package customapi

import "github.com/assayhq/assay/connectors/alias"

// The members of a list's envelope.
const envelopeNextCursor = 0

// The fields of a trader (platform contract, Trader).
const (
	traderID = iota
	traderUpdatedAt
	traderEmail
	traderFirstName
	traderLastName
	traderFullName
	traderCountry
	traderPhone
	traderRegisteredAt
	traderKYCStatus
	traderTags
	traderMetadata
)

// The fields of an account (platform contract, Account).
const (
	accountID = iota
	accountTraderID
	accountUpdatedAt
	accountPlatform
	accountLogin
	accountProgram
	accountPhase
	accountStatus
	accountCurrency
	accountInitialBalance
	accountBalance
	accountEquity
	accountStartedAt
	accountMetadata
)

// The fields of a trade (platform contract, Trade).
const (
	tradeID = iota
	tradeAccountID
	tradeSymbol
	tradeSide
	tradeOpenTime
	tradeUpdatedAt
	tradeVolume
	tradeCloseTime
	tradeOpenPrice
	tradeClosePrice
	tradeStopLoss
	tradeTakeProfit
	tradeCommission
	tradeSwap
	tradeProfit
)

// The fields of a payout (platform contract, Payout).
const (
	payoutID = iota
	payoutTraderID
	payoutStatus
	payoutUpdatedAt
	payoutAccountID
	payoutAmount
	payoutCurrency
	payoutRequestedAt
	payoutPaidAt
)

const healthStatus = 0

// tables are the compiled descriptions of everything the platform sends.
type tables struct {
	envelope                           alias.Envelope
	health                             *alias.Table
	traders, accounts, trades, payouts *alias.Table
}

func newTables() *tables {
	return &tables{
		envelope: alias.Envelope{
			Lists:   []string{"data", "items", "results", "records"},
			Members: alias.NewTable([]alias.Field{envelopeNextCursor: optional("next_cursor")}),
		},
		health:   alias.NewTable([]alias.Field{healthStatus: required("status")}),
		traders:  newTraderTable(),
		accounts: newAccountTable(),
		trades:   newTradeTable(),
		payouts:  newPayoutTable(),
	}
}

func required(names ...string) alias.Field { return alias.Field{Aliases: names, Required: true} }
func optional(names ...string) alias.Field { return alias.Field{Aliases: names} }

// balance is a number that accounts may send as a string, with thousands commas.
func balance(name string) alias.Field {
	return alias.Field{Aliases: []string{name}, NumericStrings: true}
}

// maxEmailBytes bounds an email address: 64 bytes before the @ and 255 behind it
// (RFC 5321). The store indexes emails, which longer texts would not fit into.
const maxEmailBytes = 320

func newTraderTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		traderID:           required("id"),
		traderUpdatedAt:    required("updated_at"),
		traderEmail:        {Aliases: []string{"email"}, Max: maxEmailBytes},
		traderFirstName:    optional("first_name"),
		traderLastName:     optional("last_name"),
		traderFullName:     optional("full_name"),
		traderCountry:      optional("country"),
		traderPhone:        optional("phone"),
		traderRegisteredAt: optional("registered_at", "created_at"),
		traderKYCStatus:    optional("kyc_status"),
		traderTags:         {Aliases: []string{"tags"}, Kind: alias.List},
		traderMetadata:     {Aliases: []string{"metadata"}, Kind: alias.Object},
	})
}

func newAccountTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		accountID:             required("id"),
		accountTraderID:       required("trader_id"),
		accountUpdatedAt:      required("updated_at"),
		accountPlatform:       optional("platform"),
		accountLogin:          optional("login"),
		accountProgram:        optional("program"),
		accountPhase:          optional("phase"),
		accountStatus:         optional("status"),
		accountCurrency:       optional("currency"),
		accountInitialBalance: balance("initial_balance"),
		accountBalance:        balance("balance"),
		accountEquity:         balance("equity"),
		accountStartedAt:      optional("started_at"),
		accountMetadata:       {Aliases: []string{"metadata"}, Kind: alias.Object},
	})
}

func newTradeTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		tradeID:         required("id"),
		tradeAccountID:  required("account_id"),
		tradeSymbol:     required("symbol"),
		tradeSide:       required("side"),
		tradeOpenTime:   required("open_time"),
		tradeUpdatedAt:  required("updated_at"),
		tradeVolume:     optional("volume", "lots"),
		tradeCloseTime:  optional("close_time"),
		tradeOpenPrice:  optional("open_price"),
		tradeClosePrice: optional("close_price"),
		tradeStopLoss:   optional("stop_loss"),
		tradeTakeProfit: optional("take_profit"),
		tradeCommission: optional("commission"),
		tradeSwap:       optional("swap"),
		tradeProfit:     optional("profit"),
	})
}

func newPayoutTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		payoutID:          required("id"),
		payoutTraderID:    required("trader_id"),
		payoutStatus:      required("status"),
		payoutUpdatedAt:   required("updated_at"),
		payoutAccountID:   optional("account_id"),
		payoutAmount:      optional("amount"),
		payoutCurrency:    optional("currency"),
		payoutRequestedAt: optional("requested_at"),
		payoutPaidAt:      optional("paid_at"),
	})
}
