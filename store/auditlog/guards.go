package auditlog

import (
	"context"
	"fmt"

	"github.com/assayhq/assay/store"
)

// expectedGuards are the triggers that prevent changes of the audit log, each with its expected
// values in pg_trigger and pg_proc: the rows and statements for which it is called (tgtype), when
// it is enabled (tgenabled), and a part of its source.
const expectedGuards = `VALUES
    ('audit_log', 'append_only', 58, '{A}'::"char"[], 'RAISE EXCEPTION'),
    ('audit_chains', 'append_only', 42, '{A}', 'RAISE EXCEPTION'),
    ('audit_chains', 'advance', 19, '{A}', 'RAISE EXCEPTION'),
    ('organizations', 'begin_audit_chain', 5, '{O,A}', 'INSERT INTO audit_chains')`

// CheckGuards checks the triggers that prevent changes of the audit log. It returns a line for each
// fault, and none if the triggers are in force. Only Verify finds what was changed while they were
// not.
func CheckGuards(ctx context.Context, db *store.DB) (faults []string, err error) {
	defer store.WrapError(&err, "check the triggers of the audit log")
	var guards []struct {
		Relation, Name        string
		There, Enabled, Whole bool
	}
	err = db.Bun.NewRaw(`SELECT g.relation, g.name, t.oid IS NOT NULL AS there,
    coalesce(t.tgenabled = ANY (g.enabled), false) AS enabled, coalesce(t.tgtype = g.type AND t.tgqual IS NULL AND strpos(p.prosrc, g.does) > 0, false) AS whole
FROM (`+expectedGuards+`) AS g (relation, name, type, enabled, does)
LEFT JOIN pg_trigger AS t ON t.tgrelid = to_regclass(g.relation) AND t.tgname = g.name AND NOT t.tgisinternal
LEFT JOIN pg_proc AS p ON p.oid = t.tgfoid ORDER BY g.relation, g.name`).Scan(ctx, &guards)
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
