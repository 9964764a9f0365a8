package access_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// countWrites counts the writes to api_key_uses from now on.
func (b orgDB) countWrites(t *testing.T) func() int {
	t.Helper()
	b.Exec(t, `CREATE TABLE writes (api_key_id uuid)`)
	b.Exec(t, `CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO writes VALUES (new.api_key_id); RETURN NULL; END'`)
	b.Exec(t, `CREATE TRIGGER note_write AFTER INSERT OR UPDATE ON api_key_uses FOR EACH ROW EXECUTE FUNCTION note_write()`)
	return func() int { return storetest.One[int](t, b.Conn, `SELECT count(*) FROM writes`) }
}

func TestTouchAPIKeys(t *testing.T) {
	t.Parallel()
	k := setupKey(t)
	writes := k.countWrites(t)
	now := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT now()`)
	start := now.Add(-time.Hour)
	for i, tt := range []struct {
		at     time.Time
		want   time.Time
		writes int
	}{
		{start, start, 1},
		{start.Add(59 * time.Second), start, 1},
		{start.Add(-time.Minute), start, 1},
		{start.Add(time.Minute), start.Add(time.Minute), 2},
		{start.Add(3 * time.Minute), start.Add(3 * time.Minute), 3},
	} {
		// A key that does not exist does not prevent others from being recorded.
		if err := access.TouchAPIKeys(t.Context(), k.orgDB.DB, map[uuid.UUID]time.Time{k.id: tt.at, uuid.New(): tt.at}); err != nil {
			t.Fatal(err)
		}
		got := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT last_used_at FROM api_key_uses`)
		if !got.Equal(tt.want) || writes() != tt.writes {
			t.Errorf("step %d: last used %s after %d writes, want %s after %d", i+1, got, writes(), tt.want, tt.writes)
		}
	}
	if err := access.TouchAPIKeys(t.Context(), k.orgDB.DB, map[uuid.UUID]time.Time{k.id: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if got := storetest.One[time.Time](t, k.orgDB.Conn, `SELECT last_used_at FROM api_key_uses`); got.Before(now) || got.After(now.Add(30*time.Minute)) {
		t.Errorf("last used %s, want now", got)
	}
	if err := access.TouchAPIKeys(t.Context(), k.orgDB.DB, nil); err != nil {
		t.Error(err)
	}
}

// TestTouchAPIKeysConcurrently reports the same uses from several processes at once: each minute is
// written once, and there are no deadlocks.
func TestTouchAPIKeysConcurrently(t *testing.T) {
	t.Parallel()
	const keys, minutes, processes = 40, 10, 3
	b := setup(t)
	writes := b.countWrites(t)
	now := storetest.One[time.Time](t, b.Conn, `SELECT now()`)
	ids := make([]uuid.UUID, keys)
	for i := range ids {
		ids[i] = b.newKey(t).id
	}
	for minute := range minutes {
		var wg sync.WaitGroup
		for range processes {
			db := storetest.Open(t, b.URL)
			wg.Go(func() {
				used := make(map[uuid.UUID]time.Time)
				for _, id := range ids {
					late := time.Duration(rand.N(1000)) * time.Millisecond
					used[id] = now.Add(time.Duration(minute-minutes)*61*time.Second + late)
				}
				if err := access.TouchAPIKeys(t.Context(), db, used); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if got := writes(); got != keys*minutes {
		t.Errorf("%d writes, want %d", got, keys*minutes)
	}
}
