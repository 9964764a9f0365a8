package partner

import "slices"

// Numbers of the fields, in the order in which records are written. The tables
// of names follow the contract's; the first name is the field's own.
const (
	customerID = iota
	customerNr
	customerEmail
	customerFirstName
	customerLastName
	customerCountry
	customerPhone
	customerKYC
	customerCreatedAt
	customerUpdatedAt
	customerLastLoginIP
)

const (
	accountNr = iota
	accountID
	accountCustomer
	accountLogin
	accountPlatform
	accountPlan
	accountPlanCategoryID
	accountPlanCategoryName
	accountPhase
	accountStatus
	accountCurrency
	accountInitialBalance
	accountBalance
	accountEquity
	accountCreatedAt
	accountUpdatedAt
	accountFundedAt
	accountBreachedAt
)

const (
	tradeTicket = iota
	tradeAccount
	tradeSymbol
	tradeSide
	tradeLots
	tradeOpenDate
	tradeCloseDate
	tradeOpenPrice
	tradeClosePrice
	tradeStopLoss
	tradeTakeProfit
	tradeCommission
	tradeSwap
	tradePnL
)

const (
	payoutID = iota
	payoutCustomer
	payoutAccount
	payoutShareAmount
	payoutRequestAmount
	payoutProfitSplit
	payoutCurrency
	payoutStatus
	payoutRequestedAt
	payoutApprovedAt
)

// fields are the names of each field of a record.
type fields [][]string

var customerFields = fields{
	customerID:          {"customerId", "customer_id", "id"},
	customerNr:          {"customerNr"},
	customerEmail:       {"email", "emailAddress", "email_address", "user.email", "customer.email", "contact.email", "billing.email", "profile.email"},
	customerFirstName:   {"firstName", "first_name"},
	customerLastName:    {"lastName", "last_name"},
	customerCountry:     {"country", "countryCode", "country_code"},
	customerPhone:       {"phone", "phoneNumber", "phone_number"},
	customerKYC:         {"kycStatus", "kyc_status"},
	customerCreatedAt:   {"createdAt", "created_at", "registeredAt"},
	customerUpdatedAt:   {"updatedAt", "updated_at"},
	customerLastLoginIP: {"lastLoginIp", "lastIp", "last_ip", "ip"},
}

// The names of an account that two fields share, by their numbers.
const (
	nrAsLogin     = 2 // accountNr spelled login
	nrAsAccountID = 3 // accountNr spelled accountId
	nrAsID        = 4
	planAsName    = 2 // plan spelled planCategoryName
	planAsName2   = 3 // plan spelled plan_category_name, which is the category as well
)

var accountFields = fields{
	accountNr:               {"accountNr", "account_nr", nrAsLogin: "login", nrAsAccountID: "accountId", nrAsID: "id"},
	accountID:               {"accountId"},
	accountCustomer:         {"customer.customerId", "customerId", "customer_id"},
	accountLogin:            {"login"},
	accountPlatform:         {"platform"},
	accountPlan:             {"plan", "plan_name", planAsName: "planCategoryName", planAsName2: "plan_category_name"},
	accountPlanCategoryID:   {"planCategoryId"},
	accountPlanCategoryName: {"planCategoryName"},
	accountPhase:            {"phase"},
	accountStatus:           {"status"},
	accountCurrency:         {"currency"},
	accountInitialBalance:   {"initialBalance", "initial_balance", "accountSize", "account_size"},
	accountBalance:          {"currentBalance", "current_balance", "balance"},
	accountEquity:           {"currentEquity", "current_equity", "equity"},
	accountCreatedAt:        {"createdAt", "created_at", "startedAt"},
	accountUpdatedAt:        {"updatedAt", "updated_at"},
	accountFundedAt:         {"fundedAt"},
	accountBreachedAt:       {"breachedAt"},
}

var tradeFields = fields{
	tradeTicket:     {"ticket", "id", "tradeId", "trade_id"},
	tradeAccount:    {"accountNr", "account_nr", "account.accountNr", "accountId", "account_id", "account", "propAccountId"},
	tradeSymbol:     {"symbol", "instrument"},
	tradeSide:       {"side", "direction", "type"},
	tradeLots:       {"lots", "lot", "volume", "quantity"},
	tradeOpenDate:   {"openDate", "openTime", "open_time", "openedAt"},
	tradeCloseDate:  {"closeDate", "closeTime", "close_time", "closedAt"},
	tradeOpenPrice:  {"openPrice", "open_price"},
	tradeClosePrice: {"closePrice", "close_price"},
	tradeStopLoss:   {"stopLossPrice", "sl", "stopLoss", "stop_loss"},
	tradeTakeProfit: {"takeProfitPrice", "tp", "takeProfit", "take_profit"},
	tradeCommission: {"commission"},
	tradeSwap:       {"swap"},
	tradePnL:        {"pnl", "profit", "netProfit"},
}

// The names of shareAmount that matter to requestAmount.
const (
	shareAsRequest = 3
	shareAsAmount  = 4 // requestAmount goes before it
)

var payoutFields = fields{
	payoutID:            {"payoutId", "payout_id", "payoutNr", "id"},
	payoutCustomer:      {"customer.customerId", "customerId", "customer_id"},
	payoutAccount:       {"account.accountNr", "accountNr", "account_nr", "accountId", "account_id", "account"},
	payoutShareAmount:   {"shareAmount", "finalAmount", "final_amount", shareAsRequest: "requestAmount", shareAsAmount: "amount"},
	payoutRequestAmount: {"requestAmount"},
	payoutProfitSplit:   {"profitSplit"},
	payoutCurrency:      {"currency"},
	payoutStatus:        {"status"},
	payoutRequestedAt:   {"requestedAt", "requested_at", "createdAt", "created_at"},
	payoutApprovedAt:    {"approvedAt", "approved_at", "paidAt", "paid_at"},
}

// fieldNames returns the names of a list's fields.
func (l List) fieldNames() fields {
	switch l {
	case Customers:
		return customerFields
	case Accounts:
		return accountFields
	case Payouts:
		return payoutFields
	case ClosedTrades, OpenTrades:
		return tradeFields
	}
	return nil
}

// Aliases returns the names that a list's fields are sent under: by the first
// of them all of them, the first included. A dotted name reaches into an
// object. lots is sent as volume or quantity too, whose values stay within what
// the contract takes for lots.
func Aliases(list List) map[string][]string {
	all := make(map[string][]string)
	for _, names := range list.fieldNames() {
		all[names[0]] = slices.Clone(names)
	}
	return all
}
