package access_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// keyDB is a database with a key in it.
type keyDB struct {
	orgDB
	id   uuid.UUID
	hash [32]byte
}

func setupKey(t *testing.T) keyDB {
	t.Helper()
	b := setup(t)
	return b.newKey(t)
}

// newKey creates another key.
func (b orgDB) newKey(t *testing.T) keyDB {
	t.Helper()
	k := keyDB{orgDB: b, id: uuid.Must(uuid.NewV7())}
	k.hash = sha256.Sum256(k.id[:])
	b.Exec(t, `INSERT INTO api_keys (id, organization_id, name, prefix, secret_hash, scopes, created_by_name)
VALUES ($1, $2, 'reporting', 'svc_live_abcdef', $3, '{traders:read,traders:write}', 'Ada')`, k.id, b.Org, k.hash[:])
	return k
}

// pass moves the record of the key's requests into the past, as if time had passed, or into the
// future, as if the clock had been set back.
func (b keyDB) pass(t *testing.T, d time.Duration) {
	t.Helper()
	b.Exec(t, `UPDATE api_key_windows SET oldest_at = oldest_at - $2::interval, newest_at = newest_at - $2::interval WHERE api_key_id = $1`, b.id, d)
	b.Exec(t, `UPDATE api_key_slots SET counted_at = counted_at - $2::interval WHERE api_key_id = $1`, b.id, d)
}

// limitModel is a naive implementation of the limit: the times of all counted requests, which it
// searches each time.
type limitModel struct {
	limit  int
	window time.Duration
	times  []time.Time // of counted requests, in order
}

func (m *limitModel) pass(d time.Duration) {
	for i := range m.times {
		m.times[i] = m.times[i].Add(-d)
	}
}

// check compares the decision about a request with the model's at the same time.
func (m *limitModel) check(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, got access.Admission,
) {
	t.Helper()
	if n := len(m.times); n > 0 && m.times[n-1].After(got.At.Add(m.window)) {
		m.times = nil // counted by a wrong clock
	}
	if n := len(m.times); n > 0 && got.At.Before(m.times[n-1]) {
		t.Fatalf("decided at %s, before the newest request of %s", got.At, m.times[n-1])
	}
	in := make([]time.Time, 0, m.limit+1)
	for _, at := range m.times {
		if at.After(got.At.Add(-m.window)) {
			in = append(in, at)
		}
	}
	limited := len(in) >= m.limit
	if !limited {
		in, m.times = append(in, got.At), append(m.times, got.At)
	}
	remaining, reset := m.limit-len(in), in[0].Add(m.window).Sub(got.At)
	if got.Limited != limited || got.Remaining != remaining || got.Reset != reset || reset <= 0 || reset > m.window {
		t.Fatalf("at %s: limited %v, remaining %d, reset %s; want %v, %d, %s", got.At, got.Limited, got.Remaining, got.Reset, limited, remaining, reset)
	}
}

// TestAdmitAPIKeyModel compares random sequences of requests, pauses, clock
// steps and crashes with the model.
func TestAdmitAPIKeyModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rapid.Check(t, func(rt *rapid.T) {
		k := b.newKey(t)
		m := &limitModel{limit: rapid.SampledFrom([]int{1, 5, 10, 20}).Draw(rt, "limit"), window: time.Minute}
		// The ring is shortly before its end.
		counted := 600*rapid.SampledFrom([]int64{0, 1, 1 << 40}).Draw(rt, "rounds") + rapid.SampledFrom([]int64{580, 590, 595, 599}).Draw(rt, "slot")
		k.Exec(t, `INSERT INTO api_key_windows VALUES ($1, $2, $2, '-infinity', '-infinity')`, k.id, counted)
		pass := func(d time.Duration) {
			k.pass(t, d)
			m.pass(d)
		}
		request := func(rt *rapid.T, n int) {
			for range n {
				got, err := access.AdmitWithin(t.Context(), k.orgDB.DB, k.hash, m.limit, m.window)
				if err != nil {
					rt.Fatal(err)
				}
				if got.At.After(storetest.One[time.Time](t, b.Conn, `SELECT clock_timestamp()`).Add(m.window)) {
					rt.Fatalf("decided at %s, too far ahead", got.At)
				}
				m.check(rt, got)
			}
		}
		trickle := func(rt *rapid.T) {
			pass(rapid.SampledFrom([]time.Duration{0, 10 * time.Second, 25 * time.Second, 30 * time.Second}).Draw(rt, "pause"))
			request(rt, rapid.SampledFrom([]int{1, 3, 5, 8}).Draw(rt, "n"))
		}
		rt.Repeat(map[string]func(*rapid.T){
			"trickle": trickle, "trickle again": trickle, "trickle on": trickle,
			"burst": func(rt *rapid.T) { request(rt, m.limit+2) },
			"pause": func(rt *rapid.T) {
				pass(rapid.SampledFrom([]time.Duration{m.window - time.Second, m.window, 2 * m.window}).Draw(rt, "d"))
			},
			"clock set back": func(rt *rapid.T) {
				pass(-rapid.SampledFrom([]time.Duration{time.Second, m.window / 2, 3 * m.window}).Draw(rt, "d"))
			},
			"crash": func(rt *rapid.T) {
				if rapid.SampledFrom([]bool{false, false, false, false, false, false, true}).Draw(rt, "really") {
					k.Exec(t, `TRUNCATE api_key_windows, api_key_slots`)
					m.times = nil
				}
			},
		})
	})
}

// hammer makes requests with one key from three processes at once, each with its own pool, and
// returns the decisions in order.
func (b keyDB) hammer(t *testing.T, calls int, admit func(*store.DB) (access.Admission, error)) []access.Admission {
	t.Helper()
	const processes, threads = 3, 4
	var (
		mu   sync.Mutex
		list []access.Admission
		wg   sync.WaitGroup
	)
	for range processes {
		db := storetest.Open(t, b.URL)
		for range threads {
			wg.Go(func() {
				for range calls / processes / threads {
					a, err := admit(db)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					list = append(list, a)
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	slices.SortFunc(list, byDecision)
	return list
}

// byDecision orders by the time of the decision. A refusal in the same microsecond as an admission
// came after it.
func byDecision(x, y access.Admission) int {
	switch {
	case !x.At.Equal(y.At):
		return x.At.Compare(y.At)
	case x.Limited == y.Limited:
		return y.Remaining - x.Remaining
	case x.Limited:
		return 1
	}
	return -1
}

// TestAdmitAPIKeyConcurrently checks that regardless of the number of processes, there are never
// more requests in a window than permitted, and that a request is refused only if there are as
// many.
func TestAdmitAPIKeyConcurrently(t *testing.T) {
	t.Parallel()
	const limit, window, calls = 20, 30 * time.Millisecond, 9600
	k := setupKey(t)
	list := k.hammer(t, calls, func(db *store.DB) (access.Admission, error) {
		return access.AdmitWithin(t.Context(), db, k.hash, limit, window)
	})
	if len(list) != calls {
		t.Fatalf("%d answers to %d calls", len(list), calls)
	}
	m := &limitModel{limit: limit, window: window}
	for _, a := range list {
		m.check(t, a)
	}
	// This checks once more, independently of the model.
	for i := range len(m.times) - limit {
		if apart := m.times[i+limit].Sub(m.times[i]); apart < window {
			t.Fatalf("%d requests within %s", limit+1, apart)
		}
	}
	t.Logf("%d of %d requests were admitted in %s", len(m.times), calls, list[calls-1].At.Sub(list[0].At))
}

// TestAdmitAPIKeyLimit checks the service's limit with three processes: 600 of 1,800 concurrent
// requests, and then one for each that leaves the window.
func TestAdmitAPIKeyLimit(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	admit := func(db *store.DB) (access.Admission, error) { return access.AdmitAPIKey(t.Context(), db, k.hash) }
	list := k.hammer(t, 3*access.RateLimit, admit)
	m := &limitModel{limit: 600, window: 60 * time.Second}
	for _, a := range list {
		m.check(t, a)
	}
	if len(m.times) != 600 && list[len(list)-1].At.Sub(list[0].At) < time.Minute {
		t.Fatalf("%d requests were admitted, want 600", len(m.times))
	}
	// The first 200 leave the window.
	left := time.Minute - list[len(list)-1].At.Sub(m.times[200])
	k.pass(t, left)
	m.pass(left)
	before := len(m.times)
	for _, a := range k.hammer(t, 3*access.RateLimit, admit) {
		m.check(t, a)
	}
	if admitted := len(m.times) - before; admitted < 200 {
		t.Errorf("%d requests were admitted when 200 had left the window", admitted)
	}
}

// TestAdmitAPIKeyEdge checks that a request counts for the window, its end excluded. The newest
// request is ahead of the clock, which fixes the time of the decision.
func TestAdmitAPIKeyEdge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		age       time.Duration // of the oldest of two requests
		limited   bool
		remaining int
		reset     time.Duration
	}{
		{"a microsecond before it leaves", time.Minute - time.Microsecond, true, 0, time.Microsecond},
		{"the moment that it leaves", time.Minute, false, 0, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := setupKey(t)
			k.Exec(t, `INSERT INTO api_key_windows SELECT $1, 2, 0, at - $2::interval, at FROM (SELECT now() + interval '50 s') AS n (at)`, k.id, tt.age)
			k.Exec(t, `INSERT INTO api_key_slots SELECT api_key_id, 0, oldest_at FROM api_key_windows UNION ALL SELECT api_key_id, 1, newest_at FROM api_key_windows`)
			newest := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT newest_at FROM api_key_windows`)
			got, err := access.AdmitWithin(t.Context(), k.orgDB.DB, k.hash, 2, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if !got.At.Equal(newest) {
				t.Fatalf("decided at %s, want %s", got.At, newest)
			}
			if got.Limited != tt.limited || got.Remaining != tt.remaining || got.Reset != tt.reset {
				t.Errorf("got limited %v, remaining %d, reset %s", got.Limited, got.Remaining, got.Reset)
			}
		})
	}
}

// TestAdmitAPIKeyCrash checks that the data that a crash empties is forgotten, and that nothing
// else goes wrong, even if only a part is gone.
func TestAdmitAPIKeyCrash(t *testing.T) {
	t.Parallel()
	for _, tables := range []string{"api_key_windows, api_key_slots", "api_key_windows"} {
		t.Run(tables, func(t *testing.T) {
			t.Parallel()
			k := setupKey(t)
			for range 7 {
				if _, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash); err != nil {
					t.Fatal(err)
				}
			}
			k.Exec(t, `TRUNCATE `+tables)
			for want := 599; want > 590; want-- {
				got, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash)
				if err != nil || got.Remaining != want || got.Limited {
					t.Fatalf("got %+v, %v; want %d remaining", got, err, want)
				}
			}
		})
	}
}

func TestAdmitAPIKeyNotInForce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		change  string
		inForce bool
	}{
		{"as made", ``, true},
		{"expires later", `expires_at = now() + interval '1 hour'`, true},
		{"expired", `expires_at = clock_timestamp()`, false},
		{"revoked", `revoked_at = now()`, false},
		{"revoked and expired", `revoked_at = now(), expires_at = now()`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := setupKey(t)
			if tt.change != "" {
				k.Exec(t, `UPDATE api_keys SET `+tt.change+` WHERE id = $1`, k.id)
			}
			want, err := access.FindAPIKey(t.Context(), k.orgDB.DB, k.hash)
			if err != nil {
				t.Fatal(err)
			}
			got, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.APIKey); diff != "" {
				t.Errorf("the key (-want +got):\n%s", diff)
			}
			if got.InForce() != tt.inForce {
				t.Errorf("in force: %v", got.InForce())
			}
			counted := storetest.One[int](t, k.orgDB.Conn, `SELECT count(*) FROM api_key_slots`)
			if !tt.inForce {
				if counted != 0 || got.Limited || got.Remaining != 0 || got.Reset != 0 {
					t.Errorf("%d requests were counted: %+v", counted, got)
				}
				return
			}
			if counted != 1 || got.Limited || got.Remaining != 599 || got.Reset != time.Minute {
				t.Errorf("%d requests were counted: %+v", counted, got)
			}
		})
	}
}

func TestAdmitAPIKeyUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := access.AdmitAPIKey(t.Context(), b.DB, [32]byte{1})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestAdmitAPIKeyClock checks that the decision uses the database's current time.
func TestAdmitAPIKeyClock(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	before := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT clock_timestamp()`)
	got, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash)
	if err != nil {
		t.Fatal(err)
	}
	after := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT clock_timestamp()`)
	if got.At.Before(before) || got.At.After(after) {
		t.Errorf("decided at %s, not between %s and %s", got.At, before, after)
	}
}

// TestAdmitAPIKeyKeysAreApart checks that each key has its own limit.
func TestAdmitAPIKeyKeysAreApart(t *testing.T) {
	t.Parallel()
	first := setupKey(t)
	second := first.newKey(t)
	for i, want := range []bool{false, true, true} {
		for _, k := range []keyDB{first, second} {
			got, err := access.AdmitWithin(t.Context(), k.orgDB.DB, k.hash, 1, time.Minute)
			if err != nil || got.Limited != want || got.ID != k.id {
				t.Errorf("request %d: %+v, %v", i, got, err)
			}
		}
	}
}

// TestAdmitAPIKeyDoesNotGrow checks that the tables of counted requests keep their size without
// vacuum, once all slots are in use.
func TestAdmitAPIKeyDoesNotGrow(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	admit := func(n int) {
		for range n {
			if got, err := access.AdmitWithin(t.Context(), k.orgDB.DB, k.hash, 600, time.Microsecond); err != nil || got.Limited {
				t.Fatalf("%+v, %v", got, err)
			}
		}
	}
	size := func() int {
		return storetest.One[int](t, k.orgDB.Conn, `SELECT pg_total_relation_size('api_key_windows') + pg_total_relation_size('api_key_slots')`)
	}
	admit(600)
	// A transaction that writes in another database retains old row versions, so the tables grow
	// while another test has one. Row versions of 300 requests fill several pages.
	storetest.Eventually(t, "300 requests do not make the tables grow", func() bool {
		before := size()
		admit(300)
		return size() == before
	})
}

// TestAdmitAPIKeyWritesNoLog checks that counting writes nothing to the write-ahead log, so that no
// request waits for the disk.
func TestAdmitAPIKeyWritesNoLog(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	// Occasionally a read cleans up a page of another table, which is logged.
	storetest.Eventually(t, "a request writes nothing to the log", func() bool {
		return storetest.Explain(t, k.DB, false, `SELECT * FROM admit_api_key($1, 600, '1 second')`, k.hash[:]).WAL == 0
	})
}

// TestAdmitAPIKeyRefusalsAreFree checks that a refused request changes nothing.
func TestAdmitAPIKeyRefusalsAreFree(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	rows := func() string {
		return strings.Join(k.Texts(t, `SELECT concat(w.xmin, w.xmax, w) FROM api_key_windows w
UNION ALL SELECT concat(s.xmin, s.xmax, s) FROM api_key_slots s`), "\n")
	}
	var before string
	for i := range 5 {
		got, err := access.AdmitWithin(t.Context(), k.orgDB.DB, k.hash, 1, time.Hour)
		if err != nil || got.Limited != (i > 0) {
			t.Fatalf("request %d: %+v, %v", i, got, err)
		}
		if i == 0 {
			before = rows()
		}
	}
	if after := rows(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
