package alias

import (
	"fmt"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// Record is one record of a page. Its methods read a field by its index in the
// table. A field that is absent, null or blank reads as the zero value. A field
// with a fault also does, and the fault rejects the record if the field is required
// and is a finding if it is not.
type Record struct {
	table  *Table
	walker walker
	raw    string

	fault        *record.Rejected // the first one; nil while the record can be used
	found        []string         // rules of findings
	kept         []member         // for Kept
	unrecognized []member
}

// member is a member of an object that a Record makes.
type member struct{ name, json string }

// Usable reports whether nothing has rejected the record so far.
func (r *Record) Usable() bool { return r.fault == nil }

// Find notes a broken rule. It is counted if the record is accepted.
func (r *Record) Find(rule string) {
	for _, f := range r.found {
		if f == rule {
			return
		}
	}
	r.found = append(r.found, rule)
}

// Reject marks the record as unusable because of the field. detail is one
// sentence for a person, without a value of the record.
func (r *Record) Reject(f int, rule, detail string) { r.reject(r.pointerTo(f), rule, detail) }

func (r *Record) reject(pointer, rule, detail string) {
	if r.fault == nil {
		r.fault = &record.Rejected{Pointer: pointer, Rule: rule, Detail: detail}
	}
}

// Fault notes that a field's value cannot be used. It rejects the record or becomes
// a finding. detail completes a sentence that begins with the field's name.
func (r *Record) Fault(f int, rule, detail string) {
	if r.table.fields[f].Required {
		r.Reject(f, rule, r.aliasOf(f)+" "+detail+".")
		return
	}
	r.Find(rule)
}

// rejectMissing rejects the record when the field is required.
func (r *Record) rejectMissing(f int) {
	if fd := &r.table.fields[f]; fd.Required {
		detail := fd.Aliases[0] + " is missing, null or empty."
		if other := findMisspelled(r.raw, fd.Aliases[0]); other != "" {
			detail += " The record has " + other + " instead."
		}
		r.reject(formatPointer(fd.Aliases[0]), RuleRequiredMissing, detail)
	}
}

// findMisspelled returns the member whose name is another spelling of the given one, such as updatedAt
// for updated_at; empty if there is none.
func findMisspelled(object, name string) string {
	if !strings.HasPrefix(object, "{") {
		return ""
	}
	for i := skipSpace(object, 1); object[i] != '}'; {
		raw, start := nextName(object, i)
		if member, _ := unquote(raw); member != name && strings.EqualFold(wordMarks.Replace(member), wordMarks.Replace(name)) {
			return member
		}
		end, _ := skipValue(object, start)
		i = nextMember(object, end)
	}
	return ""
}

// wordMarks removes what stands between the words of a name.
var wordMarks = strings.NewReplacer("_", "", "-", "")

// ChooseAlias returns the index of the field's alias whose value is read. ok is false
// if there is none: alias is then the first one whose value is unsuitable, or -1 if
// the field is absent, null or blank.
func (r *Record) ChooseAlias(f int) (alias int, ok bool) {
	fd := &r.table.fields[f]
	unsuitable, blank := -1, false
	for i, slot := range fd.slots {
		v := &r.walker.slots[slot]
		switch {
		case v.kind == absent:
		case v.canServe(fd.Kind):
			return i, true
		case v.isBlank():
			blank = true
		case unsuitable < 0:
			unsuitable = i
		}
	}
	if blank && unsuitable >= 0 && fd.opened[unsuitable] {
		// An object that holds null instead of the field's value says that there is no value.
		return -1, false
	}
	return unsuitable, false
}

func (v *value) canServe(k Kind) bool {
	switch k {
	case Object:
		return v.kind == objectValue
	case List:
		return v.kind == arrayValue
	}
	return v.kind == numberValue || v.kind == stringValue && !v.isBlank()
}

// findValue returns the value to read for the field. If there is none, it notes the
// reason.
func (r *Record) findValue(f int) (v value, ok bool) {
	i, ok := r.ChooseAlias(f)
	switch {
	case ok:
		return r.walker.slots[r.table.fields[f].slots[i]], true
	case i >= 0:
		r.Fault(f, RuleWrongType, "has a value of the wrong type, expected "+r.expectedType(f))
	default:
		r.rejectMissing(f)
	}
	return value{}, false
}

func (r *Record) expectedType(f int) string {
	switch r.table.fields[f].Kind {
	case Object:
		return "an object"
	case List:
		return "an array"
	}
	return "a string or a number"
}

// aliasOf returns the name under which the field occurs, or the field's own name if
// it does not occur.
func (r *Record) aliasOf(f int) string {
	i, _ := r.ChooseAlias(f)
	return r.table.fields[f].Aliases[max(i, 0)]
}

func (r *Record) pointerTo(f int) string { return formatPointer(r.aliasOf(f)) }

// Has reports whether the field has a value that can be used.
func (r *Record) Has(f int) bool {
	_, ok := r.ChooseAlias(f)
	return ok
}

// Present reports whether the record has a member of the field's names, whatever
// its value.
func (r *Record) Present(f int) bool {
	for _, slot := range r.table.fields[f].slots {
		if r.walker.slots[slot].kind != absent {
			return true
		}
	}
	return false
}

// IsNumber reports whether the field's value is a JSON number.
func (r *Record) IsNumber(f int) bool {
	i, ok := r.ChooseAlias(f)
	return ok && r.walker.slots[r.table.fields[f].slots[i]].kind == numberValue
}

// Raw returns the JSON text of the field's value, also if it is unsuitable, or "" if
// the field is absent, null or blank. It may contain what a database cannot hold.
func (r *Record) Raw(f int) string {
	i, _ := r.ChooseAlias(f)
	if i < 0 {
		return ""
	}
	return r.walker.slots[r.table.fields[f].slots[i]].text
}

// decodeText decodes a string and bounds it.
func (r *Record) decodeText(f int, inner string, limit int) string {
	s, clean := unquote(inner)
	if s = r.boundText(f, s, limit); s != "" && !clean {
		r.Find(RuleInvalidText)
	}
	return s
}

// boundText trims a text and refuses one that is empty or too long, for which it
// returns "".
func (r *Record) boundText(f int, s string, limit int) string {
	s = strings.TrimSpace(s)
	if bound := r.table.fields[f].Max; bound > 0 {
		limit = bound
	}
	switch {
	case s == "":
		r.rejectMissing(f)
		return ""
	case len(s) > limit:
		r.Fault(f, RuleTooLong, fmt.Sprintf("is longer than %d bytes", limit))
		return ""
	}
	return s
}

// Text reads a string without surrounding white space. A number is read with its
// digits and the finding RuleNumberAsText.
func (r *Record) Text(f int) string {
	v, ok := r.findValue(f)
	switch {
	case !ok:
		return ""
	case v.kind == stringValue:
		return r.decodeText(f, v.innerText(), MaxTextBytes)
	}
	s := r.decodeText(f, v.text, MaxTextBytes)
	if s != "" {
		r.Find(RuleNumberAsText)
	}
	return s
}

// Scalar reads a trimmed string or a number's text, and reports which of them it
// was. It is for fields whose values a connector interprets itself.
func (r *Record) Scalar(f int) (text string, number bool) {
	v, ok := r.findValue(f)
	switch {
	case !ok:
		return "", false
	case v.kind == stringValue:
		return r.decodeText(f, v.innerText(), MaxTextBytes), false
	}
	return r.decodeText(f, v.text, MaxTextBytes), true
}

// Word reads a scalar in lower case, and a number in canonical form, so that 1.0
// and 1 are the same word. It is for values that a connector interprets itself.
func (r *Record) Word(f int) string {
	text, number := r.Scalar(f)
	if number {
		if d, err := record.ParseDecimal(text); err == nil {
			return string(d)
		}
	}
	return strings.ToLower(text)
}

// Time reads a time as UTC truncated to microseconds. See TimeForms for the forms
// beyond RFC 3339.
func (r *Record) Time(f int) time.Time {
	v, ok := r.findValue(f)
	if !ok {
		return time.Time{}
	}
	forms, text := r.table.fields[f].Times, v.text
	if v.kind == stringValue {
		text, _ = unquote(v.innerText())
		text = strings.TrimSpace(text)
	}
	t, ok := parseTime(text, forms)
	switch {
	case ok:
		return t
	case t.Equal(time.Unix(0, 0)):
		r.Fault(f, RuleInvalidTime, "is Unix time 0, which stands for no time")
	case strings.HasPrefix(text, "0001-01-01T00:00:00"):
		r.Fault(f, RuleInvalidTime, "is the first instant of year 1, which stands for no time")
	default:
		r.Fault(f, RuleInvalidTime, "is not an RFC 3339 time with an offset")
	}
	return time.Time{}
}

// Enum reads one of the values. A value in other letter case is accepted with the
// finding RuleEnumCase. An unknown value rejects the record if the field is
// required; otherwise it is kept for Unrecognized and is a finding.
func (r *Record) Enum(f int, values []string) string {
	text, number := r.Scalar(f)
	if text == "" {
		return ""
	}
	for _, v := range values {
		if v == text {
			return v
		}
	}
	for _, v := range values {
		if strings.EqualFold(v, text) {
			r.Find(RuleEnumCase)
			return v
		}
	}
	fd := &r.table.fields[f]
	if !fd.Required {
		r.unrecognized = append(r.unrecognized, member{fd.Aliases[0], r.scalarJSON(f, text, number)})
	}
	r.Fault(f, RuleUnknownEnumValue, "is not one of the contract's values: "+strings.Join(values, ", "))
	return ""
}
