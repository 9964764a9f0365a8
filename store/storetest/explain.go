package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/store"
	"github.com/jackc/pgx/v5"
)

// Explain returns the plan of a statement. options are those of EXPLAIN. generic requests the plan
// for any arguments, to which a prepared statement may switch.
func Explain(t testing.TB, db *store.DB, options string, generic bool, statement string, args ...any) (plan string) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		mode := "force_custom_plan"
		if generic {
			mode = "force_generic_plan"
		}
		if _, err := tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = "+mode); err != nil {
			return err
		}
		prepared, err := tx.Prepare(t.Context(), "explained", statement)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Conn().Deallocate(t.Context(), "explained") }()
		// EXECUTE in EXPLAIN takes no parameters, so they become literals.
		places := make([]string, len(prepared.ParamOIDs))
		for i := range places {
			places[i] = fmt.Sprintf("$%d", i+1)
		}
		rows, err := tx.Query(t.Context(), fmt.Sprintf("EXPLAIN (%s) EXECUTE explained (%s)", options, strings.Join(places, ", ")),
			append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan = strings.Join(lines, "\n")
		return err
	})
	if err != nil {
		t.Fatalf("explain %s: %v", statement, err)
	}
	return plan
}
