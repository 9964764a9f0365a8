package format

import "slices"

// Alias is what the generic mapper knows of a name.
type Alias struct {
	Role Role
	Rank int // the lower, the better
}

// FindName returns what is known of a name of a column, folded and in English.
func FindName(name string) (a Alias, known bool) {
	a, known = knownNames[name]
	return a, known
}

// IsKnownName reports whether a name makes a row a header.
func IsKnownName(name string) bool {
	_, known := knownNames[name]
	return known
}

// knownNames are all names that make a row a header; those without a role have rank -1.
var knownNames = collectNames()

func collectNames() map[string]Alias {
	all := map[string]Alias{}
	for _, n := range furtherNames {
		all[n] = Alias{Rank: -1}
	}
	for n := range Pairs {
		all[n] = Alias{Rank: -1}
	}
	for _, c := range ExecutionColumns {
		all[c.Name] = Alias{Rank: -1}
	}
	for _, family := range ListFamilies() {
		for _, f := range family {
			for _, c := range slices.Concat(f.Columns, f.Optional) {
				all[c.Name] = Alias{Rank: -1}
			}
		}
	}
	for rank, c := range aliases {
		all[c.Name] = Alias{Role: c.Role, Rank: rank}
	}
	return all
}
