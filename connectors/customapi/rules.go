package customapi

// Findings of this connector, beside those of package alias. README.md says
// what each means for the platform's owner.
const (
	// RuleOrderViolated: a trader or an account stands after one with a later
	// updated_at, or an account after one with the same updated_at and a higher id.
	RuleOrderViolated = "order_violated"
	// RuleUpdatedSinceIgnored: a record was last changed before updated_since.
	RuleUpdatedSinceIgnored = "updated_since_ignored"
	// RuleLimitIgnored: a page holds more records than limit allows.
	RuleLimitIgnored = "limit_ignored"
	// RuleBareArrayFull: a bare array, which has no place for a cursor, holds as
	// many records as limit allows or more, so the rest may be out of reach.
	RuleBareArrayFull = "bare_array_full"
	// RuleIDTypeMixed: ids of one page are numbers in some records, strings in others.
	RuleIDTypeMixed = "id_type_mixed"
	// RuleCloseIncomplete: a trade has a close_time or a close_price without the other.
	RuleCloseIncomplete = "close_incomplete"
	// RuleCloseBeforeOpen: a trade closes before it opens.
	RuleCloseBeforeOpen = "close_before_open"
	// RuleCountryFormat: a country is not two capital letters.
	RuleCountryFormat = "country_format"
	// RulePhoneFormat: a phone number is not in E.164 form.
	RulePhoneFormat = "phone_format"
	// RulePaidAtEarly: a payout that is not paid has a paid_at.
	RulePaidAtEarly = "paid_at_early"
	// RuleCurrencyFormat: a currency is not three capital letters.
	RuleCurrencyFormat = "currency_format"
	// RuleCursorFormat: next_cursor is a number.
	RuleCursorFormat = "cursor_format"
)
