package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// browsers are programs that chromedp finds by itself.
var browsers = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell", "headless-shell",
	"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
}

// tab is a page of a browser that notes what goes wrong in it.
type tab struct {
	ctx      func() context.Context
	mu       sync.Mutex
	trouble  []string // messages of the console, exceptions, and answers of errors
	requests []string // URLs
}

// newTab starts a browser, which calls nobody by itself, with more flags.
func newTab(t *testing.T, flags ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	if !slices.ContainsFunc(browsers, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}) {
		missing(t, "Chromium")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1400, 1000), chromedp.Flag("disable-component-update", true),
	}, flags)...)
	t.Cleanup(cancel)
	return openTab(t, ctx)
}

// openTab opens a tab of the browser that the context knows, or of a new one.
func openTab(t *testing.T, ctx context.Context, options ...chromedp.ContextOption) *tab {
	t.Helper()
	parent := ctx
	ctx, cancel := chromedp.NewContext(parent, options...)
	if err := startBrowser(ctx); err != nil && strings.Contains(err.Error(), "chrome failed to start") {
		t.Logf("trying again: %v", err) // Chromium crashes in about one of a hundred starts on a busy machine
		cancel()
		ctx, cancel = chromedp.NewContext(parent, options...)
	}
	t.Cleanup(cancel)
	b := &tab{ctx: func() context.Context { return ctx }}
	check(t, chromedp.Listen(ctx, b.note))
	// The tests ask the page itself for its content, because notifications of every change would
	// slow it down.
	tell(t, b, css.Disable, cdp.Empty{})
	tell(t, b, dom.Disable, cdp.Empty{})
	return b
}

func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.trouble = append(b.trouble, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		b.trouble = append(b.trouble, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.trouble = append(b.trouble, fmt.Sprintf("console.%s: %s%s", e.Type, arg.Value, arg.Description))
		}
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			b.trouble = append(b.trouble, fmt.Sprintf("%d %s", e.Response.Status, e.Response.URL))
		}
	}
}

// wantQuiet fails the test when the browser had something to complain about,
// or called another origin.
func (b *tab) wantQuiet(t *testing.T, origin string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.trouble {
		t.Errorf("the browser says: %s", text)
	}
	for _, address := range b.requests {
		address = strings.TrimPrefix(address, "blob:") // what a page has made itself
		if u, err := url.Parse(address); err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != origin {
			t.Errorf("the page calls %s", address)
		}
	}
	if len(b.requests) == 0 {
		t.Error("the browser has called nobody, not even the page")
	}
}

// do runs actions in the tab.
func (b *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for _, action := range actions {
		ask(t, b, action)
	}
}

// fail fails the test, and says what the page shows and what the browser has complained about.
func (b *tab) fail(t *testing.T, err error) {
	t.Helper()
	if dir := os.Getenv(screenshots); dir != "" {
		if picture, err := chromedp.Run(b.ctx(), chromedp.FullScreenshot(100)); err == nil {
			_ = os.WriteFile(filepath.Join(dir, "failed.png"), picture, 0o600) // a help, no more
		}
	}
	shown := b.describe()
	b.mu.Lock()
	defer b.mu.Unlock()
	// The first line is what a report of failures repeats.
	t.Fatalf("browser: %v; %s\n%s", err, shown, strings.Join(b.trouble, "\n"))
}

// shownText is the page's address, its headings, and the beginning of the text that people see.
const shownText = `[location.href, [...document.querySelectorAll("h1")].map((h) => h.innerText).join(" | "), (document.body?.innerText ?? "").replace(/\s+/g, " ").slice(0, 500)]`

// describe says what the page shows.
func (b *tab) describe() string {
	ctx, cancel := context.WithTimeout(b.ctx(), 20*time.Second)
	defer cancel()
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[[3]string](shownText))
	if err != nil {
		return fmt.Sprintf("the page does not say what it shows: %v", err)
	}
	return fmt.Sprintf("the page is %s with the heading %q and shows %q", shown[0], shown[1], shown[2])
}

// startBrowser starts the browser if it is not running: it lives as long as the first context that it gets.
func startBrowser(ctx context.Context) error {
	_, err := chromedp.Run(ctx, chromedp.Func(func(context.Context, *chromedp.Target) error { return nil }))
	return err
}

// ask runs an action that has a result.
func ask[T any](t *testing.T, b *tab, action chromedp.Action[T]) T {
	t.Helper()
	return askFor(t, b, stepPatience, action)
}

// askFor is ask for an action that may take as long as limit.
func askFor[T any](t *testing.T, b *tab, limit time.Duration, action chromedp.Action[T]) T {
	t.Helper()
	ctx := b.ctx()
	if err := startBrowser(ctx); err != nil {
		b.fail(t, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not within %s", limit))
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		b.fail(t, err)
	}
	return result
}

// operations lists the document's operations as "get /v1/traders", and its
// webhooks as "post trader.created".
func operations(t *testing.T, document []byte) []string {
	t.Helper()
	var d struct {
		Paths, Webhooks map[string]map[string]json.RawMessage
	}
	check(t, json.Unmarshal(document, &d))
	var all []string
	maps.Copy(d.Paths, d.Webhooks)
	for path, item := range d.Paths {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if _, ok := item[method]; ok {
				all = append(all, method+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// shown is what the reference shows of operations, with the zero-width spaces
// taken out that let long paths break.
const shown = `[...document.querySelectorAll(".opblock-summary")].map((row) =>
	row.querySelector(".opblock-summary-method").textContent.toLowerCase() + " " +
	row.querySelector("[data-path]").dataset.path.replace(/\u200b/g, ""))`

// TestReferenceInBrowser reads the reference as somebody who looks for an operation: searching it, choosing a
// language, following a type to its object. It takes long because axe checks a long page.
func TestReferenceInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	b.do(t, chromedp.Navigate(a.url+"/docs"))
	b.heading(t, "API reference")
	b.do(t, write("#search", "post erase"))
	b.until(t, "one operation is found", `document.querySelectorAll(".sections li:not([hidden])").length === 1`)
	b.do(t, chromedp.KeyEvent(kb.Enter), visible("#eraseTrader"))
	const sample = `#eraseTrader figure:not([hidden]) pre`
	b.do(t, click(`//section[@id="eraseTrader"]//button[normalize-space(.)="Go"]`))
	for language, want := range map[string]string{"Go": "client.EraseTrader(ctx, id)", "Python": "client.erase_trader(id)", "TypeScript": `assay.post("/v1/traders/{id}/erase"`, "curl": `curl -X POST "$ASSAY/v1/traders/$ID/erase"`} {
		b.do(t, click(fmt.Sprintf(`//section[@id="eraseTrader"]//figure[not(@hidden)]//button[normalize-space(.)=%q]`, language)))
		b.until(t, "the sample in "+language, fmt.Sprintf("document.querySelector(%q).innerText.includes(%q)", sample, want))
	}
	b.look(t, "docs-traders")
	b.do(t, click(`#getTrader a[href="/docs/objects#TraderDetail"]`), visible("#TraderDetail"))
	b.do(t, chromedp.Navigate(a.url+"/docs/events"), visible(`[id="interview.created"]`))
	b.wantQuiet(t, a.url)
}

// TestDocumentationPages checks the pages of the reference with axe, in light and in dark, except for the console, which
// TestConsoleInBrowser checks. Pages of problems come from one template, so that three stand for all. It takes long
// because some pages are long.
func TestDocumentationPages(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	pages := []string{"/docs", "/problems", "/problems/validation_failed", "/problems/internal_error", "/problems/no_such_problem"}
	const links = `[...document.querySelectorAll("a[href]")].map((a) => new URL(a.href)).filter((to) => to.origin === location.origin &&
		/^\/docs(\/|$)/.test(to.pathname)).map((to) => to.pathname)`
	for n := 0; n < len(pages); n++ {
		b.do(t, chromedp.Navigate(a.url+pages[n]), visible("h1"))
		b.lookAt(t, "documentation"+strings.ReplaceAll(pages[n], "/", "-"))
		for _, to := range ask(t, b, chromedp.Evaluate[[]string](links)) {
			if to != "/docs/console" && !slices.Contains(pages, to) {
				pages = append(pages, to)
			}
		}
	}
	t.Logf("%d pages", len(pages))
	for _, page := range []string{"/docs/objects", "/docs/events", "/docs/interviews"} {
		if !slices.Contains(pages, page) {
			t.Errorf("no page links to %s", page)
		}
	}
	b.forgive("404") // of the problem that does not exist
	b.wantQuiet(t, a.url)
}

// TestConsoleInBrowser tries an operation out, and checks the console with axe. It takes long because a browser renders
// the whole document.
func TestConsoleInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	b.do(t, chromedp.Navigate(a.url+"/docs/console"), visible(".opblock-summary"))
	rendered := ask(t, b, chromedp.Evaluate[[]string](shown))
	slices.Sort(rendered)
	if diff := cmp.Diff(operations(t, served(t, a)), rendered); diff != "" {
		t.Errorf("operations shown (-want +got):\n%s", diff)
	}

	// An operation can be tried out with a key, also by somebody who has signed in.
	a.signInHere(t, b)
	const operation = "#operations-Traders-listTraders"
	b.do(t,
		click("button.authorize"),
		visible(".auth-container input"),
	)
	b.look(t, "console-authorize")
	b.do(t,
		write(".auth-container input", a.key),
		click(".auth-container button.authorize"),
		click(".auth-container button.btn-done"),
		click(operation+" .opblock-summary-control"),
		click(operation+" button.try-out__btn"),
		click(operation+" button.execute"),
		visible(operation+" .live-responses-table .highlight-code"),
	)
	answer := ask(t, b, reading(operation+" .live-responses-table .highlight-code"))
	if !strings.Contains(answer, `"total": 0`) {
		t.Errorf("trying out answers %s", answer)
	}
	b.lookAt(t, "console")
	b.wantQuiet(t, a.url)
}

// signsInByFetch signs in as a page does, and looks who it is.
const signsInByFetch = `(async (email, password) => {
	const call = async (method, path, headers, body) => {
		const response = await fetch(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body) });
		const answer = response.status === 204 ? {} : await response.json();
		return { status: response.status, answer };
	};
	const begun = await call("POST", "/session", {}, { email, password });
	const read = await call("GET", "/session");
	return [begun.status, read.status, read.answer.user?.email, document.cookie, begun.answer.csrf_token].join(" ");
})`

// TestSessionInBrowser: a browser keeps the cookie of a session also where it
// reaches the server on its own machine without TLS, and shows it to no script. It takes long because
// it starts a server and a browser.
func TestSessionInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	told := a.signInHere(t, b)
	if !strings.HasPrefix(told, "201 200 zoe@example.com  ") {
		t.Errorf("the page sees %q", told)
	}
	call := func(method, token string) int {
		const js = `fetch("/session", {method: %q, headers: {"X-CSRF-Token": %q}}).then((r) => r.status)`
		return ask(t, b, chromedp.Evaluate[int](fmt.Sprintf(js, method, token), chromedp.EvalAwaitPromise))
	}
	token := told[strings.LastIndex(told, " ")+1:]
	if got := []int{call("DELETE", ""), call("DELETE", token), call("GET", token)}; !slices.Equal(got, []int{403, 204, 401}) {
		t.Errorf("sign-out without the token, with it, and a look afterwards: %d", got)
	}
}

// signInHere signs somebody in, in the browser that shows the reference.
func (a api) signInHere(t *testing.T, b *tab) (told string) {
	t.Helper()
	out, err := exec.Command(program(t, "apiserver"), "user", "add", "--config", a.config, "--organization", "Alpha Capital",
		"--email", "zoe@example.com", "--role", "viewer").Output()
	check(t, err)
	var made struct{ Password string }
	check(t, json.Unmarshal(out, &made))
	b.do(t, chromedp.Navigate(a.url+"/docs/console"), visible(".opblock-summary"))
	return ask(t, b, chromedp.Evaluate[string](fmt.Sprintf("%s(%q, %q)", signsInByFetch, "zoe@example.com", made.Password), chromedp.EvalAwaitPromise))
}

func TestProblemPagesInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	b.do(t,
		chromedp.Navigate(a.url+"/problems"),
		click(`a[href="/problems/validation_failed"]`),
		visible("#unknown_field"),
	)
	title := ask(t, b, reading("h1"))
	// The stylesheet passes the page's own policy.
	border := ask(t, b, chromedp.Evaluate[string](`getComputedStyle(document.querySelector("pre")).borderTopStyle`))
	if title != "Validation failed" || border != "solid" {
		t.Errorf("title %q, border %q", title, border)
	}
	b.wantQuiet(t, a.url)
}

// screenshots names the folder for pictures of the pages, for people to look at.
const screenshots = "ASSAY_TEST_SCREENSHOTS"

func (b *tab) screenshot(t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv(screenshots); dir != "" {
		picture := ask(t, b, chromedp.FullScreenshot(100))
		check(t, os.WriteFile(filepath.Join(dir, name), picture, 0o600))
	}
}
