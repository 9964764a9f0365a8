package alias

// Rules that a record, a field or a page can break. The same rule rejects a
// record when the field is required and becomes a finding when it is optional.
const (
	// RuleNotObject rejects an item of the list that is no JSON object.
	RuleNotObject = "not_an_object"
	// RuleRecordTooLarge rejects a record of more than MaxRecordBytes.
	RuleRecordTooLarge = "record_too_large"
	// RuleRecordTooDeep rejects a record nested more than MaxDepth levels deep.
	RuleRecordTooDeep = "record_too_deep"
	// RuleRequiredMissing rejects a record whose required field is absent, null or blank.
	RuleRequiredMissing = "required_missing"
	// RuleWrongType means a value of another JSON type than the field's.
	RuleWrongType = "wrong_type"
	// RuleInvalidID means a value that cannot be an id, because it may stand for
	// several: a number with a fraction or an exponent, or a text of which something
	// would have to be replaced.
	RuleInvalidID = "invalid_id"
	// RuleInvalidTime means text or a number that is no time in an accepted form.
	RuleInvalidTime = "invalid_time"
	// RuleInvalidNumber means text that is no decimal number.
	RuleInvalidNumber = "invalid_number"
	// RuleNumberOutOfRange rejects a record with a number of more than record.MaxDigits digits.
	RuleNumberOutOfRange = "number_out_of_range"
	// RuleTooLong means text, a list or an object beyond its bound.
	RuleTooLong = "too_long"
	// RuleUnknownEnumValue means a value that the field's enumeration does not
	// list.
	RuleUnknownEnumValue = "unknown_enum_value"
)

// Rules that are only ever findings: the value is used.
const (
	// RuleEnumCase means a value of an enumeration in other letter case.
	RuleEnumCase = "enum_case"
	// RuleNumericString means a number sent as a string where the contract has a
	// number.
	RuleNumericString = "numeric_string"
	// RuleNumberAsText means a number sent where the contract has a string, other
	// than an id.
	RuleNumberAsText = "number_as_text"
	// RuleIDAsFloat means a whole id written with a zero fraction, such as 17.0.
	RuleIDAsFloat = "id_as_float"
	// RuleIDWithSpaces means an id with white space around it, which is removed, so
	// that ids that differ in nothing else become one.
	RuleIDWithSpaces = "id_with_spaces"
	// RuleInvalidText means invalid UTF-8, a lone surrogate, NUL or another control
	// character without an escape, replaced by U+FFFD.
	RuleInvalidText = "invalid_text"
	// RuleDuplicateMember means that an object names a member twice. The last one
	// counts.
	RuleDuplicateMember = "duplicate_member"
	// RuleInvalidJSON means a page that is not valid JSON and was read nevertheless
	// (Page.Repaired).
	RuleInvalidJSON = "invalid_json"
)

// Bounds of the data that is read from a record.
const (
	MaxRecordBytes = 1 << 20 // one record
	MaxDepth       = 64      // levels of nesting, the record itself included
	MaxRecords     = 100_000 // items of one page: 200 times the largest limit of the contract
	MaxIDBytes     = 512     // an id, as UTF-8
	MaxTextBytes   = 4 << 10 // other text
	// MaxEmailBytes bounds an email address: 64 bytes before the @ and 255 after it
	// (RFC 5321). The store indexes emails, and longer texts would not fit into the
	// index.
	MaxEmailBytes    = 320
	MaxMetadataBytes = 64 << 10 // an object kept as JSON text
	MaxTags          = 100      // strings of a list
	MaxTagBytes      = 256      // one of them
)
