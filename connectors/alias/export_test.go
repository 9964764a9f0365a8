package alias

import "time"

// Unquote decodes the text between a JSON string's quotes.
func Unquote(inner string) (string, bool) { return unquote(inner) }

// Storable repairs and checks a JSON value for Postgres.
func Storable(text string) (string, bool, error) { return repairValue(text) }

// ParseTime reads a time.
func ParseTime(s string, forms TimeForms) (time.Time, bool) { return parseTime(s, forms) }

// Ungroup removes thousands commas.
func Ungroup(text string) string { return removeGrouping(text) }

// Members walks over a validated object as the decoder does and returns the raw
// value of every member, by decoded name. If a name occurs twice, the last member
// counts.
func Members(object string) map[string]string {
	members := make(map[string]string)
	for i := skipSpace(object, 1); object[i] != '}'; {
		raw, start := nextName(object, i)
		end, _ := skipValue(object, start)
		name, _ := unquote(raw)
		members[name] = object[start:end]
		i = nextMember(object, end)
	}
	return members
}

// Depth counts the levels of nesting of a validated object.
func Depth(object string) int {
	var w walker
	t := NewTable([]Field{{Aliases: []string{"x"}}})
	w.slots = make([]value, t.slots)
	return w.walkObject(object, t.root)
}
