package drill_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/enginetest"
	"github.com/assayhq/assay/test/deploytest"
)

// nextMigration is a migration that the next release may have. Both processes of this release
// continue after it, because it only adds.
const nextMigration = `
ALTER TABLE traders ADD COLUMN next_release text;
ALTER TABLE sync_state ADD COLUMN next_release bigint NOT NULL DEFAULT 0;
ALTER TABLE trades ADD COLUMN next_release jsonb;
ALTER TABLE api_keys ADD COLUMN next_release timestamptz NOT NULL DEFAULT now();
ALTER TABLE webhook_states ADD COLUMN next_release boolean NOT NULL DEFAULT false;
ALTER TABLE interviews ADD COLUMN next_release uuid;
CREATE TABLE next_release (id uuid PRIMARY KEY, organization_id uuid NOT NULL);
CREATE INDEX traders_next_release ON traders (next_release);
`

// TestNextSchema runs both processes on the schema of a next release: before, and while it comes about
// under them, as in an upgrade. It takes long because both processes start and read a platform several
// times.
func TestNextSchema(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	w := enginetest.NewOn(t, url, reference.Options{Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 500, Payouts: 10, Weekends: true}})
	d := deploy(t, url, w, nil, "")
	d.Bootstrap(t)
	works := func(name string) {
		t.Helper()
		if _, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
			t.Fatal(err)
		}
		storetest.Within(t, patience, "a cycle "+name, func() bool {
			return len(w.Texts(t, `SELECT 'x' FROM sync_state s JOIN integrations i ON i.id = s.integration_id
                WHERE s.owner IS NULL AND s.cycle_id IS NULL AND NOT s.manual AND s.claimable_at > now() AND i.health_status = 'healthy'`)) == 1
		})
		w.Compare(t)
		made := d.Call(t, http.MethodPost, "/v1/traders", `{"full_name": "Zoe Miller"}`, http.StatusCreated)
		d.Call(t, http.MethodGet, fmt.Sprint("/v1/traders/", made["id"]), "", http.StatusOK)
		d.Call(t, http.MethodGet, "/v1/traders?search=miller", "", http.StatusOK)
	}
	all := []*deploytest.Process{d.Start(t, "apiserver"), d.Start(t, "syncd")}
	works("on this release's schema")
	newest, err := migrations.Newest()
	check(t, err)
	_, err = w.Conn.Exec(t.Context(), nextMigration)
	check(t, err)
	_, err = w.Conn.Exec(t.Context(), `INSERT INTO `+goose.DefaultTablename+` (version_id, is_applied) VALUES ($1, true)`, newest+1)
	check(t, err)
	w.Platform.Advance(firm.History / 85)
	works("under a migration")
	for _, p := range all {
		p.Kill()
	}
	d.Start(t, "apiserver")
	d.Start(t, "syncd")
	w.Platform.Advance(firm.History / 85)
	works("on the next release's schema")
	if found := w.Texts(t, `SELECT DISTINCT outcome FROM (SELECT status AS outcome FROM sync_runs) r WHERE outcome NOT IN ('succeeded', 'interrupted')`); len(found) > 0 {
		t.Errorf("runs %q", found)
	}
}

// TestFormerSchema: on the schema without the newest migration, whose tables this release uses, both
// processes say what to do and end. It takes long because it waits until both are built.
func TestFormerSchema(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	w := enginetest.NewOn(t, url, reference.Options{Firm: firm.Options{Seed: 1}})
	d := deploy(t, url, w, nil, "")
	newest, err := migrations.Newest()
	check(t, err)
	_, err = w.Conn.Exec(t.Context(), `DELETE FROM `+goose.DefaultTablename+` WHERE version_id = $1`, newest)
	check(t, err)
	for _, name := range []string{"apiserver", "syncd"} {
		out, err := d.Command(t, name).CombinedOutput()
		if _, ended := err.(*exec.ExitError); !ended || !strings.Contains(string(out), "apiserver migrate") { //nolint:errorlint // of Run itself
			t.Errorf("%s ends with %v:\n%s", name, err, out)
		}
	}
}
