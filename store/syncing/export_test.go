package syncing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// ExplainClaim returns the plan of ClaimDue's statement.
func ExplainClaim(ctx context.Context, db *store.DB, limit int, within time.Duration, generic bool) (plan string, err error) {
	due, args := dueWithin(within)
	args = append([]any{"owner", limit, time.Minute, make([]uuid.UUID, limit)}, args...)
	return explainPrepared(ctx, db, claimSQL(due), args, "COSTS OFF", generic)
}

func explainPrepared(ctx context.Context, db *store.DB, statement string, args []any, options string, generic bool) (plan string, err error) {
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		mode := "force_custom_plan"
		if generic {
			mode = "force_generic_plan"
		}
		if _, err := tx.Exec(ctx, "SET LOCAL plan_cache_mode = "+mode); err != nil {
			return err
		}
		prepared, err := tx.Prepare(ctx, "probe", statement)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Conn().Deallocate(ctx, "probe") }()
		// EXECUTE in EXPLAIN takes no parameters, so they become literals.
		places := make([]string, len(prepared.ParamOIDs))
		for i := range places {
			places[i] = fmt.Sprintf("$%d", i+1)
		}
		rows, err := tx.Query(ctx, fmt.Sprintf("EXPLAIN (%s) EXECUTE probe (%s)", options, strings.Join(places, ", ")),
			append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan = strings.Join(lines, "\n")
		return err
	})
	return plan, err
}
