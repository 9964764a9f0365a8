package schedule_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/syncd/schedule"
)

// TestAuditsOfTheNight: one process opens each audit when it is due, also while old
// rows cannot be deleted, and the findings are counted in metrics.
func TestAuditsOfTheNight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 3, 0)
	b.Exec(t, `UPDATE integrations SET created_at = now() - interval '21 hours'; UPDATE sync_state SET last_success_at = now()`)
	registry := prometheus.NewRegistry()
	now := time.Now().UTC()
	config := b.config("a", b.over)
	config.Registerer, config.Audit = registry, now.Sub(now.Truncate(24*time.Hour))-3*time.Hour
	s := schedule.New(config)
	pruning, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pruning.Exec(t.Context(), `LOCK TABLE idempotency_keys, webhook_events`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.KeepHouse(ctx); err != nil {
		t.Fatal(err)
	}
	if err := pruning.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, `SELECT string_agg(DISTINCT concat_ws(' ', trigger, status), ',') || ' ' || count(*) FROM sync_audits`); got != "schedule queued 3" {
		t.Errorf("audits %s, want schedule queued 3", got)
	}
	b.Exec(t, `INSERT INTO sync_completeness SELECT id, 'trades', CASE WHEN row_number() OVER (ORDER BY id) = 1 THEN 0.25 ELSE 1 END, now() FROM integrations`)
	s.Survey(t.Context())
	want := `
# HELP assay_syncd_audit_completeness_ratio Share of records that were stored correctly at the last audit, as the lowest and the mean over integrations.
# TYPE assay_syncd_audit_completeness_ratio gauge
assay_syncd_audit_completeness_ratio{kind="custom_api",resource="trades",statistic="lowest"} 0.25
assay_syncd_audit_completeness_ratio{kind="custom_api",resource="trades",statistic="mean"} 0.75
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "assay_syncd_audit_completeness_ratio"); err != nil {
		t.Error(err)
	}
}
