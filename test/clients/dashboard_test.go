package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/assayhq/assay/store/storetest"
)

// view is a page of the dashboard as people meet it.
type view struct {
	name string // of its pictures
	path string // {integration} and the like stand for ids of the organization's objects
	sees string // a text that is there as soon as the page shows what it has read
}

// views are the pages of an organization whose platform has been read.
func views() []view {
	return []view{
		{"home", "/", "syncing normally"},
		{"integrations", "/integrations", "Custom API"},
		{"integration", "/integrations/{integration}", "Health history"},
		{"integration-runs", "/integrations/{integration}?tab=runs", "New or changed"},
		{"integration-quarantine", "/integrations/{integration}?tab=quarantine", "What is wrong"},
		{"integration-runs-none-found", "/integrations/{integration}?tab=runs&status=blocked", "No runs match these filters"},
		{"integration-quarantine-none-found", "/integrations/{integration}?tab=quarantine&search=nothing+at+all", "No quarantined records match these filters"},
		{"integration-findings", "/integrations/{integration}?tab=findings", "clock_skew"},
		{"integration-settings", "/integrations/{integration}?tab=settings", "203.0.113.0/28"},
		{"integration-new", "/integrations/new", "203.0.113.0/28"},
		{"traders", "/traders", "60 traders"},
		{"traders-none-found", "/traders?search=nobody+at+all", "No traders match these filters"},
		{"trader", "/traders/{trader}", "Other data from the platform"},
		{"trader-accounts", "/traders/{trader}?tab=accounts", "Initial balance"},
		{"trader-trades", "/traders/{trader}?tab=trades", "Net result"},
		{"trader-activity", "/traders/{trader}?tab=activity&days=365", "Sources"},
		{"trader-files", "/traders/{trader}?tab=files", "No files yet"},
		{"payouts", "/payouts", "All payouts on your platforms"},
		{"interviews-none", "/interviews", "No interviews yet"},
		{"interview-new", "/interviews/new", "What the trader will see"},
		{"keys", "/developers/keys", "First key"},
		{"webhooks", "/developers/webhooks", "No webhook endpoints yet"},
		{"people", "/people", "owner@example.com"},
		{"rules", "/rules", "Chasing losses"},
		{"rules-calendar", "/rules?tab=calendar", "No calendar yet"},
		{"organization", "/organization", "Support contact"},
		{"audit", "/audit", "connected a platform"},
	}
}

// schemes are the colours that pages are looked at in.
var schemes = []string{"light", "dark"}

// show lets the browser prefer the colours.
func (b *tab) show(t *testing.T, scheme string) {
	t.Helper()
	b.emulate(t, "prefers-color-scheme", scheme)
}

// emulate lets a media feature have the value, and all others their own.
func (b *tab) emulate(t *testing.T, feature, value string) {
	t.Helper()
	ask(t, b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return chromedp.Void{}, err
	})
}

// lookAt is look in every colour.
func (b *tab) lookAt(t *testing.T, name string) {
	t.Helper()
	for _, scheme := range schemes {
		b.show(t, scheme)
		b.look(t, name+"-"+scheme)
	}
	b.show(t, schemes[0])
}

// addPerson adds a person of the organization and returns the first password.
func (a api) addPerson(t *testing.T, organization, email, role string) string {
	t.Helper()
	out, err := exec.Command(program(t, "apiserver"), "user", "add", "--config", a.config, "--organization", organization,
		"--email", email, "--role", role).Output()
	check(t, err)
	var made struct{ Password string }
	check(t, json.Unmarshal(out, &made))
	return made.Password
}

// fill replaces the text of the field with the label.
func (b *tab) fill(t *testing.T, label, text string) {
	t.Helper()
	b.do(t, write(fmt.Sprintf(`//*[@id=//label[starts-with(normalize-space(.), %q)]/@for]`, label), text))
}

// enter signs somebody in as people do, who has been sent to sign in, and waits
// for the page's heading.
func (b *tab) enter(t *testing.T, email, password, heading string) {
	t.Helper()
	b.heading(t, "Sign in")
	b.fill(t, "Email", email)
	b.fill(t, "Password", password)
	b.press(t, "Sign in")
	b.heading(t, heading)
}

// chosenPassword is the password with which people replace their first one.
const chosenPassword = "violet kettle marching"

// signedIn opens the dashboard as a new person in the role.
func (a api) signedIn(t *testing.T, b *tab, role string) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/"))
	a.enterFirst(t, b, "Alpha Capital", "zoe@example.com", role)
}

// enterFirst signs in a new person of the organization.
func (a api) enterFirst(t *testing.T, b *tab, organization, email, role string) {
	t.Helper()
	first := a.addPerson(t, organization, email, role)
	b.enter(t, email, first, "Choose a new password")
	b.fill(t, "Current password", first)
	b.fill(t, "New password", chosenPassword)
	b.press(t, "Set password")
	b.heading(t, organization)
}

// TestSomebodyElseSignsIn signs in to another organization in a second tab, while a key of the first
// one is being filled in: nothing of it is left on the page, and none is created. It takes long
// because two people sign in and choose passwords, which are hashed slowly on purpose.
func TestSomebodyElseSignsIn(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/developers/keys"))
	b.heading(t, "API keys")
	b.press(t, "Create key")
	b.fill(t, "Name", "Key of Alpha")
	second := b.another(t)
	second.do(t, chromedp.Navigate(a.url+"/sign-in"))
	a.enterFirst(t, second, "Beta Capital", "yan@example.com", "owner")
	b.sees(t, "yan@example.com")
	b.heading(t, "API keys")
	b.do(t, absent("dialog[open]")) // the form of the first organization
}

// TestDashboardPages looks at every page of an organization whose platform has been read: at desks
// and on phones, in light and in dark. It takes long because a browser opens every page four times.
func TestDashboardPages(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	ids := strings.NewReplacer("{integration}", a.sync(t), "{trader}", a.busyTrader(t))
	b.do(t, chromedp.Navigate(a.url+"/"))
	b.heading(t, "Sign in")
	b.lookAt(t, "sign-in")
	a.signedIn(t, b, "owner")
	for _, v := range views() {
		b.do(t, chromedp.Navigate(a.url+ids.Replace(v.path)))
		b.sees(t, v.sees)
		b.lookAt(t, v.name)
	}
	b.wantQuiet(t, a.url)
	b.do(t, chromedp.Navigate(a.url+"/traders/of/nobody")) // which the browser notes, because it is a 404
	b.sees(t, "Page not found")
	b.lookAt(t, "nowhere")
}

// TestConnectPlatform connects a platform as the owner of a new organization does, who mistypes the
// key first, and does to it what can be done. It takes long because axe checks each state of the
// connection, in light and in dark.
func TestConnectPlatform(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	b.sees(t, "First steps")
	b.lookAt(t, "home-new")
	b.do(t, click(`//main//a[normalize-space(.)="Connect a platform"]`))
	b.heading(t, "Connect a platform")
	b.fill(t, "URL", a.connected.URL)
	b.fill(t, "API key", "not-the-key-of-the-platform")
	b.press(t, "Check connection")
	b.sees(t, "Check failed")
	b.sees(t, "The platform refused the API key.")
	b.lookAt(t, "connect-failed")
	b.fill(t, "API key", storetest.PlatformKey)
	b.press(t, "Check connection")
	b.sees(t, "Check passed")
	b.lookAt(t, "connect-works")
	b.press(t, "Connect")
	b.heading(t, "Custom API")
	b.sees(t, "First sync")
	b.lookAt(t, "integration-pending")

	// What syncd reads shows without another look.
	id := strings.TrimPrefix(ask(t, b, chromedp.Location()), a.url+"/integrations/")
	a.read(t, id)
	b.sees(t, "every resource was read")

	// Its next slot may have come, for which no syncd is there.
	_, err := storetest.Conn(t, a.database).Exec(t.Context(), `UPDATE sync_state SET claimable_at = now() + interval '1 hour' WHERE integration_id = $1`, id)
	check(t, err)
	b.press(t, "Sync now")
	b.sees(t, "Sync queued.")
	b.press(t, "Pause")
	b.sees(t, "Paused")
	b.press(t, "Resume")
	b.sees(t, "The last sync read everything.")
	b.press(t, "Check connection")
	b.sees(t, "Check passed")

	b.press(t, "Settings")
	b.fill(t, "Name", "مكتب <script>alert(1)</script> "+strings.Repeat("x", 60))
	b.press(t, "Save")
	b.sees(t, "Saved.")
	b.press(t, "Replace key")
	b.fill(t, "New API key", "rotated-to-a-wrong-key")
	b.lookAt(t, "integration-rotate")
	b.press(t, "Replace")
	b.sees(t, "Saved, but the connection check failed")
	b.press(t, "Overview")
	b.sees(t, "The connection was saved, but its check failed")
	b.lookAt(t, "integration-trouble")
	b.do(t, click(`//nav//a[normalize-space(.)="Home"]`))
	b.heading(t, "Alpha Capital")
	b.sees(t, "Check failed")
	b.lookAt(t, "home-trouble")

	b.do(t, click(`//main//a[contains(., "alert(1)")]`))
	b.press(t, "Settings")
	b.press(t, "Delete…")
	b.lookAt(t, "integration-delete")
	b.press(t, "Delete integration")
	b.sees(t, "No platform is connected yet")
	b.lookAt(t, "integrations-none")
	b.wantQuiet(t, a.url)
}

// TestPlatformsAreNotMixed: who connects a platform that is connected is led to it, and who leads an
// integration to other people, to a new one. It takes long because it reads a platform and checks
// pages with axe.
func TestPlatformsAreNotMixed(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	id := a.sync(t)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/integrations/new"))
	b.heading(t, "Connect a platform")
	b.fill(t, "URL", a.synced.URL)
	b.fill(t, "API key", storetest.PlatformKey)
	b.press(t, "Check connection")
	b.sees(t, "Check passed")
	b.press(t, "Connect")
	b.sees(t, "This platform is already connected with this key.")
	b.lookAt(t, "connect-exists")
	b.do(t, click(`//a[normalize-space(.)="Open the existing integration"]`))
	b.heading(t, "Custom API")

	// What was read came from elsewhere, and from other people.
	conn := storetest.Conn(t, a.database)
	for _, statement := range []string{
		`UPDATE integrations SET base_url = base_url || '/before' WHERE id = $1`,
		`UPDATE traders SET email = 'other.' || email WHERE integration_id = $1`,
	} {
		if _, err := conn.Exec(t.Context(), statement, id); err != nil {
			t.Fatal(err)
		}
	}
	b.do(t, chromedp.Navigate(a.url+"/integrations/"+id+"?tab=settings"))
	b.fill(t, "URL", a.synced.URL)
	b.press(t, "Save")
	b.sees(t, "These settings point to a different platform")
	b.lookAt(t, "integration-different")
	b.do(t, click(`//a[normalize-space(.)="Connect a new integration"]`))
	b.heading(t, "Connect a platform")
}

// TestDashboardSession: people come back to where they were after signing in, whether nobody was
// signed in, the session has ended, or the network was away. It takes long because people sign in
// several times, whose passwords are hashed slowly on purpose.
func TestDashboardSession(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.connect(t, a.connected.URL)
	a.signedIn(t, b, "viewer")
	b.do(t, chromedp.Navigate(a.url+"/integrations?from=mail"))
	b.sees(t, "Custom API")
	if ask(t, b, chromedp.Evaluate[bool](`document.body.textContent.includes("Connect a platform")`)) {
		t.Error("a viewer is offered to connect a platform")
	}
	b.do(t, chromedp.Navigate(a.url+"/integrations/new"))
	b.sees(t, "You don’t have access to this page")

	// The colours are the reader's choice, in this browser.
	b.press(t, "zoe@example.com Alpha Capital")
	b.do(t, click(`//label[normalize-space(.)="Dark"]`))
	b.lookAt(t, "person")
	if scheme := ask(t, b, chromedp.Evaluate[string](`getComputedStyle(document.documentElement).colorScheme`)); scheme != "dark" {
		t.Errorf("the colours are %s", scheme)
	}
	b.press(t, "Sign out")
	b.heading(t, "Sign in")
	b.wantQuiet(t, a.url)

	b.fill(t, "Email", "zoe@example.com")
	b.fill(t, "Password", "not the password")
	b.press(t, "Sign in")
	b.sees(t, "Wrong email or password.")
	b.do(t, chromedp.Navigate(a.url+"/integrations?from=mail"))
	b.enter(t, "zoe@example.com", chosenPassword, "Integrations")
	if at := ask(t, b, chromedp.Location()); at != a.url+"/integrations?from=mail" {
		t.Errorf("signing in leads to %s", at)
	}

	b.sees(t, "Custom API")
	b.cut(t, true)
	b.do(t, click(`//main//a[normalize-space(.)="Custom API"]`))
	b.sees(t, "could not be loaded")
	b.cut(t, false)
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		// A page that was opened a while ago reloads by itself, so that there may be no button any more, nor this page.
		const reload = `[...document.querySelectorAll("main button")].find((b) => b.textContent.trim() === "Reload")?.click(), true`
		_, _ = chromedp.Evaluate[bool](reload)(ctx, target)
		return nil
	}))
	b.heading(t, "Custom API")

	b.endSession(t)
	b.lookAt(t, "session-ended")
	b.enter(t, "zoe@example.com", chosenPassword, "Custom API")
}

// endSession ends the session of the page behind its back, as time does.
func (b *tab) endSession(t *testing.T) {
	t.Helper()
	const elsewhere = `fetch("/session").then((r) => r.json()).then((s) => fetch("/session", {method: "DELETE", headers: {"X-CSRF-Token": s.csrf_token}})).then((r) => r.status)`
	if status := ask(t, b, chromedp.Evaluate[int](elsewhere, chromedp.EvalAwaitPromise)); status != 204 {
		t.Fatalf("ending the session is answered %d", status)
	}
	b.sees(t, "Your session has ended.")
}

// TestFormsOutliveSession: a form that is being filled in when the session ends is as it was after
// signing in again, and nobody else gets to see it. It takes long because people sign in several
// times, whose passwords are hashed slowly on purpose.
func TestFormsOutliveSession(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	trader := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Ada Miller"}, 201)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader))
	b.press(t, "Edit")
	b.fill(t, "Full name", "Ada King")
	b.endSession(t)
	b.lookAt(t, "session-ended-form")
	b.enter(t, "zoe@example.com", chosenPassword, "Ada Miller")
	b.until(t, "the field has the focus and its text", `document.activeElement.value === "Ada King"`)
	b.press(t, "Save")
	b.heading(t, "Ada King")

	b.do(t, chromedp.Navigate(a.url+"/organization"))
	b.fill(t, "Support contact", "risk@example.com")
	b.endSession(t)
	b.enter(t, "zoe@example.com", chosenPassword, "Organization settings")
	b.press(t, "Save")
	b.sees(t, "Saved.")
	if got := a.call(t, "GET", "/v1/organization", nil, 200)["contact"]; got != "risk@example.com" {
		t.Errorf("the organization's contact is %v", got)
	}

	b.do(t, chromedp.Navigate(a.url+"/developers/keys"))
	b.press(t, "Create key")
	b.fill(t, "Name", "Key of Zoe")
	b.endSession(t)
	first := a.addPerson(t, "Alpha Capital", "yan@example.com", "owner")
	b.enter(t, "yan@example.com", first, "Choose a new password")
	b.do(t, absent("dialog[open]"))
}

// TestDrafts: what somebody was writing when the session ended is there after signing in again, and
// gone after signing out. It takes long because people sign in several times, whose passwords are
// hashed slowly on purpose.
func TestDrafts(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	trader := a.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Ada Miller"}, 201)["id"].(string)
	a.signedIn(t, b, "owner")
	b.do(t, chromedp.Navigate(a.url+"/traders/"+trader))
	b.heading(t, "Ada Miller")
	b.writes(t, "He trades the news.")
	b.endSession(t)
	b.enter(t, "zoe@example.com", chosenPassword, "Ada Miller")
	b.press(t, "Add note")
	b.sees(t, "He trades the news.")

	b.writes(t, "For my eyes only.")
	b.press(t, "zoe@example.com Alpha Capital")
	b.press(t, "Sign out")
	b.enter(t, "zoe@example.com", chosenPassword, "Ada Miller")
	b.until(t, "the draft is gone", `document.querySelector("textarea")?.value === ""`)

	b.do(t, chromedp.Navigate(a.url+"/interviews/new"))
	b.fill(t, "Reference", "PO-2041")
	b.endSession(t)
	b.enter(t, "zoe@example.com", chosenPassword, "New interview")
	b.until(t, "the interview is as far as it was", `[...document.querySelectorAll("input")].some((field) => field.value === "PO-2041")`)

	b.do(t, chromedp.Navigate(a.url+"/rules"))
	b.fill(t, "Description", "What we look at.")
	b.tab(t, "Decision reasons")
	b.press(t, "Add reason")
	b.do(t, write("main textarea", "It was a demo account."))
	b.endSession(t)
	b.enter(t, "zoe@example.com", chosenPassword, "Rules")
	b.until(t, "the reasons are as far as they were", `document.querySelector("main textarea")?.value === "It was a demo account."`)
	b.tab(t, "Thresholds")
	b.until(t, "the thresholds are as far as they were", `document.querySelector("main textarea")?.value === "What we look at."`)
	b.press(t, "Save thresholds")
	b.sees(t, "Saved.")
}
