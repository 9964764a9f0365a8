// Package enginetest sets up what tests of syncing need: a platform of either kind
// over TLS, a database, and an integration between the two. It compares what was
// synced with the platform's truth. No binary links it.
package enginetest

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
)

// Fixture is a platform, a database and an integration between them.
type Fixture struct {
	Platform      *reference.Server // set by New
	Partner       *partner.Server   // set by NewPartner
	URL           string            // of the database
	DB            *store.DB
	Conn          *pgx.Conn // for queries by one goroutine
	Connectors    connectors.Registry
	Client        *fetch.Client
	Engine        *engine.Engine
	Organization  uuid.UUID
	IntegrationID uuid.UUID
	Clock         *storetest.Clock // set by NewClocked: waits pass on it

	change []func(*engine.Config)
}

// Interval is the sync interval of the fixture's integration.
const Interval = 5 * time.Minute

// New returns a fixture whose integration has passed its live check. Changes
// apply to the engine's configuration.
func New(t testing.TB, platform reference.Options, change ...func(*engine.Config)) *Fixture {
	t.Helper()
	return NewOn(t, storetest.URL(t), platform, change...)
}

// NewOn is New on a migrated, empty database of the test's own.
func NewOn(t testing.TB, database string, platform reference.Options, change ...func(*engine.Config)) *Fixture {
	t.Helper()
	server, err := reference.Start(platform)
	if err != nil {
		t.Fatalf("start platform: %v", err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w := newFixture(t, database, server.CertPool, change)
	w.Platform = server
	w.createIntegration(t, integrations.New{Kind: record.CustomAPI, BaseURL: server.URL, APIKey: seal.NewSecret(server.Key)})
	return w
}

// NewClocked is New with a clock of its own, on which Cycle makes waits pass.
func NewClocked(t testing.TB, platform reference.Options, change ...func(*engine.Config)) *Fixture {
	t.Helper()
	database, clock := storetest.OwnClock(t, storetest.URL(t))
	w := NewOn(t, database, platform, append(change, func(c *engine.Config) { c.Now = clock.Now })...)
	w.Clock = clock
	return w
}

// NewPartner is New for a partner platform, read within the scope; nil reads all.
func NewPartner(t testing.TB, platform partner.Options, scope *syncing.AccountScope, change ...func(*engine.Config)) *Fixture {
	t.Helper()
	server, err := partner.Start(platform)
	if err != nil {
		t.Fatalf("start platform: %v", err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w := newFixture(t, storetest.URL(t), server.CertPool, change)
	w.Partner = server
	w.createIntegration(t, integrations.New{Kind: record.PartnerPlatform, BaseURL: server.URL, APIKey: seal.NewSecret(server.Key), AccountScope: scope})
	return w
}

// CA returns the PEM of the authority that signed the platform's certificate.
func (w *Fixture) CA() []byte {
	if w.Partner != nil {
		return w.Partner.CA
	}
	return w.Platform.CA
}

// newFixture returns a fixture without a platform.
func newFixture(t testing.TB, database string, roots *x509.CertPool, change []func(*engine.Config)) *Fixture {
	t.Helper()
	w := &Fixture{URL: database, change: change}
	w.DB = storetest.Open(t, w.URL)
	w.Conn = storetest.Conn(t, w.URL)
	w.Client = fetch.New(fetch.Options{AllowCIDRs: Loopback(), RootCAs: roots, Backoff: time.Millisecond})
	t.Cleanup(w.Client.Close)
	var err error
	w.Connectors, err = connectors.NewRegistry(customapi.New(w.Client), partnerplatform.New(w.Client))
	if err != nil {
		t.Fatal(err)
	}
	w.Engine = w.NewEngine(t)
	return w
}

// Loopback is the exception to the address guard that test platforms need.
func Loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// NewEngine returns one more engine on the fixture's database.
func (w *Fixture) NewEngine(t testing.TB, change ...func(*engine.Config)) *engine.Engine {
	c := engine.Config{
		Store: w.DB, Connectors: w.Connectors, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, apply := range append(w.change, change...) {
		apply(&c)
	}
	return engine.New(c)
}

// createIntegration creates the integration and lets its check pass.
func (w *Fixture) createIntegration(t testing.TB, i integrations.New) {
	t.Helper()
	ctx := context.Background()
	org, _, _, err := access.Bootstrap(ctx, w.DB, access.NewOrganization{
		OrganizationName: "Desk", Email: "owner@desk.test", PasswordHash: "x",
		Key: access.NewAPIKey{Name: "first", Prefix: "svc_live_abcdef", Scopes: []string{"traders:read"}, CreatedByName: "owner"},
	})
	if err != nil {
		t.Fatalf("bootstrap: %v", err)
	}
	w.Organization = org.ID
	i.Name, i.SyncIntervalSeconds, i.Check = "Platform", int(Interval.Seconds()), integrations.CheckOutcome{OK: true}
	created, err := integrations.Create(ctx, w.DB, store.SystemChange(org.ID), i)
	if err != nil {
		t.Fatalf("create integration: %v", err)
	}
	w.IntegrationID = created.ID
	storetest.PostponeSlots(t, w.Conn)
}

// Pass records a live check that passed, so that a stopped integration continues.
func (w *Fixture) Pass(t testing.TB) {
	t.Helper()
	check := integrations.LiveCheck{CheckOutcome: integrations.CheckOutcome{OK: true}, SettingsVersion: w.Integration(t).SettingsVersion}
	if _, err := integrations.RecordLiveCheck(context.Background(), w.DB, store.SystemChange(w.Organization), w.IntegrationID, check); err != nil {
		t.Fatalf("record live check: %v", err)
	}
}

// Claim takes the integration's lease for a process.
func (w *Fixture) Claim(t testing.TB, owner string) syncing.Claim {
	t.Helper()
	claim, err := syncing.ClaimOne(context.Background(), w.DB, owner, w.IntegrationID, engine.DefaultLease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return claim
}

// Cycle runs slices, without regard to their waits, until the current cycle is over
// or has waited so often that it will never end.
func (w *Fixture) Cycle(t testing.TB) {
	t.Helper()
	const most = 1000
	for range most {
		w.Wait(t)
		if err := w.Engine.RunSlice(context.Background(), w.Claim(t, "test")); err != nil {
			t.Fatalf("turn: %v", err)
		}
		over, _, err := history.CheckCycle(context.Background(), w.DB, w.IntegrationID)
		if err != nil {
			t.Fatal(err)
		}
		if over {
			return
		}
	}
	t.Fatalf("the cycle is not over after %d turns", most)
}

// Wait lets the wait of the current cycle pass, on the fixture's own clock.
func (w *Fixture) Wait(t testing.TB) {
	t.Helper()
	if w.Clock == nil {
		return
	}
	var wait time.Duration
	err := w.Conn.QueryRow(context.Background(), `SELECT greatest(claimable_at - clock_timestamp(), interval '0') FROM sync_state WHERE claimable_at <> 'infinity' AND cycle_id IS NOT NULL
UNION ALL SELECT interval '0' LIMIT 1`).Scan(&wait)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(t, wait)
}

// Integration reads the fixture's integration.
func (w *Fixture) Integration(t testing.TB) integrations.Integration {
	t.Helper()
	i, err := integrations.Read(context.Background(), w.DB, w.Organization, w.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Runs lists the integration's runs in the order in which they began, as
// "resource mode status".
func (w *Fixture) Runs(t testing.TB) []string {
	t.Helper()
	return w.Texts(t, `SELECT concat_ws(' ', resource, mode, status) FROM sync_runs ORDER BY started_at, id`)
}

// Exec executes a statement.
func (w *Fixture) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	storetest.Exec(t, w.Conn, statement, args...)
}

// Texts returns the result of a query for one text column.
func (w *Fixture) Texts(t testing.TB, query string, args ...any) []string {
	t.Helper()
	return storetest.Texts(t, w.Conn, query, args...)
}
