package clients_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assayhq/assay/store/storetest"
)

// selectOption chooses the option with the value in the filter with the label.
func (b *tab) selectOption(t *testing.T, label, value string) {
	t.Helper()
	ask(t, b, chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
		const field = [...document.querySelectorAll("form[role=search] label")].find((l) => l.innerText.startsWith(%q)).control;
		field.value = %q;
		return field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, label, value)))
}

// saveView saves the list that is shown under a name.
func (b *tab) saveView(t *testing.T, button, name string) {
	t.Helper()
	b.press(t, button)
	b.fill(t, "Name", name)
	b.press(t, "Save current list")
	b.do(t, visible(fmt.Sprintf(`//nav[@aria-label="Saved views"]//a[normalize-space(.)=%q]`, name)), absent("dialog[open]"))
}

// filterHistory narrows the runs and the quarantine of an integration: the address, the export and a view that is
// saved have the filters.
func (a api) filterHistory(t *testing.T, b *tab, integration string) {
	t.Helper()
	storetest.Exec(t, storetest.Conn(t, a.database), `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at, finished_at)
VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'payouts', 'schedule', 'incremental', 'interrupted', now(), now())`, integration)
	page := a.url + "/integrations/" + integration + "?tab="
	const onlyInterrupted = `[...document.querySelectorAll("td[data-label=Status]")].map((cell) => cell.innerText.trim()).join() === "Interrupted"`
	b.do(t, chromedp.Navigate(page+"runs"), visible(`//form[@aria-label="Runs"]//select`), visible(`//td[@data-label="Status"]`))
	b.selectOption(t, "Status", "interrupted")
	b.until(t, "the list has the run that was interrupted", `location.search.includes("status=interrupted") && `+onlyInterrupted)
	b.do(t, visible(`//a[@download and contains(@href, "/runs/export?status=interrupted")]`))
	b.saveView(t, "Save or delete views", "Interrupted")
	b.lookAt(t, "runs-filtered")
	b.do(t, click(`//*[@role="tab" and contains(., "Quarantine")]`), visible(`//a[@download and contains(@href, "/quarantine/export")]`))
	b.until(t, "the filter of runs is not that of the quarantine", `new URLSearchParams(location.search).get("status") === null`)

	b.fill(t, "ID contains", "KEY-long-long")
	b.do(t, chromedp.KeyEvent(kb.Enter))
	b.until(t, "the list has the record with the long key", `location.search.includes("search=KEY-long-long") && document.querySelectorAll("td[data-label=Rule]").length === 1`)
	b.do(t, visible(`//a[@download and contains(@href, "/quarantine/export?search=KEY-long-long")]`))
	b.lookAt(t, "quarantine-filtered")
	b.selectOption(t, "Records", "payouts")
	b.sees(t, "No quarantined records match these filters")
	b.press(t, "Clear filters")
	b.until(t, "the list has all records", `location.search === "?tab=quarantine" && document.querySelectorAll("td[data-label=Rule]").length > 1`)

	b.do(t, chromedp.Navigate(page+"runs"), click(`//nav[@aria-label="Saved views"]//a[normalize-space(.)="Interrupted"]`))
	b.until(t, "the view has its filter", onlyInterrupted)
}

// saveTrades saves a view of the trades of one trader, which holds for those of any other, so that it has no account.
func (a api) saveTrades(t *testing.T, b *tab) {
	t.Helper()
	page := a.url + "/traders/" + a.busyTrader(t) + "?tab=trades"
	b.do(t, chromedp.Navigate(page), click(`//th//button[starts-with(normalize-space(.), "Symbol")]`), visible(`//th[@aria-sort="ascending" and contains(., "Symbol")]`))
	b.until(t, "the symbols rise", `(() => {
		const symbols = [...document.querySelectorAll("td[data-label=Symbol]")].map((cell) => cell.innerText);
		return symbols.length > 1 && symbols.every((symbol, n) => n === 0 || symbols[n - 1] <= symbol);
	})()`)
	account := ask(t, b, chromedp.Evaluate[string](`document.querySelector("form[aria-label=Trades] select").options[1].value`))
	b.selectOption(t, "Account", account)
	b.selectOption(t, "State", "closed")
	b.until(t, "the address has the filters", fmt.Sprintf(`location.search.includes("account=%s") && location.search.includes("state=closed")`, account))
	b.saveView(t, "Save view", "Closed by symbol")
	b.lookAt(t, "trades-viewed")
	b.do(t, chromedp.Navigate(page), click(`//nav[@aria-label="Saved views"]//a[normalize-space(.)="Closed by symbol"]`), visible(`//th[@aria-sort="ascending" and contains(., "Symbol")]`))
	b.until(t, "the view has the state and no account", `new URLSearchParams(location.search).get("state") === "closed" && new URLSearchParams(location.search).get("account") === null`)
}
