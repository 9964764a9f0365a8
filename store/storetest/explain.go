package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// Cost is what Postgres counted while it executed a statement.
type Cost struct {
	Buffers int    // blocks of tables and indexes that were read, from memory or from the disk, each time they were
	Rows    int    // rows of tables that scans found, also those that a filter discarded
	WAL     int    // bytes of the write-ahead log
	Plan    string // for messages: where these figures come from
}

// explainSQL executes the statement that follows.
const explainSQL = `EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, FORMAT JSON) `

// CheckReads reports a statement that reads more than it should.
func (c Cost) CheckReads(t testing.TB, what string, buffers, rows int) {
	t.Helper()
	if c.Buffers > buffers || c.Rows > rows {
		t.Errorf("%s reads %d blocks and %d rows, want at most %d and %d:\n%s", what, c.Buffers, c.Rows, buffers, rows, c.Plan)
	}
}

// Explain executes a statement, undoes what it changed, and returns what it cost. generic requests
// the plan for any arguments, to which a prepared statement may switch.
func Explain(t testing.TB, db *store.DB, generic bool, statement string, args ...any) Cost {
	t.Helper()
	return explain(t, db, generic, func() {}, statement, args...)
}

// ExplainOutdated is Explain with a plan for any arguments that was made before the change.
func ExplainOutdated(t testing.TB, db *store.DB, change func(), statement string, args ...any) Cost {
	t.Helper()
	return explain(t, db, true, change, statement, args...)
}

func explain(t testing.TB, db *store.DB, generic bool, change func(), statement string, args ...any) (cost Cost) {
	t.Helper()
	ctx := t.Context()
	err := db.Pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) (err error) {
		mode := "force_custom_plan"
		if generic {
			mode = "force_generic_plan"
		}
		if _, err := conn.Exec(ctx, "SET plan_cache_mode = "+mode); err != nil {
			return err
		}
		prepared, err := conn.Conn().Prepare(ctx, "explained", statement)
		if err != nil {
			return err
		}
		defer func() {
			_, reset := conn.Exec(ctx, "RESET plan_cache_mode")
			err = errors.Join(err, conn.Conn().Deallocate(ctx, "explained"), reset)
		}()
		// EXECUTE in EXPLAIN takes no parameters, so they become literals.
		places := make([]string, len(prepared.ParamOIDs))
		for i := range places {
			places[i] = fmt.Sprintf("$%d", i+1)
		}
		execute := "EXECUTE explained (" + strings.Join(places, ", ") + ")"
		args := append([]any{pgx.QueryExecModeSimpleProtocol}, args...)
		if _, err := conn.Exec(ctx, "EXPLAIN "+execute, args...); err != nil {
			return err
		}
		change()
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, tx.Rollback(ctx)) }()
		var plan string
		if err := tx.QueryRow(ctx, explainSQL+execute, args...).Scan(&plan); err != nil {
			return err
		}
		cost, err = parseCost(plan)
		return err
	})
	if err != nil {
		t.Fatalf("explain %s: %v", statement, err)
	}
	return cost
}

// ExplainIn executes a query in a transaction that may have settings for the planner.
func ExplainIn(ctx context.Context, tx bun.IDB, query string, args ...any) (Cost, error) {
	var plan string
	if err := tx.NewRaw(explainSQL+query, args...).Scan(ctx, &plan); err != nil {
		return Cost{}, err
	}
	return parseCost(plan)
}

// planNode is a node of a plan. Its counts of blocks and bytes include its children's, except for
// a change in WITH whose rows nobody reads. Its counts of rows are the average of its loops.
type planNode struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Found    float64 `json:"Actual Rows"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Lossy    float64 `json:"Rows Removed by Index Recheck"`
	Loops    float64 `json:"Actual Loops"`
	Hit      int     `json:"Shared Hit Blocks"`
	Read     int     `json:"Shared Read Blocks"`
	WAL      int     `json:"WAL Bytes"`
	Plans    []planNode
}

// parseCost adds up the figures of a plan.
func parseCost(plan string) (cost Cost, err error) {
	var statements []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(plan), &statements); err != nil {
		return Cost{}, err
	}
	var lines strings.Builder
	for _, s := range statements {
		cost = s.Plan.addUp(&lines, "")
	}
	cost.Plan = lines.String()
	return cost, nil
}

// addUp adds up the figures of a node and of those below it, and writes a line for each.
func (n *planNode) addUp(lines *strings.Builder, indent string) (c Cost) {
	rows := (n.Found + n.Filtered + n.Lossy) * n.Loops
	fmt.Fprintf(lines, "%s%s: %.0f rows, %d blocks\n", indent, strings.Join(strings.Fields(n.Type+" "+n.Relation+" "+n.Index), " "), rows, n.Hit+n.Read)
	for i := range n.Plans {
		child := n.Plans[i].addUp(lines, indent+"  ")
		c.Buffers, c.Rows, c.WAL = c.Buffers+child.Buffers, c.Rows+child.Rows, c.WAL+child.WAL
	}
	c.Buffers, c.WAL = max(c.Buffers, n.Hit+n.Read), max(c.WAL, n.WAL)
	if n.Relation != "" && strings.HasSuffix(n.Type, "Scan") {
		c.Rows += int(rows)
	}
	return c
}
