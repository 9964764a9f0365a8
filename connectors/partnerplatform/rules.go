package partnerplatform

// Findings of this connector, in addition to those of package alias. README.md says
// what each means for the platform's owner.
const (
	// ruleTotalCountWrong means that total_count is negative, no whole number,
	// lower than the rows that have been shown, or promises rows where there are
	// none.
	ruleTotalCountWrong = "total_count_wrong"
	// ruleLimitIgnored means that a page holds more records than limit allows.
	ruleLimitIgnored = "limit_ignored"
	// rulePageSizeIgnored means that a page holds fewer records than limit although
	// more follow. These are not read.
	rulePageSizeIgnored = "page_size_ignored"
	// ruleOpenTradesTruncated means that more open trades follow after the last
	// page that is read.
	ruleOpenTradesTruncated = "open_trades_truncated"
	// ruleUpdatedGTEIgnored means that a record was last changed before
	// updated_gte.
	ruleUpdatedGTEIgnored = "updated_gte_ignored"
	// ruleScopeIgnored means that an account is on none of the requested platforms.
	ruleScopeIgnored = "scope_ignored"
	// ruleOrderViolated means that closed trades come oldest first although
	// sort_order asks for the newest first.
	ruleOrderViolated = "order_violated"
	// ruleSideAssumed means that a trade's side is absent or unknown, and was taken
	// for a buy.
	ruleSideAssumed = "side_assumed"
	// ruleSymbolMissing means that a trade has no symbol and is stored under
	// unknownSymbol.
	ruleSymbolMissing = "symbol_missing"
	// ruleOpenTimeMissing means that a trade has no readable openDate.
	ruleOpenTimeMissing = "open_time_missing"
	// ruleCloseBeforeOpen means that a trade closes before it opens.
	ruleCloseBeforeOpen = "close_before_open"
)

// ruleCloseTimeMissing rejects a closed trade without a readable closeDate, because
// it could not be distinguished from an open one.
const ruleCloseTimeMissing = "close_time_missing"

// unknownSymbol is the symbol of trades that have none (platform contract,
// Third-party platform records).
const unknownSymbol = "UNKNOWN"
