package partnerplatform

// Findings of this connector, beside those of package alias. README.md says
// what each means for the platform's owner.
const (
	// RuleTotalCountWrong: total_count is negative, no whole number, lower than
	// the rows that have been shown, or says that there are rows where none are.
	RuleTotalCountWrong = "total_count_wrong"
	// RuleLimitIgnored: a page holds more records than limit allows.
	RuleLimitIgnored = "limit_ignored"
	// RulePageSizeIgnored: a page holds fewer records than limit, but more
	// follow; they are not read.
	RulePageSizeIgnored = "page_size_ignored"
	// RuleOpenTradesTruncated: more open trades follow after the last page that
	// is read.
	RuleOpenTradesTruncated = "open_trades_truncated"
	// RuleUpdatedGTEIgnored: a record was last changed before updated_gte.
	RuleUpdatedGTEIgnored = "updated_gte_ignored"
	// RuleScopeIgnored: an account is on none of the platforms that were asked for.
	RuleScopeIgnored = "scope_ignored"
	// RuleOrderViolated: closed trades stand oldest first although sort_order
	// asks for the newest first.
	RuleOrderViolated = "order_violated"
	// RuleSideAssumed: a trade's side is absent or none that is known, and was
	// taken for a buy.
	RuleSideAssumed = "side_assumed"
	// RuleSymbolMissing: a trade has no symbol and is stored under UnknownSymbol.
	RuleSymbolMissing = "symbol_missing"
	// RuleOpenTimeMissing: a trade has no readable openDate.
	RuleOpenTimeMissing = "open_time_missing"
	// RuleCloseBeforeOpen: a trade closes before it opens.
	RuleCloseBeforeOpen = "close_before_open"
)

// RuleCloseTimeMissing rejects a closed trade without a readable closeDate: it
// could not be told from an open one.
const RuleCloseTimeMissing = "close_time_missing"

// UnknownSymbol is the symbol of trades that have none (platform contract,
// Third-party platform records).
const UnknownSymbol = "UNKNOWN"
