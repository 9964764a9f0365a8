// Package activity stores the inputs of a trader's analysis: uploaded files of trades, and an
// organization's rulesets and calendars. It also reads trades for an analysis. Its functions work
// on a *store.DB; those that change something take a store.Change.
//
// Trades are streamed, and what is read with them shares their snapshot, so reading uses pgx: see
// docs/decisions/0043-bun-and-pgx.md.
package activity
