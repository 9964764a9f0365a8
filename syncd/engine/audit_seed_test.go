package engine_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/syncd/enginetest"
)

var (
	auditSeeds = flag.Int("audit-seeds", 3, "how many random audits TestAuditWhateverHappens works through")
	auditSeed  = flag.Uint64("audit-seed", 1, "the first of their seeds")
)

// trouble injects random faults of platforms and processes into the pages of
// sweeps, as long as some are left.
type trouble struct {
	random *rand.Rand
	left   int
	empty  int                // lists that are still answered without a record
	kill   context.CancelFunc // ends the process
	seen   map[string]int     // what has happened
}

func (x *trouble) page(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
	if !swept(req) {
		return read(ctx, req)
	}
	if x.empty > 0 {
		x.empty--
		return &connectors.Page{Release: func() {}}, nil
	}
	if x.left == 0 {
		return read(ctx, req)
	}
	fails := func(what string, code connectors.Code, status int) (*connectors.Page, error) {
		x.left--
		x.seen[what]++
		return nil, &connectors.Error{Code: code, HTTPStatus: status, Unreachable: code == connectors.CodeDNSFailed, RetryAfter: time.Second, Endpoint: "GET /" + string(req.Stream), Message: "made by the test"}
	}
	switch x.random.IntN(12) {
	case 0, 1:
		x.left--
		x.seen["killed"]++
		page, err := read(ctx, req)
		x.kill() // before the page is written, or while it is
		return page, err
	case 2:
		x.left--
		x.seen["empty"]++
		x.empty = x.random.IntN(3)
		return &connectors.Page{Release: func() {}}, nil
	case 3:
		return fails("status 500", connectors.CodeServerError, 500)
	case 4:
		return fails("slow", connectors.CodeTimeout, 0)
	case 5:
		return fails("throttled", connectors.CodeThrottled, 429)
	case 6:
		return fails("cursor refused", connectors.CodeUnexpectedResponse, 400)
	case 7:
		return fails("not there", connectors.CodeDNSFailed, 0)
	}
	return read(ctx, req)
}

// neglect changes a platform in ways that polls do not see, and returns what is no
// longer on it.
func neglect(t *testing.T, w *enginetest.Fixture, random *rand.Rand) (gone []string) {
	t.Helper()
	p := w.Platform.Platform
	some := func(n int) []int { return random.Perm(n)[:random.IntN(3)] }
	traders := func() reference.Trader {
		return old(t, p.AllTraders(), func(r reference.Trader) time.Time { return r.UpdatedAt }, random.IntN(10))
	}
	trade := func(i int) reference.Trade {
		return old(t, p.AllTrades(), func(r reference.Trade) time.Time { return r.UpdatedAt }, i)
	}
	account := func(i int) reference.Account {
		return old(t, p.AllAccounts(), func(r reference.Account) time.Time { return r.UpdatedAt }, i)
	}
	for range some(2) {
		r := traders()
		p.Delete(reference.Traders, r.ID)
		gone = append(gone, "traders "+r.ID)
	}
	for _, i := range some(20) {
		r := account(i)
		p.Delete(reference.Accounts, r.ID)
		gone = append(gone, "accounts "+r.ID)
	}
	for _, i := range append(some(600), 300) {
		r := trade(i)
		p.DeleteTrade(r.AccountID, r.ID)
		gone = append(gone, "trades "+r.AccountID+"/"+r.ID)
	}
	for _, i := range append(some(400), 100) { // without a new updated_at
		r := trade(i)
		r.Symbol += "X"
		p.PutTrade(r)
	}
	for i := range 1 + random.IntN(3) { // hidden from updated_since
		r := account(i)
		p.PutPayout(reference.Payout{
			ID: fmt.Sprint("hidden-", i), TraderID: r.TraderID, AccountID: r.ID, Status: "paid", UpdatedAt: time.Now().Add(-2 * time.Hour).Truncate(time.Microsecond),
		})
	}
	slices.Sort(gone)
	return slices.Compact(gone)
}

// held counts the rows of each resource, and those of them that are marked.
func held(t *testing.T, w *enginetest.Fixture) (rows, marked map[string]int) {
	t.Helper()
	rows, marked = make(map[string]int), make(map[string]int)
	for _, name := range reference.Resources() {
		var n, m int
		if err := w.Conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*), count(missing_since) FROM %s`, name)).Scan(&n, &m); err != nil {
			t.Fatal(err)
		}
		rows[string(name)], marked[string(name)] = n, m
	}
	return rows, marked
}

// TestAuditWhateverHappens: no data is wiped, and no more records are marked than
// allowed, when processes die in the middle of an audit or the platform is empty,
// slow, throttled or gone. When all is well again, an audit brings what was hidden,
// repairs what was changed, and marks only what is gone.
func TestAuditWhateverHappens(t *testing.T) {
	if testing.Short() {
		t.Skip("audits under every fault")
	}
	t.Parallel()
	for seed := *auditSeed; seed < *auditSeed+uint64(*auditSeeds); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := auditable(t)
			random := rand.New(rand.NewPCG(seed, 5))
			gone := neglect(t, w, random)
			before, _ := held(t, w)
			x := &trouble{random: random, left: 12, seen: make(map[string]int)}
			for audits := 0; x.left > 0; audits++ {
				if audits > 50 {
					t.Fatalf("the trouble does not end: %d are left", x.left)
				}
				troubled(t, w, x, before)
			}
			t.Logf("%d records gone, trouble %v", len(gone), x.seen)

			x.empty = 0
			if a := audit(t, w); a.Status != audits.Succeeded {
				t.Errorf("when all is well again: %q", verdicts(a))
			}
			marked := w.Texts(t, `SELECT 'traders ' || external_id FROM traders WHERE missing_since IS NOT NULL
                UNION ALL SELECT 'accounts ' || external_id FROM accounts WHERE missing_since IS NOT NULL
                UNION ALL SELECT 'trades ' || account_external_id || '/' || id FROM trades WHERE missing_since IS NOT NULL
                UNION ALL SELECT 'payouts ' || external_id FROM payouts WHERE missing_since IS NOT NULL`)
			slices.Sort(marked)
			if diff := cmp.Diff(gone, marked); diff != "" {
				t.Errorf("marked as missing (-gone +marked):\n%s", diff)
			}
			for _, name := range reference.Resources() { // which the platform does not have
				w.Exec(t, fmt.Sprintf(`UPDATE sync_state SET %[1]s = %[1]s - (SELECT count(*) FROM %[1]s WHERE missing_since IS NOT NULL)`, name))
				w.Exec(t, fmt.Sprintf(`DELETE FROM %s WHERE missing_since IS NOT NULL`, name))
			}
			w.Compare(t)
		})
	}
}

// troubled runs an audit with faults. It checks after each slice that nothing is
// wiped, and after the audit that little is marked.
func troubled(t *testing.T, w *enginetest.Fixture, x *trouble, before map[string]int) {
	t.Helper()
	request(t, w)
	_, marked := held(t, w)
	for slices := 0; text(t, w, `SELECT count(*)::text FROM sync_audits WHERE finished_at IS NULL`) != "0"; slices++ {
		if slices > 200 {
			t.Fatal("the audit does not end")
		}
		ctx, kill := context.WithCancel(t.Context())
		x.kill = kill
		e := w.NewEngine(t, with(t, w, &through{page: x.page}))
		if err := e.RunSlice(ctx, w.Claim(t, fmt.Sprintf("process %d", slices))); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		kill()
		expire(t, w)
		rows, _ := held(t, w)
		for name, n := range before {
			if rows[name] < n {
				t.Fatalf("%d %s are left of %d", rows[name], name, n)
			}
		}
	}
	rows, after := held(t, w)
	for name, n := range after {
		if most := rows[name] / 20; n-marked[name] > most {
			t.Errorf("%d of %d %s are marked at once, want at most %d", n-marked[name], rows[name], name, most)
		}
	}
}
