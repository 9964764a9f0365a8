package clients_test

import (
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
)

// platformOf is the platform that a server shows.
func platformOf(server *httptest.Server) *reference.Platform {
	return server.Config.Handler.(*reference.Platform)
}

// holdTrades lets a platform answer some pages of trades, and then put off who
// asks for more, until release.
func holdTrades(t *testing.T, p *reference.Platform, after int) (release func()) {
	t.Helper()
	check(t, p.SetFault("short-pages", fault.Options{Endpoint: "/trades"}))
	check(t, p.SetFault("status-429", fault.Options{Endpoint: "/trades", After: after}))
	return func() {
		p.ClearFault("short-pages")
		p.ClearFault("status-429")
	}
}

// TestBackfillAndAudits watches a platform being read for the first time, with an estimate of what
// is left, and then has it audited. It takes long because a browser watches while a platform is
// read slowly enough to be seen.
func TestBackfillAndAudits(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	id, platform := a.connect(t, a.connected.URL), platformOf(a.connected)
	b.do(t, chromedp.Navigate(a.url+"/integrations/"+id+"?tab=audits"))
	b.sees(t, "No audits yet")
	b.lookAt(t, "audits-none")
	b.press(t, "Overview")
	release := holdTrades(t, platform, 3)
	a.works(t, "MEDIA", "REPORT")
	b.sees(t, "First sync in progress")
	b.do(t, visible(`//li[contains(., "Trades") and contains(., "records in") and contains(., "left") and contains(., "about")]`))
	b.sees(t, "the time left is estimated")
	b.until(t, "the bar shows how much was read", `(() => { const bar = document.querySelector('progress[aria-label="Trades"]'); return bar.position > 0 && bar.position < 1; })()`)
	b.lookAt(t, "integration-backfill")
	b.seesLater(t, "The platform is rate limiting requests")
	b.sees(t, "Raise the rate limit for assay’s API key on the platform")
	b.lookAt(t, "integration-throttled")
	release()
	b.seesLater(t, "The last sync read everything.")

	// Somebody has deleted a payout behind the platform's back, and one behind assay's.
	payouts := platform.Snapshot().Payouts
	platform.Delete(reference.Payouts, payouts[0].ID)
	_, err := storetest.Conn(t, a.database).Exec(t.Context(), `DELETE FROM payouts WHERE external_id = $1`, payouts[1].ID)
	check(t, err)
	release = holdTrades(t, platform, 2)
	b.press(t, "Audits")
	b.press(t, "Audit now")
	b.sees(t, "Audit in progress")
	b.do(t, visible(`//li[contains(., "Accounts") and contains(., "nothing to repair")]`), visible(`//li[contains(., "Trades") and contains(., "records in")]`))
	b.lookAt(t, "audits-open")
	release()
	b.seesLater(t, "Last audit")
	b.sees(t, "Repaired: 1 record")
	b.sees(t, "Marked as missing: 1 record")
	if shares := ask(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll("td[data-label='Up to date']")].map((c) => c.textContent).join(" ")`)); shares != "100% 100% 100% 97.43%" {
		t.Errorf("the shares are %s", shares)
	}
	b.do(t, click(`//summary[contains(., "Repaired")]`))
	b.sees(t, payouts[1].ID)
	b.sees(t, "Audit findings")
	b.lookAt(t, "audits")
	b.do(t, chromedp.Navigate(a.url+"/payouts?limit=100"), visible(`//tr[contains(., "Missing since")]`))
	b.lookAt(t, "payouts-missing")
	b.do(t, click(`//tr[contains(., "Missing since")]//a`))
	b.do(t, click(`//button[starts-with(normalize-space(.), "Accounts and payouts")]`))
	b.do(t, visible(`//tr[contains(., "`+payouts[0].ID+`") and contains(., "Missing since")]`))
	b.wantQuiet(t, a.url)
}
