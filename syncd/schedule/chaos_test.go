package schedule_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// TestChaosHeldTransaction keeps a transaction open, so that no old version of a
// row can be vacuumed, while integrations are claimed. Under make chaos it claims
// 100,000 of them, each once a minute. The take-over that it notes is the 99th
// percentile of how late cycles began.
func TestChaosHeldTransaction(t *testing.T) {
	if testing.Short() {
		t.Skip("waits beside an open transaction")
	}
	chaostest.Fault{Name: "a transaction held open", Small: 1, Large: 1, Timed: true, Limit: time.Second}.Each(t, func(t *testing.T, r *chaostest.Run) {
		integrations := 2000
		if chaostest.Large() {
			integrations = benchIntegrations
		}
		url := storetest.URL(t)
		populate(t, url, integrations)
		holder := storetest.Conn(t, url)
		tx, err := holder.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // it has changed nothing
		if _, err := tx.Exec(t.Context(), `SELECT count(*) FROM sync_state`); err != nil {
			t.Fatal(err)
		}
		runners, stop := startClaiming(t, url)
		defer stop()
		claimed := 0
		storetest.Eventually(t, "all have been claimed", func() bool {
			for _, i := range runners {
				claimed += len(i.take())
			}
			return claimed >= integrations
		})
		time.Sleep(5 * time.Second) // the slots after the backlog
		for _, i := range runners {
			i.take()
		}
		held := chaostest.Time(t, 3*time.Second, 15*time.Minute)
		time.Sleep(held) // for how long it is measured
		late := slices.Concat(runners[0].take(), runners[1].take())
		slices.Sort(late)
		if len(late) == 0 {
			t.Fatal("nothing was claimed while the transaction was open")
		}
		r.TookOver(late[len(late)*99/100])
		r.Note("%s, %.0f cycles/s, p50 %s", held, float64(len(late))/held.Seconds(), late[len(late)/2].Round(time.Millisecond))
	})
}
