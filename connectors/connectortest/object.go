package connectortest

import (
	"encoding/json"
	"strings"
)

// With returns the JSON object with members set, given as pairs of dotted path and
// JSON text. The text "-" removes the member. It panics if something is not JSON,
// because that is a mistake in the test.
func With(object string, members ...string) string {
	for i := 0; i < len(members); i += 2 {
		object = setMember(object, members[i], members[i+1])
	}
	return object
}

func setMember(object, path, value string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		panic(err)
	}
	name, below, nested := strings.Cut(path, ".")
	inner, there := all[name]
	switch {
	case value == "-" && !there:
		return object
	case nested && there:
		value = setMember(string(inner), below, value)
	case nested:
		value = setMember("{}", below, value)
	}
	if all[name] = json.RawMessage(value); value == "-" {
		delete(all, name)
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}
