// Package ingest writes what platforms send: pages of traders, accounts, trades and payouts,
// records that could not be used, and marks on records that an audit no longer finds on the
// platform. Everything is written under the lease of package syncing.
package ingest
