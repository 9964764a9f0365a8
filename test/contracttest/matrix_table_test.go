package contracttest_test

// row is a fault of the reference platform, as written on the command line, and the cases that it
// makes fail. A star is replaced with each of the four lists.
type row struct{ fault, fails string }

const (
	noList    = "live.traders live.accounts live.trades live.payouts *.readable"
	noRecord  = "live.traders live.accounts live.trades live.payouts *.required"
	openRoute = "auth.no-key.health auth.no-key.traders auth.no-key.trader auth.no-key.accounts auth.no-key.trades auth.no-key.payouts " + anyKey
	anyKey    = "auth.wrong-key.health auth.wrong-key.traders auth.wrong-key.trader auth.wrong-key.accounts auth.wrong-key.trades auth.wrong-key.payouts"
	noHealth  = "live.health" // and nothing else is requested
)

// rows is the mutation matrix. Every fault of the reference platform has a row.
func rows() []row {
	return append(append(exchangeRows(), listRows()...), recordRows()...)
}

// exchangeRows are faults of single requests.
func exchangeRows() []row {
	return []row{
		{"open-auth", "live.traders_without_credentials " + openRoute},
		{"open-auth,endpoint=/health", "auth.no-key.health auth.wrong-key.health"},
		{"open-auth,endpoint=/payouts", "auth.no-key.payouts auth.wrong-key.payouts"},
		{"any-key", anyKey},
		{"status-401", noHealth},
		{"status-403", noHealth},
		{"status-404", noHealth},
		{"status-404,endpoint=/accounts", "live.accounts accounts.readable"},
		{"status-500,endpoint=/accounts", "live.accounts accounts.readable"},
		{"truncated-json,endpoint=/payouts", "live.payouts payouts.readable"},
		{"status-429,endpoint=/trades", "live.trades"},
		{"status-429,endpoint=/trades,times=8", ""},
		{"status-500", noHealth},
		{"status-500,endpoint=/trades,times=1", "load.first-try"},
		{"status-500,endpoint=/traders/{id}", "trader.by-id trader.unknown"},
		{"status-502", noHealth},
		{"status-503", noHealth},
		{"status-429", noHealth},
		{"status-429-zero", noHealth},
		{"status-429-absent", noHealth + " load.retry-after"},
		{"status-429-date", noHealth + " load.retry-after"},
		{"status-429-fraction", noHealth + " load.retry-after"},
		{"status-429-negative", noHealth + " load.retry-after"},
		{"status-429-huge", noHealth},
		{"rate-limit,size=40", "load.sustained"},
		{"redirect", noHealth},
		{"status-204", noHealth},
		{"html-200", noHealth},
		{"html-200,endpoint=/payouts", "live.payouts payouts.readable auth.no-key.payouts auth.wrong-key.payouts"},
		{"payouts-404", ""},
		{"health-not-ok", noHealth},
		{"clock-skew", ""},
		{"slow,delay=1ms", ""},
		{"slow,delay=1s,endpoint=/payouts", "live.payouts load.latency"},
		{"hang", noHealth},
		{"reset", noHealth},
		{"cut-body", noHealth},
		{"drip,delay=1ms,size=4096", ""},
		{"stall", noHealth},
		{"truncated-json", noHealth},
		{"empty-body", noHealth},
		{"trailing-garbage", noHealth},
		{"byte-order-mark", ""},
		{"wrong-content-type", ""},
		{"chunked", ""},
		{"gzip", ""},
		{"huge-body", noHealth},
		{"gzip-bomb,size=64MiB", noHealth},
		{"bare-errors", "errors.unauthorized errors.not-found"},
		{"unknown-trader-200", "trader.unknown"},
		{"trader-envelope", "trader.by-id"},
	}
}

// listRows are faults of pages.
func listRows() []row {
	return []row{
		{"data-null", noList},
		{"bare-array", "*.envelope trades.paging"}, // there are more trades than assay requests at a time,
		{"envelope-items", "*.envelope"},
		{"envelope-results", "*.envelope"},
		{"envelope-records", "*.envelope"},
		{"envelope-unknown", noList},
		{"two-lists", noList},
		{"cursor-absent", "*.end"},
		{"cursor-empty", "*.end"},
		{"cursor-false", "*.cursor-type"},
		{"no-cursor", "*.paging"},
		{"expired-cursor", "live.traders_next_page *.advance"},
		{"ignores-cursor", "live.traders_next_page *.advance"},
		{"cyclic-cursor", "traders.advance accounts.advance payouts.advance trades.since-future"},
		{"endless-list", "traders.advance accounts.advance payouts.advance trades.since-future"},
		{"repeated-pages", ""},
		{"empty-pages", ""},
		{"overlapping-pages", ""},
		{"short-pages", ""},
		{"skipped-records", "*.limit-walk"},
		{"ties-lost", "*.ties"},
		{"unordered", "traders.order accounts.order"},
		{"duplicate-records", "*.limit *.default-limit"},
		{"ignores-limit", "*.limit *.default-limit"},
		{"limit-refused", "*.limit"},
		{"large-default", "*.default-limit"},
		{"ignores-updated-since", "*.since"},
		{"updated-since-exclusive", "*.since-inclusive"},
		{"since-rounded-up", "*.since-fraction"},
		{"refuses-offsets", "*.since-offset"},
		{"refuses-future", "*.since-future"},
		{"cursor-drops-since", "*.cursor-since"},
		{"short-history,endpoint=/trades", "trades.history"},
		{"hides-open-trades", "trades.open"},
	}
}

// recordRows are faults of records.
func recordRows() []row {
	return []row{
		{"numeric-ids", "trader.by-id"}, // the trader route does not find the ids that were sent
		{"huge-numeric-ids", "trader.by-id"},
		{"missing-id", noRecord},
		{"missing-id,endpoint=/accounts", "live.accounts accounts.required"},
		{"null-id", noRecord},
		{"empty-id", noRecord},
		{"float-ids", "trader.by-id *.id-types"},
		{"mixed-ids,endpoint=/payouts", "payouts.id-types payouts.trader payouts.account"},
		{"reused-ids,endpoint=/traders", "traders.unique"},
		{"reused-ids,endpoint=/accounts", "accounts.unique trades.account payouts.account"}, // some trades are gone
		{"reused-ids,endpoint=/trades", "trades.unique"},
		{"reused-ids,endpoint=/payouts", "payouts.unique"},
		{"orphans", "accounts.trader trades.account payouts.trader payouts.account"},
		{"missing-updated-at", noRecord + " trader.by-id"},
		{"bad-updated-at", noRecord + " trader.by-id"},
		{"stale-updated-at", "trades.closing trades.bumped"},
		{"offset-times", "*.utc"},
		{"zoneless-times", noRecord + " trader.by-id traders.types accounts.types payouts.types"},
		{"unix-times", noRecord + " trader.by-id traders.types accounts.types payouts.types"},
		{"second-times", ""},
		{"side-synonyms", ""},
		{"field-aliases", ""},
		{"numeric-texts", "*.json-types accounts.formats payouts.formats"},
		{"numeric-strings", "trades.types trades.json-types payouts.types payouts.json-types"},
		{"wrong-types", "*.types"},
		{"free-codes", "traders.formats accounts.formats payouts.formats"},
		{"unknown-enum", "live.trades live.payouts trades.required payouts.required traders.enums accounts.enums"},
		{"upper-case-enum", "*.spelling"},
		{"huge-number", "live.accounts live.trades live.payouts accounts.required trades.required payouts.required"},
		{"float-noise", ""},
		{"invalid-utf8", "*.utf8"},
		{"lone-surrogate", "*.text"},
		{"nul", "*.text"},
		{"deep-nesting", noList},
		{"huge-record,endpoint=/accounts,size=1100KiB", "live.accounts accounts.required"},
		{"record-not-object", noRecord},
		{"unknown-fields", ""},
		{"half-closed", "trades.closed"},
		{"zero-close-price", "trades.closed"},
		{"closes-before-opening", "trades.closed"},
		{"closes-renamed", "trades.closing"},
		{"paid-early", "payouts.paid"},
	}
}
