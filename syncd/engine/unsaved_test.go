package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPageNotSaved lets the database refuse a page. The run continues before that page, and nothing
// of the page counts: neither its cursor, which is not returned again, nor the order of its records.
// The pages before it are saved, also if they are written together with it at first.
func TestPageNotSaved(t *testing.T) {
	t.Parallel()
	many := func(log *requestLog) reference.Options {
		return reference.Options{Firm: firm.Options{Seed: 7, Traders: 900, AccountsPerTrader: 1, Trades: 100, Payouts: 5, Weekends: true}, OnRequest: log.add}
	}
	for _, tt := range []struct {
		name     string
		platform func(*requestLog) reference.Options
		resource string
		saved    int // records that are stored before the page
		state    string
		asked    int // requests for the page until the run fails
	}{
		{"the second page of a backfill, for good", long, "trades", 200, "P0001", 1},
		{"the second page of a backfill, because the server stalls", long, "trades", 200, "57014", 3},
		{"a page whose records come in order", many, "traders", 400, "P0001", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.NewClocked(t, tt.platform(&log))
			w.Exec(t, fmt.Sprintf(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
IF (SELECT count(*) FROM %s) > %d THEN RAISE EXCEPTION 'made by the test' USING ERRCODE = '%s'; END IF; RETURN NULL; END $$`, tt.resource, tt.saved, tt.state))
			w.Exec(t, `CREATE TRIGGER refuse AFTER INSERT ON `+tt.resource+` FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
			w.Cycle(t)
			check(t, w, tt.resource, syncing.RunFailed, connectors.CodeInternal, syncing.HealthDegraded)
			saved := int64(tt.saved / 200)
			got := w.Texts(t, `SELECT concat_ws(' ', pages, records_seen, requests) FROM sync_runs WHERE resource = $1`, tt.resource)
			if want := fmt.Sprint(saved, tt.saved, saved+int64(tt.asked)); !slices.Equal(got, []string{want}) {
				t.Errorf("pages, records and requests of the run: %q, want %q", got, want)
			}
			log.count()
			w.Exec(t, `DROP TRIGGER refuse ON `+tt.resource)
			w.Cycle(t)
			check(t, w, tt.resource, syncing.RunSucceeded, "", syncing.HealthHealthy)
			if n := fromStart(log.pages("/" + tt.resource)); n != 0 {
				t.Error("the list was read from its start again")
			}
			// The waits have moved the database's clock, but not the platform's.
			if got := w.Texts(t, `SELECT rule || ' ' || resource FROM findings WHERE rule <> 'clock_skew'`); len(got) > 0 {
				t.Errorf("findings: %q", got)
			}
			w.Compare(t)
		})
	}
}
