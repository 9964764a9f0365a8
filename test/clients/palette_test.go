package clients_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPaletteInBrowser goes to a page and to a trader by their names, with keys alone.
func TestPaletteInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.sync(t)
	trader := a.call(t, "GET", "/v1/traders?limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.hears(t, "Page, trader, interview or integration")
	b.do(t, chromedp.KeyEvent("API k"), visible(`//*[@role="option" and @aria-selected="true" and contains(., "API keys")]`))
	b.lookAt(t, "palette")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, "API keys")
	b.do(t, absent("dialog[open]"), chromedp.KeyEvent("/"))
	b.hears(t, "Page, trader, interview or integration")
	b.until(t, "the field is empty, or has the key that opened it", `document.activeElement.value.length <= 1`)
	b.do(t, chromedp.KeyEvent(trader["email"].(string)), visible(fmt.Sprintf(`//*[@role="option" and contains(., %q)]`, trader["full_name"])))
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, trader["full_name"].(string))
	b.do(t, chromedp.Navigate(a.url+"/traders?limit=50"))
	b.sees(t, "1–50 of 60 traders")
	b.wantQuiet(t, a.url)
}
