package v1_test

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store/storetest"
)

// another serves the routes as another process would.
func (b *testAPI) another(t testing.TB) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, storetest.Open(t, b.databaseURL))
}

// cutter breaks a connection to the database.
type cutter struct {
	// the connection breaks before or after the database receives the next COMMIT
	before, after atomic.Bool
}

func (c *cutter) newFilter() storetest.Filter {
	var cut atomic.Bool
	return storetest.Filter{
		FromClient: func(sent []byte) bool {
			if !bytes.Contains(bytes.ToLower(sent), []byte("commit\x00")) {
				return true
			}
			if c.before.CompareAndSwap(true, false) {
				return false
			}
			cut.Store(c.after.CompareAndSwap(true, false))
			return true
		},
		FromServer: func([]byte) bool { return !cut.Load() },
	}
}

// TestCommitWithoutWord breaks the connection to the database around the commit of a creation, so
// that the process cannot know its outcome. The repetition finds out.
func TestCommitWithoutWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		cut       func(*cutter) *atomic.Bool
		committed int
		replayed  string
	}{
		{"committed", func(c *cutter) *atomic.Bool { return &c.after }, 1, "true"},
		{"not committed", func(c *cutter) *atomic.Bool { return &c.before }, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c := new(cutter)
			through := storetest.Forward(t, b.databaseURL, c.newFilter)
			b.registry = prometheus.NewRegistry()
			b.startAPI(t, storetest.Open(t, through))
			a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
			cut := tt.cut(c)
			cut.Store(true)
			b.attempt(t, a).wantNew(t, http.StatusServiceUnavailable)
			if cut.Load() {
				t.Fatal("the connection was not cut")
			}
			if n := b.integrations(t); n != tt.committed {
				t.Fatalf("%d integrations, want %d", n, tt.committed)
			}
			r := b.attempt(t, a).want(t, http.StatusCreated)
			if got := r.header.Get("Idempotent-Replayed"); got != tt.replayed {
				t.Errorf("Idempotent-Replayed %q, want %q", got, tt.replayed)
			}
			b.attempt(t, a).want(t, http.StatusCreated)
			if n := b.integrations(t); n != 1 {
				t.Errorf("%d integrations, want 1", n)
			}
		})
	}
}
