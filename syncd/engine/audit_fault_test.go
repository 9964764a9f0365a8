package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// striking makes pages of a sweep of trades fail, and none of a poll's.
type striking struct {
	code   connectors.Code
	status int
	away   bool // no connection is made
	left   int  // how often; -1: always
	from   int  // the first page that fails, from 1
	seen   int
}

func (s *striking) page(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
	if req.Stream == record.StreamTrades && swept(req) {
		if s.seen++; s.seen >= s.from && s.left != 0 {
			s.left--
			return nil, &connectors.Error{Code: s.code, HTTPStatus: s.status, Unreachable: s.away, RetryAfter: time.Second, Endpoint: "GET /trades", Message: "made by the test"}
		}
	}
	return read(ctx, req)
}

func TestAuditOfAPlatformThatFails(t *testing.T) {
	t.Parallel()
	good := clean()
	with3 := func(status, trades string, rest ...string) []string {
		return slices.Concat([]string{status}, good[1:3], []string{"trades " + trades + " absent=0 stale=0 unshown=0 missing=0"}, rest)
	}
	for _, test := range []struct {
		name   string
		strike striking
		want   []string
		health syncing.Health
	}{
		{"throttled for a while", striking{code: connectors.CodeThrottled, status: 429, left: 4, from: 2}, good, syncing.HealthHealthy},
		{"throttled for good", striking{code: connectors.CodeThrottled, status: 429, left: -1, from: 2}, with3("partial", "throttled", good[4]), syncing.HealthHealthy},
		{"fails for a while", striking{code: connectors.CodeServerError, status: 500, left: 2, from: 2}, good, syncing.HealthHealthy},
		{"fails for good", striking{code: connectors.CodeServerError, status: 500, left: -1, from: 1}, with3("partial", "failed", good[4]), syncing.HealthHealthy},
		{"does not answer", striking{code: connectors.CodeTimeout, left: -1, from: 2}, with3("partial", "failed", good[4]), syncing.HealthHealthy},
		{"not there", striking{code: connectors.CodeConnectFailed, away: true, left: -1, from: 2}, with3("partial", "failed", "payouts failed absent=0 stale=0 unshown=0 missing=0"), syncing.HealthHealthy},
		{"forgets a cursor", striking{code: connectors.CodeUnexpectedResponse, status: 400, left: 1, from: 3}, good, syncing.HealthHealthy},
		{"refuses the key", striking{code: connectors.CodeUnauthorized, status: 401, left: -1, from: 2}, with3("partial", "blocked", "payouts blocked absent=0 stale=0 unshown=0 missing=0"), syncing.HealthBlocked},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := auditable(t)
			request(t, w)
			e := w.NewEngine(t, with(t, w, &through{page: test.strike.page}))
			for i := 0; text(t, w, `SELECT count(*)::text FROM sync_audits WHERE finished_at IS NULL`) != "0"; i++ {
				if i > 100 {
					t.Fatal("the audit does not end")
				}
				if err := e.RunSlice(t.Context(), w.Claim(t, "test")); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, verdicts(lastAudit(t, w))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := w.Integration(t).HealthStatus; got != test.health {
				t.Errorf("health %s, want %s", got, test.health)
			}
			if n := text(t, w, `SELECT count(*)::text FROM sync_runs WHERE status = 'running'`); n != "0" {
				t.Errorf("%s runs go on", n)
			}
			w.Compare(t)
		})
	}
}

// TestAuditOfListsThatDoNotEndRightly: a list that returns to an earlier page, or
// whose records have no ids, does not show what is missing.
func TestAuditOfListsThatDoNotEndRightly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ fault, trades string }{
		{"ignores-cursor", "trades failed"},
		{"cyclic-cursor", "trades failed"},
		{"bare-array", "trades partial"},
		{"data-null", "trades failed"},
		{"missing-id", "trades partial"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			w := auditable(t)
			request(t, w)
			if err := w.Platform.SetFault(test.fault, fault.Options{Endpoint: "/trades"}); err != nil {
				t.Fatal(err)
			}
			w.Cycle(t)
			a := lastAudit(t, w)
			if got := verdicts(a)[3]; !strings.HasPrefix(got, test.trades) || !strings.Contains(got, "unshown=0 missing=0") || a.Resources[2].Ratio != nil {
				t.Errorf("%s, ratio %v", got, a.Resources[2].Ratio)
			}
			if a.Status != audits.Partial {
				t.Errorf("status %s", a.Status)
			}
			w.Compare(t)
		})
	}
}

// TestPartnerAudit: an audit finds a row that left the closed list during the first
// read, as happens on numbered pages when earlier rows are removed. It updates a
// closed trade that was changed afterwards, and marks one that is gone.
func TestPartnerAudit(t *testing.T) {
	t.Parallel()
	w := enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 5, Traders: 60, AccountsPerTrader: 2, Trades: 900, Payouts: 60, Weekends: true}}, nil)
	var skipped record.Trade
	c := &through{Connector: partnerplatform.New(w.Client), page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		page, err := read(ctx, req)
		if err == nil && req.Stream == record.StreamTradesClosed && skipped.ID == "" && req.Cursor != "" {
			skipped, page.Trades = page.Trades[0], page.Trades[1:]
		}
		return page, err
	}}
	registry, err := connectors.NewRegistry(c)
	if err != nil {
		t.Fatal(err)
	}
	cycle(t, w, w.NewEngine(t, func(config *engine.Config) { config.Connectors = registry }))
	w.Cycle(t)
	if got := text(t, w, `SELECT count(*)::text FROM trades`); got != "899" {
		t.Fatalf("%s trades were read, want all but one", got)
	}
	changed := oldTrade(t, w, 340)
	w.Partner.ModifyTrade(changed.AccountNr, changed.Ticket, func(r *partner.Trade) { r.Symbol = "CHANGED" })
	gone := oldTrade(t, w, 360)
	w.Partner.DeleteTrade(gone.AccountNr, gone.Ticket)
	a := audit(t, w)
	trades := a.Resources[2]
	if a.Status != audits.Succeeded || trades.Absent != 1 || trades.Stale != 1 || !slices.Equal(trades.MissingIDs, []string{gone.AccountNr + "/" + gone.Ticket}) ||
		!slices.Contains(trades.RepairedIDs, skipped.AccountID+"/"+skipped.ID) {
		t.Errorf("%q, ids %v %v", verdicts(a), trades.RepairedIDs, trades.MissingIDs)
	}
	if got := findings(t, w); !slices.Equal(got, []string{"trades missed_by_updates 2"}) {
		t.Errorf("findings %v", got)
	}
	w.Exec(t, `DELETE FROM trades WHERE missing_since IS NOT NULL`) // which the platform does not have
	w.Exec(t, `UPDATE sync_state SET trades = trades - 1`)
	w.Compare(t)
	a = audit(t, w)
	if diff := cmp.Diff(clean(), verdicts(a)); diff != "" {
		t.Errorf("second audit (-want +got)\n%s", diff)
	}
}

// oldTrade is the i-th closed trade that was closed long ago.
func oldTrade(t *testing.T, w *enginetest.Fixture, i int) partner.Trade {
	t.Helper()
	for r := range w.Partner.AllTrades() {
		if !r.CloseDate.IsZero() && time.Since(r.CloseDate) > 24*time.Hour && time.Since(r.CloseDate) < 80*24*time.Hour {
			if i == 0 {
				return r
			}
			i--
		}
	}
	t.Fatal("there are not so many")
	return partner.Trade{}
}

// TestPartnerAuditOfShortPages: a platform that shows only half of each page has
// not shown everything, even if it claims that it has.
func TestPartnerAuditOfShortPages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 5, Traders: 130, AccountsPerTrader: 1, Trades: 300, Payouts: 20, Weekends: true}}, nil)
	w.Cycle(t)
	w.Compare(t)
	request(t, w)
	if err := w.Partner.SetFault("short-pages", fault.Options{Endpoint: "/v1/customers"}); err != nil {
		t.Fatal(err)
	}
	w.Cycle(t)
	a := lastAudit(t, w)
	if r := a.Resources[0]; r.Complete || r.Note == nil || *r.Note != "page_size_ignored" || r.Missing != 0 {
		t.Errorf("%q", verdicts(a))
	}
	w.Compare(t)
}

// TestPartnerThatCapsPages: assay stops reading a platform that sends fewer rows
// per page than were requested, as the contract requires, and the platform's
// operator can see why. When the platform keeps the contract again, an audit brings
// the rows that never arrived.
func TestPartnerThatCapsPages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 5, Traders: 130, AccountsPerTrader: 1, Trades: 300, Payouts: 20, Weekends: true}}, nil)
	if err := w.Partner.SetFault("short-pages", fault.Options{Endpoint: "/v1/customers"}); err != nil {
		t.Fatal(err)
	}
	w.Cycle(t)
	came := text(t, w, `SELECT count(*)::text FROM traders`)
	if got := findings(t, w); came == "0" || came == "130" || !slices.Contains(got, "traders page_size_ignored 1") {
		t.Fatalf("%s of 130 traders came, findings %v", came, got)
	}
	if a := audit(t, w); a.Resources[0].Complete || a.Resources[0].Missing != 0 {
		t.Errorf("%q", verdicts(a))
	}
	w.Partner.ClearFaults()
	w.Cycle(t)
	audit(t, w)
	w.Compare(t)
}

// TestAuditEndsWithItsSettings: when the origin or the scope changes, what was read
// before has no meaning.
func TestAuditEndsWithItsSettings(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	request(t, w)
	claim := w.Claim(t, "test")
	version := w.Integration(t).SettingsVersion
	check := &integrations.LiveCheck{CheckOutcome: integrations.CheckOutcome{OK: true}, SettingsVersion: version}
	origin := "https://another.example"
	if _, err := integrations.Update(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID, integrations.Patch{BaseURL: &origin, Check: check}); err != nil {
		t.Fatal(err)
	}
	if a := lastAudit(t, w); a.Status != audits.Interrupted {
		t.Errorf("status %s", a.Status)
	}
	if err := w.Engine.RunSlice(t.Context(), claim); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the slice under the old settings: %v", err)
	}
}

// TestAuditAfterAWrongClock: records were changed while the platform's clock was years ahead. They
// change again when it is right, and so with an earlier updated_at.
func TestAuditAfterAWrongClock(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	ahead := time.Now().AddDate(10, 0, 0).Truncate(time.Second)
	account := old(t, p.AllAccounts(), func(r reference.Account) time.Time { return r.UpdatedAt }, 2)
	account.Program, account.UpdatedAt = "before", ahead
	p.PutAccount(account)
	opened := reference.Trade{AccountID: account.ID, ID: "open", Symbol: "EURUSD", Side: "buy", OpenTime: time.Now().Add(-50 * time.Hour), UpdatedAt: ahead}
	p.PutTrade(opened)
	w.Cycle(t)
	w.Exec(t, `UPDATE accounts SET updated_at = now() - interval '2 days'`) // as if that had been two days ago
	w.Exec(t, `UPDATE trades SET updated_at = now() - interval '2 days'`)

	account.Program, account.UpdatedAt = "after", time.Now().Add(-26*time.Hour)
	p.PutAccount(account)
	opened.CloseTime, opened.UpdatedAt = time.Now().Add(-25*time.Hour), time.Now().Add(-25*time.Hour)
	p.PutTrade(opened)
	want := clean()
	want[2] = "accounts succeeded absent=0 stale=1 unshown=0 missing=0"
	want[3] = "trades succeeded absent=0 stale=1 unshown=0 missing=0"
	if diff := cmp.Diff(want, verdicts(audit(t, w))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := text(t, w, `SELECT program FROM accounts WHERE external_id = $1`, account.ID); got != "after" {
		t.Errorf("the account's program is %q, want what the platform shows", got)
	}
	if got := text(t, w, `SELECT (close_time IS NOT NULL)::text FROM trades WHERE id = 'open'`); got != "true" {
		t.Error("the trade is still open, although it has closed at the platform")
	}
	if diff := cmp.Diff(clean(), verdicts(audit(t, w))); diff != "" {
		t.Errorf("second audit (-want +got)\n%s", diff)
	}
	w.Compare(t)
}

// auditNightly works until a nightly audit is over.
func auditNightly(t *testing.T, w *enginetest.Fixture) audits.Audit {
	t.Helper()
	request(t, w)
	w.Exec(t, `UPDATE sync_audits SET trigger = 'schedule' WHERE finished_at IS NULL`)
	w.Cycle(t)
	return lastAudit(t, w)
}

// TestManyMissingForThreeNights: a firm deletes more old accounts at once than one night may mark, and
// one more each day. In the third night they are marked, and so are single ones from then on.
func TestManyMissingForThreeNights(t *testing.T) {
	t.Parallel()
	w := auditable(t)
	p := w.Platform.Platform
	remove := func(n int) {
		for r := range p.AllAccounts() {
			if n--; n < 0 {
				return
			}
			p.Delete(reference.Accounts, r.ID)
		}
	}
	remove(13)
	for night, want := range []string{"unshown=13 missing=0", "unshown=14 missing=0", "unshown=15 missing=15", "unshown=1 missing=1"} {
		if got := verdicts(auditNightly(t, w))[2]; !strings.HasSuffix(got, want) {
			t.Errorf("night %d: %s, want %s", night+1, got, want)
		}
		if night < 2 { // an audit on request is no night
			if got := verdicts(audit(t, w))[2]; !strings.HasSuffix(got, "missing=0") {
				t.Errorf("after night %d: %s", night+1, got)
			}
		}
		remove(1)
	}
}

// TestMostOfFewMissing: a platform shows one of four accounts. The others are marked in the third night,
// not before.
func TestMostOfFewMissing(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 11, Traders: 4, AccountsPerTrader: 1, Trades: 20, Payouts: 2, Weekends: true}})
	w.Cycle(t)
	p, shown := w.Platform.Platform, false
	for r := range p.AllAccounts() {
		if shown {
			p.Delete(reference.Accounts, r.ID)
		}
		shown = true
	}
	for night, want := range []string{"unshown=3 missing=0", "unshown=3 missing=0", "unshown=3 missing=3"} {
		if got := verdicts(auditNightly(t, w))[2]; !strings.HasSuffix(got, want) {
			t.Errorf("night %d: %s, want %s", night+1, got, want)
		}
	}
	if got := text(t, w, `SELECT (count(*) > 0)::text FROM findings WHERE rule = 'many_missing'`); got != "true" {
		t.Error("nothing says that most accounts were not shown")
	}
}

// TestMissingOfFew: a single one of a few records is missing if its list does not show it. An empty
// list is believed in no night.
func TestMissingOfFew(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 11, Traders: 6, AccountsPerTrader: 2, Trades: 20, Payouts: 2, Weekends: true}})
	w.Cycle(t)
	p, gone := w.Platform.Platform, false
	for r := range p.AllAccounts() {
		if !gone {
			gone = true
			p.Delete(reference.Accounts, r.ID)
		}
	}
	if got := verdicts(auditNightly(t, w))[2]; !strings.HasSuffix(got, "unshown=1 missing=1") {
		t.Errorf("one of twelve: %s", got)
	}
	for r := range p.AllAccounts() {
		p.Delete(reference.Accounts, r.ID)
	}
	for range 4 {
		if got := verdicts(auditNightly(t, w))[2]; !strings.HasSuffix(got, "missing=0") {
			t.Errorf("an empty list: %s", got)
		}
	}
}
