package keyset_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/keyset"
)

func TestSorts(t *testing.T) {
	t.Parallel()
	type row struct {
		name string
		n    int64
	}
	number := func(r row) any { return r.n }
	sorts := keyset.Sorts[row]{
		Columns: []keyset.SortColumn[row]{
			{Name: "age", Column: keyset.Column{SQL: "a", Type: keyset.Number, Descending: true}, Value: number},
			{Name: "name", Column: keyset.Column{SQL: "b", Type: keyset.Text}, Value: func(r row) any { return r.name }},
		},
		Ties: []keyset.SortColumn[row]{{Column: keyset.Column{SQL: "i", Type: keyset.Number, Descending: true}, Value: number}},
	}
	if diff := cmp.Diff([]string{"-age", "age", "name", "-name"}, sorts.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"":        "a DESC, i DESC: 7 7",
		"-age":    "a DESC, i DESC: 7 7",
		"age":     "a, i: 7 7",
		"name":    "b, i DESC: x 7",
		"-name":   "b DESC, i: x 7",
		"unknown": "a DESC, i DESC: 7 7",
	} {
		position := sorts.PositionIn(name)(row{"x", 7})
		got := strings.TrimPrefix(sorts.Order(name).SQL(), " ORDER BY ") + ": " + *position[0] + " " + *position[1]
		if got != want {
			t.Errorf("order %q is %q, want %q", name, got, want)
		}
	}
}
