package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assayhq/assay/store/event"
)

const aboutEvents = `# Events

<!-- Generated from store/event by go generate ./configs. -->

[Webhooks](../guides/webhooks.md) send these events. Every event has the same envelope: ` + "`id`, `type`, `timestamp`, `sequence` and `data`" + `. ` + "`GET /v1/webhooks/events`" + ` returns this catalog
with a JSON Schema and an example of each event. New fields may be added, so ignore those that you do not know. A subscription names events, groups such as ` + "`trader.*`" + `, or ` + "`*`" + `.
`

// renderEvents renders the catalog of events: the events of each group and the members of their
// data.
func renderEvents(string) (string, error) {
	var b strings.Builder
	b.WriteString(aboutEvents)
	for all := event.All(); len(all) > 0; {
		n := 1
		for n < len(all) && all[n].Kind.Group() == all[0].Kind.Group() {
			n++
		}
		writeGroup(&b, all[:n])
		all = all[n:]
	}
	var example bytes.Buffer
	if err := json.Indent(&example, event.All()[0].Example(), "", "  "); err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n## Example\n\n```json\n%s\n```\n", &example)
	return b.String(), nil
}

// writeGroup writes the section of a group of events.
func writeGroup(b *strings.Builder, group []event.Definition) {
	fmt.Fprintf(b, "\n## %s\n\n| event | when it is sent |\n|---|---|\n", group[0].Kind.Group())
	var order []string
	kinds := make(map[string][]string) // listed in the table of members
	for _, d := range group {
		fmt.Fprintf(b, "| `%s` | %s |\n", d.Kind, escapeCell(d.Description))
		table := renderMembers(d)
		if kinds[table] == nil {
			order = append(order, table)
		}
		kinds[table] = append(kinds[table], fmt.Sprintf("`%s`", d.Kind))
	}
	for _, table := range order {
		of := strings.Join(kinds[table], ", ")
		if len(kinds[table]) == len(group) {
			of = "these events"
		}
		fmt.Fprintf(b, "\nThe `data` of %s:\n\n| member | type | description |\n|---|---|---|\n%s", of, table)
	}
}

// renderMembers writes a row for each member of an event's data.
func renderMembers(d event.Definition) string {
	var b strings.Builder
	for _, f := range d.Fields() {
		if f.Name != "data" {
			continue
		}
		for _, m := range f.Fields {
			kind := m.Type
			if m.Format != "" {
				kind = m.Format
			}
			if m.Nullable {
				kind += " or null"
			}
			about := m.About
			if len(m.Enum) > 0 {
				about += " One of `" + strings.Join(m.Enum, "`, `") + "`."
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, kind, escapeCell(about))
		}
	}
	return b.String()
}

// escapeCell escapes a text for a table cell.
func escapeCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
