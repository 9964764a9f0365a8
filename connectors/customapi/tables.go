package customapi

import (
	"github.com/assayhq/assay/connectors/alias"
)

// The members of a list's envelope. Only next_cursor is the contract's. The others
// are those by which common frameworks say that a list goes on.
const (
	envelopeNextCursor = iota
	envelopeHasMore
	envelopeTotal
	envelopeNextLink
)

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
	envelope, health                   *alias.Table
	traders, accounts, trades, payouts *alias.Table
}

func newTables() *tables {
	return &tables{
		envelope: alias.NewTable([]alias.Field{
			envelopeNextCursor: alias.Optional("next_cursor"),
			envelopeHasMore:    alias.Optional("has_more", "meta.has_more"),
			envelopeTotal:      alias.Optional("total", "total_count", "count", "meta.total", "meta.total_count"),
			envelopeNextLink:   alias.Optional("next", "links.next", "next_page_url"),
		}),
		health:   alias.NewTable([]alias.Field{healthStatus: alias.Required("status")}),
		traders:  newTraderTable(),
		accounts: newAccountTable(),
		trades:   newTradeTable(),
		payouts:  newPayoutTable(),
	}
}

func newTraderTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		traderID:           alias.Required("id"),
		traderUpdatedAt:    alias.Required("updated_at"),
		traderEmail:        alias.Email("email"),
		traderFirstName:    alias.Optional("first_name"),
		traderLastName:     alias.Optional("last_name"),
		traderFullName:     alias.Optional("full_name"),
		traderCountry:      alias.Optional("country"),
		traderPhone:        alias.Optional("phone"),
		traderRegisteredAt: alias.Optional("registered_at", "created_at"),
		traderKYCStatus:    alias.Optional("kyc_status"),
		traderTags:         {Aliases: []string{"tags"}, Kind: alias.List},
		traderMetadata:     {Aliases: []string{"metadata"}, Kind: alias.Object},
	})
}

func newAccountTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		accountID:             alias.Required("id"),
		accountTraderID:       alias.Required("trader_id"),
		accountUpdatedAt:      alias.Required("updated_at"),
		accountPlatform:       alias.Optional("platform"),
		accountLogin:          alias.Optional("login"),
		accountProgram:        alias.Optional("program"),
		accountPhase:          alias.Optional("phase"),
		accountStatus:         alias.Optional("status"),
		accountCurrency:       alias.Optional("currency"),
		accountInitialBalance: alias.Amount("initial_balance"),
		accountBalance:        alias.Amount("balance"),
		accountEquity:         alias.Amount("equity"),
		accountStartedAt:      alias.Optional("started_at"),
		accountMetadata:       {Aliases: []string{"metadata"}, Kind: alias.Object},
	})
}

func newTradeTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		tradeID:         alias.Required("id"),
		tradeAccountID:  alias.Required("account_id"),
		tradeSymbol:     alias.Required("symbol"),
		tradeSide:       alias.Required("side"),
		tradeOpenTime:   alias.Required("open_time"),
		tradeUpdatedAt:  alias.Required("updated_at"),
		tradeVolume:     alias.Optional("volume", "lots"),
		tradeCloseTime:  alias.Optional("close_time"),
		tradeOpenPrice:  alias.Optional("open_price"),
		tradeClosePrice: alias.Optional("close_price"),
		tradeStopLoss:   alias.Optional("stop_loss"),
		tradeTakeProfit: alias.Optional("take_profit"),
		tradeCommission: alias.Optional("commission"),
		tradeSwap:       alias.Optional("swap"),
		tradeProfit:     alias.Optional("profit"),
	})
}

func newPayoutTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		payoutID:          alias.Required("id"),
		payoutTraderID:    alias.Required("trader_id"),
		payoutStatus:      alias.Required("status"),
		payoutUpdatedAt:   alias.Required("updated_at"),
		payoutAccountID:   alias.Optional("account_id"),
		payoutAmount:      alias.Optional("amount"),
		payoutCurrency:    alias.Optional("currency"),
		payoutRequestedAt: alias.Optional("requested_at"),
		payoutPaidAt:      alias.Optional("paid_at"),
	})
}
