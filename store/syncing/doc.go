// Package syncing stores the integrations of an organization and the state of reading their
// platforms: the schedule and its claims, runs and the results of cycles, and the comparison with
// the platform. Package ingest writes the pages. The functions work on a *store.DB; those that
// change something on behalf of somebody take a store.Change.
package syncing
