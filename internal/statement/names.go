package statement

import "slices"

// alias is what the generic mapper knows of a name.
type alias struct {
	role role
	rank int // the lower, the better
}

// findName returns what is known of a name of a column, folded and in English.
func findName(name string) (a alias, known bool) {
	a, known = knownNames[name]
	return a, known
}

// isKnownName reports whether a name makes a row a header.
func isKnownName(name string) bool {
	_, known := knownNames[name]
	return known
}

// knownNames are all names that make a row a header; those without a role have rank -1.
var knownNames = collectNames()

func collectNames() map[string]alias {
	all := map[string]alias{}
	for _, n := range furtherNames {
		all[n] = alias{rank: -1}
	}
	for n := range pairs {
		all[n] = alias{rank: -1}
	}
	for _, c := range executionColumns {
		all[c.name] = alias{rank: -1}
	}
	for _, family := range allFormats() {
		for _, f := range family {
			for _, c := range slices.Concat(f.columns, f.optional) {
				all[c.name] = alias{rank: -1}
			}
		}
	}
	for rank, c := range aliases {
		all[c.name] = alias{role: c.role, rank: rank}
	}
	return all
}
