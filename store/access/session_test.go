package access_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// TestAdmitSession checks that the requests of a person are counted exactly, in all sessions
// together, and separately from those of others.
func TestAdmitSession(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	org := storetest.Organization(t, db)
	p, other := newPerson(t, db, org.ID, "zoe@example.com"), newPerson(t, db, org.ID, "max@example.com")
	begin := func(p access.Person) [32]byte {
		token := newToken()
		if _, err := access.BeginSession(t.Context(), db, signingIn(p), "hash", access.NewSession{TokenHash: token, Method: access.ByPassword}); err != nil {
			t.Fatal(err)
		}
		return token
	}
	sessions, counted := [][32]byte{begin(p), begin(p)}, make(chan bool)
	for i := range 20 {
		go func() {
			a, err := access.AdmitSessionWithin(t.Context(), db, sessions[i%2], 10, time.Hour)
			if err != nil || a.Person.ID != p.ID || a.OrganizationName != org.Name || a.Expired() || a.EndedAt != nil {
				t.Errorf("got %+v, %v", a, err)
			}
			counted <- !a.Limited
		}()
	}
	n := 0
	for range 20 {
		if <-counted {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d requests were counted", n)
	}
	a, err := access.AdmitSessionWithin(t.Context(), db, begin(other), 10, time.Hour)
	if err != nil || a.Limited || a.Remaining != 9 {
		t.Errorf("somebody else: %+v, %v", a, err)
	}
	if _, err := access.AdmitSession(t.Context(), db, newToken()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such session: %v", err)
	}
}

// BenchmarkAdmitSession counts requests of a person and of a key, in turns. Results are medians in
// microseconds per call.
func BenchmarkAdmitSession(tb *testing.B) {
	url := storetest.URL(tb)
	db, conn := storetest.Open(tb, url), storetest.Conn(tb, url)
	org := storetest.Organization(tb, db).ID
	person, key := uuid.Must(uuid.NewV7()), sha256.Sum256([]byte("key"))
	for _, statement := range []string{
		`INSERT INTO people (id, organization_id, email, name, role) SELECT CASE n WHEN 0 THEN $1::uuid ELSE gen_random_uuid() END, $2, n || '@example.com', 'Zoe', 'viewer' FROM generate_series(0, 1000) AS n`,
		`INSERT INTO sessions (id, organization_id, person_id, token_hash, method, expires_at)
SELECT gen_random_uuid(), $2, $1::uuid, sha256(n::text::bytea), 'password', now() + interval '1 day' FROM generate_series(0, 5000) AS n`,
		`INSERT INTO api_keys (id, organization_id, name, prefix, secret_hash, scopes, created_by_name) VALUES ($1, $2, 'bench', 'svc_live_abcdef', sha256('key'), '{traders:read}', 'bench')`,
	} {
		if _, err := conn.Exec(tb.Context(), statement, person, org); err != nil {
			tb.Fatal(err)
		}
	}
	token := sha256.Sum256([]byte("7"))
	calls := []struct {
		name string
		call func() error
		took []float64
	}{
		{name: "admit_key_µs", call: func() error {
			_, err := access.AdmitWithin(tb.Context(), db, key, access.RateLimit, 10*time.Millisecond)
			return err
		}},
		{name: "admit_session_µs", call: func() error {
			_, err := access.AdmitSessionWithin(tb.Context(), db, token, access.RateLimit, 10*time.Millisecond)
			return err
		}},
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
	tb.ReportMetric(0, "ns/op") // a round of both
	for _, c := range calls {
		tb.ReportMetric(storetest.Median(c.took), c.name)
	}
}
