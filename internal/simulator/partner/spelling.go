package partner

import (
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// spelling is how one record is written: a pure function of dialect, seed,
// list and row, so that a record looks the same whenever it is asked for.
type spelling struct {
	dialect Dialect
	seed    uint64 // of the list
	ref     uint32
	numeric bool // account numbers are JSON numbers
}

// The choices about a field's value, in the numbers that throw takes. Those of
// two fields never depend on one another.
const (
	aboutName uint64 = iota
	aboutValue
	aboutCase
	aboutNothing
)

// throw returns a number below n for a choice about a field.
func (s *spelling) throw(field int, about uint64, n int) int {
	return int(firm.Hash(s.seed, uint64(s.ref), uint64(field)<<8|about) >> 1 % uint64(n))
}

// alias is which of n names a field has.
func (s *spelling) alias(field, n int) int {
	switch {
	case n == 1 || s.dialect == Contract:
		return 0
	case s.dialect == Walk:
		return int(s.ref) % n
	}
	return s.throw(field, aboutName, n)
}

// writer writes one record.
type writer struct {
	spelling
	dst    []byte
	fields fields
	any    bool // a member is written
	nested bool // the member in hand lies in an object
}

func (w *writer) begin() { w.dst = append(w.dst, '{') }

func (w *writer) end() []byte { return append(w.dst, '}') }

// name begins a member; done ends it.
func (w *writer) name(field int) string {
	names := w.fields[field]
	name := names[w.alias(field, len(names))]
	if w.any {
		w.dst = append(w.dst, ',')
	}
	w.any = true
	outer, inner, nested := strings.Cut(name, ".")
	w.nested = nested
	w.dst = append(wire.AppendString(w.dst, outer), ':')
	if nested {
		w.dst = append(wire.AppendString(append(w.dst, '{'), inner), ':')
	}
	return name
}

func (w *writer) done() {
	if w.nested {
		w.dst = append(w.dst, '}')
	}
}

// nothing writes a field that is unknown: null, "" or not at all.
func (w *writer) nothing(field int) {
	choice := 0
	if w.dialect == Seeded {
		choice = w.throw(field, aboutNothing, 3)
	}
	if choice == 1 {
		return
	}
	w.name(field)
	if choice == 2 {
		w.dst = append(w.dst, `""`...)
	} else {
		w.dst = append(w.dst, "null"...)
	}
	w.done()
}

// text writes a text as it is.
func (w *writer) text(field int, value string) {
	if value == "" {
		w.nothing(field)
		return
	}
	w.name(field)
	w.dst = wire.AppendString(w.dst, value)
	w.done()
}

// words writes a text that the contract stores in lower case.
func (w *writer) words(field int, value string) {
	if w.dialect == Seeded {
		switch w.throw(field, aboutCase, 3) {
		case 0:
			value = capitals(value)
		case 1:
			value = strings.ToUpper(value)
		}
	}
	w.text(field, value)
}

// capitals begins each word with a capital.
func capitals(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, " ")
}

// id writes an id: a text, or a number when it is one and the dialect has it.
func (w *writer) id(field int, value string, asNumber bool) {
	if value == "" {
		w.nothing(field)
		return
	}
	w.name(field)
	w.dst = w.appendID(w.dst, field, value, asNumber)
	w.done()
}

func (w *writer) appendID(dst []byte, field int, value string, asNumber bool) []byte {
	asNumber = asNumber || w.dialect == Seeded && w.throw(field, aboutValue, 2) == 0
	if asNumber && isNumber(value) {
		return append(dst, value...)
	}
	return wire.AppendString(dst, value)
}

// isNumber reports whether digits can stand as a JSON number that shows them all.
func isNumber(digits string) bool {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != "" && (digits[0] != '0' || digits == "0")
}

// account writes the id of an account, in any form that the name allows.
func (w *writer) account(field int, value string) {
	if value == "" {
		w.nothing(field)
		return
	}
	name := w.name(field)
	if name == "account" && w.dialect == Seeded && w.throw(field, aboutCase, 3) == 0 {
		w.dst = append(w.dst, `{"accountNr":`...)
		w.nested = true
	}
	w.dst = w.appendID(w.dst, field, value, w.numeric)
	w.done()
}

// number writes a decimal number; grouped allows thousands commas.
func (w *writer) number(field int, value Decimal, grouped bool) {
	if value.IsNull() {
		w.nothing(field)
		return
	}
	w.name(field)
	choice := 0
	if w.dialect == Seeded {
		choice = w.throw(field, aboutValue, 3)
	}
	switch {
	case choice == 0:
		w.dst = value.Append(w.dst)
	case choice == 1 && grouped:
		w.dst = append(append(append(w.dst, '"'), wire.Grouped(value.String())...), '"')
	default:
		w.dst = append(value.Append(append(w.dst, '"')), '"')
	}
	w.done()
}

// The forms of a time.
const (
	timeUTC = iota
	timeOffset
	timeZoneless
	timeSeconds
	timeSecondsText
	timeMillis
	timeMillisText
	timeForms
)

// time writes a moment.
func (w *writer) time(field int, value time.Time) {
	if value.IsZero() {
		w.nothing(field)
		return
	}
	w.name(field)
	form := timeUTC
	if w.dialect == Seeded {
		form = w.throw(field, aboutValue, timeForms)
	}
	w.dst = appendMoment(w.dst, value, form)
	w.done()
}

// offset is a zone of half hours, as India's is.
var offset = time.FixedZone("", 5*60*60+30*60)

// appendMoment appends a time in one of the forms.
func appendMoment(dst []byte, t time.Time, form int) []byte {
	switch form {
	case timeOffset:
		return t.In(offset).AppendFormat(dst, `"`+time.RFC3339+`"`)
	case timeZoneless:
		return t.UTC().AppendFormat(dst, `"`+time.DateTime+`"`)
	case timeSeconds:
		return wire.NewDecimal(t.Unix(), 0).Append(dst)
	case timeSecondsText:
		return append(wire.NewDecimal(t.Unix(), 0).Append(append(dst, '"')), '"')
	case timeMillis:
		return wire.NewDecimal(t.UnixMilli(), 0).Append(dst)
	case timeMillisText:
		return append(wire.NewDecimal(t.UnixMilli(), 0).Append(append(dst, '"')), '"')
	}
	return t.UTC().AppendFormat(dst, `"`+time.RFC3339+`"`)
}

// The spellings of a side; the first is the contract's.
var (
	buys  = [...]string{`"buy"`, `"BUY"`, `"Buy"`, `"long"`, `"LONG"`, `"0"`, `0`}
	sells = [...]string{`"sell"`, `"SELL"`, `"Sell"`, `"short"`, `"SHORT"`, `"1"`, `1`}
)

// side writes buy or sell.
func (w *writer) side(field int, value string) {
	spellings := buys[:]
	switch value {
	case "sell":
		spellings = sells[:]
	case "buy":
	default:
		w.text(field, value)
		return
	}
	choice := 0
	if w.dialect == Seeded {
		choice = w.throw(field, aboutValue, len(spellings))
	}
	w.name(field)
	w.dst = append(w.dst, spellings[choice]...)
	w.done()
}
