package ingest

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// ExplainProbe returns the plan of the statement that compares a page with the stored records and
// commits if nothing differs. Options are those of EXPLAIN. generic requests the plan for any
// arguments, to which a prepared statement may switch.
func ExplainProbe(ctx context.Context, db *store.DB, p PageCommit, options string, generic bool) (plan string, err error) {
	switch p.Run.Stream.Resource() {
	case record.Traders:
		return explainProbe(ctx, db, newPageWriter(db, synced.traders, p, p.Batch.Traders), options, generic)
	case record.Accounts:
		return explainProbe(ctx, db, newPageWriter(db, synced.accounts, p, p.Batch.Accounts), options, generic)
	case record.Payouts:
		return explainProbe(ctx, db, newPageWriter(db, synced.payouts, p, p.Batch.Payouts), options, generic)
	}
	return explainProbe(ctx, db, newPageWriter(db, synced.trades, p, p.Batch.Trades), options, generic)
}

func explainProbe[R any](ctx context.Context, db *store.DB, w *pageWriter[R], options string, generic bool) (plan string, err error) {
	args, err := w.probeArguments(true)
	if err != nil {
		return "", err
	}
	return explainPlan(ctx, db, w.t.probeSQL, args, options, generic)
}

// ExplainAccountNames returns the plans of the statements that distinguish an account's second id
// from its first: one for the names in trades, one for the second ids of accounts.
func ExplainAccountNames(ctx context.Context, db *store.DB, integrationID uuid.UUID, names []string, generic bool) (given, changed string, err error) {
	args := []any{integrationID, names}
	if given, err = explainPlan(ctx, db, meaningsSQL, args, "COSTS OFF", generic); err != nil {
		return "", "", err
	}
	changed, err = explainPlan(ctx, db, changedNamesSQL, append(args, names), "COSTS OFF", generic)
	return given, changed, err
}

func explainPlan(ctx context.Context, db *store.DB, statement string, args []any, options string, generic bool) (plan string, err error) {
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
