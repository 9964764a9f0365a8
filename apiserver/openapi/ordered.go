package openapi

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of a Map.
type Member[V any] struct {
	Name  string
	Value V
}

// Map is a JSON object whose members keep the order in which they were set, so that the document
// follows the order of the code.
type Map[V any] []Member[V]

// Set adds a member, or replaces the one with that name.
func (m *Map[V]) Set(name string, value V) {
	if i := m.indexOf(name); i >= 0 {
		(*m)[i].Value = value
		return
	}
	*m = append(*m, Member[V]{name, value})
}

// Find returns the member with that name. ok is false if there is none.
func (m Map[V]) Find(name string) (value V, ok bool) {
	if i := m.indexOf(name); i >= 0 {
		return m[i].Value, true
	}
	return value, false
}

func (m Map[V]) indexOf(name string) int {
	return slices.IndexFunc(m, func(o Member[V]) bool { return o.Name == name })
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Map[V]) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, member := range m {
		if err := e.WriteToken(jsontext.String(member.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, member.Value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *Map[V]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		var member Member[V]
		if err := json.UnmarshalDecode(d, &member.Name); err != nil {
			return err
		}
		if err := json.UnmarshalDecode(d, &member.Value); err != nil {
			return err
		}
		*m = append(*m, member)
	}
	_, err := d.ReadToken()
	return err
}
