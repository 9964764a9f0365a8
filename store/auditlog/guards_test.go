package auditlog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/storetest"
)

// TestAuditGuards checks that every way of disabling a trigger of the audit log is detected.
func TestAuditGuards(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, statement string
		want            []string
	}{
		{"as made", `SELECT 1`, nil},
		{"switched off", `ALTER TABLE audit_log DISABLE TRIGGER ALL`, []string{"trigger append_only of audit_log is switched off: rows can be changed"}},
		{"left out for replicas", `ALTER TABLE audit_chains ENABLE TRIGGER advance`, []string{"trigger advance of audit_chains is switched off: rows can be changed"}},
		{"dropped", `DROP TRIGGER append_only ON audit_chains`, []string{"trigger append_only of audit_chains is gone: rows can be changed"}},
		{"for less than before", `CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only`, []string{"trigger append_only of audit_log was changed: rows can be changed"}},
		{
			"does nothing", `CREATE OR REPLACE FUNCTION advance_audit_chain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
			[]string{"trigger advance of audit_chains was changed: rows can be changed"},
		},
		{"another one as well", `CREATE TRIGGER more AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := storetest.URL(t)
			db, conn := storetest.Open(t, url), storetest.Conn(t, url)
			if _, err := conn.Exec(t.Context(), tt.statement); err != nil {
				t.Fatal(err)
			}
			faults, err := auditlog.CheckGuards(t.Context(), db)
			if diff := cmp.Diff(tt.want, faults); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}
