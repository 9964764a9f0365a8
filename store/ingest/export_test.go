package ingest

import (
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// The statements that distinguish an account's second id from its first: one for the names in
// trades, one for the second ids of accounts.
const (
	MeaningsSQL     = meaningsSQL
	ChangedNamesSQL = changedNamesSQL
)

// ProbeStatement returns the statement that compares a page with the stored records and commits if
// nothing differs, and its arguments.
func ProbeStatement(db *store.DB, p PageCommit) (statement string, args []any, err error) {
	switch p.Run.Stream.Resource() {
	case record.Traders:
		return probeStatement(newPageWriter(db, synced.traders, p, p.Batch.Traders))
	case record.Accounts:
		return probeStatement(newPageWriter(db, synced.accounts, p, p.Batch.Accounts))
	case record.Payouts:
		return probeStatement(newPageWriter(db, synced.payouts, p, p.Batch.Payouts))
	}
	return probeStatement(newPageWriter(db, synced.trades, p, p.Batch.Trades))
}

func probeStatement[R any](w *pageWriter[R]) (statement string, args []any, err error) {
	args, err = w.probeArguments(true)
	return w.t.probeSQL, args, err
}
