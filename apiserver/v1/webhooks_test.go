package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// hookURL is an address that the guard accepts. Nothing listens there.
const hookURL = "https://127.0.0.1:9/assay?tenant=7"

// hook is an endpoint as the API returns it.
type hook struct {
	ID              uuid.UUID
	URL             string
	Events          []string
	IsActive        bool       `json:"is_active"`
	DisabledReason  *string    `json:"disabled_reason"`
	PausedAt        *time.Time `json:"paused_at"`
	Secret          *string
	SecretAvailable bool `json:"secret_available"`
}

func (b *testAPI) newHook(t *testing.T, events ...string) hook {
	t.Helper()
	r := b.send(t, "POST", "/v1/webhooks", b.key, map[string]any{"url": hookURL, "events": events}).want(t, http.StatusCreated)
	return decodeInto[hook](t, r)
}

// secrets differ from run to run.
func hideSecret(r reply, h hook) reply {
	if h.Secret != nil {
		r.body = strings.ReplaceAll(r.body, *h.Secret, "whsec_…")
	}
	return r
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.send(t, "GET", "/v1/webhooks", b.key, nil).want(t, http.StatusOK)
	r := b.send(t, "POST", "/v1/webhooks", b.key, map[string]any{"url": hookURL, "events": []string{"trader.*", "payout.status_changed"}}).want(t, http.StatusCreated)
	made := decodeInto[hook](t, r)
	if made.Secret == nil || !strings.HasPrefix(*made.Secret, "whsec_") || !made.SecretAvailable {
		t.Fatalf("made %s", r.body)
	}
	path := "/v1/webhooks/" + made.ID.String()
	if got := r.header.Get("Location"); got != "https://assay.example"+path {
		t.Errorf("Location %s", got)
	}
	b.golden(t, "webhook_created", hideSecret(r, made))
	item := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
	b.golden(t, "webhook", item)
	b.golden(t, "webhooks", b.send(t, "GET", "/v1/webhooks", b.key, nil).want(t, http.StatusOK))

	off := b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false, "events": []string{"*"}}).want(t, http.StatusOK)
	b.golden(t, "webhook_patched", off)
	if off.header.Get("ETag") == item.header.Get("ETag") {
		t.Error("the tag did not change")
	}
	if again := b.send(t, "PATCH", path, b.key, map[string]any{}).want(t, http.StatusOK); again.body != off.body {
		t.Errorf("an empty patch changed it to %s", again.body)
	}
	on := decodeInto[hook](t, b.send(t, "PATCH", path, b.key, map[string]any{"is_active": true}).want(t, http.StatusOK))
	if !on.IsActive || on.DisabledReason != nil {
		t.Errorf("switched on: %+v", on)
	}
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "GET", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	b.send(t, "DELETE", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestPausedWebhook pauses an endpoint, which keeps its deliveries until they go on or are given up.
func TestPausedWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newHook(t, "trader.*")
	path := "/v1/webhooks/" + made.ID.String()
	patch := func(body map[string]any) hook {
		t.Helper()
		return decodeInto[hook](t, b.send(t, "PATCH", path, b.key, body).want(t, http.StatusOK))
	}
	waiting := func() int {
		t.Helper()
		return decodeInto[struct{ Waiting int }](t, b.send(t, "GET", path+"/health", b.key, nil).want(t, http.StatusOK)).Waiting
	}
	paused := patch(map[string]any{"paused": true})
	if !paused.IsActive || paused.PausedAt == nil || time.Since(*paused.PausedAt).Abs() > time.Minute {
		t.Errorf("paused: %+v", paused)
	}
	if again := patch(map[string]any{"paused": true}); again.PausedAt == nil || !again.PausedAt.Equal(*paused.PausedAt) {
		t.Errorf("paused once more: %+v", again)
	}
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Zoe Miller"}).want(t, http.StatusCreated)
	if d := b.listDeliveries(t, made.ID, "?status=pending"); len(d) != 1 || d[0].NextAttemptAt != nil || waiting() != 1 {
		t.Errorf("while it is paused %d wait: %+v", waiting(), d)
	}
	if on := patch(map[string]any{"paused": false}); !on.IsActive || on.PausedAt != nil {
		t.Errorf("resumed: %+v", on)
	}
	if d := b.listDeliveries(t, made.ID, "?status=pending"); len(d) != 1 || d[0].NextAttemptAt == nil {
		t.Errorf("when it goes on: %+v", d)
	}
	patch(map[string]any{"paused": true})
	if off := patch(map[string]any{"is_active": false}); off.PausedAt != nil || waiting() != 0 {
		t.Errorf("switched off: %+v, %d wait", off, waiting())
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"paused": true}).wantProblem(t, http.StatusConflict, "webhook_endpoint_disabled")
	if both := patch(map[string]any{"is_active": true, "paused": true}); !both.IsActive || both.PausedAt == nil {
		t.Errorf("switched on and paused: %+v", both)
	}
	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false, "paused": true}).wantProblem(t, http.StatusConflict, "webhook_endpoint_disabled")
}

func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/webhooks/" + b.newHook(t, "*").ID.String()
	for _, c := range []struct {
		name string
		path string
		body string
		want []string
	}{
		{"nothing", "", `{}`, []string{"#/url required", "#/events required"}},
		{"null", "", `{"url": null, "events": null}`, []string{"#/url required", "#/events required"}},
		{"unknown events", "", `{"url": "` + hookURL + `", "events": ["trader.left", "trader", "**", "*"]}`, []string{"#/events/0 unknown_event", "#/events/1 unknown_event", "#/events/2 unknown_event"}},
		{"twice", "", `{"url": "` + hookURL + `", "events": ["*", "*"]}`, []string{"#/events/1 invalid_format"}},
		{"none", "", `{"url": "` + hookURL + `", "events": []}`, []string{"#/events too_few_items"}},
		{"http", "", `{"url": "http://hooks.example.com", "events": ["*"]}`, []string{"#/url url_not_https"}},
		{"inside", "", `{"url": "https://10.0.0.1/", "events": ["*"]}`, []string{"#/url url_not_public"}},
		{"metadata", "", `{"url": "https://169.254.169.254/latest", "events": ["*"]}`, []string{"#/url url_not_public"}},
		{"localhost is this machine's", "", `{"url": "https://[::1]/", "events": ["*"]}`, []string{"#/url url_not_public"}},
		{"user", "", `{"url": "https://me:pw@hooks.example.com/", "events": ["*"]}`, []string{"#/url invalid_url"}},
		{"fragment", "", `{"url": "https://hooks.example.com/#x", "events": ["*"]}`, []string{"#/url invalid_url"}},
		{"too long", "", `{"url": "https://hooks.example.com/` + strings.Repeat("x", 2048) + `", "events": ["*"]}`, []string{"#/url too_long"}},
		{"a kind that does not exist", "", `{"kind": "pager", "url": "` + hookURL + `", "events": ["*"]}`, []string{"#/kind invalid_format"}},
		{"another kind", path, `{"kind": "slack"}`, []string{"#/kind unknown_field"}},
		{"headers without values", "", `{"url": "` + hookURL + `", "events": ["*"], "headers": [{"name": "X-A"}, {"value": "b"}, "X-C"]}`, []string{"#/headers/0/value required", "#/headers/1/name required", "#/headers/2 wrong_type"}},
		{"headers that are none", path, `{"headers": [{"name": "X A", "value": "b"}, {"name": "X-B:", "value": "b\r\nX-C: d"}, {"name": "", "value": ""}, {"name": "X-D", "value": "ü"}, {"name": "X-E", "value": " e"}]}`, []string{
			"#/headers/0/name invalid_format", "#/headers/1/name invalid_format", "#/headers/1/value invalid_format", "#/headers/2/name invalid_format", "#/headers/2/value invalid_format", "#/headers/3/value invalid_format", "#/headers/4/value invalid_format",
		}},
		{"headers of assay", path, `{"headers": [{"name": "Webhook-Signature", "value": "v1,x"}, {"name": "content-type", "value": "text/plain"}, {"name": "HOST", "value": "a"}, {"name": "Transfer-Encoding", "value": "chunked"}, {"name": "Connection", "value": "close"}]}`, []string{
			"#/headers/0/name invalid_format", "#/headers/1/name invalid_format", "#/headers/2/name invalid_format", "#/headers/3/name invalid_format", "#/headers/4/name invalid_format",
		}},
		{"a header twice", path, `{"headers": [{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "2"}]}`, []string{"#/headers invalid_format"}},
		{"too many headers", path, `{"headers": [` + strings.TrimSuffix(strings.Repeat(`{"name": "X", "value": "1"},`, 11), ",") + `]}`, []string{"#/headers too_long"}},
		{"a header that is too long", path, `{"headers": [{"name": "X", "value": "` + strings.Repeat("x", 501) + `"}]}`, []string{"#/headers/0/value too_long"}},
		{"filters that are none", "", `{"url": "` + hookURL + `", "events": ["*"], "filters": [{"member": "data.status"}, {"values": ["a"]}, {"member": "data.status", "values": []}, 7]}`, []string{
			"#/filters/0/values required", "#/filters/1/member required", "#/filters/2/values too_few_items", "#/filters/3 wrong_type",
		}},
		{"members that no event has", "", `{"url": "` + hookURL + `", "events": ["*"], "filters": [{"member": "severity", "values": ["high"]}, {"member": "data.severity", "values": ["high"]}, {"member": "data.runs", "values": ["x"]}, {"member": "data.started_at", "values": ["x"]}]}`, []string{
			"#/filters/0/member invalid_format", "#/filters/1/member invalid_format", "#/filters/2/member invalid_format", "#/filters/3/member invalid_format",
		}},
		{"a member of other events", "", `{"url": "` + hookURL + `", "events": ["payout.*"], "filters": [{"member": "data.health_status", "values": ["blocked"]}]}`, []string{"#/filters/0/member invalid_format"}},
		{"values that no event has", path, `{"filters": [{"member": "data.health_status", "values": ["blocked", "broken"]}, {"member": "data.integration_id", "values": ["x", "01980000-0000-7000-8000-00000000000A"]}, {"member": "data.partial", "values": ["yes"]}, {"member": "data.count", "values": ["1", "1.5"]}]}`, []string{
			"#/filters/0/values/1 invalid_format", "#/filters/1/values/0 invalid_format", "#/filters/1/values/1 invalid_format", "#/filters/2/values/0 invalid_format", "#/filters/3/values/1 invalid_format",
		}},
		{"a member twice", path, `{"filters": [{"member": "data.status", "values": ["a"]}, {"member": "data.status", "values": ["b"]}]}`, []string{"#/filters/1/member invalid_format"}},
		{"a value twice", path, `{"filters": [{"member": "data.status", "values": ["a", "a"]}]}`, []string{"#/filters/0/values/1 invalid_format"}},
		{"too many filters", path, `{"filters": [` + strings.TrimSuffix(strings.Repeat(`{"member": "data.status", "values": ["x"]},`, 11), ",") + `]}`, []string{"#/filters too_long"}},
		{"no filters", path, `{"filters": null}`, []string{"#/filters wrong_type"}},
		{"no headers", path, `{"headers": null}`, []string{"#/headers wrong_type"}},
		{"unknown member", "", `{"url": "` + hookURL + `", "events": ["*"], "secret": "whsec_x"}`, []string{"#/secret unknown_field"}},
		{"patched to null", path, `{"url": null, "events": null, "is_active": null, "paused": null}`, []string{"#/url wrong_type", "#/events wrong_type", "#/is_active wrong_type", "#/paused wrong_type"}},
		{"grace", path + "/rotate-secret", `{"grace_period_seconds": 604801}`, []string{"#/grace_period_seconds out_of_range"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			method, at := "POST", c.path
			switch c.path {
			case "":
				at = "/v1/webhooks"
			case path:
				method = "PATCH"
			}
			p := b.send(t, method, at, b.key, c.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(c.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWebhookFilters sets filters, sends only what passes them, and refuses a change after which
// nothing could pass.
func TestWebhookFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.send(t, "POST", "/v1/webhooks", b.key, `{"url": "`+hookURL+`", "events": ["trader.*"], "filters": [{"member": "data.status", "values": ["restricted", "archived"]}]}`).want(t, http.StatusCreated)
	if want := `"filters":[{"member":"data.status","values":["restricted","archived"]}]`; !strings.Contains(r.body, want) {
		t.Errorf("created %s", r.body)
	}
	made := decodeInto[hook](t, r)
	path := "/v1/webhooks/" + made.ID.String()
	trader := decodeInto[struct{ ID string }](t, b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Zoe Miller"}).want(t, http.StatusCreated)).ID
	for _, status := range []string{"under_review", "restricted", "active", "archived"} {
		b.send(t, "PATCH", "/v1/traders/"+trader, b.key, map[string]any{"status": status}).want(t, http.StatusOK)
	}
	for _, d := range b.listDeliveries(t, made.ID, "") {
		if d.Event.Type != "trader.updated" || d.Event.Sequence > 2 {
			t.Errorf("delivery %+v", d)
		}
	}
	if n := len(b.listDeliveries(t, made.ID, "")); n != 2 {
		t.Errorf("%d deliveries", n)
	}

	p := b.send(t, "PATCH", path, b.key, map[string]any{"events": []string{"integration.*"}}).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := cmp.Diff([]string{"#/events invalid_format"}, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	p = b.send(t, "PATCH", path, b.key, `{"filters": [{"member": "data.health_status", "values": ["blocked"]}]}`).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := cmp.Diff([]string{"#/filters/0/member invalid_format"}, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	b.send(t, "PATCH", path, b.key, `{"events": ["integration.*"], "filters": [{"member": "data.health_status", "values": ["blocked"]}]}`).want(t, http.StatusOK)
	if none := b.send(t, "PATCH", path, b.key, `{"filters": []}`).want(t, http.StatusOK); !strings.Contains(none.body, `"filters":[]`) {
		t.Errorf("removed: %s", none.body)
	}
}

// TestWebhookHeaders sets headers, whose values are never shown, and makes endpoints of each kind.
func TestWebhookHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.send(t, "POST", "/v1/webhooks", b.key, `{"kind": "slack", "url": "`+hookURL+`", "events": ["*"], "headers": [{"name": "authorization", "value": "Bearer t0p"}, {"name": "X-Tenant", "value": "t0p"}]}`).want(t, http.StatusCreated)
	path := "/v1/webhooks/" + decodeInto[hook](t, r).ID.String()
	if !strings.Contains(r.body, `"kind":"slack"`) || !strings.Contains(r.body, `"headers":[{"name":"authorization"},{"name":"X-Tenant"}]`) {
		t.Errorf("created as %s", r.body)
	}
	patched := b.send(t, "PATCH", path, b.key, `{"headers": [{"name": "X-Other", "value": "t0p"}]}`).want(t, http.StatusOK)
	if !strings.Contains(patched.body, `"headers":[{"name":"X-Other"}]`) {
		t.Errorf("patched to %s", patched.body)
	}
	kept := b.send(t, "PATCH", path, b.key, `{"events": ["trader.*"]}`).want(t, http.StatusOK)
	none := b.send(t, "PATCH", path, b.key, `{"headers": []}`).want(t, http.StatusOK)
	if !strings.Contains(kept.body, "X-Other") || !strings.Contains(none.body, `"headers":[]`) {
		t.Errorf("kept in %s, removed in %s", kept.body, none.body)
	}
	for _, shown := range []reply{r, patched, kept, none, b.send(t, "GET", "/v1/webhooks", b.key, nil), b.send(t, "GET", "/v1/audit", b.key, nil)} {
		if shown.status >= http.StatusBadRequest || strings.Contains(shown.body, "t0p") {
			t.Errorf("a value is shown: %d %s", shown.status, shown.body)
		}
	}
}

func TestWebhookLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var last hook
	for range 20 {
		last = b.newHook(t, "*")
	}
	body := map[string]any{"url": hookURL, "events": []string{"*"}}
	b.send(t, "POST", "/v1/webhooks", b.key, body).wantProblem(t, http.StatusConflict, "endpoint_limit_reached")
	b.send(t, "POST", "/v1/webhooks", b.other, body).want(t, http.StatusCreated)
	b.send(t, "DELETE", "/v1/webhooks/"+last.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "POST", "/v1/webhooks", b.key, body).want(t, http.StatusCreated)
}

func TestEventCatalog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := decodeInto[struct {
		Data []struct{ Kind, Group, Description string }
	}](t, b.send(t, "GET", "/v1/webhooks/events", b.key, nil).want(t, http.StatusOK))
	var want []string
	for _, d := range event.All() {
		want = append(want, fmt.Sprint(d.Kind, " ", d.Kind.Group()))
	}
	var kinds []string
	for _, k := range got.Data {
		kinds = append(kinds, k.Kind+" "+k.Group)
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestWebhookSecretIsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newHook(t, "*")
	for path, body := range map[string]any{
		"/v1/webhooks": map[string]any{"url": hookURL, "events": []string{"*"}},
		"/v1/webhooks/" + made.ID.String() + "/rotate-secret": map[string]any{"grace_period_seconds": 60},
	} {
		first := b.sendKeyed(t, path, "once", body)
		second := b.sendKeyed(t, path, "once", body)
		one, two := decodeInto[hook](t, first), decodeInto[hook](t, second)
		if one.Secret == nil || !one.SecretAvailable || two.Secret != nil || two.SecretAvailable || one.ID != two.ID {
			t.Errorf("%s: %s, and then %s", path, first.body, second.body)
		}
		if strings.Contains(b.log.String(), *one.Secret) {
			t.Errorf("%s: the secret is in the log", path)
		}
	}
	rotated := decodeInto[hook](t, b.send(t, "POST", "/v1/webhooks/"+made.ID.String()+"/rotate-secret", b.key, nil).want(t, http.StatusOK))
	if rotated.Secret == nil || *rotated.Secret == *made.Secret {
		t.Error("the secret was not rotated")
	}
}

// sendKeyed sends a POST with an Idempotency-Key.
func (b *testAPI) sendKeyed(t *testing.T, path, key string, body any) reply {
	t.Helper()
	return b.attempt(t, b.post(t, path, key, body))
}

// work makes the due deliveries of the endpoint as a process would that got the
// status from the receiver.
func (b *testAPI) work(t *testing.T, endpoint uuid.UUID, status int) {
	t.Helper()
	run, err := webhooks.ClaimEndpoint(t.Context(), b.db, endpoint, time.Minute)
	check(t, err)
	due, err := webhooks.ReadDue(t.Context(), b.db, endpoint, 10)
	check(t, err)
	p := webhooks.Progress{Run: &run, Lease: time.Minute, Finish: true, Version: due.Version, Next: -time.Second}
	for _, d := range due.Due {
		o := webhooks.AttemptOutcome{
			Attempt: webhooks.Attempt{DeliveryID: d.ID, Number: d.Attempts + 1, Trigger: d.Trigger, StartedAt: time.Now(), LatencyMS: 12, HTTPStatus: &status},
			Status:  webhooks.DeliverySucceeded, Scheduled: 1,
		}
		if status >= 300 {
			code := "server_error"
			o.ErrorCode, o.Status = &code, webhooks.DeliveryFailed
			body := "out of order"
			o.ResponseBody = &body
		}
		p.Attempts = append(p.Attempts, o)
	}
	_, err = webhooks.RecordAttempts(t.Context(), b.db, p)
	check(t, err)
}

// delivery is a delivery as the API returns it.
type delivery struct {
	ID     uuid.UUID
	Status string
	Event  struct {
		ID, Type string
		Sequence int64
	}
	Attempts      []struct{ Number int }
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	Payload       *struct{ ID string }
}

func (b *testAPI) listDeliveries(t *testing.T, endpoint uuid.UUID, query string) []delivery {
	t.Helper()
	r := b.send(t, "GET", "/v1/webhooks/"+endpoint.String()+"/deliveries"+query, b.key, nil).want(t, http.StatusOK)
	return decodeInto[struct{ Data []delivery }](t, r).Data
}

func TestWebhookDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newHook(t, "trader.*")
	for range 3 {
		b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Zoe Miller"}).want(t, http.StatusCreated)
	}
	b.work(t, made.ID, http.StatusNoContent)
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Ann Miller"}).want(t, http.StatusCreated)
	b.work(t, made.ID, http.StatusBadGateway)
	path := "/v1/webhooks/" + made.ID.String()
	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false}).want(t, http.StatusOK)
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Bea Miller"}).want(t, http.StatusCreated)
	b.golden(t, "deliveries", maskEvents(b.send(t, "GET", path+"/deliveries?limit=2", b.key, nil).want(t, http.StatusOK)))

	now := time.Now().UTC()
	for _, c := range []struct {
		query string
		want  string // statuses and sequences
	}{
		{"", "skipped 5, failed 4, succeeded 3, succeeded 2, succeeded 1"},
		{"?status=succeeded&limit=2", "succeeded 3, succeeded 2"},
		{"?status=succeeded&limit=2&page=2", "succeeded 1"},
		{"?status=failed", "failed 4"},
		{"?status=skipped", "skipped 5"},
		{"?status=pending", ""},
		{"?status=delivering", ""},
		{"?event=trader.updated", ""},
		{"?event=trader.created&status=failed", "failed 4"},
		{"?since=" + now.Add(time.Hour).Format(time.RFC3339), ""},
		{"?until=" + now.Add(-time.Hour).Format(time.RFC3339), ""},
		{"?since=" + now.Add(-time.Hour).Format(time.RFC3339) + "&until=" + now.Add(time.Hour).Format(time.RFC3339) + "&limit=1", "skipped 5"},
	} {
		var got []string
		for _, d := range b.listDeliveries(t, made.ID, c.query) {
			got = append(got, fmt.Sprintf("%s %d", d.Status, d.Event.Sequence))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
	p := b.send(t, "GET", path+"/deliveries?status=lost&event=x&since=now", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := cmp.Diff([]string{"status invalid_format", "event invalid_format", "since invalid_format"}, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// maskEvents replaces what differs from run to run.
func maskEvents(r reply) reply {
	for _, part := range strings.Split(r.body, `"evt_`)[1:] {
		r.body = strings.ReplaceAll(r.body, part[:32], "0")
	}
	return r
}

func TestRetryDelivery(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.newHook(t, "trader.*")
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Zoe Miller"}).want(t, http.StatusCreated)
	before := b.listDeliveries(t, made.ID, "")[0]
	path, retry := "/v1/webhooks/"+made.ID.String(), "/v1/webhooks/deliveries/"+before.ID.String()+"/retry"
	b.send(t, "POST", retry, b.key, nil).wantProblem(t, http.StatusConflict, "delivery_in_progress")
	b.work(t, made.ID, http.StatusBadGateway)

	r := b.send(t, "POST", retry, b.key, nil).want(t, http.StatusAccepted)
	queued := decodeInto[delivery](t, r)
	if queued.Status != "pending" || queued.Event != before.Event || len(queued.Attempts) != 1 {
		t.Errorf("queued %s", r.body)
	}
	b.golden(t, "delivery_retried", maskEvents(r))
	b.work(t, made.ID, http.StatusOK)
	if after := b.listDeliveries(t, made.ID, "")[0]; after.Status != "succeeded" || len(after.Attempts) != 2 || after.Event != before.Event {
		t.Errorf("after the retry: %+v", after)
	}

	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false}).want(t, http.StatusOK)
	b.send(t, "POST", retry, b.key, nil).wantProblem(t, http.StatusConflict, "webhook_endpoint_disabled")
	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": true}).want(t, http.StatusOK)
	_, err := storetest.Conn(t, b.databaseURL).Exec(t.Context(), `UPDATE webhook_events SET data = NULL`)
	check(t, err)
	b.send(t, "POST", retry, b.key, nil).wantProblem(t, http.StatusGone, "payload_expired")
	if d := b.listDeliveries(t, made.ID, "")[0]; d.Payload != nil || d.Status != "succeeded" {
		t.Errorf("expired: %+v", d)
	}
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "POST", retry, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestWebhookHealth counts an attempt that failed and one that succeeded in hours, most of which
// have none.
func TestWebhookHealth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newHook(t, "trader.*")
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Zoe Miller"}).want(t, http.StatusCreated)
	b.work(t, made.ID, http.StatusBadGateway)
	b.send(t, "POST", "/v1/webhooks/deliveries/"+b.listDeliveries(t, made.ID, "")[0].ID.String()+"/retry", b.key, nil).want(t, http.StatusAccepted)
	b.work(t, made.ID, http.StatusOK)
	type hour struct {
		StartsAt          time.Time `json:"starts_at"`
		Delivered, Failed int
		P95LatencyMS      *int `json:"p95_latency_ms"`
	}
	path := "/v1/webhooks/" + made.ID.String() + "/health"
	got := decodeInto[struct{ Hours []hour }](t, b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK))
	var delivered, failed, timed int
	for i, h := range got.Hours {
		if delivered, failed = delivered+h.Delivered, failed+h.Failed; h.P95LatencyMS != nil {
			timed++
		}
		if i > 0 && h.StartsAt.Sub(got.Hours[i-1].StartsAt) != time.Hour {
			t.Errorf("%s is after %s", h.StartsAt, got.Hours[i-1].StartsAt)
		}
	}
	if len(got.Hours) != webhooks.ShownHours || delivered != 1 || failed != 1 || timed == 0 || timed > 2 {
		t.Errorf("%d hours with %d and %d attempts, %d of them with a latency", len(got.Hours), delivered, failed, timed)
	}
	b.send(t, "DELETE", "/v1/webhooks/"+made.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "GET", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestRetryDeliveries sends again what failed in a time, and everything from a number on.
func TestRetryDeliveries(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.newHook(t, "trader.*")
	path := "/v1/webhooks/" + made.ID.String()
	trader := func(name string) {
		t.Helper()
		b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": name}).want(t, http.StatusCreated)
	}
	again := func(body map[string]any) (queued int) {
		t.Helper()
		r := b.send(t, "POST", path+"/retry", b.key, body).want(t, http.StatusAccepted)
		told := decodeInto[struct {
			Queued       int    `json:"queued"`
			NextSequence *int64 `json:"next_sequence"`
		}](t, r)
		if told.NextSequence != nil {
			t.Errorf("there are more: %s", r.body)
		}
		return told.Queued
	}
	trader("Zoe Miller")
	b.work(t, made.ID, http.StatusOK)
	start := time.Now().UTC().Format(time.RFC3339Nano)
	trader("Ann Baker")
	b.exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL WHERE status = 'pending'`)

	if n := again(map[string]any{"since": start, "until": start}); n != 0 {
		t.Errorf("%d deliveries of no time", n)
	}
	if n := again(map[string]any{"since": start}); n != 1 {
		t.Errorf("%d of 1 failed deliveries", n)
	}
	b.work(t, made.ID, http.StatusOK)
	if d := b.listDeliveries(t, made.ID, "")[0]; d.Status != "succeeded" || len(d.Attempts) != 1 {
		t.Errorf("after the retry: %+v", d)
	}
	if n := again(map[string]any{"since": start}); n != 0 {
		t.Errorf("%d deliveries after all have succeeded", n)
	}
	if n := again(map[string]any{"from_sequence": 1, "delivered": true}); n != 2 {
		t.Errorf("%d of 2 deliveries", n)
	}
	if n := again(map[string]any{"from_sequence": 1, "delivered": true}); n != 0 {
		t.Errorf("%d deliveries that wait already", n)
	}

	b.send(t, "POST", path+"/retry", b.key, map[string]any{}).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	b.send(t, "POST", path+"/retry", b.key, map[string]any{"since": "yesterday", "from_sequence": 0}).want(t, http.StatusUnprocessableEntity)
	earlier := map[string]any{"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}
	b.send(t, "POST", path+"/retry", b.key, earlier).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	b.send(t, "GET", path+"/deliveries?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false}).want(t, http.StatusOK)
	b.send(t, "POST", path+"/retry", b.key, map[string]any{"from_sequence": 1}).wantProblem(t, http.StatusConflict, "webhook_endpoint_disabled")
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "POST", path+"/retry", b.key, map[string]any{"from_sequence": 1}).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestPing checks that the test of an endpoint waits for the delivery for some time.
func TestPing(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	made := b.newHook(t, "trader.created")
	path := "/v1/webhooks/" + made.ID.String()
	b.send(t, "PATCH", path, b.key, map[string]any{"is_active": false}).want(t, http.StatusOK)
	if slow := decodeInto[delivery](t, b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusAccepted)); slow.Status != "pending" || slow.Event.Type != "ping" {
		t.Errorf("nobody sends it: %+v", slow)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	conn := storetest.Conn(t, b.databaseURL)
	go func() {
		defer close(done)
		for ctx.Err() == nil { // the process that sends it does so at some time within the wait
			_, _ = conn.Exec(ctx, `UPDATE webhook_deliveries SET status = 'succeeded', next_attempt_at = NULL WHERE status = 'pending'`)
			_, _ = conn.Exec(ctx, `SELECT pg_sleep(0.02)`)
		}
	}()
	fast := b.send(t, "POST", path+"/test", b.key, nil)
	stop()
	<-done
	fast.want(t, http.StatusOK)
	if d := decodeInto[delivery](t, fast); d.Status != "succeeded" || d.Event.Sequence != 2 {
		t.Errorf("sent: %+v", d)
	}
}
