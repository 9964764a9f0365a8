package main_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestChaosRolling runs three syncds. Each second one of them is killed or ended and another one
// started, while the platform changes, cycles are requested and events are delivered. It takes long
// because a syncd is ended each second, for six seconds.
func TestChaosRolling(t *testing.T) {
	if testing.Short() {
		t.Skip("runs two versions side by side")
	}
	chaostest.Fault{Name: "three syncds, one ended each second", Small: 1, Large: 1, Timed: true}.Each(t, func(t *testing.T, r *chaostest.Run) {
		const integrations, syncds = 6, 3
		s := emptyScene(r, nil)
		s.Fixture = enginetest.New(t, reference.Options{
			Firm:      firm.Options{Seed: r.Seed, Traders: 40, AccountsPerTrader: 2, Trades: 1500, Payouts: 20, Weekends: true},
			OnRequest: s.answered,
		})
		s.prepare(t)
		for range integrations - 1 {
			addIntegration(t, s.Fixture)
		}
		s.start(t, syncds)
		s.begin(t)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		ended := 0
		for until := time.Now().Add(chaostest.Time(t, 6*time.Second, 10*time.Minute)); time.Now().Before(until); ended++ {
			<-tick.C
			s.replaceOne(t)
			s.happen(t)
		}
		r.Note("%d ended, %d requests", ended, s.requests.Load())
		s.allSettled(t)
	})
}

// earlierVersion is a setting of command: the syncd is of an earlier version.
const earlierVersion = "TEST_VERSION=earlier"

// earlier is an earlier version of syncd, built as a test binary so that it takes other leases.
type earlier struct {
	program, revision string
	schema            int64 // its newest migration
}

// buildEarlier builds an earlier version, which takes minutes the first time.
var buildEarlier = sync.OnceValues(func() (e earlier, err error) {
	dir, err := programs()
	if err != nil {
		return e, err
	}
	source := filepath.Join(dir, "earlier")
	if err := os.Mkdir(source, 0o700); err != nil {
		return e, err
	}
	if e.revision, err = chaostest.ExtractEarlier("..", source); err != nil {
		return e, err
	}
	if e.schema, err = migrations.NewestOf(os.DirFS(filepath.Join(source, "store", "migrations"))); err != nil {
		return e, err
	}
	e.program = filepath.Join(dir, "syncd.earlier")
	cmd := exec.Command("go", "test", "-c", "-buildvcs=false", "-o", e.program, "./syncd")
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return e, fmt.Errorf("build syncd of %s: %w\n%s", e.revision, err, out)
	}
	return e, os.RemoveAll(source)
})

// TestChaosUpgrade replaces the syncds of an earlier version by this one: it migrates the database
// while they work, and then lets both versions run side by side, of which one after the other is
// killed or ended. Meanwhile the platform changes, cycles are requested, events are delivered and
// interviews are submitted. It takes long because the earlier version is built first.
func TestChaosUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an earlier version")
	}
	chaostest.Fault{Name: "two versions side by side, ended at random", Small: 1, Large: 100, Width: 4}.Each(t, func(t *testing.T, r *chaostest.Run) {
		old, err := buildEarlier()
		if errors.Is(err, chaostest.ErrNoHistory) {
			storetest.LeaveOut(t, err.Error())
		}
		if err != nil {
			t.Fatal(err)
		}
		s := newSceneOn(t, r, storetest.URL(t), r.Between(500, 3000))
		for range r.Between(1, 4) {
			addIntegration(t, s.Fixture)
		}
		media := idleMediaPrograms(t)
		s.settings = append(s.settings, "WORKERS_MEDIA=1", "PATH="+media)
		var answered []answering.Session
		for range r.Between(1, 4) {
			answered = append(answered, s.answerInterview(t))
		}
		migrateDown(t, s.URL, old.schema)
		s.start(t, 2, earlierVersion)
		s.begin(t)
		storetest.Eventually(t, "the earlier version is or was at work", func() bool { return s.requests.Load() > 0 })
		if err := store.Migrate(t.Context(), seal.NewSecret(s.URL), func(int64, string) {}); err != nil {
			t.Fatal(err)
		}
		s.start(t, 2)
		for n := range r.Between(6, 12) {
			s.happen(t)
			if n < len(answered) {
				if err := answering.Submit(t.Context(), s.DB, answered[n]); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) // the moment is the run's choice; nothing depends on it
			s.replaceOne(t, [][]string{{earlierVersion}, nil}[r.IntN(2)]...)
		}
		r.Note("beside %s, %d requests", old.revision, s.requests.Load())
		storetest.Within(t, 5*time.Minute, "every interview has its report", func() bool {
			return number(t, s.Fixture, `SELECT count(*) FROM interview_steps WHERE step = 'report' AND status = 'done'`) == len(answered)
		})
		if n := number(t, s.Fixture, `SELECT count(*) FROM webhook_events WHERE type = 'interview.completed'`); n != len(answered) {
			t.Errorf("%d interviews were completed %d times", len(answered), n)
		}
		s.allSettled(t)
	})
}

// answerInterview starts an interview and answers its questions in writing. It is not submitted.
func (s *scene) answerInterview(t *testing.T) answering.Session {
	t.Helper()
	session, i := storetest.Started(t, s.DB, storetest.Interview(t, s.DB, s.Organization, storetest.NewInterview("Zoe", "zoe@example.com")))
	for _, q := range i.Questions {
		if _, err := answering.SealWritten(t.Context(), s.DB, session, q.ID, "I hold positions for two hours."); err != nil {
			t.Fatal(err)
		}
	}
	return session
}

// migrateDown migrates the database down to the version.
func migrateDown(t *testing.T, url string, version int64) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	tables := stdlib.OpenDB(*config)
	defer tables.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, tables, migrations.Files(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
}

// allSettled is settled for every integration, after a last cycle of each.
func (s *scene) allSettled(t *testing.T) {
	t.Helper()
	storetest.Within(t, 10*time.Minute, "all cycles are over", func() bool { return s.over(t) })
	s.askAll(t)
	storetest.Within(t, 10*time.Minute, "the last cycles are over", func() bool {
		return s.over(t) && number(t, s.Fixture, `SELECT count(*) FROM sync_state WHERE manual OR claimable_at <= now()`) == 0
	})
	s.eachIntegration(t, func() { s.Compare(t) })
	s.settled(t)
}

// replaceOne kills or ends one of the syncds and starts another.
func (s *scene) replaceOne(t *testing.T, more ...string) {
	t.Helper()
	owners := slices.Sorted(maps.Keys(s.daemons))
	owner := owners[s.r.IntN(len(owners))]
	d := s.daemons[owner]
	delete(s.daemons, owner)
	if s.r.IntN(2) == 0 {
		d.kill(t)
	} else {
		d.signal(t, syscall.SIGTERM)
		if code := d.ended(t, time.Minute); code != 0 {
			t.Errorf("exit code %d after SIGTERM", code)
		}
	}
	s.start(t, 1, more...)
}

// happen lets time pass on the platform, and requests cycles and emits events.
func (s *scene) happen(t *testing.T) {
	t.Helper()
	s.Platform.Advance(time.Duration(s.r.Between(1, 120)) * time.Minute)
	s.askAll(t)
	for range s.r.IntN(10) {
		if _, err := directory.CreateTrader(t.Context(), s.DB, store.SystemChange(s.Organization), directory.NewTrader{FullName: "Zoe Miller"}); err != nil {
			t.Fatal(err)
		}
	}
}

// askAll requests a cycle of each integration.
func (s *scene) askAll(t *testing.T) {
	t.Helper()
	s.eachIntegration(t, func() { s.askAgain(t) })
}

// eachIntegration calls do with a fixture for each integration. Each has an organization of its own.
func (s *scene) eachIntegration(t *testing.T, do func()) {
	t.Helper()
	organization, integration := s.Organization, s.IntegrationID
	defer func() { s.Organization, s.IntegrationID = organization, integration }()
	rows, err := s.DB.Pool.Query(t.Context(), `SELECT organization_id, id FROM integrations`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Organization, Integration uuid.UUID }])
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		s.Organization, s.IntegrationID = i.Organization, i.Integration
		do()
	}
}
