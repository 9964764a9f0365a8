package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// refusesAll lets every change be refused, with a fault of each member of its body.
const refusesAll = `(() => {
	const real = globalThis.fetch;
	globalThis.fetch = async (request, options) => {
		if (!(request instanceof Request) || request.method === "GET") return real(request, options);
		const members = Object.keys(JSON.parse(await request.clone().text()));
		globalThis.refused = members;
		const errors = members.map((m) => ({ pointer: "#/" + m, code: "invalid", detail: "Refused: " + m + "." }));
		return new Response(JSON.stringify({ status: 422, code: "validation_failed", title: "Validation failed", errors }), { status: 422, headers: { "Content-Type": "application/problem+json" } });
	};
	return true;
})()`

// wronglyTold lists the members whose faults a page does not tell exactly once.
const wronglyTold = `refused.filter((m) => [...document.querySelectorAll("[role=alert]")].filter((e) => e.checkVisibility() && e.innerText.includes("Refused: " + m + ".")).length !== 1).join(" ")`

// toldBeside lists the members whose faults are told at the button and not at a field.
const toldBeside = `refused.filter((m) => [...document.querySelectorAll(".notice.bad")].some((e) => e.innerText.includes("Refused: " + m + "."))).join(" ")`

// TestFaultsAtFields fills in the forms of the dashboard, whose changes the server refuses with a fault of each
// member. Each is told once, at its field if it has one, and the focus is in the first of these fields.
func TestFaultsAtFields(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	trader := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller"}, 201)["id"].(string)
	interview := a.call(t, "POST", "/v1/interviews", map[string]any{"trader": map[string]any{"full_name": "Yan Li"}, "auto_questions": 0}, 201)["interview"].(map[string]any)["id"].(string)
	integration := a.connect(t, a.connected.URL)
	a.signedIn(t, b, "owner")

	button := func(text string) chromedp.Action[chromedp.Void] {
		return click(fmt.Sprintf(`//button[normalize-space(.)=%q and not(@disabled)]`, text))
	}
	label := func(text string) chromedp.Action[chromedp.Void] {
		return click(fmt.Sprintf(`//label[contains(., %q)]/input`, text))
	}
	field := func(label, text string) chromedp.Action[chromedp.Void] {
		return write(fmt.Sprintf(`//*[@id=//label[starts-with(normalize-space(.), %q)]/@for]`, label), text)
	}
	type actions = []chromedp.Action[chromedp.Void]
	for _, form := range []struct {
		name, path string
		fill       actions
		submit     string
		at         string // what the field with the focus is called
		beside     string // the members without a field of their own: switches, and objects that have one for each of their members
	}{
		{"add trader", "/traders", actions{button("Add trader"), field("Full name", "A")}, "Add", "Full name", ""},
		{"edit trader", "/traders/" + trader, actions{button("Edit"), field("Email", "a@example.com"), field("Phone", "+1")}, "Save", "Email", ""},
		{"note", "/traders/" + trader, actions{field("New note", "A")}, "Add note", "New note", ""},
		{"person", "/people", actions{button("Add person"), field("Email", "b@example.com")}, "Add person", "Email", "sign_in"},
		{"API key", "/developers/keys", actions{button("Create key"), field("Name", "A"), click(`//dialog//button[normalize-space(.)="Read-only"]`)}, "Create key", "Name", ""},
		{"webhook", "/developers/webhooks", actions{button("Add endpoint"), field("URL", "https://hooks.example.com")}, "Add endpoint", "Send", ""},
		{"organization", "/organization", actions{field("Support contact", "A"), label("language model")}, "Save", "Support contact", "off_box_prose"},
		{
			"thresholds", "/rules",
			actions{field("Description", "A")},
			"Save thresholds", "Name",
			"bursts one_sided holding loss_chasing averaging revenge lot_size day_share copied_trades opposite_positions automation news style_break",
		},
		{"reasons", "/rules?tab=reasons", actions{button("Add reason"), field("Text", "A")}, "Save reasons", "", "reasons"},
		{
			"new interview", "/interviews/new",
			actions{label("New trader"), field("Full name", "A"), field("Reference", "A")},
			"Create interview", "Questions from the trader",
			"trader questions allow_unanswered activity integrity",
		},
		{"decision", "/interviews/" + interview, actions{button("Decide now"), label("Approved"), field("Reason", "A")}, "Save decision", "Approved", ""},
		{"comment", "/interviews/" + interview + "?tab=comments", actions{field("New comment", "A")}, "Add comment", "New comment", "at_ms mentions"},
		{"edit person", "/people", actions{click(`//tr[contains(., "owner@example.com")]//button[normalize-space(.)="Edit…"]`), field("Name", "A"), field("Email", "c@example.com")}, "Save", "Name", ""},
		{"integration", "/integrations/" + integration + "?tab=settings", actions{field("Name", "A"), field("Sync interval", "600")}, "Save", "Name", ""},
		{"platform's key", "/integrations/" + integration + "?tab=settings", actions{button("Replace key"), field("New API key", "A")}, "Replace", "New API key", ""},
		{"share", "/interviews/" + interview, actions{button("Share…")}, "Create link", "Expires after", "include_decision"},
		{"invite", "/interviews/" + interview, actions{button("Replace link")}, "Create link", "Time to start", ""},
		{"legal hold", "/interviews/" + interview, actions{button("Legal hold…"), field("Reason", "A")}, "Hold", "Reason", ""},
		{
			"password", "/people",
			actions{button("zoe@example.com Alpha Capital"), button("Change password"), field("Current password", "A"), field("New password", "B")},
			"Set password", "Current password", "",
		},
	} {
		t.Run(form.name, func(t *testing.T) {
			b.do(t, chromedp.Navigate(a.url+form.path))
			b.do(t, form.fill...)
			ask(t, b, chromedp.Evaluate[bool](refusesAll))
			b.do(t, click(fmt.Sprintf(`//form//button[@type="submit" and normalize-space(.)=%q and not(@disabled)]`, form.submit)))
			b.until(t, "the change is refused", `globalThis.refused?.length > 0 && !document.querySelector("button[aria-busy=true]")`)
			b.awaitPaint(t)
			if wrong := ask(t, b, chromedp.Evaluate[string](wronglyTold)); wrong != "" {
				t.Errorf("not told once: %s", wrong)
			}
			if got := ask(t, b, chromedp.Evaluate[string](toldBeside)); got != form.beside {
				t.Errorf("told beside the fields: %q, want %q", got, form.beside)
			}
			at := ask(t, b, chromedp.Evaluate[string](`(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim()`))
			if form.at != "" && !strings.HasPrefix(at, form.at) {
				t.Errorf("the focus is at %q, want %q", at, form.at)
			}
			b.do(t, chromedp.KeyEvent(kb.Escape))
		})
	}
}

// TestTakenValues enters what another object has: the page says so at the field, and at no button.
func TestTakenValues(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller", "external_id": "T-1"}, 201)
	a.signedIn(t, b, "owner")
	for _, form := range []struct{ path, open, label, value, submit, told string }{
		{"/people", "Add person", "Email", "owner@example.com", "Add person", "Another person in the organization has this email."},
		{"/traders", "Add trader", "External ID", "T-1", "Add", "Another manually created trader has this external ID."},
		{"/organization", "", "Name", "Beta Capital", "Save", "Another organization has this name."},
	} {
		b.do(t, chromedp.Navigate(a.url+form.path))
		if form.open != "" {
			b.press(t, form.open)
		}
		if form.path == "/traders" {
			b.fill(t, "Full name", "Yan Li")
		}
		b.fill(t, form.label, form.value)
		b.do(t, click(fmt.Sprintf(`//form//button[@type="submit" and normalize-space(.)=%q and not(@disabled)]`, form.submit)))
		b.do(t, visible(fmt.Sprintf(`//*[@data-wrong]//*[@role="alert" and normalize-space(.)=%q]`, form.told)), absent(".notice.bad"))
		b.until(t, "the focus is in the field", fmt.Sprintf(`document.activeElement.value === %q`, form.value))
	}
	b.forgive("409")
	b.wantQuiet(t, a.url)
}

// TestLongComment writes a comment of as many characters as it may have, which is cut off until somebody asks
// for the rest.
func TestLongComment(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	interview := a.call(t, "POST", "/v1/interviews", map[string]any{"trader": map[string]any{"full_name": oddName}, "auto_questions": 0}, 201)["interview"].(map[string]any)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/interviews/"+interview+"?tab=comments"))
	b.fill(t, "New comment", strings.Repeat("ملاحظة ", 500)+"the end")
	b.press(t, "Add comment")
	shown := func(what string) string {
		return fmt.Sprintf(`(document.querySelector("ol[aria-label=Comments] .body")?.innerText ?? "").endsWith(%q)`, what)
	}
	b.until(t, "the beginning is shown", shown("…"))
	b.look(t, "comment-long")
	b.press(t, "Show all")
	b.until(t, "all of it is shown", shown("the end"))
	b.wantQuiet(t, a.url)
}
