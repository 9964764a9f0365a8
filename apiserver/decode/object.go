package decode

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/record"
)

// State is the state of a member in a body.
type State int

// The states of a member.
const (
	Absent State = iota
	Null
	Set
	Faulty // present but unusable; the fault is noted
)

// Field is one member of an object. Value is valid if State is Set.
type Field[T any] struct {
	Value T
	State State
}

// Object is a JSON object whose members are read one by one. Faults of its members are noted in
// its Faults.
type Object struct {
	*Faults
	at      problem.Pointer
	names   []string // in the order of the body
	members map[string]jsontext.Value
	known   map[string]bool
	files   map[string][]*File // if the object is a form
	schema  *openapi.Schema    // not nil if the object only records what is read (Describe)
}

// newObject parses a checked JSON value. It returns nil if the value is not an object.
func newObject(at problem.Pointer, faults *Faults, value jsontext.Value) *Object {
	if value.Kind() != '{' {
		return nil
	}
	o := &Object{Faults: faults, at: at, members: make(map[string]jsontext.Value), known: make(map[string]bool)}
	decoder := jsontext.NewDecoder(bytes.NewReader(value))
	_, _ = decoder.ReadToken() // the brace
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			break // cannot happen: the whole text was checked
		}
		text := name.String() // copied before the next read, which invalidates the token
		member, err := decoder.ReadValue()
		if err != nil {
			break
		}
		o.names = append(o.names, text)
		o.members[text] = member.Clone()
	}
	return o
}

// Pointer returns the JSON pointer of a member.
func (o *Object) Pointer(name string) problem.Pointer { return o.at.Member(name) }

// Fault notes a fault of a member.
func (o *Object) Fault(name string, code problem.FaultCode, detail string) {
	o.At(o.Pointer(name), code, detail)
}

// takeMember returns a member's text and whether it is absent, null or set.
func (o *Object) takeMember(name string) (jsontext.Value, State) {
	o.known[name] = true
	value, ok := o.members[name]
	switch {
	case !ok:
		return nil, Absent
	case value.Kind() == 'n':
		return nil, Null
	}
	return value, Set
}

// Text reads a string of at most longest characters. NUL is refused, because the database cannot
// hold it.
func (o *Object) Text(name string, longest int) Field[string] {
	if o.describeMember(name, func() *openapi.Schema { return openapi.Text(longest) }) {
		return Field[string]{}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[string]{State: state}
	}
	return textField(o.Faults, o.Pointer(name), value, longest)
}

func textField(faults *Faults, at problem.Pointer, value jsontext.Value, longest int) Field[string] {
	if value.Kind() != '"' {
		faults.At(at, problem.WrongType, "Must be a string.")
		return Field[string]{State: Faulty}
	}
	unquoted, err := jsontext.AppendUnquote(nil, value)
	text := string(unquoted)
	switch {
	case err != nil || strings.ContainsRune(text, 0):
		faults.At(at, problem.InvalidFormat, "Must not contain the character NUL.")
	case utf8.RuneCountInString(text) > longest:
		faults.At(at, problem.TooLong, fmt.Sprintf("At most %d characters.", longest))
	default:
		return Field[string]{text, Set}
	}
	return Field[string]{State: Faulty}
}

// Time reads a time (RFC 3339).
func (o *Object) Time(name string) Field[time.Time] {
	if o.describeMember(name, openapi.Time) {
		return Field[time.Time]{}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[time.Time]{State: state}
	}
	text := textField(o.Faults, o.Pointer(name), value, maxTime)
	if text.State != Set {
		return Field[time.Time]{State: text.State}
	}
	t, code, detail := parseTime(text.Value)
	if code != "" {
		o.Fault(name, code, detail)
		return Field[time.Time]{State: Faulty}
	}
	return Field[time.Time]{t, Set}
}

// maxTime is the length of the longest time that openapi.Time describes.
const maxTime = len("2006-01-02T15:04:05.999999999+00:00")

// Bool reads a boolean.
func (o *Object) Bool(name string) Field[bool] {
	if o.describeMember(name, openapi.Truth) {
		return Field[bool]{}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[bool]{State: state}
	}
	switch value.Kind() {
	case 't', 'f':
		return Field[bool]{value.Kind() == 't', Set}
	}
	o.Fault(name, problem.WrongType, "Must be true or false.")
	return Field[bool]{State: Faulty}
}

// Int reads a whole number from low to high. It accepts any notation of the number, such as 300.0
// and 3e2.
func (o *Object) Int(name string, low, high int) Field[int] {
	if o.describeMember(name, func() *openapi.Schema { return openapi.Whole(int64(low), int64(high)) }) {
		return Field[int]{}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[int]{State: state}
	}
	if value.Kind() != '0' {
		o.Fault(name, problem.WrongType, "Must be a number.")
		return Field[int]{State: Faulty}
	}
	number, err := record.ParseDecimal(string(value))
	if err == nil && strings.ContainsRune(string(number), '.') {
		o.Fault(name, problem.InvalidFormat, "Must be a whole number.")
		return Field[int]{State: Faulty}
	}
	n, convErr := strconv.Atoi(string(number))
	if err != nil || convErr != nil || n < low || n > high {
		o.Fault(name, problem.OutOfRange, fmt.Sprintf("Must be from %d to %d.", low, high))
		return Field[int]{State: Faulty}
	}
	return Field[int]{n, Set}
}

// Object reads an object. Its faults are noted together with this object's.
func (o *Object) Object(name string) Field[*Object] {
	if o.schema != nil {
		return Field[*Object]{o.describeObject(name), Set}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[*Object]{State: state}
	}
	inner := newObject(o.Pointer(name), o.Faults, value)
	if inner == nil {
		o.Fault(name, problem.WrongType, "Must be an object.")
		return Field[*Object]{State: Faulty}
	}
	return Field[*Object]{inner, Set}
}

// Texts reads an array of at most maxItems strings of at most longest characters.
//
// each, which may be nil, is called for every usable item: it notes faults of the item, and
// returns whether there are none.
func (o *Object) Texts(name string, maxItems, longest int, each func(at problem.Pointer, text string) bool) Field[[]string] {
	if o.describeMember(name, func() *openapi.Schema { return openapi.List(openapi.Text(longest), maxItems) }) {
		return Field[[]string]{}
	}
	return readArray(o, name, maxItems, func(at problem.Pointer, value jsontext.Value) Field[string] {
		item := textField(o.Faults, at, value, longest)
		if item.State == Set && each != nil && !each(at, item.Value) {
			item.State = Faulty
		}
		return item
	})
}

// Numbers reads an array of at most maxItems numbers of at most longest characters each, in
// canonical form.
func (o *Object) Numbers(name string, maxItems, longest int) Field[[]record.Decimal] {
	if o.describeMember(name, func() *openapi.Schema { return openapi.List(openapi.Decimal(), maxItems) }) {
		return Field[[]record.Decimal]{}
	}
	return readArray(o, name, maxItems, func(at problem.Pointer, value jsontext.Value) Field[record.Decimal] {
		if value.Kind() != '0' {
			o.At(at, problem.WrongType, "Must be a number.")
			return Field[record.Decimal]{State: Faulty}
		}
		number, err := record.ParseDecimal(string(value))
		if err != nil || len(number) > longest {
			o.At(at, problem.OutOfRange, fmt.Sprintf("At most %d digits.", longest))
			return Field[record.Decimal]{State: Faulty}
		}
		return Field[record.Decimal]{number, Set}
	})
}

// readArray reads an array element by element. The array is Faulty if any element is, but all
// elements are checked.
func readArray[T any](o *Object, name string, maxItems int, element func(problem.Pointer, jsontext.Value) Field[T]) Field[[]T] {
	value, state := o.takeMember(name)
	if state != Set {
		return Field[[]T]{State: state}
	}
	if value.Kind() != '[' {
		o.Fault(name, problem.WrongType, "Must be an array.")
		return Field[[]T]{State: Faulty}
	}
	list := Field[[]T]{[]T{}, Set}
	decoder := jsontext.NewDecoder(bytes.NewReader(value))
	_, _ = decoder.ReadToken() // the bracket
	for i := 0; decoder.PeekKind() != ']'; i++ {
		if i == maxItems {
			o.Fault(name, problem.TooLong, fmt.Sprintf("At most %d items.", maxItems))
			list.State = Faulty
			break
		}
		text, err := decoder.ReadValue()
		if err != nil {
			break // cannot happen: the whole text was checked
		}
		item := element(o.Pointer(name).Index(i), text)
		if item.State != Set {
			list.State = Faulty
		}
		list.Value = append(list.Value, item.Value)
	}
	return list
}

// Require notes a fault if the member, which has the given state, is absent or null.
func (o *Object) Require(name string, state State) {
	if o.schema != nil {
		o.schema.Required = append(o.schema.Required, name)
		o.describeNotNull(name)
		return
	}
	if state == Absent || state == Null {
		o.Fault(name, problem.Required, "Is required.")
	}
}

// RequirePresent notes a fault if the member, which has the given state, is absent. It may be null.
func (o *Object) RequirePresent(name string, state State) {
	if o.schema != nil {
		o.schema.Required = append(o.schema.Required, name)
		return
	}
	if state == Absent {
		o.Fault(name, problem.Required, "Is required. It may be null.")
	}
}

// RefuseNull notes a fault if the member, which has the given state, is null, because it cannot
// be cleared.
func (o *Object) RefuseNull(name string, state State) {
	if o.schema != nil {
		o.describeNotNull(name)
		return
	}
	if state == Null {
		o.Fault(name, problem.WrongType, "Must not be null. Omit it to keep the current value.")
	}
}

// maxNameShown limits how much of the names of unknown members and parameters is shown, in bytes.
const maxNameShown = 200

// Unknown notes faults for the members that were not read.
func (o *Object) Unknown() {
	o.noteMisplaced()
	for _, name := range o.names {
		switch {
		case o.known[name]:
		case len(name) > maxNameShown:
			o.At(o.at, problem.UnknownField, "There is a field with a very long name, which does not exist.")
		default:
			o.Fault(name, problem.UnknownField, "There is no field with this name.")
		}
	}
}

// Finish notes the unknown members and returns a 422 problem with all faults, or nil if there are
// none.
func (o *Object) Finish() error {
	o.Unknown()
	return o.Err()
}

// Objects reads an array of at most maxItems objects, each with read. Members that read does not
// use are faults.
func Objects[T any](o *Object, name string, maxItems int, read func(*Object) T) Field[[]T] {
	if o.schema != nil {
		item := newObject(o.Pointer(name), o.Faults, jsontext.Value("{}"))
		item.schema = &openapi.Schema{Type: openapi.Types{openapi.Object}}
		read(item)
		o.describeMember(name, func() *openapi.Schema { return openapi.List(item.schema, maxItems) })
		return Field[[]T]{}
	}
	return readArray(o, name, maxItems, func(at problem.Pointer, value jsontext.Value) Field[T] {
		inner := newObject(at, o.Faults, value)
		if inner == nil {
			o.At(at, problem.WrongType, "Must be an object.")
			return Field[T]{State: Faulty}
		}
		faults := len(o.list)
		v := read(inner)
		inner.Unknown()
		if len(o.list) > faults {
			return Field[T]{State: Faulty}
		}
		return Field[T]{v, Set}
	})
}

// Free reads an object of at most maxMembers members and maxBytes bytes unchanged, with any
// members.
func (o *Object) Free(name string, maxMembers, maxBytes int) Field[jsontext.Value] {
	if o.describeMember(name, func() *openapi.Schema {
		return &openapi.Schema{Type: openapi.Types{openapi.Object}, Additional: &openapi.Schema{}, MaxProperties: &maxMembers}
	}) {
		return Field[jsontext.Value]{}
	}
	value, state := o.takeMember(name)
	if state != Set {
		return Field[jsontext.Value]{State: state}
	}
	inner := newObject(o.Pointer(name), o.Faults, value)
	switch {
	case inner == nil:
		o.Fault(name, problem.WrongType, "Must be an object.")
	case len(inner.names) > maxMembers:
		o.Fault(name, problem.TooLong, fmt.Sprintf("At most %d fields.", maxMembers))
	case len(value) > maxBytes:
		o.Fault(name, problem.TooLong, fmt.Sprintf("At most %d bytes.", maxBytes))
	default:
		if o.checkStorable(name, value) {
			return Field[jsontext.Value]{value, Set}
		}
	}
	return Field[jsontext.Value]{State: Faulty}
}

// checkStorable reports whether Postgres' jsonb can hold a JSON value. If it cannot, because of
// the character NUL in a string or a name, or because of a number such as 1e400000, it notes a
// fault of the member. Everything else that jsonb refuses, such as lone surrogates, is refused
// for the whole body.
func (o *Object) checkStorable(name string, value jsontext.Value) bool {
	decoder := jsontext.NewDecoder(bytes.NewReader(value))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return true // the end, because the text was checked
		}
		switch kind := token.Kind(); {
		case kind == '"' && strings.ContainsRune(token.String(), 0):
			o.Fault(name, problem.InvalidFormat, "Must not contain the character NUL.")
			return false
		case kind == '0' && !storableNumber(token.String()):
			o.Fault(name, problem.OutOfRange, fmt.Sprintf("Its numbers may have at most %d digits before and after the decimal point.", record.MaxDigits))
			return false
		}
	}
}

// storableNumber reports whether a JSON number, written without an exponent, has at most
// record.MaxDigits digits on either side of the point. Zeros count, because Postgres counts them:
// it refuses 0e-400000 as well.
func storableNumber(text string) bool {
	mantissa, power := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if power, err = strconv.Atoi(text[i+1:]); err != nil || power < -record.MaxDigits || power > record.MaxDigits {
			return false
		}
		mantissa = text[:i]
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	return len(whole)+power <= record.MaxDigits && len(fraction)-power <= record.MaxDigits
}
