package schedule_test

import (
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/schedule"
)

// TestTendInterviews: due work is done, and done again only when it is due again.
func TestTendInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	started := storetest.Interview(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com"))
	storetest.Started(t, b.DB, started)
	first, second := schedule.New(b.config("a", b.over)), schedule.New(b.config("b", b.over))
	const statuses = `SELECT string_agg(status, ' ' ORDER BY status) FROM interviews`
	if err := first.KeepHouse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, statuses); got != "in_progress invited" {
		t.Errorf("before anything is due: %s", got)
	}
	b.Exec(t, `UPDATE interviews SET invite_expires_at = now(), complete_by = now()`)
	b.Exec(t, `UPDATE housekeeping SET due_at = due_at + interval '1 hour'`)
	if err := second.KeepHouse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, statuses); got != "in_progress invited" {
		t.Errorf("at once after another process has looked: %s", got)
	}
	b.Exec(t, `UPDATE housekeeping SET due_at = now()`)
	if err := second.KeepHouse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, statuses); got != "expired incomplete" {
		t.Errorf("when both were due: %s", got)
	}
	b.Exec(t, `UPDATE housekeeping SET due_at = now()`)
	b.Exec(t, `UPDATE interviews SET record_purge_at = now()`)
	if err := first.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, `SELECT count(*)::text FROM interviews WHERE purged_at IS NOT NULL`); got != "2" {
		t.Errorf("%s of 2 purged, of them %s", got, made.ID)
	}
}
