package clients_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assayhq/assay/store/interviews"
)

// TestReviewByKeyboard reviews an interview without a mouse: from the queue to a statement, to its moment in the
// recording and back to the report, to the decision, and on to the next interview. It takes long because a
// recording goes through the whole pipeline first.
func TestReviewByKeyboard(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	body := threeQuestions()
	body["trader"] = map[string]any{"full_name": "Yan Li", "email": "yan@example.com"}
	other, path := a.invite(t, body)
	a.answer(t, other, strings.TrimPrefix(path, "/i/"), slices.Repeat([]answered{{interviews.AnswerText, written}}, 3))
	a.reviewable(t, "Zoe Miller")
	a.awaitCompletion(t, other)
	b := newTab(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/interviews?status=completed"))
	b.heading(t, "Interviews")
	b.sees(t, "PO-2041")
	began := time.Now()
	b.do(t, chromedp.KeyEvent("j"))
	b.until(t, "the newest interview is focused", `document.activeElement.closest("tbody tr")?.innerText.includes("Zoe Miller")`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.heading(t, "Zoe Miller")
	b.do(t, visible("#statement-0"))
	b.hearsStatements(t)
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
	b.hasFocus(t, "Next in queue")
	took := time.Since(began).Round(time.Millisecond)

	// In a narrow window the player stays in view, and covers nothing that a key leads to.
	b.do(t, chromedp.EmulateViewport(widths[1].width, widths[1].height), visible(".side.playing"), chromedp.KeyEvent("d"))
	b.until(t, "the decision is below the player", `(() => {
		const place = (selector) => document.querySelector(selector).getBoundingClientRect();
		return place("#decision").top >= place(".side").bottom && place("#decision").bottom <= innerHeight;
	})()`)

	b.do(t, chromedp.KeyEvent("q"))
	b.heading(t, "Yan Li")
	b.do(t, visible("#statement-0"), chromedp.KeyEvent("n"))
	b.until(t, "the keys go on there", `document.activeElement.closest("li.statement.current")?.id === "statement-0"`)
	// What leads to the next interview is there also where there is none: it would move the recording.
	b.do(t, visible(`//button[@disabled and normalize-space(.)="Next in queue"]`))
	t.Logf("from the queue to the decision in %s", took)
}

// hearsStatements goes through the statements by keys until it has played one and read one that was written. From both it
// goes on in the report, where it was.
func (b *tab) hearsStatements(t *testing.T) {
	t.Helper()
	var played, read bool
	for n := 0; !played || !read; n++ {
		looked := fmt.Sprintf(`document.activeElement.closest("li.statement.current")?.id === "statement-%d"`, n)
		b.do(t, chromedp.KeyEvent("n"))
		b.until(t, fmt.Sprintf("statement %d is looked at", n), looked)
		// In seconds, below zero if it was written.
		moment := ask(t, b, chromedp.Evaluate[float64](`(() => { const at = document.activeElement.innerText.match(/(\d+):(\d+)/); return at ? 60 * at[1] + Number(at[2]) : -1; })()`))
		b.do(t, chromedp.KeyEvent(kb.Enter))
		if moment < 0 {
			b.until(t, "the words are shown", `document.querySelector("li.asked")`)
			read = true
			continue
		}
		b.until(t, "its moment plays", fmt.Sprintf(`(({ currentTime: at, paused }) => !paused && at >= %[1]v && at < %[1]v + 5)(document.querySelector("video"))`, moment))
		b.until(t, "the report stays where it is", looked)
		b.do(t, chromedp.KeyEvent("k"))
		b.until(t, "the recording is paused", `document.querySelector("video").paused`)
		played = true
	}
}
