package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// widths are those at which pages are looked at: a desk's and a phone's.
var widths = []struct {
	name          string
	width, height int64
}{{"desk", 1280, 900}, {"phone", 360, 780}}

// pictured are further widths that pages are photographed at, for people to look at.
var pictured = []int64{1100, 1366, 1920}

// press clicks the button with the text, as soon as it is there and can be
// pressed.
func (b *tab) press(t *testing.T, text string) {
	t.Helper()
	b.do(t, click(fmt.Sprintf(`//button[normalize-space(.)=%q and not(@disabled or @aria-disabled)]`, text)))
}

// sees waits until the page shows the text. The names in it may be elements (bdi), because
// they have a direction of their own.
func (b *tab) sees(t *testing.T, text string) {
	t.Helper()
	b.do(t, visible(findText(text)))
}

// seesLater is sees for what comes when a platform was read, or a recording has gone through the pipeline.
func (b *tab) seesLater(t *testing.T, text string) {
	t.Helper()
	askFor(t, b, pipelinePatience, visible(findText(text)))
}

// findText finds the element with the text.
func findText(text string) string {
	return fmt.Sprintf(`//*[not(self::script or self::option) and not(*[not(self::bdi)]) and contains(normalize-space(.), %[1]q)] | //*[not(self::option) and contains(normalize-space(text()), %[1]q)]`, text)
}

// heading waits for the page's heading.
func (b *tab) heading(t *testing.T, text string) {
	t.Helper()
	b.do(t, visible(fmt.Sprintf(`//h1[contains(normalize-space(.), %q)]`, text)))
}

// axeSource is the checker of accessibility.
func axeSource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tools(t), "node_modules", "axe-core", "axe.min.js"))
	check(t, err)
	return string(text)
}

// findsFaults runs the checker, and its rule that a finger needs 24 px, once the page has been drawn at its new width, which is when it learns
// that a media query has changed, and looks for what a narrow page cuts off.
const findsFaults = `new Promise((drawn) => {
	if (document.hidden) drawn(); // a page in the background is not drawn
	requestAnimationFrame(() => requestAnimationFrame(drawn));
}).then(() => axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })).then((found) => {
	const list = found.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => n.html).join(" "));
	const page = document.documentElement;
	if (page.scrollWidth > page.clientWidth) list.push("the page is " + page.scrollWidth + " px wide, the window " + page.clientWidth);
	return list;
})`

// look holds the page, as it is now, against the rules of accessibility at every
// width, and takes pictures of it for people to look at.
func (b *tab) look(t *testing.T, name string) {
	t.Helper()
	source := axeSource(t)
	for _, w := range widths {
		b.do(t, chromedp.EmulateViewport(w.width, w.height))
		if !ask(t, b, chromedp.Evaluate[bool](`typeof axe !== "undefined"`)) {
			ask(t, b, chromedp.Evaluate[bool](source+`; true`))
		}
		for _, fault := range askFor(t, b, patience, chromedp.Evaluate[[]string](findsFaults, chromedp.EvalAwaitPromise)) {
			t.Errorf("%s at %d px: %s", name, w.width, fault)
		}
		b.screenshot(t, name+"-"+w.name+".png")
	}
	for _, width := range pictured {
		if os.Getenv(screenshots) != "" {
			b.do(t, chromedp.EmulateViewport(width, widths[0].height))
			b.screenshot(t, fmt.Sprintf("%s-%d.png", name, width))
		}
	}
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// notesShifts adds up by how much what is shown moves without anybody pressing a key, as browsers rate it.
const notesShifts = `globalThis.moved = 0;
new PerformanceObserver((list) => {
	for (const e of list.getEntries()) if (!e.hadRecentInput) moved += e.value;
}).observe({ type: "layout-shift", buffered: true });`

// mostShift is about a line of a page. Browsers call 0.1 good.
const mostShift = 0.03

// staysInPlace opens a page on a phone and fails the test if what is read first moves when the rest is there.
func (b *tab) staysInPlace(t *testing.T, url, sees string) {
	t.Helper()
	ask(t, b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: notesShifts})
		return chromedp.Void{}, err
	})
	b.do(t, chromedp.EmulateViewport(412, 823), chromedp.Navigate(url))
	b.sees(t, sees)
	b.awaitPaint(t)
	if moved := ask(t, b, chromedp.Evaluate[float64](`moved`)); moved > mostShift {
		t.Errorf("%s moves by %.3f, more than %.2f", url, moved, mostShift)
	}
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// awaitPaint waits until nothing is loading and two frames were painted.
func (b *tab) awaitPaint(t *testing.T) {
	t.Helper()
	b.until(t, "the page rests", `!document.querySelector("[aria-busy=true], [role=status][aria-label=Loading]")`)
	ask(t, b, chromedp.Evaluate[bool](`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, chromedp.EvalAwaitPromise))
}

// emulateNetwork is the command that also informs the page.
var emulateNetwork = cdp.Command[network.OverrideNetworkStateParams, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// cut cuts the tab's network, or mends it.
func (b *tab) cut(t *testing.T, offline bool) {
	t.Helper()
	ask(t, b, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulateNetwork, network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1})
		return chromedp.Void{}, err
	})
}

// forgive takes from what the browser complained about what was to be expected.
func (b *tab) forgive(expected ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.trouble[:0]
	for _, text := range b.trouble {
		known := false
		for _, e := range expected {
			known = known || strings.Contains(text, e)
		}
		if !known {
			kept = append(kept, text)
		}
	}
	b.trouble = kept
}

// beside opens another page in a browser of the same kind that knows nothing of
// the first: other cookies, another cache.
func (b *tab) beside(t *testing.T) *tab {
	t.Helper()
	return openTab(t, b.ctx(), chromedp.WithNewBrowserContext())
}

// call asks the API with the key, and fails the test on another status.
func (a *api) call(t *testing.T, method, path string, body any, status int) map[string]any {
	t.Helper()
	return (&happening{api: *a}).call(t, method, path, body, status)
}

// text is a value as JSON.
func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	check(t, err)
	return string(out)
}
