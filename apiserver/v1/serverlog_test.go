package v1_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// Everything that people enter in these tests contains this, in upper or lower case.
const entered = "qwolmark"

// loggingServer is the test's own Postgres server, which logs the text of each statement. Values
// that are not part of the text must not be logged, even if a statement fails or is canceled.
func loggingServer(t testing.TB) *storetest.Server {
	t.Helper()
	return storetest.NewServer(t, "", "log_statement=all", "log_parameter_max_length=0", "log_lock_waits=on", "deadlock_timeout=10ms", "fsync=off")
}

// serverLog is what the server has logged.
func serverLog(t *testing.T, s *storetest.Server) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Home, "log"))
	check(t, err)
	return string(text)
}

// tellsNothing fails the test for each line of the server's log that contains what was entered.
func tellsNothing(t *testing.T, s *storetest.Server) {
	t.Helper()
	told := 0
	for line := range strings.Lines(serverLog(t, s)) {
		if strings.Contains(strings.ToLower(line), entered) {
			if told++; told <= 20 {
				t.Errorf("the server's log holds %.600s", line)
			}
		}
	}
}

// bodies holds the bodies for routes that change something. The others need none.
func bodies(b *testAPI) map[string]string {
	return map[string]string{
		"POST /v1/integrations/test":                   `{"kind": "custom_api", "base_url": "` + b.platformURL + `/Qwolmark", "api_key": "key-qwolmark", "name": "Qwolmark"}`,
		"POST /v1/integrations":                        `{"kind": "custom_api", "base_url": "` + b.platformURL + `", "api_key": "` + storetest.PlatformKey + `", "name": "Qwolmark's"}`,
		"PATCH /v1/integrations/{id}":                  `{"name": "Qwolmark again"}`,
		"POST /v1/webhooks":                            `{"url": "https://hooks.example.com/qwolmark?x='", "events": ["*"], "filters": [{"member": "data.external_id", "values": ["it's qwolmark"]}], "headers": [{"name": "X-Qwolmark", "value": "it's qwolmark"}]}`,
		"PATCH /v1/webhooks/{id}":                      `{"paused": false, "url": "https://hooks.example.com/Qwolmark/2", "filters": [{"member": "data.external_id", "values": ["qwolmark"]}], "headers": [{"name": "X-Qwolmark", "value": "qwolmark"}]}`,
		"POST /v1/webhooks/{id}/retry":                 `{"from_sequence":1,"delivered":true}`,
		"POST /v1/api-keys":                            `{"name": "Qwolmark's key", "scopes": ["traders:read"]}`,
		"POST /v1/users":                               `{"email": "xaver@qwolmark.example", "name": "Xaver Qwolmark", "role": "viewer"}`,
		"PATCH /v1/users/{id}":                         `{"email": "yann@qwolmark.example", "name": "Yann Qwolmark"}`,
		"PATCH /v1/organization":                       `{"name": "Qwolmark Capital", "contact": "x@qwolmark.example", "lawful_basis": "As Qwolmark says."}`,
		"PUT /session/views":                           `{"views": [{"list": "traders", "name": "Of Qwolmark", "query": "search=qwolmark"}]}`,
		"PUT /v1/decision-reasons":                     `{"reasons": [{"text": "It was Qwolmark's."}]}`,
		"POST /session":                                `{"email": "xaver@qwolmark.example", "password": "pass-qwolmark-phrase", "organization": "Qwolmark"}`,
		"PUT /session/password":                        `{"current_password": "` + testPassword + `", "new_password": "qwolmark horse battery staple"}`,
		"POST /v1/interviews":                          `{"reference": "Qwolmark-1", "trader": {"full_name": "Zoe Qwolmark", "email": "zoe@qwolmark.example", "external_id": "Q-Qwolmark", "tags": ["qwolmark"]}, "questions": [{"prompt": "Who is Qwolmark?", "topic": "general"}], "metadata": {"qwolmark": "it's {qwolmark}"}}`,
		"POST /v1/interviews/{id}/decision":            `{"decision": "rejected", "reason": "It was Qwolmark."}`,
		"POST /v1/interviews/{id}/comments":            `{"body": "Was that Qwolmark?"}`,
		"PUT /v1/interviews/{id}/comments/{commentId}": `{"body": "That was Qwolmark."}`,
		"PUT /v1/interviews/{id}/segments/{segmentId}": `{"text": "I am Qwolmark."}`,
		"POST /v1/interviews/{id}/retake":              `{"questions": [{"prompt": "Again, Qwolmark?", "topic": "general"}]}`,
		"PUT /v1/interviews/{id}/legal-hold":           `{"reason": "Qwolmark goes to court."}`,
		"POST /v1/interviews/{id}/assign":              `{"user_id": null}`,
		"PATCH /v1/interviews/{id}/communication":      `{"done": true}`,
		"PUT /v1/analysis/ruleset":                     `{"name": "qwolmark", "description": "Of Qwolmark."}`,
		"PUT /v1/analysis/symbols":                     `{"mappings": [{"symbol": "Qwolmark.cash", "instrument": "QWOLMARK"}]}`,
		"PUT /v1/analysis/calendar":                    "time,currency,impact,name\n2026-01-09T13:30:00Z,USD,high,Qwolmark\n",
		"POST /v1/traders":                             `{"full_name": "Ada O'Qwolmark", "email": "ada@qwolmark.example", "external_id": "QWOLMARK-7", "country": "DE", "phone": "+49 30 1234567", "tags": ["qwolmark", "it's \"\\ qwolmark"]}`,
		"PATCH /v1/traders/{id}":                       `{"full_name": "Bea Qwolmark", "email": "bea@qwolmark.example", "external_id": "QWOLMARK-8", "tags": ["Qwolmark"]}`,
		"POST /v1/traders/{id}/notes":                  `{"body": "Qwolmark said: \u201cno\u201d; it's ?0 $1 {qwolmark}."}`,
	}
}

// searches are reads with a text parameter.
func searches() []string {
	return []string{
		"/v1/traders?search=qwolmark", "/v1/traders?search=ada%40qwolmark.example", "/v1/traders?tag=qwolmark", "/v1/traders?country=DE&search=O%27Qwolmark",
		"/v1/interviews?search=qwolmark", "/v1/interviews?reference=Qwolmark-1", "/v1/audit-log?search=qwolmark",
	}
}

// sendRoute calls a route with the text.
func (b *testAPI) sendRoute(t *testing.T, key, method, path, accepts, body string) reply {
	t.Helper()
	header := http.Header{}
	switch {
	case accepts == decode.MediaForm:
		header.Set("Content-Type", formMedia)
		body = form(part{"file", "qwolmark.csv", strings.ReplaceAll(statement(3), "EURUSD", "QWOLMARK")}, part{name: "account_login", content: "qwolmark"})
	case accepts != "":
		header.Set("Content-Type", accepts)
	}
	return b.ask(t, request{method: method, path: path, key: key, header: header, body: body})
}

// TestServerLogTellsNothing calls each route that changes something, with text wherever it is
// accepted, on a server that logs the text of every statement. It takes long because it starts a
// server of its own and calls every route that changes something.
func TestServerLogTellsNothing(t *testing.T) {
	t.Parallel()
	server := loggingServer(t)
	b := setupOn(t, storetest.URLOn(t, server.URL))
	ids := b.objects(t)
	sent := bodies(b)
	var last []func()
	var revoke func()
	for _, route := range b.api.Routes() {
		name := route.Method + " " + route.Path
		if route.Page || route.Method == http.MethodGet || route.Method == http.MethodHead || route.Method == http.MethodOptions {
			continue
		}
		call := func() {
			r := b.sendRoute(t, b.keyFor(t, route), route.Method, pathTo(route, ids.of(route)), route.Accepts, sent[name])
			delete(sent, name)
			if r.status >= 300 && r.status != http.StatusConflict && name != "POST /session" && name != "DELETE /v1/traders/{id}/notes/{noteId}" {
				t.Errorf("%s answers %d %s", name, r.status, r.body)
			}
		}
		if route.Path == "/v1/api-keys/{id}" { // removes the test's own key
			revoke = call
			continue
		}
		if route.Method == http.MethodDelete || strings.HasSuffix(route.Path, "/erase") {
			last = append(last, call)
			continue
		}
		call()
	}
	for _, path := range searches() {
		b.send(t, "GET", path, b.key, nil)
	}
	for _, call := range append(last, revoke) {
		call()
	}
	for name := range sent {
		t.Errorf("there is no route %s", name)
	}
	if log := serverLog(t, server); !strings.Contains(log, "INSERT INTO traders") || !strings.Contains(log, "UPDATE people") {
		t.Error("the server logs no statements")
	}
	tellsNothing(t, server)
}

// TestServerLogOfConflicts checks that conflicts are found before writing, so that the server
// does not log the values of a violation.
func TestServerLogOfConflicts(t *testing.T) {
	t.Parallel()
	server := loggingServer(t)
	b := setupOn(t, storetest.URLOn(t, server.URL))
	newNamedOrganization(t, b.db, "Qwolmark Capital")
	sent := bodies(b)
	other := b.newPerson(t, b.org.ID, access.RoleViewer)
	trader := b.named(t, "Bea").String()
	for _, tt := range []struct {
		name   string
		method string
		path   string
		body   string
		first  int // status of the first call; the second one conflicts
	}{
		{"a person's address", "POST", "/v1/users", sent["POST /v1/users"], http.StatusCreated},
		{"a person's address in another case", "POST", "/v1/users", `{"email": "XAVER@qwolmark.example", "role": "owner"}`, 0},
		{"another person's address", "PATCH", "/v1/users/" + other.ID.String(), `{"email": "Xaver@Qwolmark.example"}`, 0},
		{"a trader's id", "POST", "/v1/traders", sent["POST /v1/traders"], http.StatusCreated},
		{"a trader's id without an email", "POST", "/v1/traders", `{"full_name": "Cid Qwolmark", "external_id": "QWOLMARK-7"}`, 0},
		{"another trader's id", "PATCH", "/v1/traders/" + trader, `{"full_name": "Qwolmark", "external_id": "QWOLMARK-7"}`, 0},
		{"an interview's reference", "POST", "/v1/interviews", `{"reference": "Qwolmark-1", "trader": {"full_name": "Zoe Qwolmark"}}`, http.StatusCreated},
		{"an organization's name", "PATCH", "/v1/organization", `{"name": "qwolmark capital", "contact": "x@qwolmark.example"}`, 0},
	} {
		if tt.first != 0 {
			b.send(t, tt.method, tt.path, b.key, tt.body).want(t, tt.first)
		}
		if r := b.send(t, tt.method, tt.path, b.key, tt.body); r.status != http.StatusConflict {
			t.Errorf("%s, which is taken: answered %d %s", tt.name, r.status, r.body)
		}
	}
	if _, _, _, err := access.Bootstrap(t.Context(), b.db, access.NewOrganization{OrganizationName: "QWOLMARK capital", Email: "y@qwolmark.example"}); err == nil {
		t.Error("two organizations have one name")
	}
	if log := serverLog(t, server); strings.Contains(log, "ERROR:") {
		t.Error("a conflict is an error in the server's log")
	}
	tellsNothing(t, server)
}

// TestServerLogOfCanceledStatements makes requests wait for a lock and cancels the waiting
// statements, as a timeout or an operator would do.
func TestServerLogOfCanceledStatements(t *testing.T) {
	t.Parallel()
	server := loggingServer(t)
	b := setupOn(t, storetest.URLOn(t, server.URL))
	ids := b.objects(t)
	sent := bodies(b)
	for _, tt := range []struct{ table, method, path string }{
		{"organizations", "PATCH", "/v1/organization"},
		{"people", "POST", "/v1/users"},
		{"people", "PATCH", "/v1/users/" + ids["/v1/users/"]},
		{"api_keys", "POST", "/v1/api-keys"},
		{"traders", "POST", "/v1/traders"},
		{"traders", "PATCH", "/v1/traders/" + ids["/v1/traders/"]},
		{"trader_notes", "POST", "/v1/traders/" + ids["/v1/traders/"] + "/notes"},
		{"interviews", "POST", "/v1/interviews"},
		{"webhook_endpoints", "POST", "/v1/webhooks"},
		{"analysis_rulesets", "PUT", "/v1/analysis/ruleset"},
		{"audit_log", "POST", "/v1/traders"},
	} {
		route := tt.method + " " + variableOf(tt.path, ids)
		admin := storetest.Conn(t, b.databaseURL)
		tx, err := admin.Begin(t.Context())
		check(t, err)
		_, err = tx.Exec(t.Context(), `LOCK TABLE `+tt.table+` IN EXCLUSIVE MODE`)
		check(t, err)
		var request sync.WaitGroup
		request.Go(func() {
			if r := b.send(t, tt.method, tt.path, b.key, sent[route]); r.status < http.StatusInternalServerError {
				t.Errorf("%s was canceled and answers %d %s", route, r.status, r.body)
			}
		})
		watcher := storetest.Conn(t, b.databaseURL)
		storetest.Eventually(t, route+" waits for "+tt.table, func() bool {
			var canceled bool
			check(t, watcher.QueryRow(t.Context(), `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_locks WHERE NOT granted AND relation = $1::regclass`, tt.table).Scan(&canceled))
			return canceled
		})
		request.Wait()
		check(t, tx.Rollback(t.Context()))
		b.unlimit(t)
	}
	if log := serverLog(t, server); strings.Count(log, "canceling statement due to user request") < 11 {
		t.Error("not every request was canceled")
	}
	tellsNothing(t, server)
}

// variableOf returns the path's template.
func variableOf(path string, ids objects) string {
	for _, id := range ids {
		path = strings.ReplaceAll(path, id, "{id}")
	}
	return path
}

// TestServerLogOfBadValues sends values that the database could not hold.
func TestServerLogOfBadValues(t *testing.T) {
	t.Parallel()
	server := loggingServer(t)
	b := setupOn(t, storetest.URLOn(t, server.URL))
	ids := b.objects(t)
	for path, list := range map[string][]string{
		"/v1/traders": {
			`{"full_name": "Qwolmark\u0000", "email": "q\u0000@qwolmark.example"}`, `{"full_name": "` + strings.Repeat("Qwolmark", 10_000) + `"}`,
			"{\"full_name\": \"Qwolmark\xff\"}", `{"full_name": "Qwolmark \ud800", "tags": ["\u0000qwolmark"]}`,
		},
		"/v1/traders/" + ids["/v1/traders/"] + "/notes": {`{"body": "Qwolmark\u0000"}`, "{\"body\": \"Qwolmark\xff\"}"},
		"/v1/interviews": {
			`{"trader": {"full_name": "Qwolmark"}, "metadata": {"qwolmark": "\u0000"}}`,
			`{"trader": {"full_name": "Qwolmark"}, "metadata": {"qwolmark": [1e400000, 1e-400000]}}`,
			`{"trader": {"full_name": "Qwolmark"}, "metadata": {"qwolmark\u0000": [` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `]}}`,
		},
		"/v1/webhooks": {`{"url": "https://qwolmark.example/\u0000", "events": ["*"]}`},
		"/v1/users":    {`{"email": "\u0000@qwolmark.example", "role": "qwolmark"}`},
	} {
		for _, body := range list {
			if r := b.ask(t, request{method: "POST", path: path, key: b.key, body: body}); r.status >= http.StatusInternalServerError {
				t.Errorf("POST %s with %.80q answers %d %s", path, body, r.status, r.body)
			}
		}
	}
	for _, query := range []string{"search=%00qwolmark", "search=qwolmark%FF", "search=qwolmark%25_%5C%27"} {
		b.send(t, "GET", "/v1/traders?"+query, b.key, nil)
	}
	tellsNothing(t, server)
}
