// Package ingest writes what platforms send: pages of traders, accounts, trades and
// payouts, what could not be used of them, and what a comparison with the platform
// has not shown any more. Everything is written under the lease of package syncing.
package ingest
