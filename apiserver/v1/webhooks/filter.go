package webhooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// Limits of an endpoint's filters. They are compared in the transaction of each event, so there
// are few.
const (
	maxFilters       = 10
	maxFilterValues  = 50
	maxFilterMember  = 100
	maxFilterValue   = 200
	maxFiltersToName = 8 // members that a refusal lists
)

// readFilters reads which events an endpoint is sent, by their members. What the members of the
// events are is checked by checkFilters.
func readFilters(o *decode.Object) decode.Field[[]event.Filter] {
	filters := decode.Objects(o, "filters", maxFilters, readFilter)
	o.Note("filters", decode.Note{
		About: "Send only events that pass all of these filters. They replace all earlier ones; `[]` removes them. Other events have no delivery and no number.",
	})
	if filters.State != decode.Set {
		return filters
	}
	seen := make(map[string]bool)
	for i, f := range filters.Value {
		if seen[f.Member] {
			o.At(filterPointer(i).Member("member"), problem.InvalidFormat, "Must not be named twice. List all values in one filter.")
			filters.State = decode.Faulty
		}
		seen[f.Member] = true
	}
	return filters
}

func filterPointer(i int) problem.Pointer { return problem.Pointer{}.Member("filters").Index(i) }

func readFilter(o *decode.Object) event.Filter {
	member := o.Text("member", maxFilterMember)
	o.Note("member", decode.Note{About: "Path of a text, boolean or integer in the events. Through a list, one of the items must match.", Example: "data.integration_id", Pattern: `^data(\.[a-z_]+)+$`})
	o.Require("member", member.State)
	seen := make(map[string]bool)
	values := o.Texts("values", maxFilterValues, maxFilterValue, func(at problem.Pointer, value string) bool {
		if seen[value] {
			o.At(at, problem.InvalidFormat, "Must not be listed twice.")
		}
		seen[value] = true
		return true
	})
	o.Note("values", decode.Note{About: "Values to send events of. Null never matches.", Least: 1, Unique: true, Example: []string{"01980000-0000-7000-8000-000000000002"}})
	o.Require("values", values.State)
	if values.State == decode.Set && len(values.Value) == 0 {
		o.Fault("values", problem.TooFewItems, "Must list at least one value. Remove the filter to send all events.")
	}
	return event.Filter{Member: member.Value, Values: values.Value}
}

// checkFilters notes faults of filters that no event of the patterns can pass.
func checkFilters(faults *decode.Faults, patterns []string, filters []event.Filter) {
	kinds := listKinds(patterns)
	for i, f := range filters {
		at := filterPointer(i)
		var fields []event.Field
		for _, d := range kinds {
			if field, ok := d.FilterField(f.Member); ok {
				fields = append(fields, field)
			}
		}
		if len(fields) == 0 {
			faults.At(at.Member("member"), problem.InvalidFormat, "Must be in one of the endpoint's events: "+nameFilterFields(kinds)+".")
			continue
		}
		for j, value := range f.Values {
			if detail := checkFilterValue(fields, value); detail != "" {
				faults.At(at.Member("values").Index(j), problem.InvalidFormat, detail)
			}
		}
	}
}

// listKinds lists the kinds that match one of the patterns.
func listKinds(patterns []string) []event.Definition {
	return slices.DeleteFunc(event.All(), func(d event.Definition) bool {
		return !slices.ContainsFunc(d.Kind.Patterns(), func(p string) bool { return slices.Contains(patterns, p) })
	})
}

// nameFilterFields names the members by which the kinds can be filtered, those of most kinds first.
func nameFilterFields(kinds []event.Definition) string {
	var paths []string
	count := make(map[string]int)
	for _, d := range kinds {
		for _, path := range d.FilterFields() {
			if count[path]++; count[path] == 1 {
				paths = append(paths, path)
			}
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return count[b] - count[a] })
	if len(paths) > maxFiltersToName {
		return strings.Join(paths[:maxFiltersToName], ", ") + " or another of GET /v1/webhooks/events"
	}
	return strings.Join(paths, ", ")
}

// checkFilterValue returns why none of the members can have the value, or an empty text.
func checkFilterValue(fields []event.Field, value string) (detail string) {
	var known []string
	for _, f := range fields {
		switch {
		case f.Enum != nil:
			if slices.Contains(f.Enum, value) {
				return ""
			}
			known = append(known, f.Enum...)
		case f.Format == "uuid":
			if id, err := uuid.Parse(value); err == nil && id.String() == value {
				return ""
			}
			detail = "Must be an id, as events have it: a UUID in lower case."
		case f.Type == "boolean":
			if value == "true" || value == "false" {
				return ""
			}
			detail = "Must be true or false."
		case f.Type == "integer":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
				return ""
			}
			detail = "Must be an integer."
		default:
			return ""
		}
	}
	if known != nil {
		slices.Sort(known)
		return fmt.Sprintf("Must be one of %s.", strings.Join(slices.Compact(known), ", "))
	}
	return detail
}

// checkPatchedFilters checks the filters of an endpoint against its events after a patch.
func checkPatchedFilters(e webhooks.Endpoint, p webhooks.EndpointPatch) error {
	if p.Events == nil && p.Filters == nil {
		return nil
	}
	events, filters, faults := e.Events, e.Filters, new(decode.Faults)
	if p.Events != nil {
		events = *p.Events
	}
	if p.Filters != nil {
		filters = *p.Filters
	}
	checkFilters(faults, events, filters)
	if p.Filters == nil && faults.Err() != nil {
		faults = new(decode.Faults)
		faults.At(problem.Pointer{}.Member("events"), problem.InvalidFormat, "Must include events that can pass the endpoint's filters. Send the new filters in the same request, or [] to remove them.")
	}
	return faults.Err()
}
