package schedule_test

import (
	"testing"

	"github.com/assayhq/assay/syncd/schedule"
)

// TestPrune: expired rows are deleted once an hour, by any process.
func TestPrune(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 1, 0)
	old := func() {
		b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at, finished_at)
SELECT (lpad(to_hex((extract(epoch FROM now() - interval '40 days') * 1000)::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid, id, id, 'trades', 'schedule', 'incremental', 'succeeded', now() - interval '40 days', now() - interval '40 days' FROM integrations`)
		b.Exec(t, `INSERT INTO idempotency_keys (key_id, slot, organization_id, payload_hash, token, created_at)
VALUES (gen_random_uuid(), 'old', $1, '', gen_random_uuid(), now() - interval '25 hours')`, b.Org)
		b.Exec(t, `INSERT INTO api_key_windows SELECT gen_random_uuid(), 1, 0, at, at FROM (SELECT now() - interval '2 hours') AS n (at)`)
	}
	old()
	b.Exec(t, `INSERT INTO idempotency_keys (key_id, slot, organization_id, payload_hash, token) VALUES (gen_random_uuid(), 'new', $1, '', gen_random_uuid())`, b.Org)
	config := func(owner string) schedule.Config {
		c := b.config(owner, b.over)
		c.HistoryDays = 30
		return c
	}
	first, second := schedule.New(config("a")), schedule.New(config("b"))
	const left = `SELECT concat_ws(' ', (SELECT count(*) FROM sync_runs), (SELECT count(*) FROM api_key_windows), string_agg(convert_from(slot, 'UTF8'), ' ' ORDER BY slot)) FROM idempotency_keys`
	if err := first.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, left); got != "0 0 new" {
		t.Errorf("runs, windows and attempts left: %s, want 0 0 new", got)
	}
	old()
	if err := first.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, left); got != "1 1 new old" {
		t.Errorf("within the hour: %s, want 1 1 new old", got)
	}
	b.Exec(t, `UPDATE housekeeping SET due_at = now()`)
	if err := second.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, left); got != "0 0 new" {
		t.Errorf("after an hour: %s, want 0 0 new", got)
	}
}
