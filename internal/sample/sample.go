// Package sample shortens the long tables of tests.
package sample

import "testing"

// Cases returns all cases of a table or, in a run with -short, about count of them, spread evenly. It
// is for tables in which each case takes a database, a platform or a second of its own.
func Cases[T any](table []T, count int) []T {
	if !testing.Short() || len(table) <= count {
		return table
	}
	some := make([]T, count)
	for i := range some {
		some[i] = table[i*len(table)/count]
	}
	return some
}
