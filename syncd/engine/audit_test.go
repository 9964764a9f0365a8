package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// auditable is a world that has been synced, of several pages, in which a single
// row is less than what may go missing at once.
func auditable(t *testing.T, change ...func(*engine.Config)) *enginetest.Fixture {
	t.Helper()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 11, Traders: 60, AccountsPerTrader: 2, Trades: 900, Payouts: 60, Weekends: true}}, change...)
	w.Cycle(t)
	w.Compare(t)
	return w
}

// audit asks for an audit and works until it is over.
func audit(t *testing.T, w *enginetest.Fixture) audits.Audit {
	t.Helper()
	request(t, w)
	w.Cycle(t)
	return lastAudit(t, w)
}

func request(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	if _, err := integrations.RequestAudit(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
		t.Fatal(err)
	}
}

func lastAudit(t *testing.T, w *enginetest.Fixture) audits.Audit {
	t.Helper()
	found, err := audits.ReadNewest(t.Context(), w.DB, w.Organization, w.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	if found.Open != nil || found.Last == nil {
		t.Fatalf("audits %+v, want one that is over", found)
	}
	return *found.Last
}

// verdicts returns the results of an audit, one line for each resource.
func verdicts(a audits.Audit) []string {
	lines := []string{string(a.Status)}
	for _, r := range a.Resources {
		line := fmt.Sprintf("%s %s absent=%d stale=%d unshown=%d missing=%d", r.Resource, r.Status, r.Absent, r.Stale, r.Unshown, r.Missing)
		if r.Note != nil {
			line += " " + *r.Note
		}
		lines = append(lines, line)
	}
	return lines
}

// clean are the verdicts on a platform and a store that agree.
func clean() []string {
	return []string{
		"succeeded", "traders succeeded absent=0 stale=0 unshown=0 missing=0", "accounts succeeded absent=0 stale=0 unshown=0 missing=0",
		"trades succeeded absent=0 stale=0 unshown=0 missing=0", "payouts succeeded absent=0 stale=0 unshown=0 missing=0",
	}
}

// old returns the i-th of the records that were last changed long ago.
func old[T any](t *testing.T, all func(func(T) bool), at func(T) time.Time, i int) T {
	t.Helper()
	for r := range all {
		if time.Since(at(r)) > time.Hour && time.Since(at(r)) < 80*24*time.Hour {
			if i == 0 {
				return r
			}
			i--
		}
	}
	t.Fatal("there are not so many")
	return *new(T)
}

func findings(t *testing.T, w *enginetest.Fixture) []string {
	t.Helper()
	return w.Texts(t, `SELECT concat_ws(' ', resource, rule, count) FROM findings ORDER BY 1`)
}

func TestAuditOfWhatAgrees(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	a := audit(t, w)
	if diff := cmp.Diff(clean(), verdicts(a)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, r := range a.Resources {
		if r.Ratio == nil || *r.Ratio != 1 || r.Judged == 0 || !r.Complete {
			t.Errorf("%s: ratio %v of %d judged", r.Resource, r.Ratio, r.Judged)
		}
	}
	if found := findings(t, w); len(found) > 0 {
		t.Errorf("findings %v", found)
	}
	if runs := w.Texts(t, `SELECT concat_ws(' ', resource, trigger, mode, status, records_inserted + records_updated) FROM sync_runs WHERE trigger = 'audit' ORDER BY started_at`); !slices.Equal(runs, []string{
		"traders audit backfill succeeded 0", "accounts audit backfill succeeded 0", "trades audit backfill succeeded 0", "payouts audit backfill succeeded 0",
	}) {
		t.Errorf("runs %v", runs)
	}
	if left := text(t, w, `SELECT count(*)::text FROM sync_audit_pages`); left != "0" {
		t.Errorf("%s pages are left of the sweeps", left)
	}
	w.Compare(t)
}

// TestAuditRepairs: rows deleted, changed without a new updated_at, hidden from
// the incremental feed, and put back to an older version.
func TestAuditRepairs(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	_, err := webhooks.CreateEndpoint(t.Context(), w.DB, store.SystemChange(w.Organization), webhooks.NewEndpoint{
		URL: "https://hooks.example.com", Events: []string{"integration.audit_completed", "integration.finding_opened"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Platform.Platform
	gone := old(t, p.AllTraders(), func(r reference.Trader) time.Time { return r.UpdatedAt }, 3)
	p.Delete(reference.Traders, gone.ID)
	goneTrade := old(t, p.AllTrades(), func(r reference.Trade) time.Time { return r.UpdatedAt }, 7)
	p.DeleteTrade(goneTrade.AccountID, goneTrade.ID)
	silent := old(t, p.AllAccounts(), func(r reference.Account) time.Time { return r.UpdatedAt }, 2)
	silent.Program += " changed"
	p.PutAccount(silent)
	hidden := reference.Payout{ID: "hidden", TraderID: silent.TraderID, AccountID: silent.ID, Status: "paid", UpdatedAt: time.Now().Add(-2 * time.Hour).Truncate(time.Microsecond)}
	p.PutPayout(hidden)
	back := old(t, p.AllTrades(), func(r reference.Trade) time.Time { return r.UpdatedAt }, 20)
	back.UpdatedAt = back.UpdatedAt.Add(-time.Minute)
	back.Symbol = "RESTORED"
	p.PutTrade(back)

	w.Cycle(t) // polling does not see any of it
	if got := text(t, w, `SELECT count(*)::text FROM payouts WHERE external_id = 'hidden'`); got != "0" {
		t.Fatal("polling has brought what was to be hidden from it")
	}
	a := audit(t, w)
	want := []string{
		"succeeded", "traders succeeded absent=0 stale=0 unshown=1 missing=1", "accounts succeeded absent=0 stale=1 unshown=0 missing=0",
		"trades succeeded absent=0 stale=1 unshown=1 missing=1", "payouts succeeded absent=1 stale=0 unshown=0 missing=0",
	}
	if diff := cmp.Diff(want, verdicts(a)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if e := w.Integration(t).LastError; e == nil || e.Code != "not_found" || e.HTTPStatus != 404 || !strings.Contains(e.Endpoint, "/traders/"+gone.ID) {
		t.Errorf("last error %+v, want that of the missing trader", e)
	}
	ids := func(i int) []string {
		return append(slices.Clone(a.Resources[i].RepairedIDs), a.Resources[i].MissingIDs...)
	}
	for i, want := range [][]string{{gone.ID}, {silent.ID}, {back.AccountID + "/" + back.ID, goneTrade.AccountID + "/" + goneTrade.ID}, {"hidden"}} {
		if diff := cmp.Diff(want, ids(i)); diff != "" {
			t.Errorf("%s: ids (-want +got)\n%s", a.Resources[i].Resource, diff)
		}
	}
	if r := a.Resources[3]; r.Ratio == nil || *r.Ratio >= 1 || *r.Ratio < 0.9 {
		t.Errorf("ratio of payouts %v", r.Ratio)
	}
	broken := []string{"accounts changed_without_updated_at 1", "payouts missed_by_updates 1", "traders trader_missing 1", "trades updated_at_went_back 1"}
	if diff := cmp.Diff(broken, findings(t, w)); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
	told := w.Texts(t, `SELECT concat_ws(' ', event_type, count(*)) FROM webhook_deliveries GROUP BY event_type ORDER BY 1`)
	if diff := cmp.Diff([]string{"integration.audit_completed 1", "integration.finding_opened 4"}, told); diff != "" {
		t.Errorf("told (-want +got)\n%s", diff)
	}
	missing := w.Texts(t, `SELECT external_id FROM traders WHERE missing_since IS NOT NULL UNION ALL SELECT account_external_id || '/' || id FROM trades WHERE missing_since IS NOT NULL`)
	if !slices.Equal(missing, []string{gone.ID, goneTrade.AccountID + "/" + goneTrade.ID}) {
		t.Errorf("missing %v", missing)
	}

	// What comes back is no longer missing, by polling too.
	p.PutTrader(gone)
	p.PutTrade(goneTrade)
	a = audit(t, w)
	if diff := cmp.Diff(clean(), verdicts(a)); diff != "" {
		t.Errorf("second audit (-want +got)\n%s", diff)
	}
	if n := text(t, w, `SELECT (SELECT count(*) FROM traders WHERE missing_since IS NOT NULL) + (SELECT count(*) FROM trades WHERE missing_since IS NOT NULL) || ''`); n != "0" {
		t.Errorf("%s rows are still missing", n)
	}
	w.Compare(t)
}

// TestNothingIsWipedByEmptyLists: a platform that suddenly has nothing, or nearly
// nothing, leaves the store as it is.
func TestNothingIsWipedByEmptyLists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		take func(*enginetest.Fixture)
	}{
		{"all are gone", func(w *enginetest.Fixture) {
			p := w.Platform.Platform
			for r := range p.AllTraders() {
				p.Delete(reference.Traders, r.ID)
			}
			for r := range p.AllAccounts() {
				p.Delete(reference.Accounts, r.ID)
			}
			for r := range p.AllTrades() {
				p.DeleteTrade(r.AccountID, r.ID)
			}
			for r := range p.AllPayouts() {
				p.Delete(reference.Payouts, r.ID)
			}
		}},
		{"a tenth is gone", func(w *enginetest.Fixture) {
			p, n := w.Platform.Platform, 0
			for r := range p.AllTraders() {
				if n++; n%10 == 0 {
					p.Delete(reference.Traders, r.ID)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := auditable(t)
			before := text(t, w, `SELECT concat_ws(' ', traders, accounts, trades, payouts) FROM sync_state`)
			test.take(w)
			audit(t, w)
			if got := text(t, w, `SELECT concat_ws(' ', (SELECT count(*) FROM traders WHERE missing_since IS NULL), (SELECT count(*) FROM accounts WHERE missing_since IS NULL),
                (SELECT count(*) FROM trades WHERE missing_since IS NULL), (SELECT count(*) FROM payouts WHERE missing_since IS NULL))`); got != before {
				t.Errorf("rows %s, before %s", got, before)
			}
			if found := findings(t, w); !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "traders many_missing ") }) {
				t.Errorf("findings %v", found)
			}
		})
	}
}

// TestAuditGoesOnAfterACrash: when a process dies during a sweep or just after it,
// another process continues the sweep.
func TestAuditGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	gone := old(t, p.AllTrades(), func(r reference.Trade) time.Time { return r.UpdatedAt }, 7)
	p.DeleteTrade(gone.AccountID, gone.ID)
	request(t, w)
	claim := crash(t, w, newGate(record.StreamTrades, 4), func() {}) // the first page is the poll's
	read := text(t, w, `SELECT count(*)::text FROM sync_audit_pages`)
	w.Cycle(t)
	a := lastAudit(t, w)
	want := clean()
	want[3] = "trades succeeded absent=0 stale=0 unshown=1 missing=1"
	if diff := cmp.Diff(want, verdicts(a)); diff != "" {
		t.Errorf("after %s pages (-want +got)\n%s", read, diff)
	}
	if n := text(t, w, `SELECT count(*)::text FROM sync_runs WHERE trigger = 'audit' AND resource = 'trades'`); n != "1" {
		t.Errorf("%s runs of the sweep, want one", n)
	}
	// The dead process can no longer write with the lease that it still holds.
	open := syncing.OpenAudit{ID: a.ID, Sweep: &syncing.Sweep{}}
	if err := ingest.SaveSweep(t.Context(), w.DB, claim.Lease, &open); !errors.Is(err, store.ErrFenced) {
		t.Errorf("an old lease: %v", err)
	}
}

// TestAuditBeginsAnewAfterTheDatabaseCrashed: the list of shown records is not in
// the write-ahead log.
func TestAuditBeginsAnewAfterTheDatabaseCrashed(t *testing.T) {
	t.Parallel()
	w := auditable(t, func(c *engine.Config) { c.PagesPerSlice = 7 })
	request(t, w)
	for i := 0; text(t, w, `SELECT count(*)::text FROM sync_audit_pages`) == "0"; i++ {
		if i > 20 {
			t.Fatal("no page of the audit was read")
		}
		runSlice(t, w, w.Engine)
	}
	w.Exec(t, `DELETE FROM sync_audit_pages WHERE page = 1`)
	w.Cycle(t)
	if diff := cmp.Diff(clean(), verdicts(lastAudit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	w.Compare(t)
}

// TestAuditMakesWayForPolls: a poll that becomes due goes first when the audit
// yields.
func TestAuditMakesWayForPolls(t *testing.T) {
	t.Parallel()
	w := auditable(t, func(c *engine.Config) { c.PagesPerSlice = 6 })
	request(t, w)
	runSlice(t, w, w.Engine) // the poll, and some pages of the audit
	if n := text(t, w, `SELECT count(*)::text FROM sync_audits WHERE status = 'running'`); n != "1" {
		t.Fatal("the audit does not go on")
	}
	before := text(t, w, `SELECT count(*)::text FROM sync_runs WHERE trigger <> 'audit'`)
	w.Platform.Platform.PutTrader(reference.Trader{ID: "new", FirstName: "New"})
	w.Exec(t, `UPDATE sync_state SET slot_at = now() - interval '1 second'`)
	runSlice(t, w, w.Engine)
	if n := text(t, w, `SELECT count(*)::text FROM traders WHERE external_id = 'new'`); n != "1" {
		t.Errorf("the poll that was due has waited for the audit (runs before: %s)", before)
	}
	w.Cycle(t)
	if diff := cmp.Diff(clean(), verdicts(lastAudit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// swept reports whether a page is asked for by an audit, and not by a poll.
func swept(req connectors.PageRequest) bool {
	return req.UpdatedSince.IsZero() || time.Since(req.UpdatedSince) > 80*24*time.Hour
}

// TestAuditKilledAgainAndAgain: whichever page a process dies at, before or after
// writing it, the next process continues and the verdict is the same.
func TestAuditKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	gone := old(t, p.AllAccounts(), func(r reference.Account) time.Time { return r.UpdatedAt }, 2)
	p.Delete(reference.Accounts, gone.ID)
	request(t, w)
	for kills := 0; text(t, w, `SELECT count(*)::text FROM sync_audits WHERE finished_at IS NULL`) != "0"; kills++ {
		if kills > 60 {
			t.Fatal("the audit does not end")
		}
		ctx, kill := context.WithCancel(t.Context())
		left := 1 + kills%3
		e := w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
			page, err := read(ctx, req)
			if swept(req) {
				if left--; left == 0 {
					kill()
				}
			}
			return page, err
		}}))
		err := e.RunSlice(ctx, w.Claim(t, fmt.Sprintf("process %d", kills)))
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		kill()
		expire(t, w)
	}
	want := clean()
	want[2] = "accounts succeeded absent=0 stale=0 unshown=1 missing=1"
	if diff := cmp.Diff(want, verdicts(lastAudit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := findings(t, w); len(got) > 0 {
		t.Errorf("findings %v", got)
	}
}

// TestAuditFindsBrokenReferences: a trader_id and an account_id must be those of
// records that the platform shows.
func TestAuditFindsBrokenReferences(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	p.PutAccount(reference.Account{ID: "orphan", TraderID: "nobody"})
	trade := old(t, p.AllTrades(), func(r reference.Trade) time.Time { return r.UpdatedAt }, 0)
	trade.AccountID, trade.UpdatedAt = "nowhere", time.Time{}
	p.PutTrade(trade)
	w.Cycle(t)
	if diff := cmp.Diff(clean(), verdicts(audit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := []string{"accounts trader_unknown 1", "trades account_unknown 1"}
	if diff := cmp.Diff(want, findings(t, w)); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
}

// TestAuditEmptiesTheQuarantine: an audit that has read a list to its end removes
// from the quarantine the records that the list shows as valid or no longer shows.
// Records that are still invalid stay, and so does a trade that is too old for the
// audit.
func TestAuditEmptiesTheQuarantine(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	now := p.Now()
	bad := func(id string, at time.Time) string {
		return fmt.Sprintf(`{"id":%q,"account_id":"ac","symbol":"EURUSD","side":"sideways","open_time":%[2]q,"updated_at":%[2]q}`, id, at.Format(time.RFC3339))
	}
	put := func(id string, at time.Time) { p.PutRaw(reference.Trades, id, at, bad(id, at)) }
	for _, id := range []string{"gone", "mended", "still bad"} {
		put(id, now.Add(time.Second))
	}
	p.PutRaw(reference.Trades, "nameless", now.Add(time.Second), `{"account_id":"ac","symbol":"EURUSD"}`)
	p.PutRaw(reference.Payouts, "bad payout", now.Add(time.Second), `{"id":"bad payout"}`)
	p.Advance(2 * time.Second)
	w.Cycle(t)
	aside := func() []string {
		return w.Texts(t, `SELECT resource || ' ' || coalesce(raw::jsonb->>'id', '?') FROM quarantine ORDER BY 1`)
	}
	if diff := cmp.Diff([]string{"payouts bad payout", "trades ?", "trades gone", "trades mended", "trades still bad"}, aside()); diff != "" {
		t.Fatalf("in quarantine before (-want +got)\n%s", diff)
	}
	long := now.AddDate(0, 0, -120)
	w.Exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
VALUES ($1, 'trades', E'ac\x1flong ago', $2, '/side', 'unknown_enum', 'It is bad.', 1, now(), now())`, w.IntegrationID, bad("long ago", long))
	for _, id := range []string{"gone", "nameless", "mended"} {
		p.Delete(reference.Trades, id)
	}
	p.Delete(reference.Payouts, "bad payout")
	p.PutTrade(reference.Trade{AccountID: "ac", ID: "mended", Symbol: "EURUSD", Side: "buy", OpenTime: now.Add(-time.Hour)})
	audit(t, w)
	if diff := cmp.Diff([]string{"trades long ago", "trades still bad"}, aside()); diff != "" {
		t.Errorf("in quarantine after (-want +got)\n%s", diff)
	}
	if n := text(t, w, `SELECT quarantined::text FROM sync_state`); n != "2" {
		t.Errorf("%s counted, want 2", n)
	}
}

// TestTradersThatTheListHides: assay asks for a trader that the list does not show.
// The trader is not missing if the platform knows the id.
func TestTradersThatTheListHides(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	request(t, w)
	e := w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		page, err := read(ctx, req)
		if err == nil && req.Stream == record.StreamTraders && swept(req) {
			page.Traders = slices.Delete(page.Traders, 5, 6)
		}
		return page, err
	}}))
	cycle(t, w, e)
	if diff := cmp.Diff(clean(), verdicts(lastAudit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := findings(t, w); !slices.Equal(got, []string{"traders trader_unlisted 1"}) {
		t.Errorf("findings %v", got)
	}
	w.Compare(t)
}

// TestStrangersAreNotAskedForTraders: a process dies between the last page of a
// sweep and its judgment, and then the address is changed to a platform with other
// people. assay recognizes that before it asks for the traders that the list has
// not shown. The new platform knows none of them, and nobody may be marked as
// missing because of it.
func TestStrangersAreNotAskedForTraders(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	request(t, w)
	changed, asked := false, 0
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	e := w.NewEngine(t, with(t, w, &through{
		page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
			page, err := read(ctx, req)
			switch {
			case err != nil || req.Stream != record.StreamTraders:
			case changed:
				for n := range page.Traders {
					page.Traders[n].ID += "-stranger"
					page.Traders[n].Email = "stranger-" + page.Traders[n].Email
				}
			case swept(req):
				page.Traders = slices.Delete(page.Traders, 5, 6)
			}
			return page, err
		},
		trader: func() {
			asked++
			kill()
		},
	}))
	if err := e.RunSlice(ctx, w.Claim(t, "dead")); err == nil || asked != 1 {
		t.Fatalf("the slice was not killed when it asked for a trader: %v, asked %d times", err, asked)
	}
	expire(t, w)
	w.Exec(t, `UPDATE integrations SET platform_unconfirmed = true`)
	changed, asked = true, 0
	cycle(t, w, e)
	a := lastAudit(t, w)
	if len(a.Resources) == 0 || a.Resources[0].Resource != record.Traders || a.Resources[0].Status != syncing.RunFailed || a.Resources[0].Error == nil ||
		a.Resources[0].Error.Code != string(connectors.CodeDifferentPlatform) {
		t.Errorf("audit %q", verdicts(a))
	}
	if asked > 0 {
		t.Errorf("another platform was asked for %d traders", asked)
	}
	if missing := w.Texts(t, `SELECT external_id FROM traders WHERE missing_since IS NOT NULL`); len(missing) > 0 {
		t.Errorf("missing: %q", missing)
	}
	if got := findings(t, w); slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "trader_") }) {
		t.Errorf("findings %q", got)
	}
}
