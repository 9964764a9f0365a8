// Package auditlog reads and verifies the chained log of who changed what. Package store writes its
// rows, in the transactions of the changes.
package auditlog
