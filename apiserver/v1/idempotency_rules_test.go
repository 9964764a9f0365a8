package v1_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// TestNewKeysAreToldOnce checks that the repetition names the created key without its secret.
func TestNewKeysAreToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type created struct {
		ID        uuid.UUID
		Secret    *string
		Available bool `json:"secret_available"`
	}
	a := b.post(t, "/v1/api-keys", "k-1", map[string]any{"name": "robot", "scopes": []string{"traders:read"}})
	first := decodeInto[created](t, b.attempt(t, a).wantNew(t, http.StatusCreated))
	if first.Secret == nil || !first.Available {
		t.Fatalf("first: %+v", first)
	}
	second := b.attempt(t, a).want(t, http.StatusCreated)
	if got := second.header.Get("Idempotent-Replayed"); got != "true" {
		t.Errorf("Idempotent-Replayed %q", got)
	}
	if got := decodeInto[created](t, second); got.ID != first.ID || got.Secret != nil || got.Available {
		t.Errorf("repetition: %s", second.body)
	}
	if n := b.readText(t, `SELECT count(*)::text FROM api_keys WHERE name = 'robot' AND organization_id = $1`, b.org.ID); n != "1" {
		t.Errorf("%s keys were made", n)
	}
}

// TestReplaysNeedTheirKey checks that a response is not repeated for a key that could no longer
// make the request.
func TestReplaysNeedTheirKey(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	for _, tt := range []struct {
		set    string
		status int
		code   string
	}{
		{`scopes = array_remove(scopes, 'integrations:manage')`, 403, "insufficient_scope"},
		{`expires_at = now()`, 401, "api_key_expired"},
		{`revoked_at = now()`, 401, "api_key_revoked"},
	} {
		before := b.readText(t, `SELECT array_to_string(scopes, ',') FROM api_keys ORDER BY created_at LIMIT 1`)
		b.attempt(t, a).wantReplay(t, first)
		b.exec(t, `UPDATE api_keys SET `+tt.set)
		b.attempt(t, a).wantNew(t, tt.status).wantProblem(t, tt.status, tt.code)
		b.exec(t, `UPDATE api_keys SET scopes = string_to_array($1, ','), expires_at = NULL, revoked_at = NULL`, before)
	}
}

// TestEveryPOSTCanBeRepeated checks all routes of the table.
func TestEveryPOSTCanBeRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	integration := storetest.Integration(t, b.db, b.org.ID, b.platformURL+"/third")
	storetest.Records(t, b.databaseURL, integration, record.Batch{Traders: []record.Trader{{ID: "T1"}}})
	traders := decodeInto[struct{ Data []struct{ ID uuid.UUID } }](t, b.send(t, "GET", "/v1/traders", b.key, nil).want(t, http.StatusOK))
	made := b.objects(t)
	ids := map[string]string{
		"/v1/integrations/": integration.ID.String(), "/v1/traders/": traders.Data[0].ID.String(),
		"/v1/interviews/": made["/v1/interviews/"],
		"/v1/users/":      b.newPerson(t, b.org.ID, access.RoleViewer).ID.String(),
		"/v1/webhooks/d":  made["/v1/webhooks/deliveries/"], "/v1/webhooks/{": made["/v1/webhooks/"],
	}
	pathOf := func(route route.Route) string {
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
		b.unlimit(t)
		if route.Method != http.MethodPost || route.IgnoresIdempotencyKey {
			b.ignoresIdempotencyKey(t, route)
			continue
		}
		tried++
		a, otherBody := b.post(t, pathOf(route), "k-1", `{"nonsense": true}`), `{"nonsense": false}`
		if route.Accepts == decode.MediaForm {
			a.header.Set("Content-Type", formMedia)
			a.body, otherBody = form(part{name: "nonsense", content: "true"}), form(part{name: "nonsense", content: "false"})
		}
		first := b.attempt(t, a).wantNew(t, http.StatusUnprocessableEntity)
		first.wantProblem(t, 422, "validation_failed")
		b.attempt(t, a).wantReplay(t, first)
		other := a
		other.body = otherBody
		b.attempt(t, other).wantProblem(t, 422, "idempotency_key_reused")
		other.header = http.Header{"Idempotency-Key": {""}}
		b.attempt(t, other).wantProblem(t, 400, "invalid_header")
	}
	if tried == 0 {
		t.Error("the table has no POST")
	}
}

// ignoresIdempotencyKey fails the test if the header makes a difference. The object does not
// exist, so that the test's objects stay unchanged.
func (b *testAPI) ignoresIdempotencyKey(t *testing.T, route route.Route) {
	t.Helper()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), route.Method, b.server.URL+pathTo(route, uuid.NewString()), http.NoBody)
		check(t, err)
		identify(req, b.key)
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
		r := b.attempt(t, a)
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
	// The scope is checked first.
	_, key := newOrganization(t, b.db, auth.TradersRead)
	a := b.post(t, "/v1/integrations", "", "{}")
	a.key = key
	b.attempt(t, a).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	// Then the object, and all faults of headers are reported at once.
	a = b.post(t, "/v1/integrations/"+uuid.NewString()+"/sync", "", "{}")
	b.attempt(t, a).wantProblem(t, http.StatusNotFound, "not_found")
	a = b.post(t, "/v1/integrations", "", "{}")
	a.header.Set("If-Match", "x")
	if r := b.attempt(t, a); strings.Count(r.body, `"header":`) != 2 {
		t.Errorf("two faulty headers: %s", r.body)
	}
	// Both forms of a key are the same key.
	a = b.post(t, "/v1/integrations", `"k \\ 1"`, b.newIntegration())
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	a.header.Set("Idempotency-Key", `k \ 1`)
	b.attempt(t, a).wantReplay(t, first)
	// The longest key is accepted.
	a = b.post(t, "/v1/integrations", "", b.secondIntegration())
	a.header.Set("Idempotency-Key", `"`+strings.Repeat(`\"`, 255)+`"`)
	b.attempt(t, a).wantNew(t, http.StatusCreated)
}

// TestAnswersThatCannotBeOpened checks that a response that cannot be decrypted is an error, and
// that the request is not carried out again.
func TestAnswersThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	b := setupAlone(t) // another keyring concerns all organizations
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	text, err := seal.NewKeyring()
	check(t, err)
	keyring, err := seal.ParseKeyring([]byte(text))
	check(t, err)
	b.db.SetKeyring(keyring)
	b.attempt(t, a).wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
	b.db.SetKeyring(storetest.Keyring())
	b.attempt(t, a).wantReplay(t, first)
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
	go func() { answered <- b.attempt(t, a) }()
	<-reached
	b.attempt(t, a).wantNew(t, http.StatusConflict)
	release()
	(<-answered).wantNew(t, http.StatusOK)
	b.attempt(t, a).want(t, http.StatusOK)
	a.body = "{}"
	b.attempt(t, a).want(t, http.StatusUnprocessableEntity)
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
	const want = `# HELP assay_apiserver_idempotent_replays_total Requests that received the stored response to an earlier request with the same Idempotency-Key.
# TYPE assay_apiserver_idempotent_replays_total counter
assay_apiserver_idempotent_replays_total 1
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_apiserver_idempotent_replays_total"); err != nil {
		t.Error(err)
	}
}
