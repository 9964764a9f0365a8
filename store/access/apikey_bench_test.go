package access_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// benchKeys is the number of keys, two of which are used.
const benchKeys = 10_000

// BenchmarkAdmitAPIKey counts requests of a key, one after another, and refuses those of another.
// It compares them with lower bounds: a bare read of the key, and no work at all. All take turns,
// so that they run under the same conditions. Results are medians in microseconds per call.
func BenchmarkAdmitAPIKey(tb *testing.B) {
	url := storetest.URL(tb)
	db := storetest.Open(tb, url)
	conn := storetest.Conn(tb, url)
	org := storetest.Organization(tb, db).ID
	id := uuid.Must(uuid.NewV7())
	hash := sha256.Sum256(id[:])
	if _, err := conn.Exec(tb.Context(), `INSERT INTO api_keys (id, organization_id, name, prefix, secret_hash, scopes, created_by_name)
SELECT CASE n WHEN 0 THEN $1 ELSE gen_random_uuid() END, $2, 'bench', 'svc_live_abcdef', CASE n WHEN 0 THEN $3 ELSE sha256(n::text::bytea) END,
    '{traders:read,traders:write,integrations:read}', 'bench' FROM generate_series(0, $4 - 1) AS n`, id, org, hash[:], benchKeys); err != nil {
		tb.Fatal(err)
	}
	pool, err := pgxpool.New(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	defer pool.Close()
	read := func() error {
		var k access.APIKey
		return pool.QueryRow(tb.Context(), `SELECT id, organization_id, name, prefix, scopes, created_by_name, created_at, expires_at, revoked_at
FROM api_keys WHERE secret_hash = $1`, hash[:]).
			Scan(&k.ID, &k.OrganizationID, &k.Name, &k.Prefix, &k.Scopes, &k.CreatedByName, &k.CreatedAt, &k.ExpiresAt, &k.RevokedAt)
	}
	admit := func(hash [32]byte, limit int, window time.Duration, limited bool) func() error {
		return func() error {
			a, err := access.AdmitWithin(tb.Context(), db, hash, limit, window)
			if err == nil && a.Limited != limited {
				err = fmt.Errorf("limited: %v", a.Limited)
			}
			return err
		}
	}
	busy := sha256.Sum256([]byte("1"))
	if err := admit(busy, 1, time.Hour, false)(); err != nil {
		tb.Fatal(err)
	}
	nothing := func() error {
		_, err := pool.Exec(tb.Context(), `SELECT 1`, pgx.QueryExecModeCacheStatement)
		return err
	}
	calls := []struct {
		name string
		call func() error
		took []float64
	}{
		{name: "select_1_µs", call: nothing},
		{name: "read_key_µs", call: read},
		// A request leaves the window for almost each that is counted.
		{name: "admit_µs", call: admit(hash, access.RateLimit, 10*time.Millisecond, false)},
		{name: "refuse_µs", call: admit(busy, 1, time.Hour, true)},
	}
	for tb.Loop() {
		for i := range calls {
			const batch = 600
			began := time.Now()
			for range batch {
				if err := calls[i].call(); err != nil {
					tb.Fatal(err)
				}
			}
			calls[i].took = append(calls[i].took, float64(time.Since(began).Microseconds())/batch)
		}
	}
	tb.ReportMetric(0, "ns/op") // a round of all
	for _, c := range calls {
		tb.ReportMetric(storetest.Median(c.took), c.name)
	}
}
