package clients_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assayhq/assay/store/storetest"
)

// firstNames are the names in the rows of a list, joined by |.
const firstNames = `[...document.querySelectorAll("tbody th a")].map((a) => a.innerText).join("|")`

// TestListsInBrowser sorts a list, chooses its columns, goes through its rows by keys, and changes
// many rows at once. It takes long because it reads a platform, exports thousands of rows twice, and
// checks more than a dozen pages with axe in light and in dark.
func TestListsInBrowser(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	integration := a.sync(t)
	a.signedIn(t, b, "owner")
	b.staysInPlace(t, a.url+"/traders", "60 traders")
	b.do(t, chromedp.Navigate(a.url+"/traders"))
	b.sees(t, "60 traders")
	b.fitsLaptop(t)
	a.boundsVerification(t, b)
	b.foldsFilters(t, a.url)

	b.do(t, click(`//th//button[starts-with(normalize-space(.), "Trader")]`))
	b.until(t, "the order is in the address", `new URLSearchParams(location.search).get("sort") === "name"`)
	b.until(t, "the names rise", fmt.Sprintf(`(() => { const names = %s.toLowerCase().split("|"); return names.length === 25 && names[0] < names[24]; })()`, firstNames))
	rising := ask(t, b, chromedp.Evaluate[string](firstNames))
	b.do(t, click(`//th[@aria-sort="ascending"]//button`), visible(`//th[@aria-sort="descending"]`))
	b.until(t, "the names fall", fmt.Sprintf(`%s !== %q`, firstNames, rising))

	b.do(t, click(`//summary[normalize-space(.)="Columns"]`), click(`//label[normalize-space(.)="Phone"]`), visible(`//thead//th[normalize-space(.)="Phone"]`))
	b.lookAt(t, "traders-columns")
	b.do(t, chromedp.Reload(), visible(`//thead//th[normalize-space(.)="Phone"]`))

	b.press(t, "Save view")
	b.fill(t, "Name", "By name, with phone")
	b.lookAt(t, "traders-views")
	b.press(t, "Save current list")
	b.do(t, visible(`//nav[@aria-label="Saved views"]//a[@aria-current="page" and normalize-space(.)="By name, with phone"]`), absent("dialog[open]"))

	b.do(t, chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("x"))
	b.sees(t, "1 trader selected")
	b.do(t, click(`(//tbody//input[@type="checkbox"])[1]`))
	b.sees(t, "2 traders selected")
	ask(t, b, chromedp.Evaluate[bool](`document.querySelectorAll("tbody input[type=checkbox]")[4].dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true }))`))
	b.sees(t, "5 traders selected")
	b.press(t, "Add tag")
	b.do(t, write(`dialog input`, "reviewed"))
	b.lookAt(t, "traders-bulk")
	b.press(t, "Add tag 5 traders")
	b.sees(t, "All 5 done.")
	b.press(t, "Close")
	b.do(t, absent("dialog[open]"))
	b.do(t, click(`//thead//input[@type="checkbox"]`))
	b.press(t, "Select all 60 that match")
	b.sees(t, "60 traders selected on all pages")
	b.lookAt(t, "traders-all")
	b.do(t, click(`(//tbody//input[@type="checkbox"])[1]`))
	b.sees(t, "24 traders selected")
	b.press(t, "Clear selection")
	if total := a.call(t, "GET", "/v1/traders?tag=reviewed", nil, 200)["meta"].(map[string]any)["total"].(float64); total != 5 {
		t.Errorf("%v traders have the tag, want 5", total)
	}
	name := ask(t, b, chromedp.Evaluate[string](`document.querySelectorAll("tbody th a")[0].innerText`))
	b.do(t, chromedp.Navigate(a.url+"/traders?sort=-name"))
	b.sees(t, "60 traders")
	b.do(t, chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	b.heading(t, name)

	b.do(t, chromedp.Navigate(a.url+"/payouts?sort=-amount"), visible(`//th[@aria-sort="descending" and contains(., "Amount")]`))
	b.do(t, click(`//th//button[starts-with(normalize-space(.), "Trader")]`), visible(`//th[@aria-sort="ascending" and contains(., "Trader")]`))
	b.until(t, "the traders' names rise", fmt.Sprintf(`(() => { const names = %s.toLowerCase().split("|"); return names.length > 1 && names[0] <= names[names.length - 1]; })()`, firstNames))
	b.do(t, visible(`//a[@download and contains(@href, "/v1/payouts/export?sort=trader") and contains(., "rows as CSV")]`))
	for _, column := range []string{"Account", "Payout"} {
		b.do(t, chromedp.Navigate(a.url+"/payouts?columns=trader,account,payout"), click(fmt.Sprintf(`//th//button[starts-with(normalize-space(.), %q)]`, column)))
		b.until(t, "the ids rise", fmt.Sprintf(`(() => {
			const ids = [...document.querySelectorAll("td[data-label=%s]")].map((cell) => cell.innerText), head = document.querySelector("th[aria-sort=ascending]");
			return head?.innerText.startsWith(%q) && ids.length > 1 && ids.every((id, n) => n === 0 || ids[n - 1] <= id);
		})()`, column, column))
	}
	b.do(t, chromedp.Navigate(a.url+"/payouts?sort=trader"), visible(`//th[@aria-sort="ascending" and contains(., "Trader")]`))
	b.fitsLaptop(t)
	b.lookAt(t, "payouts")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+a.busyTrader(t)+"?tab=trades&sort=-profit"), visible(`//th[@aria-sort="descending" and contains(., "Net result")]`))
	b.fitsLaptop(t)
	b.lookAt(t, "trades-sorted")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+a.busyTrader(t)+"?tab=accounts"), visible("[aria-label=Accounts] tbody th"))
	// As much as the largest accounts of prop firms hold.
	ask(t, b, chromedp.Evaluate[bool](`(document.querySelectorAll("[aria-label=Accounts] td.number").forEach((cell) => (cell.textContent = "200,000.00 USD")), true)`))
	b.showsColumns(t)
	b.do(t, chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.hears(t, "Page, trader, interview, integration or action")
	b.do(t, chromedp.KeyEvent("by name, with"), visible(`//*[@role="option" and @aria-selected="true" and contains(., "By name, with phone")]`), chromedp.KeyEvent(kb.Enter))
	b.heading(t, "Traders")
	b.do(t, visible(`//thead//th[normalize-space(.)="Phone"]`))

	a.sortHistory(t, b, integration)
	a.filterHistory(t, b, integration)
	a.saveTrades(t, b)
	a.exportMany(t, b, integration)
	a.showsNewestPayouts(t, b)
	b.do(t, chromedp.Navigate(a.url+"/rules?tab=reasons"))
	b.sees(t, "No reasons yet.")
	b.press(t, "Add reason")
	b.fill(t, "Text", oddName)
	b.press(t, "Save reasons")
	b.sees(t, "Saved.")
	b.lookAt(t, "reasons")
	b.do(t, chromedp.Navigate(a.url+"/rules?tab=symbols"))
	b.sees(t, "No mappings yet.")
	b.press(t, "Add mapping")
	b.fill(t, "Symbol", "MyDow")
	b.fill(t, "Instrument", "us30")
	b.press(t, "Save mappings")
	b.sees(t, "Must be in upper case")
	b.forgive("422")
	b.fill(t, "Instrument", "US30")
	b.press(t, "Save mappings")
	b.sees(t, "Saved.")
	b.lookAt(t, "symbols")
	a.call(t, "POST", "/v1/interviews", map[string]any{"trader": map[string]any{"full_name": "Yan Li", "email": "yan@example.com"}, "auto_questions": 0}, 201)
	b.do(t, chromedp.Navigate(a.url+"/"))
	b.sees(t, "Since yesterday")
	b.until(t, "each trade of the first sync is new", `[...document.querySelectorAll("dl div")].some((f) => f.innerText.startsWith("New trades") && /[1-9]/.test(f.innerText))`)
	b.until(t, "every figure is a link", `document.querySelectorAll("dl.facts dd").length > 10 && [...document.querySelectorAll("dl.facts dd")].every((f) => f.querySelector("a[href]"))`)
	b.lookAt(t, "home-since")
	a.showsEachFigure(t, b)
	b.do(t, chromedp.Navigate(a.url+"/payouts?status=nothing"))
	b.sees(t, "No payouts match these filters")
	b.do(t, chromedp.Navigate(a.url+"/interviews?columns=trader,assignee,created_by"), visible(".list tbody th a"))
	for _, column := range []string{"Assigned to", "Created by"} {
		b.do(t, click(fmt.Sprintf(`//th//button[starts-with(normalize-space(.), %q)]`, column)), visible(fmt.Sprintf(`//th[@aria-sort="ascending" and contains(., %q)]`, column)))
	}
	b.do(t, chromedp.Navigate(a.url+"/interviews"), visible(".list tbody th a"))
	b.fitsLaptop(t)
	b.wantQuiet(t, a.url)
}

// boundsVerification gives all traders a long KYC status, in one word and in several: it is cut, has the whole text as its
// title, and leaves the other columns their place.
func (a api) boundsVerification(t *testing.T, b *tab) {
	t.Helper()
	conn := storetest.Conn(t, a.database)
	for _, status := range []string{strings.Repeat("verification", 9), strings.Repeat("waiting_for_documents_", 9)} {
		storetest.Exec(t, conn, `UPDATE traders SET kyc_status = $1`, status)
		b.do(t, chromedp.Navigate(a.url+"/traders"), visible(fmt.Sprintf(`tbody td [title=%q]`, status)))
		b.showsColumns(t)
		b.do(t, chromedp.EmulateViewport(1100, widths[0].height))
		b.until(t, "the status is cut", fmt.Sprintf(`(() => { const [one] = document.querySelectorAll('tbody td [title=%q]'); return one.scrollWidth > one.clientWidth && one.clientWidth <= 144; })()`, status))
		b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
	}
}

// showsNewestPayouts looks at a trader with more payouts than the page shows, which leads to all of them.
func (a *api) showsNewestPayouts(t *testing.T, b *tab) {
	t.Helper()
	trader := a.busyTrader(t)
	storetest.Exec(t, storetest.Conn(t, a.database), `UPDATE payouts SET trader_external_id = traders.external_id, requested_at = now() FROM traders
WHERE traders.id = $1 AND payouts.external_id IN (SELECT 'many-' || n FROM generate_series(1, 30) AS n)`, trader)
	all := len(a.call(t, "GET", "/v1/traders/"+trader, nil, 200)["payouts"].([]any))
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader+"?tab=accounts"), visible(`[aria-labelledby=trader-payouts] tbody th`))
	b.until(t, "the newest 25 payouts are shown", `(() => {
		const names = [...document.querySelectorAll("[aria-labelledby=trader-payouts] tbody th")].map((name) => name.innerText);
		return names.length === 25 && names.every((name) => name.startsWith("many-"));
	})()`)
	b.lookAt(t, "trader-payouts")
	b.do(t, click(fmt.Sprintf(`//a[normalize-space(.)="View all %d payouts"]`, all)))
	b.heading(t, "Payouts")
	b.do(t, visible(fmt.Sprintf(`//a[@download and starts-with(normalize-space(.), "Export %d rows")]`, all)))
	// The filter is told by the trader's name, whether there are payouts or not.
	name := a.call(t, "GET", "/v1/traders/"+trader, nil, 200)["full_name"].(string)
	for _, list := range []string{"/payouts", "/payouts?status=nothing", "/interviews"} {
		separator := "?"
		if strings.Contains(list, separator) {
			separator = "&"
		}
		b.do(t, chromedp.Navigate(a.url+list+separator+"trader_id="+trader), visible(fmt.Sprintf(`//ul[@aria-label="Filters that are set"]//bdi[.=%q]`, "Trader: "+name)))
	}
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader+"?tab=activity&days=365"))
	b.sees(t, "Deposits, withdrawals, payouts and open trades are not in it.")
	b.until(t, "payouts are marked on the results and on their running total, once where they lie on each other", `(() => {
		const charts = [...document.querySelectorAll(".choosable")].map((chart) => [...chart.querySelectorAll(".marks .payout")]);
		return charts.length > 1 && charts.every((marks) => marks.some((mark) => /, and \d+ more$/.test(mark.title)));
	})()`)
}

// showsEachFigure lets two answers of the home page wait: the figures that do not need them are there meanwhile, and
// the page says that the others are on their way.
func (a *api) showsEachFigure(t *testing.T, b *tab) {
	t.Helper()
	a.call(t, "POST", "/v1/webhooks", map[string]any{"url": "https://127.0.0.1:9/", "events": []string{"trader.created"}}, 201)
	ask(t, b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `{
			const { fetch } = globalThis;
			const released = new Promise((done) => (globalThis.release = done));
			globalThis.fetch = async (request, ...rest) => {
				if (/\/v1\/payouts\?requested_from=|\/v1\/webhooks$/.test(String(request.url ?? request))) await released;
				return fetch(request, ...rest);
			};
		}`})
		return chromedp.Void{}, err
	})
	b.do(t, chromedp.Navigate(a.url+"/"))
	b.sees(t, "Since yesterday")
	b.do(t, visible(`//main//*[@role="status" and @aria-label="Loading"]`))
	b.until(t, "all figures but the one that waits are shown", `(() => {
		const figures = [...document.querySelectorAll("dl.facts div")], waiting = figures.filter((f) => f.querySelector("dd[aria-busy=true]"));
		return figures.length > 10 && waiting.length === 1 && waiting[0].innerText.startsWith("Payouts requested") && figures.every((f) => f.innerText.includes("…") === (f === waiting[0]));
	})()`)
	ask(t, b, chromedp.Evaluate[bool](`(release(), true)`))
	b.awaitPaint(t)
	b.do(t, visible(`//h2[.="Webhook deliveries"]`))
	b.until(t, "the last figure is shown", `[...document.querySelectorAll("dl.facts dd")].every((f) => !f.innerText.includes("…"))`)
}

// showsColumns fails the test if a table has to be scrolled sideways on a laptop or a tablet: with the menu
// beside it, without, and in the narrowest windows of both.
func (b *tab) showsColumns(t *testing.T) {
	t.Helper()
	for _, width := range []int64{769, 800, 993, 1100} {
		b.do(t, chromedp.EmulateViewport(width, widths[0].height))
		b.awaitPaint(t)
		b.until(t, fmt.Sprintf("no column is out of sight at %d px", width), `[...document.querySelectorAll(".table")].every((table) => table.scrollWidth <= table.clientWidth)`)
	}
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// fitsLaptop fails the test if a list has to be scrolled sideways on a laptop or a tablet.
func (b *tab) fitsLaptop(t *testing.T) {
	t.Helper()
	b.showsColumns(t)
	// Where a list does not fit all the same, the names of its rows stay.
	ask(t, b, chromedp.Evaluate[bool](`(document.querySelector(".list table").style.width = "2000px", true)`))
	b.until(t, "the list scrolls in its own box, without the names", `(() => {
		const list = document.querySelector(".list"), left = (e) => e.getBoundingClientRect().left;
		list.scrollLeft = 600;
		return list.scrollLeft === 600 && ["tbody th", "thead th:has(button)"].every((name) => Math.abs(left(list.querySelector(name)) - left(list)) < 2);
	})()`)
	b.do(t, chromedp.Reload(), visible(".list tbody th"))
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height))
}

// foldsFilters looks at a filtered list on a phone: the filters are folded, and those that are set are told
// and taken out without unfolding them.
func (b *tab) foldsFilters(t *testing.T, url string) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(widths[1].width, widths[1].height), chromedp.Navigate(url+"/traders?status=active&country=DE"))
	set := `//ul[@aria-label="Filters that are set"]//button[starts-with(normalize-space(.), "Status: Active")]`
	status := `[...document.querySelectorAll("form[role=search] select")].some((s) => s.checkVisibility())`
	b.do(t, visible(set), visible(`.list tbody th a`))
	b.awaitPaint(t)
	b.until(t, "the fields are folded", `!`+status)
	b.until(t, "the first row begins on the upper half of the phone", `document.querySelector(".list tbody tr").getBoundingClientRect().top + scrollY < 500`)
	b.lookAt(t, "traders-filters-folded")
	b.do(t, chromedp.EmulateViewport(widths[1].width, widths[1].height), click(set))
	b.until(t, "the filter is taken out", `new URLSearchParams(location.search).get("status") === null && new URLSearchParams(location.search).get("country") === "DE"`)
	b.until(t, "the focus is where filters are set", `document.activeElement.getAttribute("aria-expanded") === "false"`)
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, "the fields are unfolded", status)
	b.lookAt(t, "traders-filters")
	b.do(t, chromedp.EmulateViewport(widths[0].width, widths[0].height), chromedp.Navigate(url+"/traders"))
	b.sees(t, "60 traders")
}

// exportMany exports a list that is long enough for its progress to be told. The file lies in the
// page's own storage, because a test cannot choose one in the browser's window.
func (a api) exportMany(t *testing.T, b *tab, integration string) {
	t.Helper()
	_, err := storetest.Conn(t, a.database).Exec(t.Context(), `INSERT INTO payouts (id, organization_id, integration_id, external_id, content_hash)
SELECT gen_random_uuid(), organization_id, id, 'many-' || n, '' FROM integrations, generate_series(1, 12000) AS n WHERE id = $1`, integration)
	check(t, err)
	b.do(t, chromedp.Navigate(a.url+"/payouts"))
	ask(t, b, chromedp.Evaluate[bool](`(globalThis.file = async () => (await navigator.storage.getDirectory()).getFileHandle("payouts.csv", { create: true }),
		globalThis.showSaveFilePicker = file, true)`))
	b.do(t, click(`//a[@download and starts-with(normalize-space(.), "Export 12,")]`))
	b.until(t, "the rows are told", `/Exported payouts: 12,\d\d\d rows\./.test(document.querySelector("section[aria-label=Exports]")?.innerText)`)
	b.lookAt(t, "payouts-exported")
	ask(t, b, chromedp.Evaluate[bool](`(file().then((f) => f.getFile()).then((f) => f.text()).then((text) => (globalThis.exported = text)), true)`))
	b.until(t, "the file has the names of the columns and all rows", `globalThis.exported?.split("\n").filter((line) => line.includes("many-")).length === 12000 && exported.startsWith("id,")`)
	b.do(t, click(`//section[@aria-label="Exports"]//button[normalize-space(.)="Close"]`), absent(`section[aria-label=Exports] .notice`))
	a.cutExport(t, b)
}

// cutExport loses the connection in the middle of an export of the same list, which then starts over.
func (a api) cutExport(t *testing.T, b *tab) {
	t.Helper()
	cable := plugIn(t, a.url)
	b = b.another(t) // where requests go to another origin
	b.do(t, chromedp.Navigate(cable.url+"/payouts"), visible(`//a[@download and starts-with(normalize-space(.), "Export 12,")]`))
	b.awaitPaint(t)
	ask(t, b, chromedp.Evaluate[bool](`(globalThis.folder = navigator.storage.getDirectory(),
		globalThis.showSaveFilePicker = async () => (await folder).getFileHandle("cut.csv", { create: true }), true)`))
	ask(t, b, chromedp.Evaluate[bool](`(globalThis.told = [], new MutationObserver(() => told.push(document.querySelector("[aria-label=Exports] .notice")?.innerText ?? "")).observe(document.body,
		{ childList: true, subtree: true, characterData: true }), true)`))
	cable.left.Store(200_000)
	b.do(t, click(`//a[@download and starts-with(normalize-space(.), "Export 12,")]`))
	b.until(t, "the page says how far the export came", `globalThis.told.some((text) => /^The export of payouts was interrupted after [1-9][\d,]* of 12,\d{3} rows\. It starts over/.test(text))`)
	b.until(t, "the export starts over", `/Exported payouts: 12,\d\d\d rows\./.test(document.querySelector("section[aria-label=Exports]")?.innerText)`)
	ask(t, b, chromedp.Evaluate[bool](`(folder.then((f) => f.getFileHandle("cut.csv")).then((f) => f.getFile()).then((f) => f.text()).then((text) => (globalThis.exported = text)), true)`))
	b.until(t, "the file has all rows once", `globalThis.exported?.split("\n").filter((line) => line.includes("many-")).length === 12000 && exported.split("\n").filter((line) => line.startsWith("id,")).length === 1`)
}

// sortHistory sorts the lists of what assay did, saves a view that holds for every integration, and
// looks for their exports.
func (a api) sortHistory(t *testing.T, b *tab, integration string) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/integrations/"+integration+"?tab=runs"), click(`//th//button[starts-with(normalize-space(.), "Status")]`))
	b.do(t, visible(`//th[@aria-sort="ascending" and contains(., "Status")]`), visible(`//a[@download and contains(@href, "/runs/export?sort=status")]`))
	b.press(t, "Save view")
	b.fill(t, "Name", "By status")
	b.press(t, "Save current list")
	b.do(t, visible(`//nav[@aria-label="Saved views"]//a[@aria-current="page" and normalize-space(.)="By status"]`), absent("dialog[open]"))
	b.lookAt(t, "runs-sorted")
	b.do(t, click(`//*[@role="tab" and contains(., "Quarantine")]`), visible(`//a[@download and contains(@href, "/quarantine/export")]`))
	b.until(t, "the order of runs is not that of the quarantine", `new URLSearchParams(location.search).get("sort") === null`)
	b.do(t, click(`//th//button[starts-with(normalize-space(.), "Seen")]`), visible(`//th[@aria-sort="descending" and contains(., "Seen")]`))
	b.lookAt(t, "quarantine-sorted")
	a.showsLongProblem(t, b, integration)
	b.do(t, chromedp.Navigate(a.url+"/audit?object_kind=integration"), click(`//th//button[starts-with(normalize-space(.), "Time")]`))
	b.do(t, visible(`//th[@aria-sort="ascending" and contains(., "Time")]`), visible(`//a[@download and contains(@href, "/v1/audit/export?") and contains(@href, "sort=number")]`))
	b.lookAt(t, "audit-sorted")
}

// showsLongProblem looks at a record whose key and fault are as long as a platform can make them: the list has their
// beginning, and the details all of them.
func (a api) showsLongProblem(t *testing.T, b *tab, integration string) {
	t.Helper()
	storetest.Exec(t, storetest.Conn(t, a.database), `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, 'trades', 'key' || repeat('-long', 300), '{}', '/profit', 'number_syntax', 'is not a number' || repeat(', and more', 300), 1, now(), now() + interval '1 hour'`, integration)
	b.do(t, chromedp.Navigate(a.url+"/integrations/"+integration+"?tab=quarantine"), visible(`//tbody/tr[1]//td[contains(., "is not a number, and more")]`))
	b.until(t, "the texts are cut", `document.querySelector(".list tbody tr").innerText.length < 600`)
	b.do(t, click(`(//button[starts-with(@aria-label, "Details of")])[1]`))
	b.until(t, "the details have all of them", `(() => {
		const all = document.querySelector(".list tr.detail").innerText;
		return all.includes("key" + "-long".repeat(300)) && all.includes(", and more".repeat(300) + " (at /profit)");
	})()`)
	b.look(t, "quarantine-long")
}
