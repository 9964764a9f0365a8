package alias

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/connectors/record"
)

// Keep adds a member to what Kept returns: the scalar of the field f under the
// given name. It does nothing if the field has no scalar.
func (r *Record) Keep(name string, f int) {
	text, number := r.Scalar(f)
	if text != "" {
		r.kept = append(r.kept, member{name, r.scalarJSON(f, text, number)})
	}
}

// scalarJSON returns a scalar that has been read as JSON.
func (r *Record) scalarJSON(f int, text string, number bool) string {
	if !number {
		return quoteJSON(text)
	}
	if _, err := record.ParseDecimal(text); err != nil {
		r.Reject(f, RuleNumberOutOfRange, r.aliasOf(f)+" has too many digits.")
	}
	return text
}

func quoteJSON(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // cannot fail: the text has been made valid
	return string(quoted)
}

// Kept returns the members that Keep has added, as the JSON text of an object. It
// is empty if there are none.
func (r *Record) Kept() string { return writeObject(r.kept) }

// Unrecognized returns the unknown values that Enum has met, by the names of their
// fields, as the JSON text of an object. It is empty if there are none.
func (r *Record) Unrecognized() string { return writeObject(r.unrecognized) }

// writeObject writes an object, or nothing if it has no members.
func writeObject(members []member) string {
	if len(members) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteJSON(m.name))
		b.WriteByte(':')
		b.WriteString(m.json)
	}
	b.WriteByte('}')
	return b.String()
}

// errTooLong reports an object beyond MaxMetadataBytes.
var errTooLong = errors.New("too long")

// Object reads an object as JSON text that Postgres can hold. An object beyond
// MaxMetadataBytes is dropped with a finding. A number in it beyond
// record.MaxDigits rejects the record.
func (r *Record) Object(f int) string {
	v, ok := r.findValue(f)
	if !ok {
		return ""
	}
	text, clean, err := repairValue(v.text)
	switch {
	case errors.Is(err, errTooLong):
		r.Fault(f, RuleTooLong, fmt.Sprintf("is longer than %d bytes", MaxMetadataBytes))
		return ""
	case err != nil:
		r.Reject(f, RuleNumberOutOfRange, r.aliasOf(f)+" holds a number with too many digits.")
		return ""
	}
	if !clean {
		r.Find(RuleInvalidText)
	}
	return text
}

// repairValue repairs the strings of a JSON value and checks its size and numbers.
func repairValue(text string) (cleaned string, clean bool, err error) {
	if len(text) > MaxMetadataBytes {
		return "", true, errTooLong
	}
	if err := checkNumbers(text); err != nil {
		return "", true, err
	}
	if cleaned, clean = cleanJSON(text); len(cleaned) > MaxMetadataBytes {
		return "", clean, errTooLong
	}
	return cleaned, clean, nil
}

// checkNumbers makes sure that Postgres can hold the numbers of a JSON value.
// Postgres writes them out in full, so a short text could grow without bound.
func checkNumbers(text string) error {
	grown := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = closeQuote(text, i+1) + 1
		case c == '-' || c-'0' <= 9:
			end := skipLiteral(text, i)
			if end-i > record.MaxDigits || strings.ContainsAny(text[i:end], "eE") {
				d, err := record.ParseDecimal(text[i:end])
				if err != nil {
					return err
				}
				grown += len(d)
			}
			i = end
		default:
			i++
		}
	}
	if grown > MaxMetadataBytes {
		return errTooLong
	}
	return nil
}

// Strings reads an array of strings without the blank ones, and returns nil if
// there are none. Numbers are read with their digits. Other elements, and what is
// beyond MaxTags and MaxTagBytes, are dropped with a finding.
func (r *Record) Strings(f int) []string {
	v, ok := r.findValue(f)
	if !ok {
		return nil
	}
	var list []string
	for i := skipSpace(v.text, 1); v.text[i] != ']'; {
		end, _ := skipValue(v.text, i)
		if s := r.readElement(v.text[i:end]); s != "" {
			if len(list) == MaxTags {
				r.Find(RuleTooLong)
				break
			}
			list = append(list, s)
		}
		i = nextMember(v.text, end)
	}
	return list
}

// readElement reads one string of a list.
func (r *Record) readElement(text string) string {
	s, clean := text, true
	switch kindOf(text[0]) {
	case numberValue:
		r.Find(RuleNumberAsText)
	case stringValue:
		s, clean = unquote(text[1 : len(text)-1])
		s = strings.TrimSpace(s)
	case nullValue:
		return ""
	default:
		r.Find(RuleWrongType)
		return ""
	}
	if len(s) > MaxTagBytes {
		r.Find(RuleTooLong)
		return ""
	}
	if !clean {
		r.Find(RuleInvalidText)
	}
	return s
}
