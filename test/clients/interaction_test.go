//go:build lighthouse

package clients_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assayhq/assay/store/interviews"
)

// laptop is how many times slower than here a page runs on a common laptop, which is what Lighthouse
// imitates, too.
const laptop = 4

// notesInteractions keeps how long each key and click takes until the next frame is painted, in
// milliseconds. The browser leaves out those that take less than 16.
const notesInteractions = `globalThis.slow = new Map();
new PerformanceObserver((list) => {
	for (const e of list.getEntries()) {
		if (e.interactionId && e.duration > (slow.get(e.interactionId)?.[0] ?? 0)) slow.set(e.interactionId, [e.duration, e.name + " " + (e.target?.outerHTML ?? "").slice(0, 90)]);
	}
}).observe({ type: "event", durationThreshold: 16, buffered: true });`

// interaction is a key or a click, and the milliseconds until the next frame was painted.
type interaction struct {
	ms   float64
	what string
}

// TestInteractions measures how long the pages with most on them take from a key or a click to the
// next paint, on an imitated laptop, in an organization with a million traders: lists, a trader with
// 100,000 trades, the review of an interview with 300 statements, and the palette, whose answers it also
// measures without a browser. The durations depend on the machine and its load, so they are logged and
// never fail the test.
func TestInteractions(t *testing.T) {
	b := newTab(t)
	a := startAPI(t)
	l := a.buildLarge(t)
	trader, interview := l.busy, l.talkative
	a.uploadFile(t, "/v1/traders/"+trader+"/activity-files", "history.csv", goldTrades(100_000, 5*time.Minute), http.StatusCreated)
	l.measurePalette(t)
	a.signedIn(t, b, "owner")
	ask(t, b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: notesInteractions})
		return chromedp.Void{}, err
	})
	tell(t, b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: laptop})

	var all []interaction
	keys := func(keys ...string) (list []chromedp.Action[chromedp.Void]) {
		for _, key := range keys {
			list = append(list, chromedp.KeyEvent(key))
		}
		return list
	}
	for _, tt := range []struct {
		name, path, ready string
		actions           []chromedp.Action[chromedp.Void]
	}{
		{"list of traders", "/traders?limit=100", `tbody tr:nth-child(100)`, slices.Concat(
			keys("j", "j", "j", "x", "j", "x", "k"),
			[]chromedp.Action[chromedp.Void]{
				click(`//th//button[starts-with(normalize-space(.), "Trader")]`), click(`//th[@aria-sort="ascending"]//button`),
				click(`//summary[normalize-space(.)="Columns"]`), click(`//label[normalize-space(.)="Phone"]`), click(`//summary[normalize-space(.)="Columns"]`),
				click(`(//tbody//input[@type="checkbox"])[5]`), click(`//input[@type="search"]`),
			}, keys("m", "a", "r", "i", "a", kb.Backspace, kb.Backspace))},
		{"list of payouts", "/payouts?limit=100", `tbody tr:nth-child(100)`, slices.Concat(
			keys("j", "j", "k"), []chromedp.Action[chromedp.Void]{
				click(`//th//button[starts-with(normalize-space(.), "Amount")]`), click(`//th//button[starts-with(normalize-space(.), "Trader")]`),
			}, keys("j", "j"))},
		{"queue of interviews", "/interviews?limit=100", `tbody tr:nth-child(100)`, keys("j", "j", "x", "j", "x", "k")},
		{"trader", "/traders/" + trader + "?tab=trades&limit=100", `tbody tr`, slices.Concat(
			[]chromedp.Action[chromedp.Void]{
				click(`//th//button[starts-with(normalize-space(.), "Net result")]`), click(`//th//button[starts-with(normalize-space(.), "Net result")]`),
			}, keys("j", "j", "k"))},
		{"activity of a trader", "/traders/" + trader + "?tab=activity&days=365", `//p[contains(., "Deposits, withdrawals, payouts")]`, []chromedp.Action[chromedp.Void]{
			click(`//*[@role="tab" and contains(., "Trades")]`), click(`//*[@role="tab" and contains(., "Activity")]`), click(`//*[@role="tab" and contains(., "Overview")]`),
		}},
		{"review", "/interviews/" + interview, `//ul[@aria-label="Examples of trades"]/li`, slices.Concat(
			keys("n", "n", "n", "n", "n", "n", "p", "p", "n", "n", "?"),
			[]chromedp.Action[chromedp.Void]{click(`//dialog//button[@aria-label="Close"]`)}, keys("n", "n", "n"))},
		{"palette", "/", `main h1`, slices.Concat(
			[]chromedp.Action[chromedp.Void]{chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)), visible(`dialog[open]`)},
			keys("m", "a", "r", kb.ArrowDown, kb.ArrowDown, kb.ArrowUp, kb.Backspace, "r", kb.Backspace, kb.Backspace, kb.Backspace, "a", "p", "i"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.do(t, chromedp.Navigate(a.url+tt.path))
			b.do(t, visible(tt.ready))
			b.awaitDrawing(t)
			for _, action := range tt.actions {
				b.do(t, action)
				b.awaitPaint(t)
			}
			list := readInteractions(t, b, len(tt.actions))
			logInteractions(t, list)
			all = append(all, list...)
		})
	}
	logInteractions(t, all)
}

// awaitDrawing waits until the page has not changed for half a second, because it draws what lies further
// below while nobody presses a key.
func (b *tab) awaitDrawing(t *testing.T) {
	t.Helper()
	ask(t, b, chromedp.Evaluate[bool](`new Promise((done) => {
		let timer;
		const wait = () => { clearTimeout(timer); timer = setTimeout(() => done(true), 500); };
		new MutationObserver(wait).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
		wait();
	})`, chromedp.EvalAwaitPromise))
}

// readInteractions returns how long n keys and clicks on the page took.
func readInteractions(t *testing.T, b *tab, n int) []interaction {
	t.Helper()
	var list []interaction
	for _, row := range ask(t, b, chromedp.Evaluate[[][]any](`[...slow.values()]`)) {
		list = append(list, interaction{row[0].(float64), row[1].(string)})
	}
	for len(list) < n {
		list = append(list, interaction{ms: 16})
	}
	return list
}

// logInteractions logs the quantiles and the longest ones.
func logInteractions(t *testing.T, list []interaction) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	list = slices.SortedFunc(slices.Values(list), func(x, y interaction) int { return int(x.ms - y.ms) })
	t.Logf("%d keys and clicks: p50 %.0f, p95 %.0f, longest %.0f ms", len(list), list[len(list)/2].ms, list[len(list)*95/100].ms, list[len(list)-1].ms)
	for _, i := range list[max(0, len(list)-4):] {
		t.Logf("%4.0f ms %s", i.ms, i.what)
	}
}

// addTalkativeInterview adds an interview whose trader wrote hundreds of statements.
func (a *api) addTalkativeInterview(t *testing.T) (id string) {
	t.Helper()
	a.works(t, "SYNC")
	id, path := a.invite(t, threeQuestions())
	a.uploadTrades(t, id)
	var words strings.Builder
	for n := range 100 {
		fmt.Fprintf(&words, "I hold my trades for about %d hours. I never risk more than %d percent. I only trade gold. ", n%23+1, n%9+1)
	}
	a.answer(t, id, strings.TrimPrefix(path, "/i/"), []answered{{interviews.AnswerVideo, spoken}, {interviews.AnswerAudio, spoken}, {interviews.AnswerText, words.String()}})
	a.awaitCompletion(t, id)
	return id
}
