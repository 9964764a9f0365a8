package webhooks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// TestProgressReads checks that outcomes find their deliveries by key, even with a plan that was
// made while the table was small and without statistics.
func TestProgressReads(t *testing.T) {
	t.Parallel()
	const held = 5000
	b := &cycle{storetest.NewCycleOn(t, storetest.FreshURL(t))}
	e := b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 1)
	b.woken(t, e.ID)
	run, d := b.claimed(t, e.ID), b.due(t, e.ID)
	progress := webhooks.Progress{Run: &run, Lease: time.Minute, Attempts: []webhooks.AttemptOutcome{{
		Attempt: webhooks.Attempt{DeliveryID: d.ID, Number: d.Attempts + 1, Trigger: d.Trigger, StartedAt: time.Now(), LatencyMS: 1},
		Status:  webhooks.DeliverySucceeded, Scheduled: 1,
	}}}
	statement, args := webhooks.ProgressStatement(&progress)
	check := func(what string, cost storetest.Cost) {
		t.Helper()
		cost.CheckReads(t, "an outcome among 5000 deliveries, "+what+",", 80, 20)
	}
	check("by the plan for one", storetest.ExplainOutdated(t, b.DB, func() { b.backlog(t, e.ID, held) }, statement, args...))
	for _, statistics := range []bool{false, true} {
		if statistics {
			b.Exec(t, `ANALYZE webhook_deliveries`)
		}
		for _, generic := range []bool{false, true} {
			check(fmt.Sprintf("statistics %t, generic %t", statistics, generic), storetest.Explain(t, b.DB, generic, statement, args...))
		}
	}
}
