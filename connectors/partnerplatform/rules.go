package partnerplatform

// Findings of this connector, in addition to those of package alias. README.md says
// what each means for the platform's owner.
const (
	// RuleTotalCountWrong means that total_count is negative, no whole number,
	// lower than the rows that have been shown, or promises rows where there are
	// none.
	RuleTotalCountWrong = "total_count_wrong"
	// RuleLimitIgnored means that a page holds more records than limit allows.
	RuleLimitIgnored = "limit_ignored"
	// RulePageSizeIgnored means that a page holds fewer records than limit although
	// more follow. These are not read.
	RulePageSizeIgnored = "page_size_ignored"
	// RuleOpenTradesTruncated means that more open trades follow after the last
	// page that is read.
	RuleOpenTradesTruncated = "open_trades_truncated"
	// RuleUpdatedGTEIgnored means that a record was last changed before
	// updated_gte.
	RuleUpdatedGTEIgnored = "updated_gte_ignored"
	// RuleScopeIgnored means that an account is on none of the requested platforms.
	RuleScopeIgnored = "scope_ignored"
	// RuleOrderViolated means that closed trades come oldest first although
	// sort_order asks for the newest first.
	RuleOrderViolated = "order_violated"
	// RuleSideAssumed means that a trade's side is absent or unknown, and was taken
	// for a buy.
	RuleSideAssumed = "side_assumed"
	// RuleSymbolMissing means that a trade has no symbol and is stored under
	// unknownSymbol.
	RuleSymbolMissing = "symbol_missing"
	// RuleOpenTimeMissing means that a trade has no readable openDate.
	RuleOpenTimeMissing = "open_time_missing"
	// RuleCloseBeforeOpen means that a trade closes before it opens.
	RuleCloseBeforeOpen = "close_before_open"
)

// ruleCloseTimeMissing rejects a closed trade without a readable closeDate, because
// it could not be distinguished from an open one.
const ruleCloseTimeMissing = "close_time_missing"

// unknownSymbol is the symbol of trades that have none (platform contract,
// Third-party platform records).
const unknownSymbol = "UNKNOWN"
