package clients_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEmptyOrganization looks at the pages of an organization that has nothing but its owner: each says what to
// do first. It takes long because axe checks more than a dozen pages.
func TestEmptyOrganization(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	look := func(views []view) {
		for _, v := range views {
			b.do(t, chromedp.Navigate(a.url+v.path))
			b.sees(t, v.sees)
			b.look(t, v.name)
		}
	}
	look([]view{
		{"empty-integrations", "/integrations", "No platform is connected yet"},
		{"empty-traders", "/traders", "Connect your trading platform to sync its traders, accounts and trades."},
		{"empty-payouts", "/payouts", "Connect your trading platform to sync its payouts."},
		{"empty-interviews", "/interviews", "No interviews yet"},
		{"empty-interview-new", "/interviews/new", "If a trader already has this email, that trader is used."}, // nobody can be chosen
		{"empty-webhooks", "/developers/webhooks", "No webhook endpoints yet"},
		{"empty-people", "/people", "zoe@example.com"},
		{"empty-calendar", "/rules?tab=calendar", "Upload calendar"},
		{"empty-symbols", "/rules?tab=symbols", "No mappings yet."},
		{"empty-reasons", "/rules?tab=reasons", "No reasons yet."},
		{"empty-audit", "/audit", "created the organization"},
	})
	b.do(t, chromedp.Navigate(a.url+"/interviews/new"), visible(`//label[starts-with(normalize-space(.), "Full name")]`))
	b.do(t, click(`//label[contains(., "Existing trader")]/input`))
	b.sees(t, "There are no traders yet.")
	b.press(t, "Add a new trader")
	b.sees(t, "Full name")
	trader := "/traders/" + a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller"}, 201)["id"].(string)
	look([]view{
		{"empty-trader", trader, "No notes yet."},
		{"empty-trader-accounts", trader + "?tab=accounts", "No accounts"},
		{"empty-trader-trades", trader + "?tab=trades", "No trades"},
		{"empty-trader-activity", trader + "?tab=activity", "No trades in this period"},
		{"empty-trader-files", trader + "?tab=files", "No files yet"},
	})
	b.wantQuiet(t, a.url)
}
