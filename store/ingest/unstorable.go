package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/assayhq/assay/connectors/record"
)

// ruleUnstorable is broken by a record that can be decoded but that Postgres cannot store.
const ruleUnstorable = "unstorable"

// isUnstorable reports whether err is caused by the values in a statement: a value out of range, a
// violated constraint, a limit of Postgres (classes 22, 23, 54).
func isUnstorable(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	class := pg.Code[:min(len(pg.Code), 2)]
	return class == "22" || class == "23" || class == "54"
}

// rejectUnstorable finds the records of the page that Postgres refuses, by writing each separately
// in a transaction that is rolled back. It moves them from the page to quarantine.
func (w *pageWriter[R]) rejectUnstorable(ctx context.Context) error {
	var refused []int
	err := pgx.BeginFunc(ctx, w.db.Pool, func(tx pgx.Tx) error {
		for n := range w.rows {
			err := pgx.BeginFunc(ctx, tx, func(point pgx.Tx) error { return w.upsertRows(ctx, point, []int{n}) })
			switch {
			case isUnstorable(err):
				refused = append(refused, n)
				w.p.Rejected = append(w.p.Rejected, w.rejectionOf(n, err))
			case err != nil:
				return err
			}
		}
		return errRollback
	})
	if !errors.Is(err, errRollback) {
		return err
	}
	kept := make([]R, 0, len(w.rows))
	for n := range w.rows {
		if !slices.Contains(refused, n) {
			kept = append(kept, w.rows[n])
		}
	}
	named := w.named
	*w = *newPageWriter(w.db, w.t, w.p, kept)
	w.quarantining, w.named = true, named
	return nil
}

// errRollback ends a transaction that was only a trial.
var errRollback = errors.New("roll back")

// rejectionOf describes a refused record. It contains the record's decoded form, because the
// original is no longer available.
func (w *pageWriter[R]) rejectionOf(n int, cause error) record.Rejected {
	detail := "The database rejected the record."
	var pg *pgconn.PgError
	if errors.As(cause, &pg) {
		detail = "The database rejected the record (SQLSTATE " + pg.Code + ")."
	}
	raw, err := json.Marshal(w.rows[n])
	if err != nil {
		raw = nil
	}
	text := strings.ToValidUTF8(string(raw[:min(len(raw), record.MaxRawBytes)]), "")
	return record.Rejected{Key: w.t.recordKey(&w.rows[n]), Raw: text, Rule: ruleUnstorable, Detail: detail}
}
