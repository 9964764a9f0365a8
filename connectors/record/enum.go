package record

// Side is the direction of a trade.
type Side string

// The two sides of a trade.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)

// Values of the contract's enumerations, in its order.
var (
	kycStatuses     = [...]string{"not_started", "pending", "verified", "failed"}
	platforms       = [...]string{"mt4", "mt5", "ctrader", "matchtrader", "tradelocker", "dxtrade", "other"}
	phases          = [...]string{"evaluation", "verification", "funded", "other"}
	accountStatuses = [...]string{"active", "passed", "breached", "closed", "suspended"}
	payoutStatuses  = [...]string{"pending", "approved", "paid", "rejected", "cancelled"}
)

// KYCStatuses lists the values of Trader.KYCStatus on custom_api.
func KYCStatuses() []string { return append([]string(nil), kycStatuses[:]...) }

// Platforms lists the values of Account.Platform on custom_api.
func Platforms() []string { return append([]string(nil), platforms[:]...) }

// Phases lists the values of Account.Phase on custom_api.
func Phases() []string { return append([]string(nil), phases[:]...) }

// AccountStatuses lists the values of Account.Status on custom_api.
func AccountStatuses() []string { return append([]string(nil), accountStatuses[:]...) }

// PayoutStatuses lists the values of Payout.Status on custom_api.
func PayoutStatuses() []string { return append([]string(nil), payoutStatuses[:]...) }
