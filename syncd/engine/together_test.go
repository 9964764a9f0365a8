package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPagesOfAFirstReadAreWrittenTogether holds the first page of trades in the
// database until others have arrived, which are then written in one transaction. A
// page that cannot be read costs none of those before it.
func TestPagesOfAFirstReadAreWrittenTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		broken int    // page of trades that cannot be read; 0 means none
		most   int    // trades that one statement may write; 0 means any number
		first  []int  // pages of the run after the first transactions, at least
		read   string // pages that the run has read
		status syncing.RunStatus
		code   connectors.Code
		health syncing.Health
	}{
		{"all can be read", 0, 0, []int{1, 5}, "10", syncing.RunSucceeded, "", syncing.HealthHealthy},
		{"one cannot", 5, 0, []int{1, 4}, "4", syncing.RunFailed, connectors.CodeUnexpectedResponse, syncing.HealthDegraded},
		{"they cannot be saved together", 0, 399, []int{1, 2, 3, 4, 5}, "10", syncing.RunSucceeded, "", syncing.HealthHealthy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.New(t, long(&log))
			w.Exec(t, `CREATE TABLE written (id bigserial, pages int)`)
			w.Exec(t, `CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.run->>'stream' = 'trades' THEN INSERT INTO written (pages) VALUES ((NEW.run->>'pages')::int); END IF; RETURN NULL; END $$`)
			w.Exec(t, `CREATE TRIGGER note_written AFTER UPDATE OF run ON sync_state FOR EACH ROW EXECUTE FUNCTION note_written()`)
			if tt.most > 0 {
				w.Exec(t, fmt.Sprintf(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM added) > %d THEN RAISE EXCEPTION 'made by the test'; END IF; RETURN NULL; END $$`, tt.most))
				w.Exec(t, `CREATE TRIGGER refuse AFTER INSERT ON trades REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
			}
			hold := holdState(t, w)
			n := 0
			var taken, released atomic.Int64
			w.Engine = w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
				if req.Stream != record.StreamTrades {
					return read(ctx, req)
				}
				switch n++; n {
				case 1:
					hold.begin(t)
				case 2:
					hold.await(t)
				case 6: // the pages before this one have arrived
					hold.end(t)
				}
				if n == tt.broken {
					hold.end(t)
					return nil, &connectors.Error{Code: connectors.CodeUnexpectedResponse, Endpoint: "GET /trades", HTTPStatus: 200, Message: "made by the test"}
				}
				page, err := read(ctx, req)
				if err == nil {
					taken.Add(1)
					release := page.Release
					page.Release = func() { released.Add(1); release() }
				}
				return page, err
			}}))
			w.Cycle(t)
			if taken.Load() == 0 || taken.Load() != released.Load() {
				t.Errorf("%d pages of trades were released, want each of %d once", released.Load(), taken.Load())
			}
			check(t, w, "trades", tt.status, tt.code, tt.health)
			var written []int
			for _, pages := range w.Texts(t, `SELECT pages::text FROM written WHERE pages > 0 ORDER BY id`) {
				count, err := strconv.Atoi(pages)
				if err != nil {
					t.Fatal(err)
				}
				written = append(written, count)
			}
			written = slices.Compact(written)
			if len(written) < len(tt.first) || slices.Compare(written[:len(tt.first)], tt.first) < 0 || written[0] != 1 {
				t.Errorf("the transactions ended after pages %v, want the first after %v, or later", written, tt.first)
			}
			if got := text(t, w, `SELECT requests::text FROM sync_runs WHERE resource = 'trades'`); got != tt.read {
				t.Errorf("the run counts %s requests, want %s", got, tt.read)
			}
			if got := text(t, w, `SELECT pages::text FROM sync_runs WHERE resource = 'trades'`); got != tt.read {
				t.Errorf("the run has read %s pages, want %s", got, tt.read)
			}
			if tt.broken == 0 {
				w.Compare(t)
				return
			}
			n = 100 // so that nothing breaks any more
			w.Cycle(t)
			w.Compare(t)
		})
	}
}

// stateHold holds the row of the fixture's integration.
type stateHold struct {
	conn *pgx.Conn
	tx   pgx.Tx // nil unless the row is held
}

func holdState(t *testing.T, w *enginetest.Fixture) *stateHold {
	t.Helper()
	return &stateHold{conn: storetest.Conn(t, w.URL)}
}

// begin takes the row.
func (h *stateHold) begin(t *testing.T) {
	t.Helper()
	var err error
	if h.tx, err = h.conn.Begin(t.Context()); err != nil {
		t.Error(err)
		return
	}
	if _, err := h.tx.Exec(t.Context(), `SELECT FROM sync_state FOR UPDATE`); err != nil {
		t.Error(err)
	}
}

// await waits until somebody waits for the row.
func (h *stateHold) await(t *testing.T) {
	t.Helper()
	storetest.Eventually(t, "a page waits for the row", func() bool {
		var waits bool
		if err := h.tx.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid())`).Scan(&waits); err != nil {
			t.Error(err)
		}
		return waits
	})
}

// end releases the row, if it is held.
func (h *stateHold) end(t *testing.T) {
	t.Helper()
	if h.tx == nil {
		return
	}
	if err := h.tx.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	h.tx = nil
}
