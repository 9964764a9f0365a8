package partnerplatform

import (
	"github.com/assayhq/assay/connectors/alias"
)

// The members of a list's envelope.
const envelopeTotal = 0

// The fields of a customer (platform contract, Third-party platform records).
const (
	customerID = iota
	customerEmail
	customerFirstName
	customerLastName
	customerCountry
	customerPhone
	customerKYCStatus
	customerCreatedAt
	customerUpdatedAt
	customerNumber
	customerLastLoginIP
)

// The fields of a prop account.
const (
	accountNumber = iota
	accountTraderID
	accountLogin
	accountPlatform
	accountPlan
	accountPhase
	accountStatus
	accountCurrency
	accountInitialBalance
	accountBalance
	accountEquity
	accountCreatedAt
	accountUpdatedAt
	accountPartnerID
	accountPlanCategoryName
	accountFundedAt
	accountBreachedAt
)

// The fields of a closed or open trade.
const (
	tradeTicket = iota
	tradeAccount
	tradeSymbol
	tradeSide
	tradeLots
	tradeVolume
	tradeQuantity
	tradeOpenDate
	tradeCloseDate
	tradeOpenPrice
	tradeClosePrice
	tradeStopLoss
	tradeTakeProfit
	tradeCommission
	tradeSwap
	tradeProfit
)

// The fields of a payout.
const (
	payoutID = iota
	payoutTraderID
	payoutAccount
	payoutAmount
	payoutCurrency
	payoutStatus
	payoutRequestedAt
	payoutApprovedAt
	payoutProfitSplit
	payoutRequestAmount
)

// tables are the compiled descriptions of everything the platform sends.
type tables struct {
	envelope                             *alias.Table
	customers, accounts, trades, payouts *alias.Table
}

func newTables() *tables {
	return &tables{
		envelope:  alias.NewTable([]alias.Field{envelopeTotal: alias.Optional("metadata.total_count", "total_count")}),
		customers: newCustomerTable(),
		accounts:  newAccountTable(),
		trades:    newTradeTable(),
		payouts:   newPayoutTable(),
	}
}

// timeField returns the field of a time in one of the forms in which such
// platforms write it.
func timeField(names ...string) alias.Field {
	return alias.Field{Aliases: names, Times: alias.SpaceSeparated | alias.Unix}
}

func newCustomerTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		customerID: alias.Required("customerId", "customer_id", "id"),
		customerEmail: alias.Email("email", "emailAddress", "email_address", "user.email", "customer.email", "contact.email",
			"billing.email", "profile.email"),
		customerFirstName:   alias.Optional("firstName", "first_name"),
		customerLastName:    alias.Optional("lastName", "last_name"),
		customerCountry:     alias.Optional("country", "countryCode", "country_code"),
		customerPhone:       alias.Optional("phone", "phoneNumber", "phone_number"),
		customerKYCStatus:   alias.Optional("kycStatus", "kyc_status"),
		customerCreatedAt:   timeField("createdAt", "created_at", "registeredAt"),
		customerUpdatedAt:   timeField("updatedAt", "updated_at"),
		customerNumber:      alias.Optional("customerNr", "customer_nr"),
		customerLastLoginIP: alias.Optional("lastLoginIp", "lastIp", "last_ip", "ip", "last_login_ip"),
	})
}

func newAccountTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		accountNumber:           alias.Required("accountNr", "account_nr", "login", "accountId", "id"),
		accountTraderID:         alias.Optional("customer.customerId", "customerId", "customer_id"),
		accountLogin:            alias.Optional("login"),
		accountPlatform:         alias.Optional("platform"),
		accountPlan:             alias.Optional("plan", "plan_name", "planCategoryName", "plan_category_name"),
		accountPhase:            alias.Optional("phase"),
		accountStatus:           alias.Optional("status"),
		accountCurrency:         alias.Optional("currency"),
		accountInitialBalance:   alias.Amount("initialBalance", "initial_balance", "accountSize", "account_size"),
		accountBalance:          alias.Amount("currentBalance", "current_balance", "balance"),
		accountEquity:           alias.Amount("currentEquity", "current_equity", "equity"),
		accountCreatedAt:        timeField("createdAt", "created_at", "startedAt"),
		accountUpdatedAt:        timeField("updatedAt", "updated_at"),
		accountPartnerID:        alias.Optional("accountId", "account_id", "partner_account_id"),
		accountPlanCategoryName: alias.Optional("planCategoryName", "plan_category_name"),
		accountFundedAt:         alias.Optional("fundedAt", "funded_at"),
		accountBreachedAt:       alias.Optional("breachedAt", "breached_at"),
	})
}

func newTradeTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		tradeTicket:     alias.Required("ticket", "id", "tradeId", "trade_id"),
		tradeAccount:    alias.Required("accountNr", "account_nr", "account.accountNr", "accountId", "account_id", "account", "propAccountId"),
		tradeSymbol:     alias.Optional("symbol", "instrument"),
		tradeSide:       alias.Optional("side", "direction", "type"),
		tradeLots:       alias.Optional("lots", "lot"),
		tradeVolume:     alias.Optional("volume"),
		tradeQuantity:   alias.Optional("quantity"),
		tradeOpenDate:   timeField("openDate", "openTime", "open_time", "openedAt"),
		tradeCloseDate:  timeField("closeDate", "closeTime", "close_time", "closedAt"),
		tradeOpenPrice:  alias.Optional("openPrice", "open_price"),
		tradeClosePrice: alias.Optional("closePrice", "close_price"),
		tradeStopLoss:   alias.Optional("stopLossPrice", "sl", "stopLoss", "stop_loss"),
		tradeTakeProfit: alias.Optional("takeProfitPrice", "tp", "takeProfit", "take_profit"),
		tradeCommission: alias.Optional("commission"),
		tradeSwap:       alias.Optional("swap"),
		tradeProfit:     alias.Optional("pnl", "profit", "netProfit"),
	})
}

func newPayoutTable() *alias.Table {
	return alias.NewTable([]alias.Field{
		payoutID:            alias.Required("payoutId", "payout_id", "payoutNr", "id"),
		payoutTraderID:      alias.Optional("customer.customerId", "customerId", "customer_id"),
		payoutAccount:       alias.Optional("account.accountNr", "accountNr", "account_nr", "accountId", "account_id", "account"),
		payoutAmount:        alias.Optional("shareAmount", "finalAmount", "final_amount", "requestAmount", "amount"),
		payoutCurrency:      alias.Optional("currency"),
		payoutStatus:        alias.Optional("status"),
		payoutRequestedAt:   timeField("requestedAt", "requested_at", "createdAt", "created_at"),
		payoutApprovedAt:    timeField("approvedAt", "approved_at", "paidAt", "paid_at"),
		payoutProfitSplit:   alias.Optional("profitSplit", "profit_split"),
		payoutRequestAmount: alias.Optional("requestAmount", "request_amount"),
	})
}

// tradeByPartnerID reports for each of tradeAccount's aliases whether it names the
// partner's second account id. payoutByPartnerID does the same for payoutAccount's.
// A plain account is an account number.
func tradeByPartnerID(alias int) bool  { return alias == 3 || alias == 4 || alias == 6 }
func payoutByPartnerID(alias int) bool { return alias == 3 || alias == 4 }
