package directory

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// eachChunk is how many traders EachTrader reads at a time, so that a long list takes little
// memory.
const eachChunk = 1000

// EachTrader calls visit for all traders that match the filter, the newest first. It reads them in
// chunks, each from a snapshot of its own, so that a slow reader of the list holds no transaction
// open. Every trader comes at most once; those added meanwhile are left out.
func EachTrader(ctx context.Context, reader store.Reader, orgID uuid.UUID, f TraderFilter, visit func(Trader) error) (err error) {
	defer store.WrapError(&err, "read all traders of organization %s", orgID)
	if f.isUnmatchable() {
		return nil
	}
	var last *Trader
	for {
		var chunk []Trader
		err := reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) (err error) {
			chunk, err = (&listing{tx: tx, orgID: orgID, f: f}).readAfter(ctx, last)
			return err
		})
		if err != nil {
			return err
		}
		for _, t := range alignNames(chunk) {
			if err := visit(t); err != nil {
				return err
			}
		}
		if len(chunk) < eachChunk {
			return nil
		}
		last = &chunk[len(chunk)-1]
	}
}

// readAfter reads the traders that follow on one, or the first ones, along the directory's index.
func (d *listing) readAfter(ctx context.Context, last *Trader) ([]Trader, error) {
	if err := d.setPlan(ctx, byIndex); err != nil {
		return nil, err
	}
	args := d.f.queryArguments(d.orgID, eachChunk, 0)
	after := ``
	if last != nil {
		after = fmt.Sprintf(` WHERE (t.created_at, t.id) < (?%d, ?%d)`, len(args), len(args)+1)
		args = append(args, last.CreatedAt, last.ID)
	}
	var ids []uuid.UUID
	query := `SELECT t.id FROM (` + d.rowsQuery(`t.id, t.created_at`) + `) AS t` + after + newestFirst + ` LIMIT ?7`
	if err := d.tx.NewRaw(query, args...).Scan(ctx, &ids); err != nil {
		return nil, err
	}
	return d.readTraders(ctx, ids)
}
