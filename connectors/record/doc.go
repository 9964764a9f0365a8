// Package record holds the four kinds of record that a trading platform has:
// traders, accounts, trades and payouts, in the one form that the rest of assay
// works with, whatever platform they came from.
//
// Absence is the zero value: an empty string, an empty Decimal or a zero time is
// what the platform sent as null or left out. An empty string that a platform sends
// counts as absent, too, so the two never need to be distinguished.
//
// Records are immutable once a connector has returned them, and their strings may
// share one backing array with the page they came in.
package record
