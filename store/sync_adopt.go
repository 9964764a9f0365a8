package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
)

// querier is what a pool and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// candidate is a trader made by hand whose email equals that of a trader on
// the page, and whose external id, if it has one, does too.
type candidate struct {
	row int // index into the page's rows
	id  uuid.UUID
}

// adoptable finds the candidates for the chosen rows. Emails are compared
// case-folded by Postgres alone, so that one rule holds.
func (w *pageWriter[R]) adoptable(ctx context.Context, q querier, chosen []int) ([]candidate, error) {
	emails := w.texts(w.column("email"))
	wanted := make([]string, len(chosen))
	keys := make([]string, len(chosen))
	for i, n := range chosen {
		wanted[i], keys[i] = emails[n], w.t.recordKey(&w.rows[n])
	}
	rows, err := q.Query(ctx, `SELECT u.n, t.id
FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS u(email, key, n)
JOIN traders t ON t.organization_id = $1 AND t.integration_id IS NULL AND lower(t.email) = lower(u.email)
WHERE u.email <> ''
  AND (t.external_id IS NULL OR t.external_id = u.key)
ORDER BY u.n, t.id`, hot(w.db, w.p.Claim.OrganizationID, wanted, keys)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (candidate, error) {
		var c candidate
		err := row.Scan(&c.row, &c.id)
		if err == nil {
			c.row = chosen[c.row-1]
		}
		return c, err
	})
}

func (w *pageWriter[R]) column(name string) column[R] {
	for _, c := range w.t.content {
		if c.name == name {
			return c
		}
	}
	panic("store: no column " + name + " in " + w.t.name)
}

// adopt turns traders made by hand into the page's traders of the same email,
// so that the directory keeps one row with everything that hangs on it. The
// upsert that follows fills the adopted row with what the platform sent. A
// trader with several candidates adopts none.
func (w *pageWriter[R]) adopt(ctx context.Context, tx pgx.Tx, out *PageOutcome, chosen []int) error {
	candidates, err := w.adoptable(ctx, tx, chosen)
	if err != nil {
		return err
	}
	taken := make(map[uuid.UUID]bool)
	ambiguous := record.Finding{Rule: "ambiguous_email", Resource: record.Traders}
	for from := 0; from < len(candidates); {
		to := from
		for to < len(candidates) && candidates[to].row == candidates[from].row {
			to++
		}
		c, key := candidates[from], w.t.recordKey(&w.rows[candidates[from].row])
		switch {
		case to-from > 1:
			ambiguous.Count++
			ambiguous.Samples = append(ambiguous.Samples, key)
		case !taken[c.id]:
			taken[c.id] = true
			if err := w.adoptOne(ctx, tx, c.id, key); err != nil {
				return err
			}
		}
		from = to
	}
	if ambiguous.Count > 0 {
		ambiguous.Samples = ambiguous.Samples[:min(len(ambiguous.Samples), record.MaxSamples)]
		out.Findings = append(out.Findings, ambiguous)
	}
	return nil
}

// adoptOne gives the row made by hand the platform's key. The row that was
// synced under that key before, if any, makes way. The missing hash makes the
// upsert replace everything that the platform knows.
func (w *pageWriter[R]) adoptOne(ctx context.Context, tx pgx.Tx, id uuid.UUID, key string) error {
	_, err := tx.Exec(ctx, `DELETE FROM traders WHERE integration_id = $1 AND external_id = $2`, w.p.Claim.IntegrationID, key)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE traders SET integration_id = $1, source = $2, external_id = $3, content_hash = NULL
WHERE id = $4 AND integration_id IS NULL`, w.p.Claim.IntegrationID, string(w.p.Claim.Kind), key, id)
	return err
}
