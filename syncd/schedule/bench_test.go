package schedule_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/schedule"
)

// benchIntegrations are polled every minute in BenchmarkClaim.
const benchIntegrations = 100_000

// idle is a SliceRunner whose cycles do nothing, so that only the schedule is measured.
// It releases leases in batches.
type idle struct {
	pool *pgxpool.Pool
	over chan syncing.Lease

	mu   sync.Mutex
	late []time.Duration
}

// RunSlice implements schedule.SliceRunner.
func (i *idle) RunSlice(ctx context.Context, claim syncing.Claim) error {
	i.mu.Lock()
	i.late = append(i.late, claim.Now.Sub(claim.DueAt))
	i.mu.Unlock()
	select {
	case i.over <- claim.Lease:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// release releases the leases of ended slices until ctx ends.
func (i *idle) release(ctx context.Context) {
	for ctx.Err() == nil {
		var (
			ids    []string
			tokens []int64
		)
		wait := time.After(5 * time.Millisecond)
		for full := false; !full && len(ids) < 2000; {
			select {
			case l := <-i.over:
				ids, tokens = append(ids, l.IntegrationID.String()), append(tokens, l.Token)
			case <-wait:
				full = true
			}
		}
		_, err := i.pool.Exec(ctx, `UPDATE sync_state s SET owner = NULL, claimable_at = s.slot_at, cycle_id = NULL
FROM unnest($1::uuid[], $2::bigint[]) AS l(id, token) WHERE s.integration_id = l.id AND s.token = l.token AND s.integration_id = ANY ($1)`, ids, tokens)
		if err != nil && ctx.Err() == nil {
			panic(err)
		}
	}
}

// take returns the lateness of the slices since the last call.
func (i *idle) take() []time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	late := i.late
	i.late = nil
	slices.Sort(late)
	return late
}

// BenchmarkClaim runs two schedulers over 100,000 integrations with an interval of
// a minute, all overdue at first. "backlog_s" is how long it took to claim the
// backlog. Then, for ten minutes or ASSAY_TEST_BENCH_CLAIM, "p50_ms" and "p99_ms"
// are how late slices began, and "cycles/s" is how many there were.
func BenchmarkClaim(b *testing.B) {
	period := storetest.BenchTime(b, "CLAIM", 10*time.Minute, 10*time.Second)
	for b.Loop() {
		url := storetest.URL(b)
		populate(b, url, benchIntegrations)
		runners, stop := startClaiming(b, url)
		began := time.Now()
		claimed := 0
		for claimed < benchIntegrations {
			<-time.After(10 * time.Millisecond)
			for _, t := range runners {
				claimed += len(t.take())
			}
		}
		b.ReportMetric(time.Since(began).Seconds(), "backlog_s")
		<-time.After(5 * time.Second) // the slots after the backlog
		for _, t := range runners {
			t.take()
		}
		late := claimFor(period, runners)
		slices.Sort(late)
		stop()
		b.ReportMetric(float64(len(late))/period.Seconds(), "cycles/s")
		b.ReportMetric(float64(late[len(late)/2].Microseconds())/1000, "p50_ms")
		b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "p99_ms")
	}
}

// claimFor lets time pass and returns how late the slices began.
func claimFor(period time.Duration, runners []*idle) (late []time.Duration) {
	over, tick, said := time.After(period), time.NewTicker(time.Second), time.Now()
	defer tick.Stop()
	for began := time.Now(); ; {
		select {
		case <-over:
			return append(append(late, runners[0].take()...), runners[1].take()...)
		case <-tick.C:
			late = append(append(late, runners[0].take()...), runners[1].take()...)
			storetest.Progress(&said, "%d slices in %s of %s", len(late), time.Since(began).Round(time.Second), period)
		}
	}
}

// startClaiming runs two schedulers until stop is called.
func startClaiming(tb testing.TB, url string) (runners []*idle, stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for _, owner := range []string{"one", "two"} {
		db := storetest.Open(tb, url)
		pool, err := pgxpool.New(context.Background(), url)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(pool.Close)
		runner := &idle{pool: pool, over: make(chan syncing.Lease, 4000)}
		group.Go(func() { runner.release(ctx) })
		runners = append(runners, runner)
		s := schedule.New(schedule.Config{
			Store: db, Runner: runner, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Owner: owner, Slots: 4000,
		})
		group.Go(func() { _ = s.Work(ctx) }) // ends with ctx
	}
	return runners, func() {
		cancel()
		group.Wait()
	}
}

// populate creates that many integrations, overdue and spread over the minute.
func populate(tb testing.TB, url string, n int) {
	tb.Helper()
	conn, ctx := storetest.Conn(tb, url), context.Background()
	for _, statement := range []string{
		`INSERT INTO organizations (id, name) VALUES ('00000000-0000-7000-8000-000000000000', 'Desk')`,
		`INSERT INTO integrations (id, organization_id, kind, name, base_url, api_key_preview, sync_interval_seconds, health_status)
            SELECT gen_random_uuid(), '00000000-0000-7000-8000-000000000000', 'custom_api', 'p', 'https://p.test', '****', 60, 'healthy' FROM generate_series(1, ` + strconv.Itoa(n) + `)`,
		`INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, slot_at, phase_ms, period_ms)
            SELECT id, organization_id, kind, now() - interval '1 hour', now() - interval '1 hour', floor(random() * 60000), 60000 FROM integrations`,
		`ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			tb.Fatal(err)
		}
	}
}
