package clients_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is the name of the focused element, as a screen reader reads it.
const focused = `(() => {
	const e = document.activeElement;
	return (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText ?? "").trim();
})()`

// heldDown presses the button that ends an answer as soon as it has the focus, as
// the key does that began the answer and is held down.
const heldDown = `addEventListener("focusin", function held(event) {
	if (event.target.textContent.trim() !== "Finish answer") return;
	removeEventListener("focusin", held);
	event.target.click();
	globalThis.held = true;
}), true`

// outlined reports whether the focus can be seen.
const outlined = `(() => {
	const e = document.activeElement, s = getComputedStyle(e);
	return e.matches(":focus-visible") && s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2;
})()`

// hears waits until the element with the name has the focus, because a screen reader reads it then.
func (b *tab) hears(t *testing.T, name string) {
	t.Helper()
	b.awaitFocus(t, name, strings.Contains)
}

// hasFocus waits until the element with exactly this name has the focus.
func (b *tab) hasFocus(t *testing.T, name string) {
	t.Helper()
	b.awaitFocus(t, name, func(a, b string) bool { return a == b })
}

// awaitFocus waits until the name of the focused element fits.
func (b *tab) awaitFocus(t *testing.T, name string, fits func(focused, name string) bool) {
	t.Helper()
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, fmt.Sprintf("the focus on %q", name), func() (string, error) {
			now, err := chromedp.Evaluate[string](focused)(ctx, target)
			if err == nil && !fits(now, name) {
				return fmt.Sprintf("it is on %q", now), nil
			}
			return "", err
		})
	}))
}

// keys presses Tab until the focus is on what has the name, and then the keys.
func (b *tab) keys(t *testing.T, name, keys string) {
	t.Helper()
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		return repeat(ctx, fmt.Sprintf("Tab to %q", name), func() (string, error) {
			now, err := chromedp.Evaluate[string](focused)(ctx, target)
			if err != nil || now == name {
				return "", err
			}
			_, err = chromedp.KeyEvent(kb.Tab)(ctx, target) // what is disabled for a moment is passed by, and comes again
			return fmt.Sprintf("the focus is on %q", now), err
		})
	}))
	if !ask(t, b, chromedp.Evaluate[bool](outlined)) {
		t.Errorf("the focus on %q cannot be seen", name)
	}
	b.do(t, chromedp.KeyEvent(keys))
}

// TestInterviewByKeyboard answers on camera and in writing without a mouse. After each step the focus
// is on the new content, so that users of screen readers continue from there. It takes long because it
// goes through a whole interview key by key, and records an answer.
func TestInterviewByKeyboard(t *testing.T) {
	t.Parallel()
	b := newTrader(t)
	a := startAPI(t)
	body := threeQuestions()
	body["questions"] = body["questions"].([]any)[:2]
	id, path := a.invite(t, body)

	b.do(t, chromedp.Navigate(a.url+path))
	b.hears(t, "Your interview with Alpha Capital")
	b.keys(t, "Continue", kb.Enter)
	b.hears(t, "Do you agree?")
	b.keys(t, "I decline", kb.Enter)
	b.hears(t, "Decline?")
	b.keys(t, "Back", kb.Enter)
	b.hears(t, "Do you agree?")
	b.keys(t, "I have read this and agree.", " ")
	b.keys(t, "I agree, continue", kb.Enter)
	b.hears(t, "Check your devices")
	b.keys(t, "I need another way to answer", kb.Enter)
	b.hears(t, "Another way")
	b.keys(t, "Back", kb.Enter)
	b.hears(t, "Check your devices")
	b.keys(t, "Use my camera and microphone", kb.Enter)
	b.do(t, visible("#microphone"))
	b.hears(t, "Check your devices")
	b.keys(t, "It works, continue", kb.Enter)
	b.hears(t, "Practice question")
	b.keys(t, "Record a practice answer", kb.Enter)
	b.hears(t, "Stop")
	b.do(t, chromedp.KeyEvent(" "))
	b.hears(t, "Your practice answer")
	b.keys(t, "Continue", kb.Enter)
	b.hears(t, "Ready?")
	b.keys(t, "Start the interview", kb.Enter)
	b.hears(t, "Your answers")

	b.keys(t, "Answer, question 1", kb.Enter)
	b.hears(t, "Question 1 of 2")
	b.keys(t, "Show question", kb.Enter)
	b.hears(t, "How long do you hold your trades?")
	ask(t, b, chromedp.Evaluate[bool](heldDown))
	b.keys(t, "Start answering now", kb.Enter)
	b.hears(t, "Finish answer")
	b.until(t, "the key was pressed at once", "globalThis.held")
	b.records(t, 4)
	b.hears(t, "Finish answer")
	b.do(t, chromedp.KeyEvent(kb.Enter))

	b.hears(t, "Question 2 of 2")
	b.keys(t, "On camera", kb.ArrowDown+kb.ArrowDown)
	b.hears(t, "In writing")
	b.keys(t, "Show question", kb.Enter)
	b.hears(t, "How much do you risk on one trade?")
	b.keys(t, "Your answer", "one percent.")
	b.keys(t, "Back to questions", kb.Enter) // which loses nothing that is written, and neither does a reload
	b.hears(t, "Your answers")
	b.do(t, visible(`(//li)[1]//*[normalize-space(.)="Answered"]`), chromedp.Reload())
	b.hears(t, "Your answers")
	b.keys(t, "Answer, question 2", kb.Enter)
	b.hears(t, "Question 2 of 2")
	b.keys(t, "On camera", kb.ArrowDown+kb.ArrowDown)
	b.hears(t, "In writing")
	b.keys(t, "Write an answer", kb.Enter)
	b.hears(t, "How much do you risk on one trade?")
	b.until(t, "what was written is there", `document.querySelector("#answer").value === "one percent."`)
	b.keys(t, "Your answer", "At most ")
	b.keys(t, "Save answer", kb.Enter)
	b.hears(t, "Your answers")
	b.do(t, visible(`(//li)[1]//*[normalize-space(.)="Answered"]`))
	b.keys(t, "Submit", kb.Enter)
	b.hears(t, "You can’t change your answers after you submit")
	b.keys(t, "Not yet", kb.Enter)
	b.hears(t, "Submit")
	b.keys(t, "Submit", kb.Enter)
	b.hears(t, "You can’t change your answers after you submit")
	b.keys(t, "Yes, submit my answers", kb.Enter)
	b.hears(t, "Thank you, your answers have been submitted")
	b.wantQuiet(t, a.url)
	i := a.call(t, "GET", "/v1/interviews/"+id, nil, 200)
	if told := text(t, i["answers"]); i["status"] != "processing" || strings.Count(told, `"status":"sealed"`) != 2 {
		t.Errorf("status %v, answers %s", i["status"], told)
	}
}
