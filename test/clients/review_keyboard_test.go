package clients_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestReviewByKeyboard reviews an interview without a mouse: from the queue to a statement, its moment
// and the decision. It takes long because a recording goes through the whole pipeline first.
func TestReviewByKeyboard(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	a.reviewable(t, "Zoe Miller")
	b := newTab(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/interviews?status=completed"))
	b.heading(t, "Interviews")
	b.sees(t, "PO-2041")
	began := time.Now()
	b.do(t, chromedp.KeyEvent("j"))
	b.until(t, "the interview is focused", `document.activeElement.closest("tbody tr")`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, "Zoe Miller")
	// What leads to the next interview is there from the beginning: it would move the recording.
	b.do(t, visible(`//button[@disabled and normalize-space(.)="Next in queue"]`))
	b.do(t, visible("#statement-0"), chromedp.KeyEvent("n"))
	b.until(t, "a statement is looked at", `document.activeElement.closest("li.statement.current")`)
	b.do(t, chromedp.KeyEvent("d"))
	b.until(t, "the decision has the focus", `document.activeElement.closest("section[aria-labelledby=decision]")`)
	b.do(t, chromedp.KeyEvent(" "))
	b.until(t, "a decision is chosen", `document.activeElement.checked`)
	for range 12 {
		if ask(t, b, chromedp.Evaluate[bool](`document.activeElement.tagName === "TEXTAREA"`)) {
			break
		}
		b.do(t, chromedp.KeyEvent(kb.Tab))
	}
	b.do(t, chromedp.KeyEvent("Heard and compared."), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(t, "the decision is saved", `document.querySelector(".top")?.textContent.match(/Approved|Rejected|Needs review/)`)
	b.sees(t, "Heard and compared.")
	b.until(t, "the focus is where the decision was saved", `document.activeElement.matches("section[aria-labelledby=decision]")`)
	took := time.Since(began).Round(time.Millisecond)

	// In a narrow window the player stays in view, and covers nothing that a key leads to.
	b.do(t, chromedp.EmulateViewport(widths[1].width, widths[1].height), click(".begin"), visible(".side.playing"), chromedp.KeyEvent("d"))
	b.until(t, "the decision is below the player", `(() => {
		const place = (selector) => document.querySelector(selector).getBoundingClientRect();
		return place("#decision").top >= place(".side").bottom && place("#decision").bottom <= innerHeight;
	})()`)
	t.Logf("from the queue to the decision in %s", took)
}
