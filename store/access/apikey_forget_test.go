package access_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

func TestForgetAPIKeyWindows(t *testing.T) {
	t.Parallel()
	idle := setupKey(t)
	recent, unused := idle.newKey(t), idle.newKey(t)
	for _, k := range []keyDB{idle, recent} {
		for range 3 {
			if _, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash); err != nil {
				t.Fatal(err)
			}
		}
	}
	idle.pass(t, time.Hour)
	recent.pass(t, 59*time.Minute)
	idle.Exec(t, `INSERT INTO api_key_windows SELECT gen_random_uuid(), 1, 0, now() - interval '2 hours', now() - interval '2 hours' FROM generate_series(1, 1000)`)
	forgotten, err := access.ForgetIdleWindows(t.Context(), idle.orgDB.DB)
	if err != nil || forgotten != 1001 {
		t.Errorf("forgot %d keys, %v; want 1001", forgotten, err)
	}
	want := []string{recent.id.String() + " 3"}
	got := idle.Texts(t, `SELECT concat_ws(' ', w.api_key_id, (SELECT count(*) FROM api_key_slots)) FROM api_key_windows w`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("windows and slots left (-want +got):\n%s", diff)
	}
	for _, k := range []keyDB{idle, recent, unused} {
		if a, err := access.AdmitAPIKey(t.Context(), k.orgDB.DB, k.hash); err != nil || a.Remaining != 599 {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// TestForgetAPIKeyWindowsConcurrently forgets a key continuously while it makes requests at its
// limit.
func TestForgetAPIKeyWindowsConcurrently(t *testing.T) {
	t.Parallel()
	const limit, window = 2, 3 * time.Millisecond
	k := setupKey(t)
	done, stopped := make(chan struct{}), make(chan int64, 1)
	go func() {
		var forgotten int64
		for {
			select {
			case <-done:
				stopped <- forgotten
				return
			default:
			}
			n, err := access.ForgetWindowsAfter(t.Context(), k.orgDB.DB, window)
			if err != nil {
				t.Error(err)
			}
			forgotten += n
		}
	}()
	var list []access.Admission
	var forgotten int64
	for range 3 {
		list = append(list, k.hammer(t, 1200, func(db *store.DB) (access.Admission, error) {
			return access.AdmitWithin(t.Context(), db, k.hash, limit, window)
		})...)
	}
	close(done)
	forgotten = <-stopped
	m := &limitModel{limit: limit, window: window}
	for _, a := range list {
		m.check(t, a)
	}
	t.Logf("forgotten %d times between %d admitted requests", forgotten, len(m.times))
}
