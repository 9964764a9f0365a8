package clients_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPaletteInBrowser goes to a page and to a trader by their names, runs actions and looks at the
// shortcuts, with keys alone. It takes long because it reads a platform, and goes to a dozen pages by
// keys.
func TestPaletteInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.sync(t)
	traders := a.call(t, "GET", "/v1/traders?limit=2", nil, 200)["data"].([]any)
	trader, other := traders[0].(map[string]any), traders[1].(map[string]any)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.hears(t, "Page, trader, interview, integration or action")
	b.do(t, chromedp.KeyEvent("API k"), visible(`//*[@role="option" and @aria-selected="true" and contains(., "API keys")]`))
	b.lookAt(t, "palette")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, "API keys")
	b.do(t, absent("dialog[open]"), chromedp.KeyEvent("/"))
	b.hears(t, "Page, trader, interview, integration or action")
	b.until(t, "the field is empty, or has the key that opened it", `document.activeElement.value.length <= 1`)
	b.do(t, chromedp.KeyEvent(trader["email"].(string)), visible(fmt.Sprintf(`//*[@role="option" and contains(., %q)]`, trader["full_name"])))
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, trader["full_name"].(string))
	b.choosesWhatIsTyped(t, trader, other)
	b.choose(t, "upload statement", "Upload a statement of this trader")
	b.do(t, visible(`//*[@role="tab" and @aria-selected="true" and contains(., "Files")]`))
	b.choose(t, "create key", "Create API key")
	b.do(t, visible(`//dialog//h2[normalize-space(.)="Create API key"]`), chromedp.KeyEvent(kb.Escape), absent("dialog[open]"))
	b.until(t, "a reload opens no dialog", `location.pathname + location.search === "/developers/keys"`)
	b.choose(t, "theme dark", "Switch theme to dark")
	b.until(t, "the page is dark", `document.documentElement.dataset.scheme === "dark"`)
	b.choose(t, "theme system", "Switch theme to the system’s")
	b.do(t, absent("dialog[open]"), chromedp.KeyEvent("?"), visible(`//dialog//caption[normalize-space(.)="On every page"]`), absent(`//dialog//caption[normalize-space(.)="In lists"]`))
	b.do(t, chromedp.KeyEvent(kb.Escape), absent("dialog[open]"))
	b.do(t, chromedp.Navigate(a.url+"/traders?limit=50"))
	b.sees(t, "1–50 of 60 traders")
	b.do(t, chromedp.KeyEvent("?"), visible(`//dialog//caption[normalize-space(.)="In lists"]`), absent(`//dialog//caption[contains(., "reviewing")]`))
	b.lookAt(t, "shortcuts")
	b.do(t, chromedp.KeyEvent(kb.Escape), absent("dialog[open]"))
	b.do(t, write(`//form[@role="search"]//input[@type="search"]`, "?"), absent("dialog[open]")) // where somebody types it is no shortcut
	name := a.call(t, "GET", "/v1/integrations", nil, 200)["data"].([]any)[0].(map[string]any)["name"].(string)
	b.do(t, chromedp.Navigate(a.url+"/people"))
	b.heading(t, "People")
	b.choose(t, "sync now", "Sync "+name+" now")
	b.heading(t, name)
	b.choose(t, "invite", "Invite a colleague")
	b.do(t, visible(`//dialog//h2[normalize-space(.)="Add person"]`), chromedp.KeyEvent(kb.Escape), absent("dialog[open]"))
	b.losesNothingTyped(t)
	b.wantQuiet(t, a.url)
	b.choose(t, "sign out", "Sign out")
	b.heading(t, "Sign in")
}

// choosesWhatIsTyped types one trader's address over another's and presses Enter before the answer is there: it goes to the
// one that was typed last.
func (b *tab) choosesWhatIsTyped(t *testing.T, first, last map[string]any) {
	t.Helper()
	b.do(t, absent("dialog[open]"), chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.hears(t, "Page, trader, interview, integration or action")
	b.do(t, chromedp.KeyEvent(first["email"].(string)), visible(fmt.Sprintf(`//*[@role="option" and contains(., %q)]`, first["full_name"])))
	b.do(t, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(last["email"].(string)+kb.Enter))
	b.heading(t, last["full_name"].(string))
}

// losesNothingTyped closes a dialog with a text in it, which asks first.
func (b *tab) losesNothingTyped(t *testing.T) {
	t.Helper()
	b.press(t, "Add person")
	b.fill(t, "Email", "yan@example.com")
	b.do(t, chromedp.KeyEvent(kb.Escape))
	b.hears(t, "Keep editing")
	b.lookAt(t, "dialog-unsaved")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.hears(t, "Email")
	b.do(t, click(`//dialog//button[@aria-label="Close"]`))
	b.pressIn(t, "Keep editing")
	if got := ask(t, b, chromedp.Evaluate[string](`document.activeElement.value`)); got != "yan@example.com" {
		t.Errorf("the field has %q", got)
	}
	b.do(t, click(`//dialog//button[@aria-label="Close"]`))
	b.pressIn(t, "Discard")
	b.do(t, absent("dialog[open]"))
}

// choose opens the palette and runs the action with the label, which is the first that the text finds.
func (b *tab) choose(t *testing.T, text, label string) {
	t.Helper()
	b.do(t, absent("dialog[open]"), chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.hears(t, "Page, trader, interview, integration or action")
	b.do(t, chromedp.KeyEvent(text), visible(fmt.Sprintf(`//*[@role="option" and @aria-selected="true" and contains(., %q)]`, label)))
	b.do(t, chromedp.KeyEvent(kb.Enter))
}
