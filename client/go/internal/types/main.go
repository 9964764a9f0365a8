// Command types writes the types of this client with oapi-codegen, from the API's document. The comments of what
// requests have say the limits and defaults that the document has beside the descriptions.
//
//	types types.yaml openapi.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: types types.yaml openapi.json")
		os.Exit(2)
	}
	if err := writeTypes(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
}

// writeTypes writes the types that oapi-codegen's configuration describes.
func writeTypes(config, document string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	if text, err = describeDocument(text); err != nil {
		return err
	}
	described, err := os.CreateTemp("", "openapi-*.json")
	if err != nil {
		return err
	}
	defer os.Remove(described.Name())
	if _, err := described.Write(text); err != nil {
		return err
	}
	if err := described.Close(); err != nil {
		return err
	}
	generate := exec.Command("go", "tool", "oapi-codegen", "-config", config, described.Name()) //nolint:noctx // it ends by itself
	generate.Stdout, generate.Stderr = os.Stdout, os.Stderr
	return generate.Run()
}

type object = map[string]any

// describeDocument adds the limits and defaults of requests to their descriptions.
func describeDocument(text []byte) ([]byte, error) {
	var document object
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		return nil, err
	}
	components, _ := document["components"].(object)
	schemas, _ := components["schemas"].(object)
	for _, schema := range schemas {
		describeMembers(schema)
	}
	return json.Marshal(document)
}

// describeMembers describes the members of an object, and of those in it, if it is one of requests: they alone
// refuse members that are not known.
func describeMembers(schema any) {
	s, _ := schema.(object)
	if items, list := s["items"]; list {
		describeMembers(items)
	}
	if more, said := s["additionalProperties"].(bool); more || !said {
		return
	}
	members, _ := s["properties"].(object)
	for _, member := range members {
		describeMembers(member)
		m, _ := member.(object)
		about, described := m["description"].(string)
		if rules := listRules(m); described && len(rules) > 0 {
			m["description"] = about + " " + strings.Join(rules, " ")
		}
	}
}

// listRules lists the limits of a number, and the default of a value.
func listRules(schema object) (rules []string) {
	low, bounded := schema["minimum"]
	switch high := schema["maximum"]; {
	case bounded && high != nil:
		rules = append(rules, fmt.Sprintf("From %v to %v.", low, high))
	case bounded:
		rules = append(rules, fmt.Sprintf("At least %v.", low))
	}
	switch value := schema["default"].(type) {
	case nil, object, []any:
	default:
		rules = append(rules, fmt.Sprintf("Default %v.", value))
	}
	return rules
}
