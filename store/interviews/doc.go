// Package interviews keeps interviews: their questions, the sessions in which
// traders answer, takes, the steps that make a report of them, shares, retention,
// and the erasing of a trader with all of that. Its functions work on a *store.DB;
// those that change something take a store.Change.
package interviews
