package clients_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// busyTrader returns the id of the trader with the most trades.
func (a *api) busyTrader(t *testing.T) (id string) {
	t.Helper()
	most := -1.0
	for _, row := range a.call(t, "GET", "/v1/traders?limit=100", nil, 200)["data"].([]any) {
		trader := row.(map[string]any)["id"].(string)
		stats := a.call(t, "GET", "/v1/traders/"+trader, nil, 200)["stats"].(map[string]any)
		if trades := stats["closed_trades"].(float64); trades > most {
			id, most = trader, trades
		}
	}
	return id
}

// oddName is in two directions, looks like markup, and is too long for any line.
var oddName = "محمد عبد الرحمن <script>alert(1)</script> " + strings.Repeat("Llanfairpwll", 12)

// file writes a file that people upload.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// statement is a file of 80 trades, ten within two minutes on each of eight days.
func statement(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
	start := time.Now().UTC().Truncate(time.Hour).Add(-24 * time.Hour)
	for n := range 80 {
		at := start.Add(-time.Duration(n/10)*24*time.Hour - time.Duration(n%10)*10*time.Second)
		fmt.Fprintf(&text, "%d,XAUUSD,buy,0.50,%s,%s,4000.5,4001.5,%d.25\n", n, at.Format(time.DateTime), at.Add(3*time.Minute).Format(time.DateTime), n%7-3)
	}
	return file(t, "history.csv", text.String())
}

// olderStatement is a file of two trades of a year ago, and one of tomorrow, which
// cannot have happened.
func olderStatement(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
	for n, days := range []int{-365, -364, 1} {
		at := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, days)
		fmt.Fprintf(&text, "%d,EURUSD,sell,0.50,%s,%s,1.1,1.2,-5.25\n", 500+n, at.Format(time.DateTime), at.Add(3*time.Minute).Format(time.DateTime))
	}
	return file(t, "older.csv", text.String())
}

// writes puts a long text into the area at once, as pasting does.
func (b *tab) writes(t *testing.T, text string) {
	t.Helper()
	ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
		const area = document.querySelector("textarea");
		area.value = %q;
		return area.dispatchEvent(new Event("input", { bubbles: true }));
	})()`, text)))
}

// TestFindTrader waits for a directory to fill, searches it by typing, and overrides what a platform
// sends about a trader. It takes long because it reads a platform while a browser waits for it.
func TestFindTrader(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders"))
	b.sees(t, "No traders yet")
	b.lookAt(t, "traders-new")
	a.sync(t)
	b.sees(t, "60 traders") // without another look

	found := a.call(t, "GET", "/v1/traders?limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	name, email := found["full_name"].(string), found["email"].(string)
	b.do(t, write(`input[type="search"]`, strings.ToUpper(email)))
	b.until(t, "the search is in the address", fmt.Sprintf(`new URLSearchParams(location.search).get("search") === %q`, strings.ToUpper(email)))
	b.sees(t, "1 trader matches")
	b.do(t, chromedp.Reload())
	b.sees(t, "1 trader matches")
	b.do(t, click(`//tbody//a`))
	b.heading(t, name)

	b.press(t, "Edit")
	b.do(t, visible("dialog[open]"), chromedp.KeyEvent(kb.Escape), absent("dialog[open]")) // nothing was typed that could be lost
	b.press(t, "Edit")
	b.fill(t, "Full name", oddName)
	b.lookAt(t, "trader-edit")
	b.press(t, "Save")
	b.heading(t, oddName)
	b.sees(t, "Platform value:")
	b.lookAt(t, "trader-overridden")
	b.press(t, "Edit")
	b.press(t, "Use platform value")
	b.heading(t, name)
	b.press(t, "Cancel")

	b.do(t, write(`#trader-status`, "Under review"))
	b.sees(t, "Saved.")
	b.do(t, click(`//nav//a[normalize-space(.)="Traders"]`))
	b.sees(t, "60 traders")
	b.do(t, chromedp.Navigate(a.url+"/traders?status=under_review"))
	b.sees(t, "1 trader matches")
	b.wantQuiet(t, a.url)
}

// TestDuplicateTraders merges a trader added by hand into the one that the platform has sent, and
// dismisses another, and checks that the next sync brings nobody back. It takes long because it reads
// a platform twice.
func TestDuplicateTraders(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	integration := a.sync(t)
	synced := a.call(t, "GET", "/v1/traders?source=custom_api&limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	path := "/v1/traders/" + synced["id"].(string)
	a.call(t, "PATCH", path, map[string]any{"phone": "+49 30 1234567"}, 200)
	for _, name := range []string{"Zoe Example", oddName} {
		a.call(t, "POST", "/v1/traders", map[string]any{"full_name": name, "email": "m@example.com", "phone": "0049 (30) 1234-567"}, 201)
	}
	b.do(t, chromedp.Navigate(a.url+strings.TrimPrefix(path, "/v1")))
	b.sees(t, "Maybe the same person")
	b.sees(t, "Same phone number")
	b.lookAt(t, "trader-duplicates")
	b.do(t, click(fmt.Sprintf(`//button[@aria-label="Not the same person: %s"]`, oddName)))
	b.sees(t, "Not the same person (1)")
	b.do(t, click(`//button[@aria-label="Merge into this trader…: Zoe Example"]`))
	b.do(t, visible(`//dialog//p[contains(., "the other one does not come back")]`))
	b.sees(t, "Platform value:")
	b.lookAt(t, "trader-merge")
	b.press(t, "Merge traders")
	b.heading(t, "Zoe Example")
	a.read(t, integration)
	if total := a.call(t, "GET", "/v1/traders?limit=1", nil, 200)["meta"].(map[string]any)["total"]; total != 61.0 {
		t.Errorf("%v traders after the next sync, want 61", total)
	}
	b.wantQuiet(t, a.url)
}

// TestManualTrader adds a trader, notes something, uploads trades, looks at what they show, and erases
// the trader. It takes long because axe checks each step, in light and in dark.
func TestManualTrader(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders"))
	b.sees(t, "No traders yet")
	b.press(t, "Add trader")
	b.fill(t, "Full name", oddName)
	b.fill(t, "Email", "not an address")
	b.press(t, "Add")
	b.sees(t, "Must be an email address such as name@example.com")
	b.lookAt(t, "trader-add")
	b.fill(t, "Email", "m@example.com")
	b.press(t, "Add")
	b.heading(t, oddName)

	b.writes(t, strings.Repeat("ملاحظة ", 2000))
	b.sees(t, "A note can have up to 10,000 characters. This one has 14,000.")
	b.writes(t, strings.Repeat("note ", 2000))
	b.press(t, "Add note")
	b.press(t, "Show all")
	b.lookAt(t, "trader-note")

	b.press(t, "Files")
	b.do(t, upload(`input[type="file"]`, file(t, "poem.csv", "name,colour\nrose,red\n")))
	b.press(t, "Upload")
	b.do(t, visible(`//main//*[@role="alert"]`))
	b.lookAt(t, "trader-file-refused")
	b.do(t, upload(`input[type="file"]`, statement(t)))
	b.sees(t, "UTC, because the file doesn’t say.")
	b.do(t, click(`//summary[.="First 10 trades"]`), visible(`//div[@aria-label="First trades"]//th[.="XAUUSD"]`))
	b.lookAt(t, "trader-file-preview")
	b.press(t, "Upload")
	b.do(t, visible(`//*[@role="status" and contains(., "Imported 80 trades from history.csv")]`))
	b.do(t, visible(`//tbody//a[.="history.csv"]`))
	b.lookAt(t, "trader-file-read")
	b.do(t, upload(`input[type="file"]`, olderStatement(t)))
	b.press(t, "Upload")
	b.do(t, visible(`//*[@role="status" and contains(., "Imported 2 trades from older.csv") and contains(., "1 row that looks like a trade was not imported.")]`))
	b.sees(t, "trade date is in the future")
	b.lookAt(t, "trader-file-rejected")

	b.press(t, "Activity")
	b.sees(t, "2 trades are before this period")
	b.sees(t, "Many decisions within a short time")
	b.do(t, visible(`//figure[.//h3[.="Bursts of trades"]]//canvas`))
	b.do(t, click(`//figure[.//h3[.="Days of the week"]]//summary`))
	b.sees(t, "Wednesday")
	b.do(t, click(`//li[.//h3[contains(., "Many decisions")]]//summary`))
	b.do(t, visible(`//li[.//h3[contains(., "Many decisions")]]//td[.="XAUUSD"]`))
	b.lookAt(t, "trader-found")

	b.press(t, "Overview")
	b.press(t, "Erase this trader…")
	b.fill(t, "Type", "erase")
	b.lookAt(t, "trader-erase")
	b.press(t, "Erase permanently")
	b.sees(t, "This trader was erased")
	b.lookAt(t, "trader-erased")
	b.forgive("422")
	b.wantQuiet(t, a.url)
}

// TestStatementOfEveryFamily uploads the example of every platform at once. All hold the same trades, so
// that each has the same net result, if the platform states one. It takes long because a browser uploads
// dozens of files, one after the other.
func TestStatementOfEveryFamily(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob("../../internal/statement/testdata/sources/*")
	check(t, err)
	var paths []string
	for _, example := range examples {
		if !strings.Contains(example, "matchtrader_finance") { // payments, which are no trades
			path, err := filepath.Abs(example)
			check(t, err)
			paths = append(paths, path)
		}
	}
	b := newTab(t)
	a := startAPI(t)
	trader := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller"}, 201)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader+"?tab=files"))
	b.do(t, upload(`input[type="file"]`, paths...))
	b.press(t, fmt.Sprintf("Upload %d files", len(paths)))
	b.do(t, visible(fmt.Sprintf(`//*[@role="status" and contains(., "from %s")]`, filepath.Base(paths[len(paths)-1]))))
	stated := 0
	for _, each := range a.call(t, "GET", "/v1/traders/"+trader+"/activity-files?limit=100", nil, 200)["data"].([]any) {
		read := each.(map[string]any)
		for _, net := range read["net"].([]any) {
			if stated++; net.(map[string]any)["value"] != 1239.55 {
				t.Errorf("%s has a net result of %v", read["name"], net)
			}
		}
		if read["format"] == "" || read["trades"] == 0.0 {
			t.Errorf("%s was read as %v", read["name"], read)
		}
	}
	if stated < 25 {
		t.Errorf("%d files of %d state a net result", stated, len(paths))
	}
	b.wantQuiet(t, a.url)
}

// TestBackToPlace: going back from a trader leads to the place in the list from which the trader was opened,
// and so does a reload. It takes long because it reads a platform first.
func TestBackToPlace(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.sync(t)
	a.signedIn(t, b, "viewer")
	b.do(t, chromedp.Navigate(a.url+"/traders"))
	b.do(t, visible(`(//tbody//a)[20]`))
	const place = `Math.abs(scrollY - 600) < 2`
	ask(t, b, chromedp.Evaluate[bool](`scrollTo(0, 600), true`))
	b.until(t, "the place is kept", `history.state?.y === scrollY && `+place)
	name := ask(t, b, chromedp.Evaluate[string](`(() => {
		const link = document.querySelector("tbody tr:nth-child(18) a");
		link.click();
		return link.textContent.trim();
	})()`))
	b.heading(t, name)
	b.until(t, "a page begins at its top", `scrollY === 0`)
	ask(t, b, chromedp.Evaluate[bool](`history.back(), true`))
	b.heading(t, "Traders")
	b.until(t, "the list is where it was left", place)
	b.do(t, chromedp.Reload())
	b.until(t, "the list is where it was left", place)
}

// TestUploadThatFails: each file that was understood but could not be imported says why, and is imported when the
// connection is back. It takes long because it starts a server and a browser.
func TestUploadThatFails(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	trader := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller"}, 201)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader+"?tab=files"))
	b.do(t, upload(`input[type="file"]`, statement(t), olderStatement(t)))
	b.until(t, "both are understood", `document.querySelectorAll("ul[aria-label='Chosen files'] dl").length === 2`)
	b.cut(t, true)
	b.press(t, "Upload 2 files")
	b.until(t, "both say why they are not imported", `document.querySelectorAll("ul[aria-label='Chosen files'] p.bad").length === 2`)
	b.cut(t, false) // the page goes on by itself
	for _, imported := range []string{"Imported 80 trades from history.csv", "Imported 2 trades from older.csv"} {
		b.do(t, visible(fmt.Sprintf(`//*[@role="status" and contains(., %q)]`, imported)))
	}
}

// TestTraderTimeline finds interview and finding on the time line of a trader's results, goes from a
// finding to its trades in the chart and back, chooses a time by dragging and by dates, and compares it
// with the one before. It takes long because axe checks charts in each of their states, in light and in
// dark.
func TestTraderTimeline(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	interview, _ := a.invite(t, map[string]any{"trader": map[string]any{"full_name": "Zoe Miller", "email": "zoe@example.com"}})
	trader := a.call(t, "GET", "/v1/interviews/"+interview, nil, 200)["trader"].(map[string]any)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader+"?tab=files"))
	b.do(t, upload(`input[type="file"]`, statement(t)))
	b.press(t, "Upload")
	b.do(t, visible(`//*[@role="status" and contains(., "Imported 80 trades")]`))
	b.press(t, "Activity")
	b.do(t, visible(`//figure[.//h3[starts-with(., "Daily results")]]//canvas`))
	b.until(t, "interview and finding are marked", `document.querySelectorAll(".marks .interview").length === 1 && document.querySelectorAll(".marks .finding").length >= 1`)
	b.lookAt(t, "trader-timeline")

	const finding = `//li[.//h3[contains(., "Many decisions")]]`
	ask(t, b, chromedp.Evaluate[bool](`globalThis.drawn = () => document.querySelectorAll(".choosable canvas")[1].toDataURL(), globalThis.before = drawn(), true`))
	b.do(t, click(finding+`//button[starts-with(., "Show in the chart")]`))
	b.until(t, "the trades are drawn", `drawn() !== before`)
	b.sees(t, "that “Many decisions within a short time” rests on")
	b.until(t, "the finding is in the address", `new URL(location.href).searchParams.get("finding") !== null`)
	b.lookAt(t, "trader-timeline-finding")
	b.press(t, "Hide the dots")
	b.until(t, "no finding is in the address", `new URL(location.href).searchParams.get("finding") === null`)
	b.do(t, click(`//summary[starts-with(., "What is marked")]`))
	b.do(t, click(`//button[contains(., "Finding: Many decisions")]`), visible(finding+`//tr[td[.="history.csv"] and td[.="XAUUSD"]]`))
	b.do(t, visible(`//li[contains(normalize-space(.), "history.csv: 80 trades")]`))
	b.until(t, "the finding has the focus", `document.activeElement.id.startsWith("finding-")`)

	// The chart's right half is the later days.
	all := b.closedTrades(t)
	b.dragAcross(t, ".choosable .u-over", 0.5, 0.98)
	b.until(t, "a time is in the address", `(() => { const q = new URL(location.href).searchParams; return q.get("from") < q.get("to") && q.get("to").endsWith("T00:00:00.000Z"); })()`)
	b.until(t, "fewer trades are analyzed", fmt.Sprintf(`!document.querySelector("main").textContent.includes("%s")`, all))
	b.look(t, "trader-timeline-chosen")
	ask(t, b, chromedp.Evaluate[bool](`globalThis.alone = drawn(), true`))
	compareWith := func(choice string) {
		ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
			const list = [...document.querySelectorAll("label")].find((l) => l.textContent.startsWith("Compare with")).querySelector("select");
			list.value = %q;
			return list.dispatchEvent(new Event("change", { bubbles: true }));
		})()`, choice)))
	}
	compareWith("previous")
	b.do(t, visible(`//section[h2="Comparison"]//tr[th="Net result" and not(td[3]="–")]`), visible(`//section[h2="Comparison"]//th[contains(., "Previous period")]`))
	b.until(t, "the comparison is in the address", `new URL(location.href).searchParams.get("compare") === "previous"`)
	b.until(t, "the earlier total is drawn", `drawn() !== alone`)
	b.lookAt(t, "trader-comparison")
	compareWith("period")
	b.do(t, visible(`//section[h2="Comparison"]//th[contains(., "Other period")]`))
	b.until(t, "the choice begins with the period before", `/compare_from=\d{4}-\d\d-\d\d&compare_to=\d{4}/.test(location.search)`)
	b.lookAt(t, "trader-comparison-chosen")
	ask(t, b, chromedp.Evaluate[bool](`history.go(-3); true`))
	b.sees(t, all)
	yesterday := time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
		const field = document.querySelector("input[type=date]");
		field.value = %q;
		return field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, yesterday)))
	b.until(t, "the date is in the address", fmt.Sprintf(`new URL(location.href).searchParams.get("from")?.startsWith(%q)`, yesterday))
	b.until(t, "fewer trades are analyzed", fmt.Sprintf(`!document.querySelector("main").textContent.includes("%s")`, all))
	b.wantQuiet(t, a.url)
}

// closedTrades returns how the page says how many trades it has analyzed.
func (b *tab) closedTrades(t *testing.T) string {
	t.Helper()
	return ask(t, b, chromedp.Evaluate[string](`document.querySelector("main").textContent.match(/[0-9,]+ trades \([0-9,]+ open\)/)[0]`))
}

// dragAcross drags the mouse across an element, from one share of its width to another.
func (b *tab) dragAcross(t *testing.T, selector string, from, to float64) {
	t.Helper()
	at := ask(t, b, chromedp.Evaluate[struct{ X, Y, Width float64 }](fmt.Sprintf(`(() => {
		const element = document.querySelector(%q);
		element.scrollIntoView({ block: "center" });
		const r = element.getBoundingClientRect();
		return { X: r.x, Y: r.y + r.height / 2, Width: r.width };
	})()`, selector)))
	b.do(t, chromedp.DragAndDropXY(at.X+from*at.Width, at.Y, at.X+to*at.Width, at.Y))
}

// TestNothingToAnalyze opens a link to the activity of trades that are all excluded, on a phone, where
// not all tabs fit in a line. It takes long because it starts a server and a browser.
func TestNothingToAnalyze(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	id := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Ada Byron", "email": "ada@example.com"}, 201)["id"].(string)
	a.uploadFile(t, "/v1/traders/"+id+"/activity-files", "huge.csv", "Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n"+
		"1,XAUUSD,buy,0.50,2026-06-02 08:00:00,2026-06-02 09:00:00,4000.5,4001.5,123456789012345678901234567890\n", 201)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.EmulateViewport(widths[1].width, widths[1].height))
	b.do(t, chromedp.Navigate(a.url+"/traders/"+id+"?tab=activity&from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z"))
	b.sees(t, "No trades to analyze in this period")
	b.sees(t, "Excluded: 1 trade (number out of range).")
	b.until(t, "the tab is in view", `(() => {
		const tab = document.querySelector("[role=tab][aria-selected=true]").getBoundingClientRect();
		return tab.left >= 0 && tab.right <= innerWidth; })()`)
	b.look(t, "trader-nothing-to-analyze")
	b.wantQuiet(t, a.url)
}

// TestTraderGone looks at a trader who is deleted meanwhile. It takes long because axe checks two
// pages, in light and in dark.
func TestTraderGone(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	interview, _ := a.invite(t, map[string]any{"trader": map[string]any{"full_name": "Zoe Gone", "email": "zoe@gone.example"}})
	trader := a.call(t, "GET", "/v1/interviews/"+interview, nil, 200)["trader"].(map[string]any)["id"].(string)
	a.signedIn(t, b, "reviewer")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader))
	b.heading(t, "Zoe Gone")
	b.sees(t, "Invited")
	b.lookAt(t, "trader-interviewed")
	a.call(t, "DELETE", "/v1/interviews/"+interview, nil, 204)
	b.sees(t, "Trader not found")
	b.lookAt(t, "trader-gone")
	b.forgive("404")
	b.wantQuiet(t, a.url)
}
