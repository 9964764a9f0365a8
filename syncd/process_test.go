package main_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/enginetest"
)

// number returns the result of a query for one whole number.
func number(t *testing.T, w *enginetest.Fixture, query string, args ...any) (n int) {
	t.Helper()
	if err := w.Conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// TestTerminatedUnderLoad stops a syncd that works on many integrations, and lets
// another one continue.
func TestTerminatedUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("stops processes under load")
	}
	t.Parallel()
	const integrations = 20
	var log requestLog
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 5, Traders: 30, AccountsPerTrader: 2, Trades: 3000, Payouts: 10, Weekends: true}, OnRequest: log.add})
	for range integrations - 1 {
		addIntegration(t, w)
	}
	with := settings(t, w, "SYNC_REQUESTS_PER_SECOND=3")
	d := start(t, with)
	eventually(t, "all integrations are being read", func() bool {
		return number(t, w, `SELECT count(*) FROM sync_state WHERE owner IS NOT NULL AND trades > 0`) == integrations
	})
	d.signal(t, syscall.SIGTERM)
	if code := d.ended(t, 25*time.Second); code != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", code)
	}
	if n := number(t, w, `SELECT count(*) FROM sync_state WHERE owner IS NOT NULL OR claimable_at > now()`); n != 0 {
		t.Errorf("%d leases are left", n)
	}
	if n := number(t, w, `SELECT count(*) FROM sync_state WHERE cycle_id IS NULL`); n == integrations {
		t.Error("no cycle was under way: the test shows nothing")
	}
	if bad := w.Texts(t, `SELECT DISTINCT status FROM sync_runs WHERE status NOT IN ('running', 'succeeded')`); len(bad) > 0 {
		t.Errorf("runs are %q, want none ended by the stop", bad)
	}

	start(t, settings(t, w))
	eventually(t, "the other syncd has read everything", func() bool {
		return number(t, w, `SELECT count(*) FROM sync_runs WHERE resource = 'trades' AND status = 'succeeded'`) == integrations
	})
	if bad := w.Texts(t, `SELECT DISTINCT status FROM sync_runs WHERE status <> 'succeeded'`); len(bad) > 0 {
		t.Errorf("runs are %q after all, want all succeeded", bad)
	}
	// What was read was not read again, but for the pages in flight.
	if all, first := log.trades(); first != integrations || all > integrations*(15+3) {
		t.Errorf("%d requests for trades, %d for the first page; want about %d and %d", all, first, integrations*15, integrations)
	}
	w.Compare(t)
}

// TestHangingMediaProgram lets a syncd read a platform while it waits for an ffmpeg that does not end.
func TestHangingMediaProgram(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	d := start(t, settings(t, w, "WORKERS_MEDIA=1", "PATH="+mediaPrograms(t, "exec /bin/sleep 600")))
	eventually(t, "the first cycle is over", func() bool { return w.Integration(t).HealthStatus == syncing.HealthHealthy })
	if status, body := d.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz: status %d, %s", status, body)
	}
	d.signal(t, syscall.SIGTERM)
	if code := d.ended(t, 25*time.Second); code != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", code)
	}
	if d.log.has("this process does not process recordings of interviews") {
		t.Error("stopping was logged as a missing program")
	}
}

// addIntegration connects the fixture's platform once more, for another organization,
// because an organization connects a platform only once.
func addIntegration(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	n := integrations.New{Name: "Platform", SyncIntervalSeconds: 3600, Check: integrations.CheckOutcome{OK: true}}
	if w.Partner != nil {
		n.Kind, n.BaseURL, n.APIKey = record.PartnerPlatform, w.Partner.URL, seal.NewSecret(w.Partner.Key)
	} else {
		n.Kind, n.BaseURL, n.APIKey = record.CustomAPI, w.Platform.URL, seal.NewSecret(w.Platform.Key)
	}
	if _, err := integrations.Create(t.Context(), w.DB, store.SystemChange(storetest.Organization(t, w.DB).ID), n); err != nil {
		t.Fatal(err)
	}
}

// takeoverTrades is how many trades TestKilled reads, unless
// ASSAY_TEST_TAKEOVER_TRADES says otherwise.
const takeoverTrades = 40_000

// TestKilled kills that one of two syncds which reads a long list. The other one
// continues from the checkpoint.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes again and again")
	}
	t.Parallel()
	trades := takeoverTrades
	if text := os.Getenv("ASSAY_TEST_TAKEOVER_TRADES"); text != "" {
		var err error
		if trades, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	pages := (trades + 199) / 200
	var log requestLog
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 6, Traders: 200, AccountsPerTrader: 2, Trades: trades, Payouts: 50, Weekends: true}, OnRequest: log.add})
	// Slow enough that the kill comes in the middle of the list.
	with := settings(t, w, "SYNC_REQUESTS_PER_SECOND="+strconv.Itoa(max(pages/8, 20)))
	both := []*daemon{start(t, with), start(t, with)}

	killed := stopHolder(t, w, both, trades/4)
	written := number(t, w, `SELECT trades FROM sync_state`)
	before, _ := log.trades()
	var at time.Time
	if err := w.Conn.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&at); err != nil {
		t.Fatal(err)
	}
	killed.signal(t, syscall.SIGKILL)
	killed.ended(t, time.Minute)
	if written >= trades {
		t.Fatalf("all %d trades were there before the kill: the test shows nothing", written)
	}
	owner := killed.log.value(t, "syncd started", "owner")

	storetest.Within(t, 10*time.Minute, "the other syncd has read everything", func() bool {
		return number(t, w, `SELECT count(*) FROM sync_runs WHERE resource = 'trades' AND status = 'succeeded'`) == 1
	})
	var taken time.Time
	err := w.Conn.QueryRow(t.Context(), `SELECT at FROM integration_transitions WHERE kind = 'lease' AND strpos(reason, $1) > 0`, owner).Scan(&taken)
	if err != nil {
		t.Fatalf("the takeover from %s is not in the integration's history: %v", owner, err)
	}
	t.Logf("%d of %d trades written before the kill, taken over %s after it", written, trades, taken.Sub(at).Round(time.Millisecond))
	if after := taken.Sub(at); after > 30*time.Second {
		t.Errorf("taken over %s after the kill, want the lease of 15 s and a moment", after)
	}
	rows := w.Texts(t, `SELECT concat_ws(' ', status, count(*)) FROM sync_runs WHERE resource = 'trades' GROUP BY status ORDER BY 1`)
	if !slices.Equal(rows, []string{"interrupted 1", "succeeded 1"}) {
		t.Errorf("runs of trades %q, want one interrupted and one that succeeded", rows)
	}
	if n := number(t, w, `SELECT count(DISTINCT (cycle_id, updated_since)) FROM sync_runs WHERE resource = 'trades'`); n != 1 {
		t.Errorf("the two runs have %d cycles and bounds, want the same", n)
	}
	// Two pages are lost with the process: the one that it was reading and the one
	// that it had not written yet.
	if all, first := log.trades(); first != 1 || all > pages+3 {
		t.Errorf("%d requests for trades (%d before the kill), %d for the first page; want %d, a few more, and 1", all, before, first, pages)
	}
	w.Compare(t)
}

// stopHolder freezes the syncd that holds the integration, once it has written that
// many trades.
func stopHolder(t *testing.T, w *enginetest.Fixture, all []*daemon, trades int) *daemon {
	t.Helper()
	owners := make(map[string]*daemon)
	for _, d := range all {
		owners[d.log.value(t, "syncd started", "owner")] = d
	}
	holder := func() (owner string) {
		err := w.Conn.QueryRow(t.Context(), `SELECT coalesce(owner, '') FROM sync_state WHERE trades >= $1 AND run->>'stream' = 'trades'`, trades).Scan(&owner)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			t.Fatal(err)
		}
		return owner
	}
	var held *daemon
	eventually(t, "a syncd is in the middle of the trades", func() bool {
		owner := holder()
		if held = owners[owner]; held == nil {
			return false
		}
		held.signal(t, syscall.SIGSTOP)
		// It may have yielded to the other one in this moment.
		for range 5 {
			if holder() != owner {
				held.signal(t, syscall.SIGCONT)
				return false
			}
		}
		return true
	})
	return held
}

// TestDatabaseAway takes the database away for a while in the middle of a cycle.
// The process stays up, reports the failure, and continues from the checkpoint.
func TestDatabaseAway(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a database that is away")
	}
	t.Parallel()
	const trades, pages = 8000, 40
	var log requestLog
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 8, Traders: 50, AccountsPerTrader: 2, Trades: trades, Payouts: 20, Weekends: true}, OnRequest: log.add})
	d := start(t, settings(t, w, "SYNC_REQUESTS_PER_SECOND=3"))
	eventually(t, "trades are being written", func() bool { return number(t, w, `SELECT trades FROM sync_state`) >= 1000 })
	if status, body := d.get(t, "/readyz"); status != http.StatusOK {
		t.Errorf("/readyz: %d %s before", status, body)
	}

	server, name := serverOf(t, w.URL)
	admin := func(statement string, args ...any) {
		t.Helper()
		if _, err := server.Exec(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	quoted := pgx.Identifier{name}.Sanitize()
	admin(`ALTER DATABASE ` + quoted + ` ALLOW_CONNECTIONS false`)
	admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
	eventually(t, "/readyz says no", func() bool {
		status, _ := d.get(t, "/readyz")
		return status == http.StatusServiceUnavailable
	})
	eventually(t, "the cycle and the claiming loop wait", func() bool {
		return d.log.has("database is not available, cycle waits") && d.log.has("claiming fails, retrying")
	})
	if status, body := d.get(t, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d %s while the database is away, want 200: a restart would not help", status, body)
	}
	late := launch(t, settings(t, w))
	eventually(t, "a syncd that is started now waits as well", func() bool { return late.log.has("database does not respond, waiting") })
	late.signal(t, syscall.SIGHUP)
	eventually(t, "it reloads its configuration meanwhile", func() bool { return late.log.has("configuration reloaded") })
	admin(`ALTER DATABASE ` + quoted + ` ALLOW_CONNECTIONS true`)
	eventually(t, "it has started", func() bool { return late.log.has("syncd started") })
	w.Conn = storetest.Conn(t, w.URL)
	eventually(t, "/readyz says yes", func() bool {
		status, _ := d.get(t, "/readyz")
		return status == http.StatusOK
	})
	if written := number(t, w, `SELECT trades FROM sync_state`); written >= trades {
		t.Fatalf("all %d trades had been written: the test shows nothing", written)
	}
	eventually(t, "the cycle is over", func() bool {
		return number(t, w, `SELECT count(*) FROM sync_runs WHERE status = 'succeeded'`) == 4
	})
	if bad := w.Texts(t, `SELECT concat_ws(' ', resource, status) FROM sync_runs WHERE status NOT IN ('succeeded', 'interrupted')`); len(bad) > 0 {
		t.Errorf("runs %q: the outage must not fail any", bad)
	}
	if all, first := log.trades(); first != 1 || all > pages+4 {
		t.Errorf("%d requests for trades, %d for the first page; want %d, a few more, and 1", all, first, pages)
	}
	w.Compare(t)
	for _, d := range []*daemon{d, late} {
		if strings.Contains(d.log.String(), `"level":"ERROR"`) {
			t.Error("the outage was logged as an error of assay's own")
		}
		select {
		case <-d.done:
			t.Error("a process has ended")
		default:
		}
	}
}

// serverOf connects to the server's other database, and returns the name of
// the one at the URL.
func serverOf(t *testing.T, databaseURL string) (*pgx.Conn, string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), os.Getenv(storetest.ServerVariable))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn, strings.TrimPrefix(u.Path, "/")
}
