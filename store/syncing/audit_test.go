package syncing_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// TestOpenNightlyAudits checks that each polled integration gets one audit a night, at its own
// moment within two hours.
func TestOpenNightlyAudits(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	open := func(start time.Duration) int64 {
		t.Helper()
		n, err := audits.OpenNightly(t.Context(), b.DB, start)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := b.Conn.Exec(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	var now time.Time
	if err := b.Conn.QueryRow(t.Context(), `SELECT now()`).Scan(&now); err != nil {
		t.Fatal(err)
	}
	// These are a moment that has come regardless of the hash, and one that has not.
	past := now.UTC().Sub(now.UTC().Truncate(24*time.Hour)) - 3*time.Hour
	soon := past + 3*time.Hour + time.Minute

	if n := open(past); n != 0 {
		t.Errorf("%d audits of an integration that was made since", n)
	}
	exec(`UPDATE integrations SET created_at = now() - interval '21 hours'`)
	if n := open(past); n != 0 {
		t.Errorf("%d audits of an integration that was never read", n)
	}
	exec(`UPDATE sync_state SET last_success_at = now()`)
	if n := open(soon); n != 0 {
		t.Errorf("%d audits before their moment", n)
	}
	if n := open(past); n != 1 {
		t.Errorf("%d audits opened, want one", n)
	}
	if n := open(past); n != 0 {
		t.Errorf("%d audits beside the open one", n)
	}
	exec(`UPDATE sync_audits SET status = 'succeeded', finished_at = now()`)
	if n := open(past); n != 0 {
		t.Errorf("%d further audits in one night", n)
	}
	exec(`UPDATE sync_audits SET requested_at = requested_at - interval '24 hours', finished_at = now() - interval '23 hours'`)
	if n := open(past); n != 1 {
		t.Errorf("%d audits the next night, want one", n)
	}
	exec(`UPDATE sync_audits SET status = 'succeeded', finished_at = now(), requested_at = now() - interval '48 hours'; UPDATE sync_state SET claimable_at = 'infinity'`)
	if n := open(past); n != 0 {
		t.Errorf("%d audits of an integration that is not polled", n)
	}
}

// TestSurveyCompleteness checks the results of the last audits, lowest and mean.
func TestSurveyCompleteness(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	other := uuid.New()
	if _, err := b.Conn.Exec(t.Context(), `INSERT INTO integrations (id, organization_id, kind, name, base_url, api_key_preview, sync_interval_seconds, health_status)
SELECT $1::uuid, organization_id, kind, name, base_url, '', 300, 'healthy' FROM integrations LIMIT 1`, other); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, phase_ms, period_ms, slot_at) SELECT i.id, i.organization_id, i.kind, now(), 0, 300000, now()
FROM integrations i LEFT JOIN sync_state s ON s.integration_id = i.id WHERE s.integration_id IS NULL`,
		`INSERT INTO sync_completeness SELECT id, 'trades', CASE WHEN row_number() OVER (ORDER BY id) = 1 THEN 1 ELSE 0.5 END, now() FROM integrations`,
	} {
		if _, err := b.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	list, err := integrations.ReadCompleteness(t.Context(), b.DB)
	if err != nil {
		t.Fatal(err)
	}
	want := []integrations.Completeness{{Kind: b.Claim.Kind, Resource: "trades", Lowest: 0.5, Mean: 0.75}}
	if !slices.Equal(list, want) {
		t.Errorf("completeness %+v, want %+v", list, want)
	}
}
