// Package store is the database layer: SQL is written only here and in the packages below. They
// keep organizations, people and keys, integrations with their schedules, and what was read from
// the platforms, in one Postgres database of version 15 or newer.
//
// An exported function is one transaction or one statement, and no transaction leaves these
// packages. An organization's data is read and changed only with the organization's id in the
// statement, so that the id of another organization's object is indistinguishable from one that
// does not exist: ErrNotFound.
//
// Interviews have three sides. People and keys change them by the functions that take a Change. The
// trader's browser works under an answering.Session. Workers make media, transcripts and reports of
// them under a worker.Claim.
//
// Times read from the database are in UTC. Numbers are exact.
package store
