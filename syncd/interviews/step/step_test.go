package step_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/interviews/step"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// run is a runner, and an interview whose activity is to be analysed.
type run struct {
	storetest.OrgDB
	id       uuid.UUID
	runner   *step.Runner
	registry *prometheus.Registry
	ctx      context.Context //nolint:containedctx // of the process
	stop     context.CancelFunc
}

func setup(t *testing.T, lease time.Duration) run {
	t.Helper()
	b := storetest.NewOrgDB(t)
	registry := prometheus.NewRegistry()
	ctx, stop := context.WithCancel(t.Context())
	return run{
		ctx: ctx, stop: stop, OrgDB: b, id: storetest.Submitted(t, b.DB, b.Org, storetest.NewInterview("Zoe", "zoe@example.com")).ID, registry: registry,
		runner: step.New(step.Config{Store: b.DB, Registerer: registry, Log: slog.New(slog.DiscardHandler), Lease: lease}),
	}
}

// state is the step of the activity.
func (b run) state(t *testing.T) steps.Step {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), b.DB, b.Org, b.id)
	if err != nil {
		t.Fatal(err)
	}
	return i.Step(steps.Activity)
}

// claim claims the step.
func (b run) claim(t *testing.T) worker.Claim {
	t.Helper()
	return storetest.Claim(t, b.DB, b.Org, b.id, steps.Activity)
}

// counted returns how often the outcome was counted.
func (b run) counted(t *testing.T, outcome string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "assay_interview_steps_total" && l.GetName() == "outcome" && l.GetValue() == outcome {
					return m.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}

// untilLost waits until the claim ends, and returns an error that follows from
// that.
func untilLost(ctx context.Context, _ worker.Claim) (string, error) {
	<-ctx.Done()
	return "", fmt.Errorf("read: %w", ctx.Err())
}

// TestWork checks the outcome of a step for each result of its work.
func TestWork(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		do       func(b run) step.Do
		status   steps.Status
		attempts int
		note     string // last_error
		outcome  string
	}{
		{"it succeeds", func(b run) step.Do {
			return func(ctx context.Context, c worker.Claim) (string, error) {
				return "done", worker.FinishActivity(ctx, b.DB, c, []byte(`{}`))
			}
		}, steps.Done, 1, "", "done"},
		{"there is nothing to do", func(b run) step.Do {
			return func(ctx context.Context, c worker.Claim) (string, error) {
				return "skipped", worker.Skip(ctx, b.DB, c)
			}
		}, steps.Skipped, 1, "", "skipped"},
		{"it fails", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) { return "", errors.New("too loud") }
		}, steps.Queued, 1, "too loud", "retried"},
		{"it fails for the last time", func(b run) step.Do {
			b.Exec(t, `UPDATE interview_steps SET attempts = $1 WHERE step = 'activity'`, worker.Tries-1)
			return func(context.Context, worker.Claim) (string, error) { return "", errors.New("too loud") }
		}, steps.Failed, worker.Tries, "too loud", "failed"},
		{"it panics", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) { panic("no such thing") }
		}, steps.Queued, 1, "internal error: see the log of syncd", "retried"},
		{"the bucket is away", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) {
				return "", fmt.Errorf("fetch: %w", step.Outage(errors.New("no answer")))
			}
		}, steps.Queued, 0, "fetch: no answer", "outage"},
		{"the bucket is away after failures", func(b run) step.Do {
			b.Exec(t, `UPDATE interview_steps SET attempts = $1 WHERE step = 'activity'`, worker.Tries-1)
			return func(context.Context, worker.Claim) (string, error) { return "", step.Outage(errors.New("no answer")) }
		}, steps.Queued, worker.Tries - 1, "no answer", "outage"},
		{"the disk is full", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) {
				return "", &os.PathError{Op: "write", Path: "sound", Err: syscall.ENOSPC}
			}
		}, steps.Queued, 0, "write sound: no space left on device", "outage"},
		{"the database is away", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) {
				return "", fmt.Errorf("read interview: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
			}
		}, steps.Queued, 0, "read interview: dial: connection refused", "outage"},
		{"the bucket is away for days", func(b run) step.Do {
			b.Exec(t, `UPDATE interview_steps SET outage_since = now() - interval '2 days' WHERE step = 'activity'`)
			return func(context.Context, worker.Claim) (string, error) { return "", step.Outage(errors.New("no answer")) }
		}, steps.Failed, 1, "no answer", "failed"},
		{"it is permanent", func(run) step.Do {
			return func(context.Context, worker.Claim) (string, error) {
				return "", fmt.Errorf("try: %w", step.Permanentf("no such %s", "thing"))
			}
		}, steps.Failed, 1, "try: no such thing", "failed"},
		{"another has it", func(b run) step.Do {
			return func(ctx context.Context, c worker.Claim) (string, error) {
				_, _ = b.Conn.Exec(ctx, `UPDATE interview_steps SET run = run + 1 WHERE step = 'activity'`)
				return untilLost(ctx, c)
			}
		}, steps.Running, 1, "", "lost"},
		{"the process stops", func(b run) step.Do {
			return func(ctx context.Context, c worker.Claim) (string, error) {
				b.stop()
				return untilLost(ctx, c)
			}
		}, steps.Queued, 0, "", "stopped"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, 2*time.Second)
			do := tc.do(b)
			b.runner.Work(b.ctx, b.claim(t), do)
			s, note := b.state(t), ""
			if s.LastError != nil {
				note = *s.LastError
			}
			if s.Status != tc.status || s.Attempts != tc.attempts || note != tc.note {
				t.Errorf("it is %s after %d attempts, %q", s.Status, s.Attempts, note)
			}
			if n := b.counted(t, tc.outcome); n != 1 {
				t.Errorf("%s is counted %g times", tc.outcome, n)
			}
		})
	}
}

// TestWorkIsHeld: the lease is extended as long as the work takes.
func TestWorkIsHeld(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Second)
	b.runner.Work(t.Context(), b.claim(t), func(ctx context.Context, c worker.Claim) (string, error) {
		b.Exec(t, `UPDATE interview_steps SET leased_until = now() WHERE step = 'activity'`)
		storetest.Eventually(t, "the lease is prolonged", func() bool {
			var held bool
			return b.Conn.QueryRow(ctx, `SELECT leased_until > now() FROM interview_steps WHERE step = 'activity'`).Scan(&held) == nil && held
		})
		return "done", worker.FinishActivity(ctx, b.DB, c, []byte(`{}`))
	})
	if s := b.state(t); s.Status != steps.Done {
		t.Errorf("it is %s", s.Status)
	}
}

// TestDeletedWhileWorkedOn: the work ends when the interview is deleted, and writes
// nothing.
func TestDeletedWhileWorkedOn(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Second)
	b.runner.Work(t.Context(), b.claim(t), func(ctx context.Context, c worker.Claim) (string, error) {
		if err := privacy.DeleteInterview(ctx, b.DB, store.SystemChange(b.Org), b.id); err != nil {
			t.Error(err)
		}
		return untilLost(ctx, c)
	})
	if n := b.counted(t, "lost"); n != 1 {
		t.Errorf("lost %g times", n)
	}
}

// lapse makes the lease of the activity run out.
const lapse = `UPDATE interview_steps SET leased_until = now() - interval '1 second' WHERE step = 'activity'`

// TestDiedProcess: another process takes over the step of a process that died. The
// first process can no longer write, even if it is still alive.
func TestDiedProcess(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	died := b.claim(t)
	b.Exec(t, lapse)
	b.runner.Work(t.Context(), b.claim(t), func(ctx context.Context, c worker.Claim) (string, error) {
		if err := worker.FinishActivity(ctx, b.DB, died, []byte(`{}`)); !errors.Is(err, store.ErrFenced) {
			t.Errorf("the process that died wrote: %v", err)
		}
		return "done", worker.FinishActivity(ctx, b.DB, c, []byte(`{}`))
	})
	want := "# HELP assay_interview_steps_requeued_total Steps that were taken over from a process that died.\n" +
		"# TYPE assay_interview_steps_requeued_total counter\nassay_interview_steps_requeued_total 1\n"
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_interview_steps_requeued_total"); err != nil {
		t.Error(err)
	}
	if s := b.state(t); s.Status != steps.Done || s.Attempts != 2 {
		t.Errorf("it is %s after %d attempts", s.Status, s.Attempts)
	}
}

// TestDeadlyStep: a step that kills each of its processes is given up.
func TestDeadlyStep(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	for range 2 * worker.Tries {
		b.claim(t)
		b.Exec(t, lapse)
	}
	b.runner.Work(t.Context(), b.claim(t), func(context.Context, worker.Claim) (string, error) {
		t.Error("it was worked on once more")
		return "", nil
	})
	if s := b.state(t); s.Status != steps.Failed || !strings.Contains(store.Deref(s.LastError), "stopped midway") {
		t.Errorf("it is %s, %q", s.Status, store.Deref(s.LastError))
	}
}
