package directory_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

// filtersDiffer lists the traders whose row in the index over all filters is missing, differs or
// is left over.
const filtersDiffer = `WITH t AS (SELECT organization_id, id, created_at, status, source, country_key, kyc_key, search, coalesce(override_tags, tags) AS tags FROM traders),
    f AS (SELECT organization_id, id, created_at, status, source, country_key, kyc_key, search, tags FROM directory_filters)
SELECT id::text FROM ((TABLE t EXCEPT TABLE f) UNION (TABLE f EXCEPT TABLE t)) AS d ORDER BY 1`

// TestMoveArrivals moves new traders into the index over all filters while others add, change,
// merge and delete traders.
func TestMoveArrivals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seed := rand.Uint64()
	url := b.DB.Pool.Config().ConnString()
	var wg sync.WaitGroup
	for worker := range 3 {
		conn := storetest.Conn(t, url)
		r := rand.New(rand.NewPCG(seed, uint64(worker)))
		wg.Go(func() {
			for n := range 40 {
				change := fmt.Sprintf(`UPDATE traders SET override_full_name = 'Name %d', status = 'restricted', override_tags = '{own}'`, n)
				statement := pick(r,
					`INSERT INTO traders (id, organization_id, source, full_name) SELECT gen_random_uuid(), $1, 'manual', 'Trader ' || n FROM generate_series(1, 300) AS n`,
					change+` WHERE organization_id = $1 AND id IN (SELECT id FROM traders ORDER BY md5(id::text) LIMIT 5)`,
					`WITH gone AS (DELETE FROM traders WHERE id = (SELECT id FROM traders LIMIT 1) RETURNING *)
UPDATE traders AS t SET full_name = g.full_name, override_country = 'SE' FROM gone AS g WHERE t.organization_id = $1 AND t.id <> g.id AND t.full_name = 'Trader 7'`,
				)
				if _, err := conn.Exec(t.Context(), statement, b.Org); err != nil && !store.Transient(err) {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
	changed := make(chan struct{})
	go func() { wg.Wait(); close(changed) }()
	moved := 0
	for running := true; running; {
		select {
		case <-changed:
			running = false
		default:
		}
		n, err := directory.MoveArrivals(t.Context(), b.DB)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		moved += n
	}
	if left := storetest.One[int](t, b.Conn, `SELECT count(*) FROM directory_arrivals`); left > 0 || moved == 0 {
		t.Errorf("seed %d: %d moved, %d parts are left", seed, moved, left)
	}
	if ids := b.Texts(t, filtersDiffer); len(ids) > 0 {
		t.Errorf("seed %d: %d traders differ from the index: %.200v", seed, len(ids), ids)
	}
}

// TestMoveLockedArrivals leaves traders whom another transaction is changing for the next time.
func TestMoveLockedArrivals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []uuid.UUID
	for n := range 3 {
		id := uuid.New()
		b.Exec(t, `INSERT INTO traders (id, organization_id, source, full_name) VALUES ($1, $2, 'manual', $3)`, id, b.Org, fmt.Sprint("Trader ", n))
		ids = append(ids, id)
	}
	tx, err := b.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `UPDATE traders SET full_name = 'Another' WHERE id = $1`, ids[1]); err != nil {
		t.Fatal(err)
	}
	if n, err := directory.MoveArrivals(t.Context(), b.DB); n != 2 || err != nil {
		t.Errorf("%d traders were moved beside one that is locked, want 2, %v", n, err)
	}
	if _, total := b.list(t, directory.TraderFilter{Search: "trader"}); total != 3 {
		t.Errorf("%d traders are found while one is being changed, want 3", total)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := directory.MoveArrivals(t.Context(), b.DB); n != 1 || err != nil {
		t.Errorf("%d traders were moved later, want 1, %v", n, err)
	}
	if ids := b.Texts(t, filtersDiffer); len(ids) > 0 {
		t.Errorf("traders differ from the index: %v", ids)
	}
}

// TestArrivalsAreMovedInParts moves the queue in transactions of a bounded size, also while the
// planner takes it for empty.
func TestArrivalsAreMovedInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fill := func() {
		for n := range 3 * directory.ArrivalsBatch {
			b.Exec(t, `INSERT INTO traders (id, organization_id, source, full_name) VALUES (gen_random_uuid(), $1, 'manual', $2)`, b.Org, fmt.Sprint("Trader ", n))
		}
	}
	fill()
	b.Exec(t, `DELETE FROM directory_arrivals`)
	b.Exec(t, `ANALYZE directory_arrivals`)
	fill()
	tx, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if parts, err := directory.TakeArrivals(t.Context(), b.DB, tx); err != nil || len(parts) != directory.ArrivalsBatch {
		t.Errorf("one transaction takes %d parts, want %d, %v", len(parts), directory.ArrivalsBatch, err)
	}
}
