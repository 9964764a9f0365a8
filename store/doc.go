// Package store is the only package that knows SQL. It keeps organizations,
// people and keys, integrations with their schedules, and what was read from
// the platforms, in one Postgres database of version 15 or newer.
//
// A public method is one transaction or one statement, and no transaction
// leaves the package. Whatever belongs to an organization is read and changed
// only with that organization's id in the statement, so that an id of somebody
// else's is indistinguishable from one that does not exist: ErrNotFound.
//
// Interviews have three sides. People and keys change them by the methods that
// take a Change. The trader's browser works under a TraderSession
// (interview_session.go). Workers make media, transcripts and reports of them
// under a StepClaim (interview_step.go).
//
// Times read from the database are in UTC. Numbers are exact.
package store
