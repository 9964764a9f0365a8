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
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// attempt is a POST with an Idempotency-Key.
type attempt struct {
	path   string
	key    string // API key
	header http.Header
	body   string
}

// post is an attempt by the bundle's key; its body is JSON.
func (b *bundle) post(t testing.TB, path, idempotencyKey string, body any) attempt {
	t.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		check(t, err)
		text = string(encoded)
	}
	return attempt{path, b.key, http.Header{"Idempotency-Key": {idempotencyKey}, "Content-Type": {"application/json"}}, text}
}

// try makes the attempt.
func (b *bundle) try(t testing.TB, ctx context.Context, a attempt) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", b.server.URL+a.path, strings.NewReader(a.body))
	check(t, err)
	maps.Copy(req.Header, a.header)
	req.Header.Set("Authorization", "Bearer "+a.key)
	res, err := b.server.Client().Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(text)}, err
}

// do makes an attempt that must be answered.
func (b *bundle) do(t testing.TB, a attempt) reply {
	t.Helper()
	r, err := b.try(t, context.Background(), a)
	check(t, err)
	return r
}

// wantReplay fails the test unless the answer is the first one's again, under a
// request id of its own.
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
			if !slices.Contains([]string{"Date", "X-Request-Id", "Idempotent-Replayed"}, name) {
				same[name] = values
			}
		}
		return same
	}
	if diff := cmp.Diff(of(first), of(r)); diff != "" {
		t.Errorf("replay (-first +replay):\n%s", diff)
	}
}

// wantNew fails the test unless the answer is one that was made for the request.
func (r reply) wantNew(t testing.TB, status int) reply {
	t.Helper()
	if got, marked := r.header["Idempotent-Replayed"]; marked {
		t.Errorf("Idempotent-Replayed %q in the answer %s", got, r.body)
	}
	return r.want(t, status)
}

func (b *bundle) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	_, err := storetest.Conn(t, b.databaseURL).Exec(context.Background(), statement, args...)
	check(t, err)
}

// text reads the one text that the query selects.
func (b *bundle) text(t testing.TB, query string) (text string) {
	t.Helper()
	check(t, storetest.Conn(t, b.databaseURL).QueryRow(context.Background(), query).Scan(&text))
	return text
}

func (b *bundle) integrations(t testing.TB) int {
	t.Helper()
	list, err := b.db.Integrations(context.Background(), b.org.ID)
	check(t, err)
	return len(list)
}

// idle makes the integrations wait for a cycle of an hour from now.
const idle = `UPDATE sync_state SET claimable_at = now() + interval '1 hour', slot_at = now() + interval '1 hour', wait_reason = NULL, manual = false`

func TestAnswersThatAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	b.exec(t, idle)
	for _, tt := range []struct {
		name, path string
		body       any
		status     int
		calls      bool // makes requests to the platform
	}{
		{"a creation", "/v1/integrations", b.newIntegration(), 201, true},
		{"a change", path + "/sync", "", 200, false},
		{"a check whose outcome is noted", path + "/test", "{}", 200, true},
		{"what changes nothing", "/v1/integrations/test", b.newIntegration(), 200, true},
		{"a fault of the body", "/v1/integrations", map[string]any{"kind": "custom_api", "base_url": "http://x"}, 422, false},
		{"a body where none belongs", path + "/sync", `{"x": 1}`, 422, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := b.post(t, tt.path, "kept-"+tt.name, tt.body)
			first := b.do(t, a).wantNew(t, tt.status)
			made, asked := b.integrations(t), b.platform.requests()
			for range 3 {
				b.do(t, a).wantReplay(t, first)
			}
			if n := b.integrations(t); n != made {
				t.Errorf("%d integrations, want %d", n, made)
			}
			if n := b.platform.requests(); n != asked {
				t.Errorf("the replays called the platform %d times", n-asked)
			}
			// With another Idempotency-Key it is done again.
			a.header.Set("Idempotency-Key", "new-"+tt.name)
			b.do(t, a).wantNew(t, tt.status)
			if called := b.platform.requests() > asked; called != tt.calls {
				t.Errorf("a new attempt called the platform: %v", called)
			}
		})
	}
}

// TestKeptAnswerStaysWhatItWas, although the same request would be answered
// differently by now.
func TestKeptAnswerStaysWhatItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/v1/integrations/" + b.create(t).String()
	b.exec(t, idle)
	a := b.post(t, path+"/sync", "k-1", "")
	first := b.do(t, a).wantNew(t, http.StatusOK)
	if first.body != `{"queued":true}` {
		t.Fatalf("answered %s", first.body)
	}
	if r := b.send(t, "POST", path+"/sync", b.key, nil); r.body != `{"queued":false}` {
		t.Fatalf("without the Idempotency-Key: %s", r.body)
	}
	b.do(t, a).wantReplay(t, first)
	b.send(t, "PATCH", path, b.key, `{"is_active": false}`).want(t, http.StatusOK)
	b.do(t, a).wantReplay(t, first)
	b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
	b.do(t, a).wantReplay(t, first)
}

// TestAnswersThatAreNotKept: the same request is served anew, and succeeds when
// what stood in its way is gone; or another one is sent instead.
func TestAnswersThatAreNotKept(t *testing.T) {
	t.Parallel()
	same := func(*attempt) {}
	for _, tt := range []struct {
		name   string
		before func(*testing.T, *bundle, uuid.UUID)
		path   string // %s: the integration's id
		change func(*attempt)
		status int
		after  func(*testing.T, *bundle, uuid.UUID)
		better func(*attempt)
	}{
		{
			"no such object", nil, "/v1/integrations/%s/sync", func(a *attempt) { a.path = "/v1/integrations/" + uuid.Nil.String() + "/sync" }, 404,
			func(t *testing.T, b *bundle, id uuid.UUID) {
				b.exec(t, `ALTER TABLE sync_state DROP CONSTRAINT sync_state_integration_id_fkey`)
				b.exec(t, `UPDATE integrations SET id = '00000000-0000-0000-0000-000000000000'`)
				b.exec(t, `UPDATE sync_state SET integration_id = '00000000-0000-0000-0000-000000000000'`)
			}, same,
		},
		{
			"not in this state",
			func(t *testing.T, b *bundle, _ uuid.UUID) { b.exec(t, `UPDATE integrations SET is_active = false`) },
			"/v1/integrations/%s/sync", same, 409,
			func(t *testing.T, b *bundle, _ uuid.UUID) { b.exec(t, `UPDATE integrations SET is_active = true`) }, same,
		},
		{
			"the database fails",
			func(t *testing.T, b *bundle, _ uuid.UUID) {
				b.exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''made by the test''; END'`)
				b.exec(t, `CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON sync_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
			},
			"/v1/integrations/%s/sync", same, 500,
			func(t *testing.T, b *bundle, _ uuid.UUID) { b.exec(t, `DROP TRIGGER fail ON sync_state`) }, same,
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
			"no scope", func(t *testing.T, b *bundle, _ uuid.UUID) {
				b.exec(t, `UPDATE api_keys SET scopes = array_remove(scopes, 'integrations:manage')`)
			},
			"/v1/integrations/%s/sync", same, 403,
			func(t *testing.T, b *bundle, _ uuid.UUID) {
				b.exec(t, `UPDATE api_keys SET scopes = scopes || '{integrations:manage}'`)
			}, same,
		},
		{
			"expired", func(t *testing.T, b *bundle, _ uuid.UUID) { b.exec(t, `UPDATE api_keys SET expires_at = now()`) },
			"/v1/integrations/%s/sync", same, 401,
			func(t *testing.T, b *bundle, _ uuid.UUID) { b.exec(t, `UPDATE api_keys SET expires_at = NULL`) }, same,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.create(t)
			b.exec(t, idle)
			a := b.post(t, fmt.Sprintf(tt.path, id), "k-1", "{}")
			tt.change(&a)
			if tt.before != nil {
				tt.before(t, b, id)
			}
			for range 2 {
				b.do(t, a).wantNew(t, tt.status)
			}
			if left := b.text(t, `SELECT count(*)::text FROM idempotency_keys`); left != "0" {
				t.Errorf("%s attempts are left", left)
			}
			if tt.after != nil {
				tt.after(t, b, id)
			}
			tt.better(&a)
			if r := b.do(t, a).wantNew(t, http.StatusOK); r.body != `{"queued":true}` {
				t.Errorf("answered %s: something was done before", r.body)
			}
		})
	}
}

func TestStoppingServerGivesAttemptsUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	defer release()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	answered := make(chan reply, 1)
	go func() { answered <- b.do(t, a) }()
	<-reached
	b.stop()
	(<-answered).wantNew(t, http.StatusServiceUnavailable)
	b.platform.setGate(nil)
	b.another(t)
	b.do(t, a).wantNew(t, http.StatusCreated)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

func TestAnotherPayload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	for name, change := range map[string]func(*attempt){
		"another value":           func(a *attempt) { a.body = strings.Replace(a.body, "custom_api", "partner_platform", 1) },
		"the same in other words": func(a *attempt) { a.body += " " },
		"no body":                 func(a *attempt) { a.body = "" },
		"another query":           func(a *attempt) { a.path += "?x=1" },
	} {
		other := a
		change(&other)
		if p := decodeInto[problemBody](t, b.do(t, other).wantNew(t, http.StatusUnprocessableEntity)); p.Code != "idempotency_key_reused" {
			t.Errorf("%s: %s", name, p.Code)
		}
	}
	b.do(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestAttemptsAreApart: the same Idempotency-Key means something else on
// another route, another object, and from another API key.
func TestAttemptsAreApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.create(t), b.create(t)
	b.exec(t, idle)
	sync := func(id uuid.UUID) attempt { return b.post(t, "/v1/integrations/"+id.String()+"/sync", "k-1", "") }
	b.do(t, sync(first)).wantNew(t, http.StatusOK)
	if r := b.do(t, sync(second)).wantNew(t, http.StatusOK); r.body != `{"queued":true}` {
		t.Errorf("another object: %s", r.body)
	}
	b.do(t, b.post(t, "/v1/integrations/"+first.String()+"/test", "k-1", "")).wantNew(t, http.StatusOK)
	_, theirs := newOrganization(t, b.db, "Gamma Capital", auth.Scopes()...)
	b.exec(t, `UPDATE api_keys SET organization_id = $1 WHERE organization_id = (SELECT id FROM organizations WHERE name = 'Gamma Capital')`, b.org.ID)
	a := sync(first)
	a.key = theirs
	if r := b.do(t, a).wantNew(t, http.StatusOK); r.body != `{"queued":false}` {
		t.Errorf("another API key of the organization: %s", r.body)
	}
	a.key = b.other
	b.do(t, a).wantNew(t, http.StatusNotFound)
	// One object has one attempt, however its id is spelled.
	a = sync(first)
	a.path = "/v1/integrations/" + strings.ToUpper(first.String()) + "/sync"
	if r := b.do(t, a); r.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("an id in capitals: %d %s", r.status, r.body)
	}
}

// TestConcurrentAttempts: of many equal requests one is served.
func TestConcurrentAttempts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		first   []reply
		replays []reply
	)
	for range 50 {
		wg.Go(func() {
			r := b.do(t, a)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case r.status == http.StatusConflict:
				r.wantProblem(t, 409, "idempotency_in_progress")
				if got := r.header.Get("Retry-After"); got != "1" {
					t.Errorf("Retry-After %q, want 1", got)
				}
			case r.header.Get("Idempotent-Replayed") != "":
				replays = append(replays, r)
			default:
				first = append(first, r)
			}
		})
	}
	wg.Wait()
	if len(first) != 1 {
		t.Fatalf("%d requests were served, want 1", len(first))
	}
	first[0].want(t, http.StatusCreated)
	for _, r := range append(replays, b.do(t, a)) {
		r.wantReplay(t, first[0])
	}
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestCreateThatOutlivesItsClient: the client goes away during the live check,
// asks again, and gets the answer that was made for its first request.
func TestCreateThatOutlivesItsClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	if _, err := b.try(t, ctx, a); err == nil {
		t.Fatal("an answer came to a cancelled request")
	}
	r := b.do(t, a)
	r.wantNew(t, http.StatusConflict).wantProblem(t, 409, "idempotency_in_progress")
	release()
	eventually(t, "the answer is kept", func() bool { r = b.do(t, a); return r.status != http.StatusConflict })
	if got := r.want(t, http.StatusCreated).header.Get("Idempotent-Replayed"); got != "true" {
		t.Errorf("Idempotent-Replayed %q", got)
	}
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestClientThatGoesGivesTheAttemptUp where nothing goes on without it.
func TestClientThatGoesGivesTheAttemptUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	defer release()
	a := b.post(t, "/v1/integrations/test", "k-1", b.newIntegration())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	if _, err := b.try(t, ctx, a); err == nil {
		t.Fatal("an answer came to a cancelled request")
	}
	b.platform.setGate(nil)
	var r reply
	eventually(t, "the attempt is given up", func() bool { r = b.do(t, a); return r.status != http.StatusConflict })
	r.wantNew(t, http.StatusOK)
}

// TestZombie: a process stands still in the middle of a creation until its
// claim has passed to another one, and wakes up.
func TestZombie(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	woken := make(chan reply, 1)
	go func() { woken <- b.do(t, a) }()
	<-reached
	b.platform.setGate(nil)
	b.exec(t, `UPDATE idempotency_keys SET locked_until = now() - interval '1 ms'`)
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	release()
	(<-woken).wantProblem(t, http.StatusConflict, "idempotency_in_progress")
	b.do(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestProcessDied leaves a claim behind, which holds until its lease has
// passed.
func TestProcessDied(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	go func() { _, _ = b.try(t, context.Background(), a) }()
	<-reached
	// What died has no hand in what comes after.
	b.exec(t, `UPDATE idempotency_keys SET token = gen_random_uuid()`)
	b.platform.setGate(nil)
	b.do(t, a).wantNew(t, http.StatusConflict)
	if lease := b.text(t, `SELECT (locked_until - created_at)::text FROM idempotency_keys`); lease != "00:02:15" {
		t.Errorf("the claim holds for %s, want the route's limit and a little", lease)
	}
	b.exec(t, `UPDATE idempotency_keys SET locked_until = now()`)
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	release()
	b.server.Close() // waits for the handler
	b.another(t)
	b.do(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestAnswersAreForgotten after a day.
func TestAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	b.exec(t, `UPDATE idempotency_keys SET created_at = now() - interval '23 hours 59 minutes'`)
	b.do(t, a).wantReplay(t, first)
	b.exec(t, `UPDATE idempotency_keys SET created_at = now() - interval '24 hours'`)
	second := b.do(t, a).wantNew(t, http.StatusCreated)
	if second.body == first.body {
		t.Error("the old answer came")
	}
	b.do(t, a).wantReplay(t, second)
}

// TestReplaysNeedTheirKey: an answer is told to nobody whose key could not make
// the request any more.
func TestReplaysNeedTheirKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	for _, tt := range []struct {
		set    string
		status int
		code   string
	}{
		{`scopes = array_remove(scopes, 'integrations:manage')`, 403, "insufficient_scope"},
		{`expires_at = now()`, 401, "api_key_expired"},
		{`revoked_at = now()`, 401, "api_key_revoked"},
	} {
		before := b.text(t, `SELECT array_to_string(scopes, ',') FROM api_keys ORDER BY created_at LIMIT 1`)
		b.do(t, a).wantReplay(t, first)
		b.exec(t, `UPDATE api_keys SET `+tt.set)
		b.do(t, a).wantNew(t, tt.status).wantProblem(t, tt.status, tt.code)
		b.exec(t, `UPDATE api_keys SET scopes = string_to_array($1, ','), expires_at = NULL, revoked_at = NULL`, before)
	}
}

// TestEveryPOSTCanBeRepeated goes through the table of routes.
func TestEveryPOSTCanBeRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	integration := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	storetest.Records(t, b.databaseURL, integration, record.Batch{Traders: []record.Trader{{ID: "T1"}}})
	traders := decodeInto[struct{ Data []struct{ ID uuid.UUID } }](t, b.send(t, "GET", "/v1/traders", b.key, nil).want(t, http.StatusOK))
	ids := map[string]string{"/v1/integrations/": integration.ID.String(), "/v1/traders/": traders.Data[0].ID.String()}
	pathOf := func(route v1.Route) string {
		for prefix, id := range ids {
			if strings.HasPrefix(route.Path, prefix) {
				return pathTo(route, id)
			}
		}
		if hasID(route) {
			t.Fatalf("%s: the test knows no such object", route.Path)
		}
		return route.Path
	}
	tried := 0
	for _, route := range b.api.Routes() {
		if route.Scope == "" {
			continue
		}
		if route.Method != http.MethodPost {
			b.ignoresIdempotencyKey(t, route)
			continue
		}
		tried++
		a := b.post(t, pathOf(route), "k-1", `{"nonsense": true}`)
		first := b.do(t, a).wantNew(t, http.StatusUnprocessableEntity)
		first.wantProblem(t, 422, "validation_failed")
		b.do(t, a).wantReplay(t, first)
		other := a
		other.body = `{"nonsense": false}`
		b.do(t, other).wantProblem(t, 422, "idempotency_key_reused")
		other.header = http.Header{"Idempotency-Key": {""}}
		b.do(t, other).wantProblem(t, 400, "invalid_header")
	}
	if tried == 0 {
		t.Error("the table has no POST")
	}
}

// ignoresIdempotencyKey fails the test when the header makes a difference. The
// object is missing, so that nothing happens to those of the test.
func (b *bundle) ignoresIdempotencyKey(t *testing.T, route v1.Route) {
	t.Helper()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), route.Method, b.server.URL+pathTo(route, uuid.NewString()), http.NoBody)
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+b.key)
		req.Header["Idempotency-Key"] = []string{"", "x"}
		res, err := b.server.Client().Do(req)
		check(t, err)
		_ = res.Body.Close()
		if res.StatusCode == http.StatusBadRequest || res.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s %s looks at the Idempotency-Key: %d", route.Method, route.Path, res.StatusCode)
		}
	}
}

func TestBadIdempotencyKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, tt := range map[string]struct {
		values []string
		code   string
	}{
		"empty":            {[]string{""}, "required"},
		"an empty string":  {[]string{`""`}, "required"},
		"several":          {[]string{"a", "a"}, "invalid_format"},
		"joined":           {[]string{`"a", "b"`}, "invalid_format"},
		"too long":         {[]string{strings.Repeat("k", 256)}, "too_long"},
		"beyond ASCII":     {[]string{"schlüssel"}, "invalid_format"},
		"a tab in between": {[]string{"a\tb"}, "invalid_format"},
		"not closed":       {[]string{`"a`}, "invalid_format"},
	} {
		a := b.post(t, "/v1/integrations", "", b.newIntegration())
		a.header["Idempotency-Key"] = tt.values
		r := b.do(t, a)
		r.wantProblem(t, http.StatusBadRequest, "invalid_header")
		p := decodeInto[struct {
			Errors []struct{ Header, Code string }
		}](t, r)
		if len(p.Errors) != 1 || p.Errors[0].Header != "Idempotency-Key" || p.Errors[0].Code != tt.code {
			t.Errorf("%s: errors %+v, want %s", name, p.Errors, tt.code)
		}
	}
	if n := b.integrations(t); n != 0 {
		t.Errorf("%d integrations were created", n)
	}
	// The scope comes first.
	_, key := newOrganization(t, b.db, "Gamma Capital", auth.TradersRead)
	a := b.post(t, "/v1/integrations", "", "{}")
	a.key = key
	b.do(t, a).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	// Both forms of a key are one key.
	a = b.post(t, "/v1/integrations", `"k \\ 1"`, b.newIntegration())
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	a.header.Set("Idempotency-Key", `k \ 1`)
	b.do(t, a).wantReplay(t, first)
	// The longest one passes.
	a.header.Set("Idempotency-Key", `"`+strings.Repeat(`\"`, 255)+`"`)
	b.do(t, a).wantNew(t, http.StatusCreated)
}

// TestAnswersThatCannotBeOpened are an error, and no reason to do it again.
func TestAnswersThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.do(t, a).wantNew(t, http.StatusCreated)
	text, err := seal.NewKeyring()
	check(t, err)
	keyring, err := seal.ParseKeyring([]byte(text))
	check(t, err)
	b.db.SetKeyring(keyring)
	b.do(t, a).wantProblem(t, http.StatusInternalServerError, "internal_error")
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
	b.db.SetKeyring(storetest.Keyring())
	b.do(t, a).wantReplay(t, first)
	b.server.Close()
	if log := b.log.String(); !strings.Contains(log, `open the kept answer: key is not in the keyring: \"test\"`) {
		t.Errorf("the log does not name the cause: %s", log)
	}
}

func TestIdempotencyIsLogged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations/test", "secret-of-the-client", b.newIntegration())
	answered := make(chan reply, 1)
	go func() { answered <- b.do(t, a) }()
	<-reached
	b.do(t, a).wantNew(t, http.StatusConflict)
	release()
	(<-answered).wantNew(t, http.StatusOK)
	b.do(t, a).want(t, http.StatusOK)
	a.body = "{}"
	b.do(t, a).want(t, http.StatusUnprocessableEntity)
	b.send(t, "POST", a.path, b.key, "{}").want(t, http.StatusUnprocessableEntity)
	b.server.Close()
	var got []string
	for line := range strings.Lines(b.log.String()) {
		var event struct {
			Status      int
			Idempotency string
		}
		check(t, json.Unmarshal([]byte(line), &event))
		got = append(got, fmt.Sprint(event.Status, " ", event.Idempotency))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"200 first", "200 replayed", "409 in_progress", "422 ", "422 reused"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if strings.Contains(b.log.String(), "secret-of-the-client") {
		t.Error("an Idempotency-Key was logged")
	}
	const want = `# HELP apiserver_idempotent_replays_total Requests that were told the kept answer to an earlier one with the same Idempotency-Key.
# TYPE apiserver_idempotent_replays_total counter
apiserver_idempotent_replays_total 1
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "apiserver_idempotent_replays_total"); err != nil {
		t.Error(err)
	}
}
