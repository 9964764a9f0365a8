// Package directory holds the traders of an organization with what platforms tell
// of them and what people note: accounts, trades, payouts and notes. It lists and
// searches them, and changes what people may change. Its functions work on a
// *store.DB; those that change something take a store.Change.
package directory
