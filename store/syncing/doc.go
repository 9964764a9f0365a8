// Package syncing holds the integrations of an organization and what reads their
// platforms: the schedule and its claims, the pages that are written, what a cycle
// ends with, records that could not be used, and the comparison with the platform.
// Its functions work on a *store.DB; those that change something for somebody take
// a store.Change.
package syncing
