package customapi

// Findings of this connector, in addition to those of package alias. README.md says
// what each means for the platform's owner.
const (
	// ruleOrderViolated means that a trader or an account comes after one with a
	// later updated_at.
	ruleOrderViolated = "order_violated"
	// ruleUpdatedSinceIgnored means that a record was last changed before
	// updated_since.
	ruleUpdatedSinceIgnored = "updated_since_ignored"
	// ruleLimitIgnored means that a page holds more records than limit allows.
	ruleLimitIgnored = "limit_ignored"
	// ruleBareArrayFull means that a bare array, which has no place for a cursor,
	// holds as many records as limit allows or more, so that the rest may be
	// unreachable.
	ruleBareArrayFull = "bare_array_full"
	// ruleNextCursorMissing means that a page has no member next_cursor and holds as
	// many records as limit allows or more, or says elsewhere that the list goes on, so
	// that the rest may be unreachable.
	ruleNextCursorMissing = "next_cursor_missing"
	// ruleIDTypeMixed means that ids of one page are numbers in some records and
	// strings in others.
	ruleIDTypeMixed = "id_type_mixed"
	// ruleCloseIncomplete means that a trade has a close_time or a close_price
	// without the other.
	ruleCloseIncomplete = "close_incomplete"
	// ruleCloseBeforeOpen means that a trade closes before it opens.
	ruleCloseBeforeOpen = "close_before_open"
	// ruleCountryFormat means that a country is not two capital letters.
	ruleCountryFormat = "country_format"
	// ruleEmailFormat means that an email address has no single @ between other
	// characters, or a space.
	ruleEmailFormat = "email_format"
	// rulePhoneFormat means that a phone number is not in E.164 form.
	rulePhoneFormat = "phone_format"
	// rulePaidAtEarly means that a payout that is not paid has a paid_at.
	rulePaidAtEarly = "paid_at_early"
	// ruleCurrencyFormat means that a currency is not three capital letters.
	ruleCurrencyFormat = "currency_format"
	// ruleCursorFormat means that next_cursor is a number, or looks like a count of
	// pages or records.
	ruleCursorFormat = "cursor_format"
)
