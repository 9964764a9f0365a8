package alias

import (
	"errors"
	"strconv"
	"strings"

	"github.com/assayhq/assay/connectors/record"
)

// ID reads an id. A string is kept, without surrounding white space, which is the
// finding RuleIDWithSpaces. A number keeps its digits, however many. 17.0 reads as
// 17 with the finding RuleIDAsFloat, because platforms that keep ids in floats write them like that. A number with an
// exponent, another fraction or more digits than a float holds exactly is not an
// id: it has been rounded and may stand for several ids. So may a string of which
// something would have to be replaced, such as letters that are not UTF-8.
func (r *Record) ID(f int) string {
	v, ok := r.findValue(f)
	switch {
	case !ok:
		return ""
	case v.kind == numberValue:
		return r.numericID(f, v.text)
	}
	id, clean := unquote(v.innerText())
	if !clean || strings.IndexByte(id, separator) >= 0 {
		r.Fault(f, RuleInvalidID, "holds bytes that are not UTF-8, half of a surrogate pair or a control character that cannot be stored; send ids as UTF-8 text")
		return ""
	}
	bounded := r.boundText(f, id, MaxIDBytes)
	if bounded != "" && bounded != id {
		r.Find(RuleIDWithSpaces)
	}
	return bounded
}

// separator is what record.TradeKey puts between ids, so no id may hold it.
const separator = '\x1f'

func (r *Record) numericID(f int, text string) string {
	const exactDigits = 15 // of a float64
	whole, fraction, dotted := strings.Cut(text, ".")
	if strings.ContainsAny(text, "eE") || dotted &&
		(strings.Trim(fraction, "0") != "" || len(strings.TrimPrefix(whole, "-")) > exactDigits) {
		r.Fault(f, RuleInvalidID, "is a number with a fraction or an exponent; send ids as strings or whole numbers")
		return ""
	}
	id := r.decodeText(f, whole, MaxIDBytes)
	if dotted && id != "" {
		r.Find(RuleIDAsFloat)
	}
	return id
}

// Decimal reads an exact number. A number in a string is accepted with the finding
// RuleNumericString, or without it where the field allows strings. A number that
// Postgres could not hold rejects the record even if the field is optional, because
// the record would have another meaning without it.
func (r *Record) Decimal(f int) record.Decimal {
	v, ok := r.findValue(f)
	if !ok {
		return ""
	}
	text, quoted := v.text, v.kind == stringValue
	allowed := r.table.fields[f].NumericStrings
	if quoted {
		text, _ = unquote(v.innerText())
		text = strings.TrimSpace(text)
		if allowed {
			text = removeGrouping(text)
		}
	}
	d, err := record.ParseDecimal(text)
	switch {
	case errors.Is(err, record.ErrNumberRange):
		r.Reject(f, RuleNumberOutOfRange, r.aliasOf(f)+" has too many digits.")
		return ""
	case err != nil:
		r.Fault(f, RuleInvalidNumber, "is not a decimal number")
		return ""
	}
	if quoted && !allowed {
		r.Find(RuleNumericString)
	}
	return d
}

// removeGrouping removes the commas of a number whose whole part is written in
// groups of three digits. It returns other text unchanged, including its commas,
// because 1,5 must not become 15, nor 0,125 become 125.
func removeGrouping(text string) string {
	if strings.IndexByte(text, ',') < 0 {
		return text
	}
	sign, rest := "", text
	if rest[0] == '-' || rest[0] == '+' {
		sign, rest = rest[:1], rest[1:]
	}
	whole, fraction, dotted := strings.Cut(rest, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if i == 0 && (g == "" || len(g) > 3 || len(groups) > 1 && g[0] == '0') || i > 0 && len(g) != 3 {
			return text
		}
	}
	plain := sign + strings.Join(groups, "")
	if dotted {
		plain += "." + fraction
	}
	return plain
}

// Count reads a whole number that is not negative, also from a string. ok is false
// if there is none.
func (r *Record) Count(f int) (n int64, ok bool) {
	text, _ := r.Scalar(f)
	d, err := record.ParseDecimal(text)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(string(d), 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	return n, true
}
