package v1_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/storetest"
)

// Size of the benchmark of lists.
const (
	benchTraders = 1_000_000 // 20,000 with -short
	benchKeys    = 400       // so that none exceeds its limit
	benchClients = 8
	benchRound   = 4 * time.Second // 1 s with -short
	benchRounds  = 5               // 1 with -short
)

// BenchmarkListTraders compares GET /v1/traders with a bare handler, net/http and pgx, that
// performs the same authentication, limit and statement and encodes the same members. They run in
// turns. Then it measures response times at half the rate that the API has reached.
func BenchmarkListTraders(tb *testing.B) {
	b := setup(tb)
	seedDirectory(tb, b)
	b.compare(tb, "/v1/traders?limit=25", bareTraders)
}

// compare reports how fast the API answers a request compared with a bare handler that returns
// the result of read, and its response times at half of that rate.
func (b *testAPI) compare(tb *testing.B, request string, read bareRead) {
	tb.Helper()
	round := storetest.BenchTime(tb, "ROUND", benchRound, time.Second)
	keys := benchmarkKeys(tb, b)
	b.startQuietAPI(tb)
	ourURL, bareURL := b.server.URL+request, bareServer(tb, b.databaseURL, read).URL
	for tb.Loop() {
		var ours, limit, ratios []float64
		for range storetest.BenchCount(tb, "ROUNDS", benchRounds, 1) {
			ours = append(ours, load(tb, ourURL, keys, round, 0).rate)
			limit = append(limit, load(tb, bareURL, keys, round, 0).rate)
			ratios = append(ratios, ours[len(ours)-1]/limit[len(limit)-1])
		}
		calm := load(tb, ourURL, keys, round, storetest.Median(ours)/2)
		tb.ReportMetric(storetest.Median(ours), "requests/s")
		tb.ReportMetric(storetest.Median(limit), "bare-requests/s")
		tb.ReportMetric(storetest.Median(ratios), "ratio")
		tb.ReportMetric(calm.quantile(0.50), "p50-ms")
		tb.ReportMetric(calm.quantile(0.99), "p99-ms")
	}
}

// startQuietAPI serves the API as in production, except for the destination of its log.
func (b *testAPI) startQuietAPI(tb testing.TB) {
	tb.Helper()
	b.server.Close()
	b.registry = prometheus.NewRegistry()
	b.logTo = io.Discard
	b.startAPI(tb, b.db)
}

// seedDirectory fills the organization's directory.
func seedDirectory(tb *testing.B, b *testAPI) {
	tb.Helper()
	n := storetest.BenchCount(tb, "TRADERS", benchTraders, 20_000)
	i := storetest.Integration(tb, b.db, b.org.ID, b.platformURL)
	conn := storetest.Conn(tb, b.databaseURL)
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO traders (id, organization_id, integration_id, source, external_id, first_name, last_name, full_name, email, country, phone,
    kyc_status, tags, registered_at, metadata, platform_updated_at, content_hash, created_at)
SELECT gen_random_uuid(), '%s', '%s', 'custom_api', 'T-' || n, 'First' || n %% 977, 'Last' || n, 'First' || n %% 977 || ' Last' || n, 'trader' || n || '@mail.example',
    'DE', '+49' || n, 'verified', '{vip}', now(), '{"score": 12, "desk": "fx"}', now(), '\x00', now() - n * interval '10 ms'
FROM generate_series(1, %d) AS n`, b.org.ID, i.ID, n),
		fmt.Sprintf(`UPDATE sync_state SET traders = %d`, n),
		`VACUUM ANALYZE traders`,
	} {
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			tb.Fatal(err)
		}
	}
}

func benchmarkKeys(tb testing.TB, b *testAPI) []string {
	tb.Helper()
	keys := make([]string, benchKeys)
	for i := range keys {
		_, keys[i] = newOrganization(tb, b.db, auth.Scopes()...)
	}
	_, err := storetest.Conn(tb, b.databaseURL).Exec(context.Background(), `UPDATE api_keys SET organization_id = $1`, b.org.ID)
	check(tb, err)
	return keys
}

// loadResult is the result of a round of requests.
type loadResult struct {
	rate  float64 // responses a second
	times []time.Duration
}

// quantile of the times in milliseconds.
func (r loadResult) quantile(q float64) float64 {
	slices.Sort(r.times)
	return float64(r.times[int(q*float64(len(r.times)-1))].Microseconds()) / 1000
}

// load sends requests for a round: either as many as possible, or a number per second.
func load(tb testing.TB, url string, keys []string, round time.Duration, rate float64) loadResult {
	tb.Helper()
	// The bare handler does not compress.
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var (
		next  atomic.Int64
		group sync.WaitGroup
		times [benchClients][]time.Duration
		begun = time.Now()
	)
	for n := range benchClients {
		group.Go(func() {
			for time.Since(begun) < round {
				i := next.Add(1)
				due := time.Now()
				if rate > 0 {
					due = begun.Add(time.Duration(float64(i) / rate * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				getAnswer(tb, client, url, keys[int(i)%len(keys)])
				times[n] = append(times[n], time.Since(due))
			}
		})
	}
	group.Wait()
	all := slices.Concat(times[:]...)
	return loadResult{float64(len(all)) / time.Since(begun).Seconds(), all}
}

func getAnswer(tb testing.TB, client *http.Client, url, key string) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		tb.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := client.Do(req)
	if err != nil {
		tb.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	if n, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK || n < 1000 {
		tb.Errorf("answered %d with %d bytes, %v", res.StatusCode, n, err)
	}
}

// bareTrader is a row as the bare handler returns it.
type bareTrader struct {
	ID                uuid.UUID       `json:"id"`
	Source            string          `json:"source"`
	IntegrationID     *uuid.UUID      `json:"integration_id"`
	ExternalID        *string         `json:"external_id"`
	FullName          *string         `json:"full_name"`
	FirstName         *string         `json:"first_name"`
	LastName          *string         `json:"last_name"`
	Email             *string         `json:"email"`
	Country           *string         `json:"country"`
	Phone             *string         `json:"phone"`
	KYCStatus         *string         `json:"kyc_status"`
	Status            string          `json:"status"`
	Tags              []string        `json:"tags"`
	RegisteredAt      *time.Time      `json:"registered_at"`
	Metadata          json.RawMessage `json:"metadata"`
	PlatformUpdatedAt *time.Time      `json:"platform_updated_at"`
	MissingSince      *time.Time      `json:"missing_since"`
	CreatedAt         time.Time       `json:"created_at"`
	UpdatedAt         time.Time       `json:"updated_at"`
}

// The statements of the bare handler, including that of its list.
const (
	bareAdmit = `SELECT organization_id, scopes, revoked_at, limited, remaining FROM admit_api_key($1::bytea, 600, interval '60 s') WHERE id IS NOT NULL`
	bareList  = `SELECT t.id, t.source, t.integration_id, t.external_id, t.full_name, t.first_name, t.last_name, t.email, t.country, t.phone,
    t.kyc_status, t.status, t.tags, t.registered_at, t.metadata, t.platform_updated_at, t.missing_since, t.created_at, t.updated_at,
    (SELECT (SELECT sum(s.traders) FROM integrations AS i JOIN sync_state AS s ON s.integration_id = i.id WHERE i.organization_id = $1)
        + (SELECT count(*) FROM traders WHERE organization_id = $1 AND integration_id IS NULL)
        - (SELECT count(*) FROM traders WHERE organization_id = $1 AND status = 'archived'))::bigint AS total
FROM traders AS t WHERE t.organization_id = $1 AND t.status <> 'archived' ORDER BY t.created_at DESC, t.id DESC LIMIT 25`
)

// bareRead reads what a bare handler returns.
type bareRead func(ctx context.Context, pool *pgxpool.Pool, organization uuid.UUID) (any, error)

// bareServer is the minimum that does the same: no routing, no log, no metrics, no guard against
// revocations, no checks of the query.
func bareServer(tb testing.TB, databaseURL string, read bareRead) *httptest.Server {
	tb.Helper()
	config, err := pgxpool.ParseConfig(databaseURL)
	check(tb, err)
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	check(tb, err)
	tb.Cleanup(pool.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := bareAnswer(w, r, pool, read); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	tb.Cleanup(server.Close)
	return server
}

func bareAnswer(w http.ResponseWriter, r *http.Request, pool *pgxpool.Pool, read bareRead) error {
	key, err := auth.ParseKey(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if err != nil {
		return err
	}
	var (
		organization uuid.UUID
		scopes       []string
		revokedAt    *time.Time
		limited      bool
		remaining    int
	)
	hash := key.Hash()
	err = pool.QueryRow(r.Context(), bareAdmit, hash[:]).Scan(&organization, &scopes, &revokedAt, &limited, &remaining)
	if err != nil || revokedAt != nil || limited || !slices.Contains(scopes, string(auth.TradersRead)) {
		return fmt.Errorf("refused: %w", err)
	}
	answer, err := read(r.Context(), pool, organization)
	if err != nil {
		return err
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	_, err = w.Write(body)
	return err
}

// bareTraders is the bareRead for the list of traders.
func bareTraders(ctx context.Context, pool *pgxpool.Pool, organization uuid.UUID) (any, error) {
	rows, err := pool.Query(ctx, bareList, organization)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []bareTrader `json:"data"`
		Meta struct {
			Page, Limit, Total int
		} `json:"meta"`
	}
	for rows.Next() {
		var t bareTrader
		if err := rows.Scan(&t.ID, &t.Source, &t.IntegrationID, &t.ExternalID, &t.FullName, &t.FirstName, &t.LastName, &t.Email, &t.Country, &t.Phone,
			&t.KYCStatus, &t.Status, &t.Tags, &t.RegisteredAt, &t.Metadata, &t.PlatformUpdatedAt, &t.MissingSince, &t.CreatedAt, &t.UpdatedAt, &list.Meta.Total); err != nil {
			return nil, err
		}
		list.Data = append(list.Data, t)
	}
	return list, rows.Err()
}
