package v1_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// attempt is a POST with an Idempotency-Key.
type attempt struct {
	path   string
	key    string // API key
	header http.Header
	body   string
}

// post is an attempt by the organization's key; its body is JSON.
func (b *testAPI) post(t testing.TB, path, idempotencyKey string, body any) attempt {
	t.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		check(t, err)
		text = string(encoded)
	}
	return attempt{path, b.key, http.Header{"Idempotency-Key": {idempotencyKey}, "Content-Type": {"application/json"}}, text}
}

// try sends the attempt.
func (b *testAPI) try(t testing.TB, ctx context.Context, a attempt) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", b.server.URL+a.path, strings.NewReader(a.body))
	check(t, err)
	maps.Copy(req.Header, a.header)
	identify(req, a.key)
	res, err := b.server.Client().Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	r := reply{res.StatusCode, res.Header, string(text)}
	if err == nil {
		honor(t, req, a.body, r)
	}
	return r, err
}

// attempt sends an attempt that must be answered.
func (b *testAPI) attempt(t testing.TB, a attempt) reply {
	t.Helper()
	r, err := b.try(t, context.Background(), a)
	check(t, err)
	return r
}

// wantReplay fails the test unless the response repeats the first one, with its own request id.
func (r reply) wantReplay(t testing.TB, first reply) {
	t.Helper()
	if got := r.header.Get("Idempotent-Replayed"); got != "true" {
		t.Errorf("Idempotent-Replayed %q in the answer %d %s", got, r.status, r.body)
	}
	if r.header.Get("X-Request-Id") == first.header.Get("X-Request-Id") {
		t.Error("the replay has the request id of the first answer")
	}
	of := func(r reply) map[string]any {
		same := map[string]any{"status": r.status, "body": r.body}
		for name, values := range r.header {
			if !slices.Contains([]string{"Date", "Ratelimit", "X-Request-Id", "Idempotent-Replayed"}, name) {
				same[name] = values
			}
		}
		return same
	}
	if diff := cmp.Diff(of(first), of(r)); diff != "" {
		t.Errorf("replay (-first +replay):\n%s", diff)
	}
}

// wantNew fails the test unless the response was created for the request.
func (r reply) wantNew(t testing.TB, status int) reply {
	t.Helper()
	if got, marked := r.header["Idempotent-Replayed"]; marked {
		t.Errorf("Idempotent-Replayed %q in the answer %s", got, r.body)
	}
	return r.want(t, status)
}

func (b *testAPI) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	_, err := b.db.Pool.Exec(context.Background(), statement, args...)
	check(t, err)
}

// readText reads the single text that the query selects.
func (b *testAPI) readText(t testing.TB, query string, args ...any) (text string) {
	t.Helper()
	check(t, b.db.Pool.QueryRow(context.Background(), query, args...).Scan(&text))
	return text
}

func (b *testAPI) integrations(t testing.TB) int {
	t.Helper()
	list, err := integrations.List(context.Background(), b.db, b.org.ID)
	check(t, err)
	return len(list)
}

// idle delays the next cycle of an organization's integrations until an hour from now.
const idle = `UPDATE sync_state SET claimable_at = now() + interval '1 hour', slot_at = now() + interval '1 hour', wait_reason = NULL, manual = false
WHERE integration_id IN (SELECT id FROM integrations WHERE organization_id = $1)`

func TestAnswersThatAreKept(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/integrations/" + b.create(t).String()
	b.exec(t, idle, b.org.ID)
	for _, tt := range []struct {
		name, path string
		body       any
		status     int
		calls      bool // makes requests to the platform
	}{
		{"a creation", "/v1/integrations", b.secondIntegration(), 201, true},
		{"a change", path + "/sync", "", 200, false},
		{"a check whose outcome is noted", path + "/test", "{}", 200, true},
		{"what changes nothing", "/v1/integrations/test", b.newIntegration(), 200, true},
		{"a fault of the body", "/v1/integrations", map[string]any{"kind": "custom_api", "base_url": "http://x"}, 422, false},
		{"a body where none belongs", path + "/sync", `{"x": 1}`, 422, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := b.post(t, tt.path, "kept-"+tt.name, tt.body)
			first := b.attempt(t, a).wantNew(t, tt.status)
			made, asked := b.integrations(t), b.platform.requests()
			for range 3 {
				b.attempt(t, a).wantReplay(t, first)
			}
			if n := b.integrations(t); n != made {
				t.Errorf("%d integrations, want %d", n, made)
			}
			if n := b.platform.requests(); n != asked {
				t.Errorf("the replays called the platform %d times", n-asked)
			}
			// With another Idempotency-Key, the request is carried out again.
			a.header.Set("Idempotency-Key", "new-"+tt.name)
			again := tt.status
			if again == http.StatusCreated {
				again = http.StatusConflict // the platform is already connected
			}
			b.attempt(t, a).wantNew(t, again)
			if called := b.platform.requests() > asked; called != (tt.calls && again == tt.status) {
				t.Errorf("a new attempt called the platform: %v", called)
			}
		})
	}
}

// TestKeptAnswerStaysWhatItWas checks that the stored response is repeated although the same
// request would now be answered differently.
func TestKeptAnswerStaysWhatItWas(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	path := "/v1/integrations/" + b.create(t).String()
	b.exec(t, idle, b.org.ID)
	a := b.post(t, path+"/sync", "k-1", "")
	first := b.attempt(t, a).wantNew(t, http.StatusOK)
	if first.body != `{"queued":true,"reason":null}` {
		t.Fatalf("answered %s", first.body)
	}
	if r := b.send(t, "POST", path+"/sync", b.key, nil); r.body != `{"queued":false,"reason":"already_queued"}` {
		t.Fatalf("without the Idempotency-Key: %s", r.body)
	}
	b.attempt(t, a).wantReplay(t, first)
	b.send(t, "PATCH", path, b.key, `{"is_active": false}`).want(t, http.StatusOK)
	b.attempt(t, a).wantReplay(t, first)
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.attempt(t, a).wantReplay(t, first)
}

// TestAnswersThatAreNotKept checks that the same request is served again, and succeeds once the
// obstacle is removed, or that another one is accepted.
func TestAnswersThatAreNotKept(t *testing.T) {
	t.Parallel()
	same := func(*attempt) {}
	for _, tt := range []struct {
		name   string
		before func(*testing.T, *testAPI)
		path   string // %s: the integration's id
		change func(*attempt)
		status int
		after  func(*testing.T, *testAPI)
		better func(*attempt)
	}{
		{
			"no such object", nil, "/v1/integrations/%s/sync", func(a *attempt) { a.path = "/v1/integrations/" + uuid.Nil.String() + "/sync" }, 404,
			func(t *testing.T, b *testAPI) {
				b.exec(t, `ALTER TABLE sync_state DROP CONSTRAINT sync_state_integration_id_fkey`)
				b.exec(t, `UPDATE integrations SET id = '00000000-0000-0000-0000-000000000000'`)
				b.exec(t, `UPDATE sync_state SET integration_id = '00000000-0000-0000-0000-000000000000'`)
			}, same,
		},
		{
			"the database fails",
			func(t *testing.T, b *testAPI) {
				b.exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''made by the test''; END'`)
				b.exec(t, `CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON sync_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
			},
			"/v1/integrations/%s/sync", same, 500,
			func(t *testing.T, b *testAPI) { b.exec(t, `DROP TRIGGER fail ON sync_state`) }, same,
		},
		{"no JSON", nil, "/v1/integrations/%s/sync", func(a *attempt) { a.body = "{" }, 400, nil, func(a *attempt) { a.body = "{}" }},
		{
			"another media type", nil, "/v1/integrations/%s/sync", func(a *attempt) { a.header.Set("Content-Type", "text/plain") }, 415, nil,
			func(a *attempt) { a.header.Set("Content-Type", "application/json") },
		},
		{
			"too large", nil, "/v1/integrations/%s/sync", func(a *attempt) { a.body = strings.Repeat(" ", 1<<20+1) }, 413, nil,
			func(a *attempt) { a.body = "{}" },
		},
		{
			"no scope", func(t *testing.T, b *testAPI) {
				b.exec(t, `UPDATE api_keys SET scopes = array_remove(scopes, 'integrations:manage')`)
			},
			"/v1/integrations/%s/sync", same, 403,
			func(t *testing.T, b *testAPI) {
				b.exec(t, `UPDATE api_keys SET scopes = scopes || '{integrations:manage}'`)
			}, same,
		},
		{
			"expired", func(t *testing.T, b *testAPI) { b.exec(t, `UPDATE api_keys SET expires_at = now()`) },
			"/v1/integrations/%s/sync", same, 401,
			func(t *testing.T, b *testAPI) { b.exec(t, `UPDATE api_keys SET expires_at = NULL`) }, same,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupAlone(t)
			id := b.create(t)
			b.exec(t, idle, b.org.ID)
			a := b.post(t, fmt.Sprintf(tt.path, id), "k-1", "{}")
			tt.change(&a)
			if tt.before != nil {
				tt.before(t, b)
			}
			for range 2 {
				b.attempt(t, a).wantNew(t, tt.status)
			}
			if left := b.readText(t, `SELECT count(*)::text FROM idempotency_keys`); left != "0" {
				t.Errorf("%s attempts are left", left)
			}
			if tt.after != nil {
				tt.after(t, b)
			}
			tt.better(&a)
			if r := b.attempt(t, a).wantNew(t, http.StatusOK); r.body != `{"queued":true,"reason":null}` {
				t.Errorf("answered %s: something was done before", r.body)
			}
		})
	}
}

func TestAnotherPayload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	for name, change := range map[string]func(*attempt){
		"another value":           func(a *attempt) { a.body = strings.Replace(a.body, "custom_api", "partner_platform", 1) },
		"the same in other words": func(a *attempt) { a.body += " " },
		"no body":                 func(a *attempt) { a.body = "" },
	} {
		other := a
		change(&other)
		if p := decodeInto[problemBody](t, b.attempt(t, other).wantNew(t, http.StatusUnprocessableEntity)); p.Code != "idempotency_key_reused" {
			t.Errorf("%s: %s", name, p.Code)
		}
	}
	b.attempt(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestAttemptsAreApart checks that the same Idempotency-Key is independent on another route, for
// another object, and with another API key.
func TestAttemptsAreApart(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	first := b.create(t)
	second := decodeInto[struct{ ID uuid.UUID }](t, b.send(t, "POST", "/v1/integrations", b.key, b.secondIntegration()).want(t, http.StatusCreated)).ID
	b.exec(t, idle, b.org.ID)
	sync := func(id uuid.UUID) attempt { return b.post(t, "/v1/integrations/"+id.String()+"/sync", "k-1", "") }
	b.attempt(t, sync(first)).wantNew(t, http.StatusOK)
	if r := b.attempt(t, sync(second)).wantNew(t, http.StatusOK); r.body != `{"queued":true,"reason":null}` {
		t.Errorf("another object: %s", r.body)
	}
	b.attempt(t, b.post(t, "/v1/integrations/"+first.String()+"/test", "k-1", "")).wantNew(t, http.StatusOK)
	_, theirs := newOrganization(t, b.db, auth.Scopes()...)
	b.exec(t, `UPDATE api_keys SET organization_id = $1 WHERE prefix = $2`, b.org.ID, theirs[:15])
	a := sync(first)
	a.key = theirs
	if r := b.attempt(t, a).wantNew(t, http.StatusOK); r.body != `{"queued":false,"reason":"already_queued"}` {
		t.Errorf("another API key of the organization: %s", r.body)
	}
	a.key = b.other
	b.attempt(t, a).wantNew(t, http.StatusNotFound)
	// One object has one attempt, whatever the notation of its id.
	a = sync(first)
	a.path = "/v1/integrations/" + strings.ToUpper(first.String()) + "/sync"
	if r := b.attempt(t, a); r.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("an id in capitals: %d %s", r.status, r.body)
	}
}

// TestAnswersAreForgotten checks that responses are forgotten after a day.
func TestAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	a := b.post(t, "/v1/traders", "k-1", map[string]any{"full_name": "Ada King"})
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	b.exec(t, `UPDATE idempotency_keys SET created_at = now() - interval '23 hours 59 minutes'`)
	b.attempt(t, a).wantReplay(t, first)
	b.exec(t, `UPDATE idempotency_keys SET created_at = now() - interval '24 hours'`)
	second := b.attempt(t, a).wantNew(t, http.StatusCreated)
	if second.body == first.body {
		t.Error("the old answer came")
	}
	b.attempt(t, a).wantReplay(t, second)
}
