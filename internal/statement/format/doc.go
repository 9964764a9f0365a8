// Package format describes the exports that are known, as data: how each platform names the columns of its tables,
// what they mean, and what its rows do not say. It also has the names of columns by which tables of other platforms are
// read, and the exports that are known to be no lists of trades.
//
// A new export of a known kind needs an entry here, and an example in the testdata of package statement.
package format
