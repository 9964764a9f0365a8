// Package removals stores what is still to be removed outside of the database: the blobs below a
// prefix, and the traces of a deleted interview in events.
package removals
