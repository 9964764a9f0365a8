package work_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// claimJobs claims due jobs as the process with that name.
func claimJobs(t *testing.T, b storetest.OrgDB, process string, limit int, list ...work.Job) []work.Task {
	t.Helper()
	jobs := work.Jobs{Store: b.DB, Log: slog.New(slog.DiscardHandler), Owner: process}
	tasks, err := jobs.Kind("test", 1, time.Second, list).Claim(t.Context(), limit)
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// TestClaimJobs checks that one of many processes gets a due job, and that those that have been due
// longest come first.
func TestClaimJobs(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	var list []work.Job
	for _, name := range []string{"a", "b", "c"} {
		list = append(list, work.Job{Name: name, Period: time.Hour, Run: func(ctx context.Context) error {
			_, err := b.DB.Pool.Exec(ctx, `UPDATE housekeeping SET owner = owner || '!' WHERE job = $1`, name)
			return err
		}})
	}
	contest := func(limit int) int64 {
		var (
			group sync.WaitGroup
			mine  atomic.Int64
		)
		for p := range 20 {
			group.Go(func() {
				for _, task := range claimJobs(t, b, fmt.Sprint("process-", p), limit, list...) {
					mine.Add(1)
					task(t.Context(), func() {})
				}
			})
		}
		group.Wait()
		return mine.Load()
	}
	for _, tt := range []struct {
		name, set string
		limit     int
		want      int64
		done      string
	}{
		{"the first time", `SELECT`, 3, 3, "a b c"},
		{"before they are due again", `UPDATE housekeeping SET owner = ''`, 3, 0, ""},
		{"one is due", `UPDATE housekeeping SET due_at = now() WHERE job = 'b'`, 3, 1, "b"},
		{"all are due", `UPDATE housekeeping SET due_at = now(), owner = ''`, 3, 3, "a b c"},
		{"all are due, and claimed one by one", `UPDATE housekeeping SET due_at = now() - interval '1 minute' * ascii(job), owner = ''`, 1, 3, "a b c"},
	} {
		b.Exec(t, tt.set)
		if got := contest(tt.limit); got != tt.want {
			t.Errorf("%s: %d were claimed, want %d", tt.name, got, tt.want)
		}
		if got := b.Texts(t, `SELECT coalesce(string_agg(job, ' ' ORDER BY job), '') FROM housekeeping WHERE owner LIKE 'process-%!' AND due_at > now()`)[0]; got != tt.done {
			t.Errorf("%s: %q were done once, want %q", tt.name, got, tt.done)
		}
	}
	b.Exec(t, `UPDATE housekeeping SET due_at = now() - interval '1 minute' * ascii(job), owner = ''`)
	for _, task := range claimJobs(t, b, "x", 1, list...) {
		task(t.Context(), func() {})
	}
	if got := b.Texts(t, `SELECT job FROM housekeeping WHERE owner = 'x!'`); len(got) != 1 || got[0] != "c" {
		t.Errorf("%v was claimed first, want c", got)
	}
}

// TestLongJob checks that a job that takes longer than its period is done by one process at a time,
// that it ends when another process has it after all, and that another process gets it at once when
// the process stops.
func TestLongJob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, b storetest.OrgDB, stop context.CancelFunc)
		want string // whose the job is, and whether it is due
	}{
		{"the process stops", func(_ *testing.T, _ storetest.OrgDB, stop context.CancelFunc) { stop() }, "one t"},
		{"another process has it", func(t *testing.T, b storetest.OrgDB, _ context.CancelFunc) {
			t.Helper()
			b.Exec(t, `UPDATE housekeeping SET owner = 'two', due_at = now() + interval '1 hour'`)
		}, "two f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := storetest.NewOrgDB(t)
			began := make(chan struct{})
			job := work.Job{Name: "long", Period: 2 * time.Second, Run: func(ctx context.Context) error {
				close(began)
				<-ctx.Done()
				return ctx.Err()
			}}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var running sync.WaitGroup
			for _, task := range claimJobs(t, b, "one", 1, job) {
				running.Go(func() { task(ctx, func() {}) })
			}
			<-began
			claimed := b.Texts(t, `SELECT due_at::text FROM housekeeping`)[0]
			storetest.Eventually(t, "its lease is extended", func() bool { return b.Texts(t, `SELECT due_at::text FROM housekeeping`)[0] != claimed })
			if n := len(claimJobs(t, b, "two", 1, job)); n != 0 {
				t.Error("another process got it while it ran")
			}
			tt.end(t, b, stop)
			running.Wait()
			if got := b.Texts(t, `SELECT concat_ws(' ', owner, due_at <= now()) FROM housekeeping`)[0]; got != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}
