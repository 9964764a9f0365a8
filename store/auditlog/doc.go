// Package auditlog reads and verifies the chained log of who changed what. Its rows
// are written by package store, with the change that they tell of.
package auditlog
