package configs

import (
	"slices"
	"strings"
)

// variablePrefix starts the name of every variable.
const variablePrefix = "ASSAY_"

// parseEnvironment collects the settings from environment variables by key. A setting without
// items resets its key to the default.
func parseEnvironment(environ []string) (map[string]setting, []Fault) {
	known := map[string]key{}
	sections := map[string][]string{}
	for _, k := range listKeys() {
		name := Variable(k.path)
		known[name] = k
		sections[sectionOf(name)] = append(sections[sectionOf(name)], name)
	}
	settings := map[string]setting{}
	var faults []Fault
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, variablePrefix) {
			continue
		}
		k, ok := known[name]
		if !ok {
			if near := sections[sectionOf(name)]; near != nil {
				faults = append(faults, Fault{Source: name, Detail: "unknown variable; valid: " + strings.Join(slices.Sorted(slices.Values(near)), ", ")})
			}
			continue
		}
		settings[k.path] = setting{items: k.splitValue(value), at: Fault{Source: name, Key: k.path}}
	}
	return settings, faults
}

// sectionOf returns the first word of a variable's name after the prefix.
func sectionOf(name string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, variablePrefix), "_")
	return first
}

// splitValue splits a variable's value into its items.
func (k key) splitValue(value string) []string {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	if !k.list {
		return []string{value}
	}
	items := strings.Split(value, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}
