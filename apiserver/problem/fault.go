package problem

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// FaultCode says what is wrong with one value of a request.
type FaultCode string

// The codes of entries of the member errors.
const (
	Required          FaultCode = "required"
	WrongType         FaultCode = "wrong_type"
	UnknownField      FaultCode = "unknown_field"
	UnknownScope      FaultCode = "unknown_scope"
	UnknownEvent      FaultCode = "unknown_event"
	OutOfRange        FaultCode = "out_of_range"
	TooLong           FaultCode = "too_long"
	TooFewItems       FaultCode = "too_few_items"
	InvalidFormat     FaultCode = "invalid_format"
	InvalidURL        FaultCode = "invalid_url"
	URLNotHTTPS       FaultCode = "url_not_https"
	URLNotPublic      FaultCode = "url_not_public"
	NotAllowedForKind FaultCode = "not_allowed_for_kind"
	UnknownTrader     FaultCode = "unknown_trader"
	UnknownAccount    FaultCode = "unknown_account"
	UnknownUser       FaultCode = "unknown_user"
	Taken             FaultCode = "taken"
)

// faultCodes describes what each code requires of the value.
var faultCodes = map[FaultCode]string{
	Required:          "The value is required, but it is missing, null or empty.",
	WrongType:         "The value has the wrong JSON type.",
	UnknownField:      "There is no field with this name.",
	UnknownScope:      "There is no scope with this name.",
	UnknownEvent:      "There is no event or group of events with this name.",
	TooFewItems:       "The list has fewer items than required.",
	OutOfRange:        "The number or time is outside of its bounds.",
	TooLong:           "The text has too many characters, or the list too many items.",
	InvalidFormat:     "The value does not have the format that the detail describes, or is not one of the values that it lists.",
	InvalidURL:        "The text is not a URL of the required form.",
	URLNotHTTPS:       "The URL does not start with `https://`.",
	URLNotPublic:      "The URL leads to an address that is not public, or its host name resolves to one. assay calls only public addresses.",
	UnknownTrader:     "The organization has no trader with this id.",
	UnknownAccount:    "One of the ids does not belong to an account of the trader.",
	UnknownUser:       "The organization has no person with this id, or the person was removed.",
	Taken:             "The value must be unique, and another object has it. The status is 409.",
	NotAllowedForKind: "Objects of this kind do not have the field, or this server does not support the kind.",
}

// FaultCodes lists all codes by name.
func FaultCodes() []FaultCode { return slices.Sorted(maps.Keys(faultCodes)) }

// Description describes what is wrong with a value that has the code.
func (c FaultCode) Description() string { return faultCodes[c] }

// MaxFaults limits the faults in one document.
const MaxFaults = 50

// Fault is one invalid value of a request. Exactly one of pointer, parameter, and header is
// present.
type Fault struct {
	Pointer string `json:"pointer,omitzero" api:"max=4096" pattern:"^#(/[^/]*)*$" example:"#/base_url"` // JSON pointer into the request body
	// Name of the query parameter, as it was sent if no such parameter exists.
	Parameter string    `json:"parameter,omitzero" api:"max=201" pattern:"^[\\s\\S]*$" example:"limit"`
	Header    string    `json:"header,omitzero" api:"max=100" example:"Idempotency-Key"` // name of the header
	Code      FaultCode `json:"code" api:"open"`                                         // Machine-readable reason. Stable.
	Detail    string    `json:"detail" api:"max=1000"`                                   // Human-readable description of what is required. It never repeats the value.
}

// Validation returns a 422 that lists up to MaxFaults of the faults.
func Validation(faults ...Fault) *Problem {
	return &Problem{Code: ValidationFailed, Faults: faults[:min(len(faults), MaxFaults)]}
}

// BadHeaders returns a 400 that lists up to MaxFaults of the headers that cannot be understood.
func BadHeaders(faults ...Fault) *Problem {
	return &Problem{Code: InvalidHeader, Faults: faults[:min(len(faults), MaxFaults)]}
}

// Pointer is a JSON pointer (RFC 6901) in its URI fragment form. The zero value points to the
// whole document.
type Pointer struct{ text string }

// Member returns the pointer to an object's member.
func (p Pointer) Member(name string) Pointer {
	name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	return Pointer{p.text + "/" + url.PathEscape(name)}
}

// Index returns the pointer to an array's element.
func (p Pointer) Index(i int) Pointer { return Pointer{p.text + "/" + strconv.Itoa(i)} }

// String returns the pointer as used in a document, such as "#/scopes/0".
func (p Pointer) String() string { return "#" + p.text }
