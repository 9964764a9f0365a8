package event

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// dataMember is the member of an event's envelope that the paths of filters begin with.
const dataMember = "data"

// Filter narrows the events for an endpoint to those whose member has one of the values.
type Filter struct {
	Member string   `json:"member"` // path in the event, such as data.integration_id
	Values []string `json:"values"` // texts; booleans and integers as JSON writes them
}

// FilterField returns the description of the member that a filter can compare, at a path such as
// data.runs.status. It returns false if the kind's events have no text, boolean or integer there.
func (d Definition) FilterField(path string) (f Field, ok bool) {
	fields := d.Fields()
	names := strings.Split(path, ".")
	if names[0] != dataMember || len(names) < 2 {
		return f, false
	}
	for _, name := range names {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return f, false
		}
		f, fields = fields[i], fields[i].Fields
	}
	return f, f.isComparable()
}

// isComparable reports whether filters can compare the member. Times and ratios hardly ever equal
// a value that somebody has written down.
func (f Field) isComparable() bool {
	return f.Type == "boolean" || f.Type == "integer" || f.Type == "string" && f.Format != "date-time"
}

// FilterFields lists the paths that filters of the kind's events can name.
func (d Definition) FilterFields() (paths []string) {
	var add func(prefix string, fields []Field)
	add = func(prefix string, fields []Field) {
		for _, f := range fields {
			if f.isComparable() {
				paths = append(paths, prefix+"."+f.Name)
			}
			add(prefix+"."+f.Name, f.Fields)
		}
	}
	fields := d.Fields()
	data := fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == dataMember })]
	add(dataMember, data.Fields)
	return paths
}

// Document is the data of an event, for filters.
type Document struct{ data any }

// ParseDocument parses the data that Encode has returned.
func ParseDocument(data []byte) (d Document, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return d, decoder.Decode(&d.data)
}

// Passes reports whether the event passes all filters. A filter passes an event if its member has
// one of the values, or one of the members if the path leads through a list. Events without the
// member do not pass, and neither do those whose member is null.
func (d Document) Passes(filters []Filter) bool {
	for _, f := range filters {
		path, _ := strings.CutPrefix(f.Member, dataMember+".")
		if !hasValue(d.data, strings.Split(path, "."), f.Values) {
			return false
		}
	}
	return true
}

// hasValue reports whether the member of v at the path has one of the values.
func hasValue(v any, path, values []string) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(path) > 0 && hasValue(v[path[0]], path[1:], values)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return hasValue(item, path, values) })
	}
	if len(path) > 0 {
		return false
	}
	switch v := v.(type) {
	case string:
		return slices.Contains(values, v)
	case bool:
		return slices.Contains(values, strconv.FormatBool(v))
	case json.Number:
		return slices.Contains(values, v.String())
	}
	return false
}
