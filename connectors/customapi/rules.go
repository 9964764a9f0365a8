package customapi

// Findings of this connector, in addition to those of package alias. README.md says
// what each means for the platform's owner.
const (
	// RuleOrderViolated means that a trader or an account comes after one with a
	// later updated_at.
	RuleOrderViolated = "order_violated"
	// RuleUpdatedSinceIgnored means that a record was last changed before
	// updated_since.
	RuleUpdatedSinceIgnored = "updated_since_ignored"
	// RuleLimitIgnored means that a page holds more records than limit allows.
	RuleLimitIgnored = "limit_ignored"
	// RuleBareArrayFull means that a bare array, which has no place for a cursor,
	// holds as many records as limit allows or more, so that the rest may be
	// unreachable.
	RuleBareArrayFull = "bare_array_full"
	// RuleNextCursorMissing means that a page has no member next_cursor and holds as
	// many records as limit allows or more, or says elsewhere that the list goes on, so
	// that the rest may be unreachable.
	RuleNextCursorMissing = "next_cursor_missing"
	// RuleIDTypeMixed means that ids of one page are numbers in some records and
	// strings in others.
	RuleIDTypeMixed = "id_type_mixed"
	// RuleCloseIncomplete means that a trade has a close_time or a close_price
	// without the other.
	RuleCloseIncomplete = "close_incomplete"
	// RuleCloseBeforeOpen means that a trade closes before it opens.
	RuleCloseBeforeOpen = "close_before_open"
	// RuleCountryFormat means that a country is not two capital letters.
	RuleCountryFormat = "country_format"
	// RuleEmailFormat means that an email address has no single @ between other
	// characters, or a space.
	RuleEmailFormat = "email_format"
	// RulePhoneFormat means that a phone number is not in E.164 form.
	RulePhoneFormat = "phone_format"
	// RulePaidAtEarly means that a payout that is not paid has a paid_at.
	RulePaidAtEarly = "paid_at_early"
	// RuleCurrencyFormat means that a currency is not three capital letters.
	RuleCurrencyFormat = "currency_format"
	// RuleCursorFormat means that next_cursor is a number, or looks like a count of
	// pages or records.
	RuleCursorFormat = "cursor_format"
)
