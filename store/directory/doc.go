// Package directory stores the traders of an organization with the data of platforms and the notes
// of people: accounts, trades, payouts and notes. It lists and searches traders, makes the changes
// that people may make, matches and merges two rows of one person, and erases. It also holds the
// list of erased people, which package ingest shares.
// Its functions work on a *store.DB; those that change something take a store.Change.
package directory
