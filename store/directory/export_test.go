package directory

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// A Statement reads a directory or a trader's trades.
type Statement struct {
	Query string
	Args  []any
}

// ExplainListing calls explain with each statement that may list a directory in which total rows
// match the filter, by name, in a transaction in which the planner does as it is told.
func ExplainListing(ctx context.Context, db *store.DB, orgID uuid.UUID, f TraderFilter, total int, p store.Page, explain func(ctx context.Context, tx bun.IDB, name string, s Statement) error) error {
	return db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		d := &listing{tx: tx, orgID: orgID, f: f, p: p, moved: true}
		for _, step := range []struct {
			name  string
			plan  plan
			query func() (string, []any)
		}{
			{"sample", byIndex, d.sampleQuery},
			{"gather along the directory", byIndex, func() (string, []any) { return d.gatherQuery(byIndex) }},
			{"walk", byIndex, func() (string, []any) { return d.walkQuery(d.p.MaxRows(), total) }},
			{"count", d.countPlan(), d.countQuery},
			{"gather", byFilters, func() (string, []any) { return d.gatherQuery(byFilters) }},
		} {
			if err := d.setPlan(ctx, step.plan); err != nil {
				return err
			}
			query, args := step.query()
			if err := explain(ctx, tx, step.name, Statement{query, args}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TradeStatements returns the statements that list and add up a trader's trades, by name.
func TradeStatements(integrationID uuid.UUID, externalID string, f TradeFilter, p store.Page) (map[string]Statement, error) {
	o := Owner{IntegrationID: &integrationID, ExternalID: &externalID}
	count, countArgs := f.countQuery(o)
	page, pageArgs, err := f.pageQuery(o, p)
	return map[string]Statement{
		"count": {count, countArgs},
		"page":  {`SELECT ` + tradeColumns + page, pageArgs},
		"sums":  {sumsSQL, []any{o.IntegrationID, o.ExternalID}},
	}, err
}

// SharingStatement returns the statement that finds who shares something with a trader.
func SharingStatement(orgID, id uuid.UUID, reason DuplicateReason) Statement {
	return Statement{sharingSQL(reason), sharingArguments(orgID, id)}
}

// ArrivalsBatch is how many parts of new traders one transaction moves.
const ArrivalsBatch = arrivalsBatch

// TakeArrivals is takeArrivals.
var TakeArrivals = takeArrivals
