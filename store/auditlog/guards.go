package auditlog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// expectedGuards are the triggers that keep the audit log from being changed, each
// with what pg_trigger and pg_proc must say of it: for which rows and statements
// it is called (tgtype), when it is in force (tgenabled), and a part of what it
// does.
const expectedGuards = `VALUES
    ('audit_log', 'append_only', 58, '{A}'::"char"[], 'RAISE EXCEPTION'),
    ('audit_chains', 'append_only', 42, '{A}', 'RAISE EXCEPTION'),
    ('audit_chains', 'advance', 19, '{A}', 'RAISE EXCEPTION'),
    ('organizations', 'begin_audit_chain', 5, '{O,A}', 'INSERT INTO audit_chains')`

// CheckGuards returns what is wrong with the triggers that keep the audit log
// from being changed, a line for each; none when they are in force. What was done
// meanwhile where they are not is found by Verify alone.
func CheckGuards(ctx context.Context, db *store.DB) (faults []string, err error) {
	defer store.WrapError(&err, "check the triggers of the audit log")
	rows, err := db.Pool.Query(ctx, `SELECT g.relation, g.name, t.oid IS NOT NULL AS there,
    coalesce(t.tgenabled = ANY (g.enabled), false) AS enabled, coalesce(t.tgtype = g.type AND t.tgqual IS NULL AND strpos(p.prosrc, g.does) > 0, false) AS whole
FROM (`+expectedGuards+`) AS g (relation, name, type, enabled, does)
LEFT JOIN pg_trigger AS t ON t.tgrelid = to_regclass(g.relation) AND t.tgname = g.name AND NOT t.tgisinternal
LEFT JOIN pg_proc AS p ON p.oid = t.tgfoid ORDER BY g.relation, g.name`)
	if err != nil {
		return nil, err
	}
	guards, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Relation, Name        string
		There, Enabled, Whole bool
	}])
	for _, g := range guards {
		var what string
		switch {
		case !g.There:
			what = "is gone"
		case !g.Enabled:
			what = "is switched off"
		case !g.Whole:
			what = "was changed"
		default:
			continue
		}
		faults = append(faults, fmt.Sprintf("trigger %s of %s %s: rows can be changed", g.Name, g.Relation, what))
	}
	return faults, err
}
