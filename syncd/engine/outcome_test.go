package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// noon is the database's time in these tests.
var noon = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// Streams as a cycle may have found them. The data of all is fresh.
func read(r record.Resource) resourceEvidence {
	return resourceEvidence{Resource: r, Status: syncing.RunSucceeded, DataFrom: noon.Add(-time.Second)}
}

func broken(r record.Resource, status syncing.RunStatus, code connectors.Code) resourceEvidence {
	return resourceEvidence{Resource: r, Status: status, DataFrom: noon.Add(-5 * time.Minute), Error: &syncing.Error{Code: string(code)}}
}

func since(age time.Duration, r resourceEvidence) resourceEvidence {
	r.DataFrom = noon.Add(-age)
	return r
}

func backfilling(r record.Resource) resourceEvidence {
	return resourceEvidence{Resource: r, Backfilling: true}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	const traders, accounts, trades, payouts = record.Traders, record.Accounts, record.Trades, record.Payouts
	down := func(r record.Resource) resourceEvidence {
		return broken(r, syncing.RunFailed, connectors.CodeServerError)
	}
	allDown := []resourceEvidence{down(traders), down(accounts), down(trades), down(payouts)}
	unreached := resourceEvidence{Resource: accounts, DataFrom: noon.Add(-5 * time.Minute)}
	for _, tt := range []struct {
		name      string
		failures  int
		period    time.Duration // 0 means five minutes
		connected time.Duration // how long ago; 0 means a minute
		denied    bool
		broken    string
		again     bool
		resources []resourceEvidence

		health syncing.Health
		after  int // cycles in a row without success
		wait   time.Duration
		reason string // a part of it
	}{
		{
			name:      "everything was read",
			resources: []resourceEvidence{read(traders), read(accounts), read(trades), read(payouts)},
			health:    syncing.HealthHealthy, reason: "every resource",
		}, {
			name: "a success ends a row of failures", failures: 7,
			resources: []resourceEvidence{read(traders), read(accounts), read(trades), read(payouts)},
			health:    syncing.HealthHealthy,
		}, {
			name:      "payouts that the platform does not expose do no harm",
			resources: []resourceEvidence{read(traders), read(accounts), read(trades), {Resource: payouts, Status: syncing.RunSkipped}},
			health:    syncing.HealthHealthy,
		}, {
			name: "not even when that has been so for ever", connected: 90 * 24 * time.Hour,
			resources: []resourceEvidence{read(traders), read(accounts), read(trades), {Resource: payouts, Status: syncing.RunSkipped}},
			health:    syncing.HealthHealthy,
		}, {
			name: "a backfill that makes progress counts as success", connected: 48 * time.Hour, failures: 2,
			resources: []resourceEvidence{read(traders), read(accounts), backfilling(trades), read(payouts)},
			health:    syncing.HealthHealthy,
		}, {
			name: "and alone it keeps an integration from failing", failures: 2,
			resources: []resourceEvidence{down(traders), down(accounts), backfilling(trades), down(payouts)},
			health:    syncing.HealthDegraded, reason: "traders: server_error",
		}, {
			name:      "one resource failed",
			resources: []resourceEvidence{read(traders), read(accounts), down(trades), read(payouts)},
			health:    syncing.HealthDegraded, reason: "trades: server_error",
		}, {
			name:      "a partial resource was not read completely",
			resources: []resourceEvidence{read(traders), read(accounts), {Resource: trades, Status: syncing.RunPartial, DataFrom: noon.Add(-time.Minute)}, read(payouts)},
			health:    syncing.HealthDegraded, reason: "trades: partial",
		}, {
			name:      "a throttled resource neither",
			resources: []resourceEvidence{read(traders), read(accounts), broken(trades, syncing.RunThrottled, connectors.CodeThrottled), {Resource: payouts, DataFrom: noon.Add(-time.Minute)}},
			health:    syncing.HealthDegraded, reason: "trades: throttled",
		}, {
			name:      "a connection that fails leaves resources unreached",
			resources: []resourceEvidence{broken(traders, syncing.RunFailed, connectors.CodeConnectFailed), unreached, unreached, unreached},
			health:    syncing.HealthDegraded, after: 1, reason: "traders: connect_failed",
		}, {
			name:      "a resource may just not have been reached",
			resources: []resourceEvidence{read(traders), unreached},
			health:    syncing.HealthDegraded, reason: "accounts: not reached",
		}, {
			name: "nothing was read, once", resources: allDown, health: syncing.HealthDegraded, after: 1,
		}, {
			name: "nothing was read, twice", failures: 1, resources: allDown, health: syncing.HealthDegraded, after: 2,
		}, {
			name: "nothing was read in three cycles", failures: 2, resources: allDown, health: syncing.HealthFailing, after: 3, wait: 10 * time.Minute,
			reason: "3 cycles in a row without success: traders: server_error",
		}, {
			name: "nor in four", failures: 3, resources: allDown, health: syncing.HealthFailing, after: 4, wait: 20 * time.Minute,
		}, {
			name: "the pause is never longer than an hour", failures: 40, resources: allDown, health: syncing.HealthFailing, after: 41, wait: time.Hour,
		}, {
			name: "nor shorter than the interval", failures: 2, period: time.Hour, resources: allDown, health: syncing.HealthFailing, after: 3, wait: time.Hour,
		}, {
			name: "a cycle that was judged before is not counted twice", failures: 1, again: true, resources: allDown,
			health: syncing.HealthDegraded, after: 1,
		}, {
			name:      "data as old as the bound is not too old",
			resources: []resourceEvidence{read(traders), read(accounts), since(15*time.Minute, down(trades)), read(payouts)},
			health:    syncing.HealthDegraded,
		}, {
			name:      "data older than a quarter of an hour",
			resources: []resourceEvidence{read(traders), read(accounts), since(15*time.Minute+1, down(trades)), read(payouts)},
			health:    syncing.HealthFailing, reason: "data is older than 15m0s: trades: server_error",
		}, {
			name: "a long interval stretches the bound", period: time.Hour,
			resources: []resourceEvidence{read(traders), read(accounts), since(3*time.Hour, down(trades)), read(payouts)},
			health:    syncing.HealthDegraded,
		}, {
			name: "three intervals", period: time.Hour,
			resources: []resourceEvidence{read(traders), read(accounts), since(3*time.Hour+1, down(trades)), read(payouts)},
			health:    syncing.HealthFailing, reason: "data is older than 3h0m0s",
		}, {
			name: "a short interval does not narrow it", period: time.Minute,
			resources: []resourceEvidence{read(traders), read(accounts), since(14*time.Minute, down(trades)), read(payouts)},
			health:    syncing.HealthDegraded,
		}, {
			name: "what was never read is as old as the integration", connected: 16 * time.Minute,
			resources: []resourceEvidence{read(traders), read(accounts), {Resource: trades, Status: syncing.RunFailed}, read(payouts)},
			health:    syncing.HealthFailing, reason: "data is older than",
		}, {
			name: "a backfill has no old data", connected: 48 * time.Hour,
			resources: []resourceEvidence{read(traders), down(accounts), backfilling(trades), read(payouts)},
			health:    syncing.HealthDegraded, reason: "accounts: server_error",
		}, {
			name:      "old data of a stream that was read is no fault", // its run began long ago
			resources: []resourceEvidence{read(traders), read(accounts), since(time.Hour, read(trades)), read(payouts)},
			health:    syncing.HealthHealthy,
		}, {
			name: "the platform refused the key", denied: true, failures: 1,
			resources: []resourceEvidence{read(traders), broken(accounts, syncing.RunBlocked, connectors.CodeUnauthorized)},
			health:    syncing.HealthBlocked, after: 2, reason: "refused the API key",
		}, {
			name: "the cycle could not even begin", broken: "The integration could not be read.",
			health: syncing.HealthDegraded, after: 1, reason: "could not be read",
		}, {
			name: "three times", broken: "The integration could not be read.", failures: 2,
			health: syncing.HealthFailing, after: 3, wait: 10 * time.Minute, reason: "could not be read",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.period == 0 {
				tt.period = 5 * time.Minute
			}
			if tt.connected == 0 {
				tt.connected = time.Minute
			}
			v := judgeHealth(evidence{
				Failures: tt.failures, Now: noon, Period: tt.period, ConnectedAt: noon.Add(-tt.connected), Denied: tt.denied, Broken: tt.broken,
				Resources: tt.resources, Again: tt.again,
			})
			if v.Health != tt.health || v.Failures != tt.after || v.Backoff != tt.wait {
				t.Errorf("%s after %d failures, pause %s; want %s, %d, %s", v.Health, v.Failures, v.Backoff, tt.health, tt.after, tt.wait)
			}
			if v.Reason == "" || !strings.Contains(v.Reason, tt.reason) {
				t.Errorf("reason %q, want it to say %q", v.Reason, tt.reason)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		period   time.Duration
		failures int
		want     time.Duration
	}{
		{"the third failure", time.Minute, 3, 2 * time.Minute},
		{"the fourth", time.Minute, 4, 4 * time.Minute},
		{"the seventh", time.Minute, 7, 32 * time.Minute},
		{"the eighth is capped", time.Minute, 8, time.Hour},
		{"a million", time.Minute, 1_000_000, time.Hour},
		{"the longest interval", time.Hour, 3, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := backoffPeriod(tt.period, tt.failures); got != tt.want {
				t.Errorf("backoff %s, want %s", got, tt.want)
			}
		})
	}
}

// TestShown checks what a stream's state says about the cycle.
func TestShown(t *testing.T) {
	t.Parallel()
	cycle := &cycle{
		cycle: syncing.Cycle{ID: newID(), StartedAt: noon},
		claim: &syncing.Claim{FinishedAt: noon.Add(-5 * time.Minute)}, // when the previous cycle was judged
	}
	before := newID()
	failure := &syncing.Error{Code: "server_error"}
	backfill := func(saved time.Time, pages int64) *syncing.OpenRun {
		return &syncing.OpenRun{ID: newID(), Mode: syncing.ModeBackfill, SavedAt: saved, RunTotals: syncing.RunTotals{Pages: pages}}
	}
	left := backfill(noon.Add(time.Second), 3)
	left.ID = uuid.Nil
	progress, standstill := noon.Add(time.Second), noon.Add(-10*time.Minute)
	for _, tt := range []struct {
		name string
		spec connectors.StreamSpec
		s    *syncing.Stream
		want resourceEvidence
	}{
		{name: "never reached", want: resourceEvidence{}},
		{
			name: "read in this cycle", s: &syncing.Stream{LastCycleID: cycle.cycle.ID, LastStatus: syncing.RunSucceeded, Watermark: noon},
			want: resourceEvidence{Status: syncing.RunSucceeded, DataFrom: noon},
		},
		{
			name: "read in another cycle only", s: &syncing.Stream{LastCycleID: before, LastStatus: syncing.RunSucceeded, Watermark: standstill},
			want: resourceEvidence{DataFrom: standstill},
		},
		{
			name: "failed in this cycle", s: &syncing.Stream{LastCycleID: cycle.cycle.ID, LastStatus: syncing.RunFailed, LastError: failure, Watermark: standstill},
			want: resourceEvidence{Status: syncing.RunFailed, Error: failure, DataFrom: standstill},
		},
		{
			name: "skipped in a cycle before", s: &syncing.Stream{LastCycleID: before, LastStatus: syncing.RunSkipped},
			want: resourceEvidence{Status: syncing.RunSkipped},
		},
		{
			name: "a backfill that read pages since", s: &syncing.Stream{Run: backfill(progress, 3)},
			want: resourceEvidence{Backfilling: true, DataFrom: progress},
		},
		{
			name: "a backfill that another process went on with", s: &syncing.Stream{Run: backfill(progress, 0)},
			want: resourceEvidence{Backfilling: true, DataFrom: progress},
		},
		{
			name: "a backfill that stands still", s: &syncing.Stream{Run: backfill(standstill, 3)},
			want: resourceEvidence{DataFrom: standstill},
		},
		{
			name: "a backfill that has read nothing yet", s: &syncing.Stream{Run: backfill(time.Time{}, 0)},
			want: resourceEvidence{},
		},
		{
			name: "a checkpoint that a failed backfill left", s: &syncing.Stream{Run: left, LastCycleID: cycle.cycle.ID, LastStatus: syncing.RunFailed},
			want: resourceEvidence{Status: syncing.RunFailed},
		},
		{
			name: "a backfill stopped at its page bound", s: &syncing.Stream{LastCycleID: cycle.cycle.ID, LastStatus: syncing.RunPartial},
			want: resourceEvidence{Status: syncing.RunPartial, Backfilling: true},
		},
		{
			name: "a later run stopped there", s: &syncing.Stream{LastCycleID: cycle.cycle.ID, LastStatus: syncing.RunPartial, Watermark: standstill},
			want: resourceEvidence{Status: syncing.RunPartial, DataFrom: standstill},
		},
		{
			name: "a list that is read in full each time", spec: connectors.StreamSpec{Snapshot: true},
			s:    &syncing.Stream{LastCycleID: before, LastStatus: syncing.RunSucceeded, LastSuccessAt: standstill},
			want: resourceEvidence{DataFrom: standstill},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Stream, tt.want.Resource = record.StreamTrades, record.Trades
			if got := cycle.streamEvidence(tt.spec, tt.s); got != tt.want {
				t.Errorf("evidence %+v, want %+v", got, tt.want)
			}
		})
	}
}
