// Package activity keeps what is analyzed of a trader: files of trades that were
// uploaded, rulesets and calendars of an organization, and the reading of trades
// for an analysis. Its functions work on a *store.DB; those that change something
// take a store.Change.
package activity
