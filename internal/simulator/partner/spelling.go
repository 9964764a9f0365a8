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

// chooseBelow returns a number below n for a choice about a field.
func (s *spelling) chooseBelow(field int, about uint64, n int) int {
	return int(firm.Hash(s.seed, uint64(s.ref), uint64(field)<<8|about) >> 1 % uint64(n))
}

// chooseAlias returns which of n names a field has.
func (s *spelling) chooseAlias(field, n int) int {
	switch {
	case n == 1 || s.dialect == Contract:
		return 0
	case s.dialect == Walk:
		return int(s.ref) % n
	}
	return s.chooseBelow(field, aboutName, n)
}

// writer writes one record.
type writer struct {
	spelling
	dst    []byte
	fields fields
	any    bool // a member is written
	nested bool // the current member is inside an object
}

func (w *writer) beginRecord() { w.dst = append(w.dst, '{') }

func (w *writer) endRecord() []byte { return append(w.dst, '}') }

// beginMember begins a member; endMember ends it.
func (w *writer) beginMember(field int) string {
	names := w.fields[field]
	name := names[w.chooseAlias(field, len(names))]
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

func (w *writer) endMember() {
	if w.nested {
		w.dst = append(w.dst, '}')
	}
}

// writeUnknown writes a field that is unknown: null, "" or not at all.
func (w *writer) writeUnknown(field int) {
	choice := 0
	if w.dialect == Seeded {
		choice = w.chooseBelow(field, aboutNothing, 3)
	}
	if choice == 1 {
		return
	}
	w.beginMember(field)
	if choice == 2 {
		w.dst = append(w.dst, `""`...)
	} else {
		w.dst = append(w.dst, "null"...)
	}
	w.endMember()
}

// writeText writes a text as it is.
func (w *writer) writeText(field int, value string) {
	if value == "" {
		w.writeUnknown(field)
		return
	}
	w.beginMember(field)
	w.dst = wire.AppendString(w.dst, value)
	w.endMember()
}

// writeWords writes a text that the contract stores in lower case.
func (w *writer) writeWords(field int, value string) {
	if w.dialect == Seeded {
		switch w.chooseBelow(field, aboutCase, 3) {
		case 0:
			value = capitalizeWords(value)
		case 1:
			value = strings.ToUpper(value)
		}
	}
	w.writeText(field, value)
}

// capitalizeWords begins each word with a capital.
func capitalizeWords(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, " ")
}

// writeID writes an id: a text, or a number when it is one and the dialect has it.
func (w *writer) writeID(field int, value string, asNumber bool) {
	if value == "" {
		w.writeUnknown(field)
		return
	}
	w.beginMember(field)
	w.dst = w.appendID(w.dst, field, value, asNumber)
	w.endMember()
}

func (w *writer) appendID(dst []byte, field int, value string, asNumber bool) []byte {
	asNumber = asNumber || w.dialect == Seeded && w.chooseBelow(field, aboutValue, 2) == 0
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

// writeAccountID writes the id of an account, in any form that the name allows.
func (w *writer) writeAccountID(field int, value string) {
	if value == "" {
		w.writeUnknown(field)
		return
	}
	name := w.beginMember(field)
	if name == "account" && w.dialect == Seeded && w.chooseBelow(field, aboutCase, 3) == 0 {
		w.dst = append(w.dst, `{"accountNr":`...)
		w.nested = true
	}
	w.dst = w.appendID(w.dst, field, value, w.numeric)
	w.endMember()
}

// writeNumber writes a decimal number; grouped allows thousands commas.
func (w *writer) writeNumber(field int, value wire.Decimal, grouped bool) {
	if value.IsNull() {
		w.writeUnknown(field)
		return
	}
	w.beginMember(field)
	choice := 0
	if w.dialect == Seeded {
		choice = w.chooseBelow(field, aboutValue, 3)
	}
	switch {
	case choice == 0:
		w.dst = value.Append(w.dst)
	case choice == 1 && grouped:
		w.dst = append(append(append(w.dst, '"'), wire.Grouped(value.String())...), '"')
	default:
		w.dst = append(value.Append(append(w.dst, '"')), '"')
	}
	w.endMember()
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

// writeTime writes a moment.
func (w *writer) writeTime(field int, value time.Time) {
	if value.IsZero() {
		w.writeUnknown(field)
		return
	}
	w.beginMember(field)
	form := timeUTC
	if w.dialect == Seeded {
		form = w.chooseBelow(field, aboutValue, timeForms)
	}
	w.dst = appendMoment(w.dst, value, form)
	w.endMember()
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

// writeSide writes buy or sell.
func (w *writer) writeSide(field int, value string) {
	spellings := buys[:]
	switch value {
	case "sell":
		spellings = sells[:]
	case "buy":
	default:
		w.writeText(field, value)
		return
	}
	choice := 0
	if w.dialect == Seeded {
		choice = w.chooseBelow(field, aboutValue, len(spellings))
	}
	w.beginMember(field)
	w.dst = append(w.dst, spellings[choice]...)
	w.endMember()
}
