// Package interviews stores interviews: their questions, the sessions in which traders answer,
// takes, the steps that make a report, shares, and retention. It also erases a trader with all
// interviews. Its functions work on a *store.DB; those that change something take a store.Change.
package interviews
