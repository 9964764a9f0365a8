// Package syncing holds the integrations of an organization and what reads their
// platforms: the schedule and its claims, runs and what a cycle ends with, and the
// comparison with the platform. Package ingest writes the pages. The functions work
// on a *store.DB; those that change something for somebody take a store.Change.
package syncing
