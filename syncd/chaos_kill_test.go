package main_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// TestChaosKilledInACycle kills that one of two syncds which works on a cycle, at
// one or two moments.
func TestChaosKilledInACycle(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes again and again")
	}
	chaostest.Fault{Name: "kill -9 in a cycle", Small: 4, Large: 1000, Width: 8, Limit: shortLease + time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		trades := r.Between(100, 3000)
		request := int64(r.Between(1, 5+trades/200))
		s := newScene(t, r, trades, request)
		s.start(t, 2)
		s.begin(t)
		for range r.Between(1, 2) {
			s.await(t, request)
			s.killHolder(t)
		}
		s.settled(t)
	})
}

// killHolder kills the syncd that holds the lease, or any syncd if none holds it,
// and starts another in its place.
func (s *scene) killHolder(t *testing.T) {
	t.Helper()
	victim := s.holder(t)
	if victim == nil {
		for _, d := range s.daemons {
			if d.runs() {
				victim = d
			}
		}
	}
	s.killSyncd(t, victim)
	s.start(t, 1)
}

// killSyncd kills the syncd. If it was working on a cycle, it notes how long the cycle had no worker.
func (s *scene) killSyncd(t *testing.T, victim *daemon) {
	t.Helper()
	owner := victim.owner(t)
	at := victim.kill(t)
	orphaned := len(s.Texts(t, `SELECT 'x' FROM sync_state WHERE owner = $1`, owner)) > 0
	if orphaned {
		s.tookOver(t, owner, at)
	}
}

// TestChaosKilledUnderTheRealLease is TestChaosKilledInACycle with syncd's default
// lease.
func TestChaosKilledUnderTheRealLease(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a real lease")
	}
	chaostest.Fault{Name: "kill -9 under the real lease", Small: 1, Large: 20, Width: 8, Limit: 16 * time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		trades := r.Between(100, 3000)
		request := int64(r.Between(1, 5+trades/200))
		s := newScene(t, r, trades, request)
		s.settings = s.settings[:len(s.settings)-1] // the leases
		s.start(t, 2)
		s.begin(t)
		s.await(t, request)
		s.killHolder(t)
		s.settled(t)
	})
}

// TestChaosKilledWhileDelivering kills syncds while events are delivered.
func TestChaosKilledWhileDelivering(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes again and again")
	}
	chaostest.Fault{Name: "kill -9 in deliveries", Small: 1, Large: 60, Width: 8, Limit: time.Minute}.Each(t, func(t *testing.T, r *chaostest.Run) {
		s := newScene(t, r, 0)
		s.hook.takes.Store(int64(r.Between(1, 200)))
		all := s.start(t, 2, "WORKERS_SYNC=0")
		for range r.Between(30, 150) {
			if _, err := directory.CreateTrader(t.Context(), s.DB, store.SystemChange(s.Organization), directory.NewTrader{FullName: "Zoe Miller"}); err != nil {
				t.Fatal(err)
			}
		}
		calls := int64(r.Between(1, 25))
		eventually(t, "events are delivered", func() bool { return s.hook.calls.Load() >= calls })
		// Kill both, because one of them is delivering to the endpoint.
		for _, d := range all {
			d.kill(t)
		}
		at := time.Now()
		before := s.hook.calls.Load()
		s.start(t, 1, "WORKERS_SYNC=0")
		storetest.Within(t, 5*time.Minute, "deliveries go on", func() bool { return s.hook.calls.Load() > before })
		r.TookOver(time.Since(at))
		s.hook.complete(t, s.Fixture)
	})
}

// TestChaosKilledInAReport kills the syncd that makes an interview's report, or
// works on an earlier step.
func TestChaosKilledInAReport(t *testing.T) {
	chaostest.Fault{Name: "kill -9 in reports", Small: 1, Large: 20, Width: 8, Limit: shortStep + time.Minute}.Each(t, func(t *testing.T, r *chaostest.Run) {
		s := newScene(t, r, 0)
		session := s.answerInterview(t)
		settings := []string{"WORKERS_SYNC=0", "WORKERS_MEDIA=1", "PATH=" + idleMediaPrograms(t)}
		all := s.start(t, 1, settings...)
		if err := answering.Submit(t.Context(), s.DB, session); err != nil {
			t.Fatal(err)
		}
		status := func(step steps.Name) steps.Status {
			i, err := interviews.Read(t.Context(), s.DB, s.Organization, session.InterviewID)
			if err != nil {
				t.Fatal(err)
			}
			return i.Step(step).Status
		}
		step := []steps.Name{steps.Activity, steps.Report}[r.IntN(2)]
		eventually(t, "the step has begun", func() bool {
			now := status(step)
			return now == steps.Running || now == steps.Done
		})
		time.Sleep(time.Duration(r.IntN(10_000)) * time.Microsecond) // the moment is the run's choice; nothing depends on it
		at := all[0].kill(t)
		left := status(steps.Report) != steps.Done
		s.start(t, 1, settings...)
		storetest.Within(t, 5*time.Minute, "there is a report", func() bool { return status(steps.Report) == steps.Done })
		if left {
			r.TookOver(time.Since(at))
		}
		if n := number(t, s.Fixture, `SELECT count(*) FROM webhook_events WHERE type = 'interview.completed'`); n != 1 {
			t.Errorf("the interview was completed %d times", n)
		}
		s.hook.complete(t, s.Fixture)
	})
}

// TestChaosFrozen stops the syncd that works on a cycle for longer than its lease,
// as a paused machine does. When it wakes up, it writes nothing. How soon others
// take over depends on where it was frozen, because the server keeps its locks for
// 15 s, or for a minute in the middle of a page.
func TestChaosFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("freezes processes past their lease")
	}
	chaostest.Fault{Name: "SIGSTOP past the lease", Small: 2, Large: 100, Width: 8}.Each(t, func(t *testing.T, r *chaostest.Run) {
		trades := r.Between(500, 3000)
		request := int64(r.Between(1, 3+trades/200))
		s := newScene(t, r, trades, request)
		s.start(t, 2)
		s.begin(t)
		s.await(t, request)
		frozen := s.holder(t)
		if frozen == nil {
			r.Note("nobody held the lease in some runs")
			s.settled(t)
			return
		}
		at := time.Now()
		frozen.signal(t, syscall.SIGSTOP)
		owner := frozen.owner(t)
		if len(s.Texts(t, `SELECT 'x' FROM sync_state WHERE owner = $1`, owner)) > 0 {
			s.tookOver(t, owner, at)
		}
		s.settled(t)
		s.rest(t)
		before := s.written(t)
		frozen.signal(t, syscall.SIGCONT)
		frozen.signal(t, syscall.SIGTERM) // it ends when all its work under way has ended
		if code := frozen.ended(t, time.Minute); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if diff := cmp.Diff(before, s.written(t)); diff != "" {
			t.Errorf("who was frozen has written (-before +after):\n%s", diff)
		}
	})
}

// rest postpones the next cycle, which would hide the result of this one.
func (s *scene) rest(t *testing.T) {
	t.Helper()
	s.Texts(t, `UPDATE sync_state SET claimable_at = now() + interval '1 day', slot_at = now() + interval '1 day' WHERE owner IS NULL RETURNING 'x'`)
	storetest.Within(t, 10*time.Minute, "the cycle that had begun already is over", func() bool { return s.over(t) })
}

// written returns everything that a cycle writes.
func (s *scene) written(t *testing.T) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for _, table := range []string{"sync_state", "sync_streams", "sync_runs", "quarantine", "findings", "traders", "accounts", "trades", "payouts", "webhook_events"} {
		rows[table] = s.Texts(t, `SELECT md5(r::text) FROM `+table+` r ORDER BY 1`)
	}
	return rows
}

// TestChaosTerminated ends a syncd under load. It releases what it holds, and the
// next one continues.
func TestChaosTerminated(t *testing.T) {
	chaostest.Fault{Name: "SIGTERM under load", Small: 2, Large: 100, Width: 4, Limit: 3 * time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		integrations, trades := r.Between(2, 8), r.Between(400, 1500)
		request := int64(r.Between(1, integrations*trades/200))
		s := newScene(t, r, trades, request)
		for range integrations - 1 {
			addIntegration(t, s.Fixture)
		}
		first := s.start(t, 1)[0]
		s.begin(t)
		s.await(t, request)
		at := time.Now()
		first.signal(t, syscall.SIGTERM)
		eventually(t, "all leases are given back", func() bool {
			return number(t, s.Fixture, `SELECT count(*) FROM sync_state WHERE owner IS NOT NULL`) == 0
		})
		r.TookOver(time.Since(at))
		if code := first.ended(t, 25*time.Second); code != 0 {
			t.Errorf("exit code %d after SIGTERM, want 0", code)
		}
		s.start(t, 1)
		s.settled(t)
	})
}

// idleMediaPrograms returns a folder with programs that syncd takes for ffmpeg and ffprobe. Without
// any, it leaves all interviews to other processes, also those that only have written answers.
func idleMediaPrograms(t *testing.T) string {
	t.Helper()
	return mediaPrograms(t, "echo ' V libx264 A aac '")
}

// mediaPrograms returns a folder with an ffmpeg and an ffprobe that only run a command of the shell.
func mediaPrograms(t *testing.T, command string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+command+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
