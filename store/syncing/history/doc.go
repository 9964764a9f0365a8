// Package history lists what the cycles of an integration did: runs, records in quarantine and
// findings, and deletes the old ones.
package history
