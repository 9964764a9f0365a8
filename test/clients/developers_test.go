package clients_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assayhq/assay/store/event"
)

// do sends a request with the key and returns the answer's status and body.
func (a api) do(t *testing.T, method, path, key, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, a.url+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	check(t, err)
	return res.StatusCode, string(got)
}

// secret is the text that a dialog shows this one time.
func (b *tab) secret(t *testing.T) string {
	t.Helper()
	return ask(t, b, reading("[data-secret]"))
}

// pressIn presses a button of the open dialog.
func (b *tab) pressIn(t *testing.T, text string) {
	t.Helper()
	b.do(t, click(fmt.Sprintf(`//dialog//button[normalize-space(.)=%q and not(@disabled or @aria-disabled)]`, text)))
}

// TestDeveloperPages does what a developer does: makes a key and uses it, makes a webhook, tests it
// and sees what was sent. It takes long because axe checks each step of making and using a key and a
// webhook, in light and in dark.
func TestDeveloperPages(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.deliver(t)
	a.signedIn(t, b, "owner")
	b.makesAKey(t, a)
	b.makesAWebhook(t, a, newReceiver(t))
	b.readsTheLog(t, a)
	b.wantQuiet(t, a.url)
}

func (b *tab) makesAKey(t *testing.T, a api) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/developers/keys"))
	b.sees(t, "First key")
	b.press(t, "Create key")
	b.hasFocus(t, "Name")
	b.fill(t, "Name", "Risk desk <b>")
	b.pressIn(t, "Create key")
	b.sees(t, "Choose at least one permission.") // and nothing was made
	b.pressIn(t, "Read-only")
	b.lookAt(t, "key-new")
	b.pressIn(t, "Create key")
	b.sees(t, "able to see it again")
	b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape)) // close nothing: the key is shown this one time
	secret := b.secret(t)
	if status, body := a.do(t, "GET", "/v1/traders", secret, ""); status != http.StatusOK {
		t.Errorf("the key is answered %d %s", status, body)
	}
	if status, _ := a.do(t, "POST", "/v1/traders", secret, `{"full_name": "Ada"}`); status != http.StatusForbidden {
		t.Errorf("a key that may only read is answered %d", status)
	}
	b.press(t, "Done")
	b.sees(t, "Risk desk <b>")

	// A key that somebody else makes shows by itself.
	if status, body := a.do(t, "POST", "/v1/api-keys", a.key, `{"name": "by a program", "scopes": ["traders:read"], "expires_in_days": 3}`); status != http.StatusCreated {
		t.Fatalf("answered %d %s", status, body)
	}
	b.sees(t, "by a program")
	b.lookAt(t, "keys-several")

	b.do(t, click(`//button[@aria-label="Revoke Risk desk <b>"]`))
	b.pressIn(t, "Revoke key")
	b.sees(t, "1 expired or revoked key")
	if status, _ := a.do(t, "GET", "/v1/traders", secret, ""); status != http.StatusUnauthorized {
		t.Errorf("the revoked key is answered %d", status)
	}
	b.press(t, "Create key")
	b.pressIn(t, "Cancel") // the dialog that there is now has forgotten the secret
}

func (b *tab) makesAWebhook(t *testing.T, a api, r *receiver) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/developers/webhooks"))
	b.sees(t, "No webhook endpoints yet")
	b.press(t, "Add endpoint")
	b.fill(t, "URL", "https://10.0.0.1/hook")
	b.pressIn(t, "Add endpoint")
	b.do(t, visible(`//dialog//input[@aria-invalid="true"]`)) // a private address
	b.fill(t, "URL", r.server.URL+"/hook")
	b.fill(t, "Headers", "X-Tenant 7")
	b.sees(t, "Line 1 must have the form")
	b.fill(t, "Headers", "X-Tenant: 7")
	b.fill(t, "Filters", "active")
	b.sees(t, "Line 1 must have the form")
	b.fill(t, "Filters", "data.severity: high")
	b.pressIn(t, "Add endpoint")
	b.sees(t, "Must be in one of")
	b.fill(t, "Filters", "data.status: active")
	b.do(t, click(`//dialog//label[contains(., "Selected events")]/input`))
	b.do(t, click(`//dialog//summary[contains(., "Trader")]`))
	b.do(t, click(`//dialog//label[contains(., "trader.created")]/input`))
	b.lookAt(t, "webhook-new")
	b.pressIn(t, "Add endpoint")
	if secret := b.secret(t); !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("the secret is %q", secret)
	}
	b.press(t, "Done")
	b.sees(t, "No deliveries yet")

	b.do(t, click(`//main//header//button[normalize-space(.)="Send test"]`))
	b.sees(t, "Your endpoint accepted the test")
	b.hasFocus(t, "Send test")
	b.do(t, visible(`//tbody/tr[contains(., "ping")]`))
	b.press(t, "Pause")
	b.hasFocus(t, "Resume")
	b.until(t, "the deliveries that wait are counted", `document.querySelector("main header").innerText.includes("are sent when you resume. 0 deliveries wait.")`)
	b.lookAt(t, "webhook-paused")
	b.press(t, "Resume")
	b.hasFocus(t, "Pause")
	if status, body := a.do(t, "POST", "/v1/traders", a.key, `{"full_name": "Ada"}`); status != http.StatusCreated {
		t.Fatalf("answered %d %s", status, body)
	}
	b.do(t, click(`//tbody/tr[contains(., "trader.created") and contains(., "Succeeded")]//button[@aria-expanded="false"]`)) // it shows by itself
	b.sees(t, "Payload")
	b.lookAt(t, "webhook-delivery")
	before := len(r.messages())
	b.press(t, "Resend")
	b.do(t, visible(`//li[contains(., "sent manually")]`))
	if got := r.messages(); len(got) <= before || got[len(got)-1].kind != event.TraderCreated {
		t.Errorf("the receiver has got %v", got)
	}
	ask(t, b, chromedp.Evaluate[bool](`const state = document.querySelector("select"); state.value = "failed"; state.dispatchEvent(new Event("change", { bubbles: true }))`))
	b.sees(t, "No deliveries match these filters")
	if at := ask(t, b, chromedp.Location()); !strings.HasSuffix(at, "?status=failed") {
		t.Errorf("the filter stands in %s", at)
	}

	b.do(t, click(`//button[@role="tab" and contains(., "Health")]`))
	b.sees(t, "3 attempts. All succeeded.") // the test, the event, and its retry
	b.lookAt(t, "webhook-health")
	b.do(t, chromedp.Navigate(a.url+"/"), click(`//section[@aria-labelledby="deliveries"]//tbody/tr[contains(., "Enabled")]/th/a`))
	b.do(t, click(`//button[@role="tab" and contains(., "Settings")]`))
	b.sees(t, "Rotate secret…")
	b.do(t, visible(`//code[.="X-Tenant"]`))
	if got := ask(t, b, chromedp.Evaluate[string](`document.querySelector("main form textarea").value`)); got != "data.status: active" {
		t.Errorf("the filters are %q", got)
	}
	b.fill(t, "Filters", "data.status: active\ndata.status: archived")
	b.press(t, "Save")
	b.sees(t, "Saved.")
	b.lookAt(t, "webhook-settings")
	b.press(t, "Remove all")
	b.sees(t, "Add headers to each request")
	b.press(t, "Rotate secret…")
	b.pressIn(t, "Rotate secret")
	b.sees(t, "New signing secret")
	b.press(t, "Done")
	b.press(t, "Disable")
	b.sees(t, "Someone disabled this endpoint")
	b.press(t, "Delete…")
	b.pressIn(t, "Delete endpoint")
	b.sees(t, "No webhook endpoints yet")
	b.forgive("422", "404") // of the address, and of what was deleted
}

func (b *tab) readsTheLog(t *testing.T, a api) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/audit"))
	b.until(t, "actions are grouped by subject", `document.querySelector("optgroup[label='API keys'] option[value='api_key.revoked']")?.textContent === "Revoked an API key"`)
	b.do(t, click(`//tbody/tr[contains(., "revoked an API key")]//button[@aria-expanded="false"]`))
	b.sees(t, "Revoked at")
	b.lookAt(t, "audit-entry")
	b.do(t, visible(`//tbody/tr[contains(., "zoe@example.com revoked an API key")]`))
	b.do(t, click(`//tbody//button[normalize-space(.)="filter by object"]`))
	b.sees(t, "1–2 of 2 entries") // it was made and revoked
	b.do(t, chromedp.Reload())
	b.sees(t, "1–2 of 2 entries")
	b.sees(t, "created an API key")
}

// TestOrganizationPages does what an owner does: adds a person, changes what traders read, and the
// rules. It takes long because axe checks each step, in light and in dark.
func TestOrganizationPages(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	b.addsAPerson(t, a)
	b.changesTheOrganization(t, a)
	b.changesTheRules(t, a)
	b.wantQuiet(t, a.url)
}

func (b *tab) addsAPerson(t *testing.T, a api) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/people"))
	b.sees(t, "owner@example.com")
	b.press(t, "Add person")
	b.fill(t, "Email", "owner@example.com")
	b.pressIn(t, "Add person")
	b.do(t, visible(`dialog [role="alert"]`)) // there is one with the address
	b.fill(t, "Email", "ada@example.com")
	b.fill(t, "Name", "عائشة Lovelace")
	b.lookAt(t, "person-new")
	b.pressIn(t, "Add person")
	first := b.secret(t)
	b.press(t, "Done")
	b.sees(t, "temporary password")
	if status, body := a.do(t, "POST", "/session", "", fmt.Sprintf(`{"email": "ada@example.com", "password": %q}`, first)); status != http.StatusCreated {
		t.Errorf("the first password is answered %d %s", status, body)
	}

	change := `//button[@aria-label="Edit عائشة Lovelace"]`
	b.do(t, click(change), click(`//dialog//label[contains(., "Viewer")]/input`))
	b.sees(t, "Changing the role ends all of their sessions")
	b.lookAt(t, "person-change")
	b.pressIn(t, "Save")
	b.do(t, visible(`//tr[contains(., "ada@example.com") and contains(., "Viewer")]`))
	b.do(t, click(change))
	b.press(t, "Reset password…")
	b.press(t, "Reset password")
	if again := b.secret(t); again == first {
		t.Error("the password was not reset")
	}
	b.press(t, "Done")
	b.do(t, click(change))
	b.press(t, "Remove person…")
	b.press(t, "Remove person")
	b.do(t, absent(`//tr[contains(., "ada@example.com")]`))
	b.forgive("409") // of the address that there was
}

func (b *tab) changesTheOrganization(t *testing.T, a api) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/organization"))
	b.heading(t, "Organization settings")
	b.sees(t, "Shown to traders")
	b.fill(t, "Support contact", "risk@alpha.example")
	b.press(t, "Save")
	b.sees(t, "Saved.")
	if _, body := a.do(t, "GET", "/v1/organization", a.key, ""); !strings.Contains(body, `"contact":"risk@alpha.example"`) {
		t.Errorf("saved is %s", body)
	}

	// Somebody else saves first.
	b.fill(t, "Support contact", "mine@alpha.example")
	a.do(t, "PATCH", "/v1/organization", a.key, `{"contact": "theirs@alpha.example"}`)
	b.press(t, "Save")
	b.sees(t, "changed while you were editing")
	b.lookAt(t, "organization-conflict")
	b.press(t, "Load saved version")
	b.until(t, "what is saved is shown", `document.querySelector("textarea").value === "theirs@alpha.example"`)
	b.forgive("412")
}

func (b *tab) changesTheRules(t *testing.T, a api) {
	t.Helper()
	b.do(t, chromedp.Navigate(a.url+"/rules"))
	b.do(t, click(`//summary[contains(., "Holding times")]`))
	b.fill(t, "Minimum holding time", "180")
	b.fill(t, "Name", "ours")
	b.lookAt(t, "rules-changed")
	b.press(t, "Save thresholds")
	b.sees(t, "Activity uses these thresholds from now on")
	if _, body := a.do(t, "GET", "/v1/analysis/ruleset", a.key, ""); !strings.Contains(body, `"min_hold_seconds":180`) {
		t.Errorf("saved is %s", body)
	}

	dir := t.TempDir()
	b.do(t, chromedp.Navigate(a.url+"/rules?tab=calendar"))
	for n, step := range []struct{ text, told string }{
		{"time,currency,impact,title\n2026-01-09T13:30:00Z,USD,terrible,Payrolls\n", "The file was rejected."},
		{"time,currency,impact,title\n2026-01-09T13:30:00Z,USD,high,\"Payrolls, all\"\n2026-01-10T13:30:00Z,EUR,low,Prices\n", "Calendar uploaded: 2 events."},
	} {
		file := filepath.Join(dir, fmt.Sprintf("calendar-%d.csv", n))
		check(t, os.WriteFile(file, []byte(step.text), 0o600))
		b.do(t, upload(`input[type="file"]`, file))
		b.press(t, "Upload calendar")
		b.sees(t, step.told)
	}
	b.sees(t, "Payrolls, all")
	b.lookAt(t, "calendar")
	b.forgive("422") // of the faulty calendar
}
