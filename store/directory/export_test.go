package directory

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// ListingPlans returns the plans of the statements that may list a directory in which total rows
// match the filter.
func ListingPlans(ctx context.Context, db *store.DB, orgID uuid.UUID, f TraderFilter, total int, p store.Page) (plans map[string]string, err error) {
	plans = make(map[string]string)
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		d := &listing{tx: tx, orgID: orgID, f: f, p: p}
		for _, step := range []struct {
			name  string
			way   way
			query func() (string, []any)
		}{
			{"sample", byIndex, d.sampleQuery},
			{"gather along the directory", byIndex, func() (string, []any) { return d.gatherQuery(byIndex) }},
			{"walk", byIndex, func() (string, []any) { return d.walkQuery(d.p.MaxRows(), total) }},
			{"count", d.countPlan(), d.countQuery},
			{"gather", byFilters, func() (string, []any) { return d.gatherQuery(byFilters) }},
		} {
			if err := d.setPlan(ctx, step.way); err != nil {
				return err
			}
			query, args := step.query()
			if plans[step.name], err = explainQuery(ctx, tx, query, args); err != nil {
				return err
			}
		}
		return nil
	})
	return plans, err
}

// TradePlans returns the plans of the statements that list and add up a trader's trades.
func TradePlans(ctx context.Context, db *store.DB, integrationID uuid.UUID, externalID string, f TradeFilter, p store.Page) (plans map[string]string, err error) {
	o := Owner{IntegrationID: &integrationID, ExternalID: &externalID}
	plans = make(map[string]string)
	for _, name := range []string{"count", "page", "sums"} {
		query, args := sumsSQL, []any{o.IntegrationID, o.ExternalID}
		switch name {
		case "count":
			query, args = f.countQuery(o)
		case "page":
			if query, args, err = f.pageQuery(o, p); err != nil {
				return nil, err
			}
			query = `SELECT ` + tradeColumns + query
		}
		if plans[name], err = explainQuery(ctx, db.Bun, query, args); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func explainQuery(ctx context.Context, db bun.IDB, query string, args []any) (plan string, err error) {
	var lines []string
	err = db.NewRaw("EXPLAIN (COSTS OFF) "+query, args...).Scan(ctx, &lines)
	for _, line := range lines {
		plan += line + "\n"
	}
	return plan, err
}

// SharingPlan returns the plan of the statement that finds who shares something with a trader.
func SharingPlan(ctx context.Context, db *store.DB, orgID, id uuid.UUID, reason DuplicateReason) (plan string, err error) {
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		plan, err = explainQuery(ctx, tx, sharingSQL(reason), sharingArguments(orgID, id))
		return err
	})
	return plan, err
}
