// Package directory holds the traders of an organization with what platforms tell
// of them and what people note: accounts, trades, payouts and notes. It lists and
// searches them, changes what people may change, matches and merges two rows of one
// person, and erases. What pages of platforms share with that is here too: the
// columns of their records, and who was erased. Its functions work on a *store.DB;
// those that change something take a store.Change.
package directory
