package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// message is a webhook as a receiver gets it, with the secret that it verifies
// it with.
type message struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	kind    event.Kind
}

// receiver is a server that takes webhooks.
type receiver struct {
	server *httptest.Server
	mu     sync.Mutex
	got    []message
	status int           // that it answers; 0: 204
	takes  time.Duration // before it answers
}

// newReceiver starts a receiver, whose certificate is that of the platforms.
func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := new(receiver)
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		m := message{Body: string(body), Headers: map[string]string{}}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			m.Headers[name] = q.Header.Get(name)
		}
		var envelope struct{ Type event.Kind }
		_ = json.Unmarshal(body, &envelope)
		m.kind = envelope.Type
		status := r.note(m)
		select {
		case <-time.After(r.takes):
		case <-q.Context().Done():
		}
		w.WriteHeader(max(status, http.StatusNoContent))
	}))
	r.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.server.StartTLS()
	t.Cleanup(r.server.Close)
	return r
}

// note keeps a message and returns the status to answer it with.
func (r *receiver) note(m message) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, m)
	return r.status
}

func (r *receiver) messages() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// happening brings events about, by the API and by what the processes do.
type happening struct {
	api
	db  *store.DB
	org uuid.UUID
}

// call sends a request that must be answered with the status.
func (h *happening) call(t *testing.T, method, path string, body any, status int) (answer map[string]any) {
	t.Helper()
	text, err := json.Marshal(body)
	check(t, err)
	if body == nil {
		text = nil
	}
	req, err := http.NewRequestWithContext(t.Context(), method, h.url+path, bytes.NewReader(text))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+h.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	got, err := io.ReadAll(res.Body)
	check(t, err)
	if res.StatusCode != status {
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, got)
	}
	if len(got) > 0 {
		check(t, json.Unmarshal(got, &answer))
	}
	return answer
}

// hook makes an endpoint and returns its id and secret.
func (h *happening) hook(t *testing.T, url string, events ...string) (id, secret string) {
	t.Helper()
	made := h.call(t, "POST", "/v1/webhooks", map[string]any{"url": url, "events": events}, http.StatusCreated)
	return made["id"].(string), made["secret"].(string)
}

// by the API: what people and other systems do.
func (h *happening) byTheAPI(t *testing.T) (integration uuid.UUID) {
	t.Helper()
	trader := h.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Zoe Miller", "email": "zoe@example.com", "phone": "+49 30 1"}, http.StatusCreated)["id"].(string)
	h.call(t, "PATCH", "/v1/traders/"+trader, map[string]any{"status": "under_review"}, http.StatusOK)
	h.call(t, "POST", "/v1/traders/"+trader+"/notes", map[string]any{"body": "a note that nobody else reads"}, http.StatusCreated)
	h.uploads(t, trader)
	key := h.call(t, "POST", "/v1/api-keys", map[string]any{"name": "soon", "scopes": []string{"traders:read"}, "expires_in_days": 3}, http.StatusCreated)["id"].(string)
	told, err := access.EmitExpiringKeys(t.Context(), h.db)
	check(t, err)
	if again, err := access.EmitExpiringKeys(t.Context(), h.db); err != nil || told != 1 || again != 0 {
		t.Errorf("told of %d keys, and then of %d: %v", told, again, err)
	}
	h.call(t, "DELETE", "/v1/api-keys/"+key, nil, http.StatusNoContent)
	id := h.connect(t, h.connected.URL)
	// What an audit has compared says nothing of another platform.
	h.call(t, "POST", "/v1/integrations/"+id+"/audit", nil, http.StatusAccepted)
	h.call(t, "PATCH", "/v1/integrations/"+id, map[string]any{"base_url": h.synced.URL}, http.StatusOK)
	// A platform that is gone fails the check.
	h.synced.Close()
	h.call(t, "POST", "/v1/integrations/"+id+"/test", nil, http.StatusOK)
	return uuid.MustParse(id)
}

// uploads sends a file that can be read, and one that cannot.
func (h *happening) uploads(t *testing.T, trader string) {
	t.Helper()
	for file, status := range map[string]int{
		"Ticket,Symbol,Side,Volume,Open Time,Close Time,Profit\n1,EURUSD,buy,0.5,2026-06-15 08:00:00,2026-06-15 09:00:00,1.25\n": http.StatusCreated,
		"name,colour\nrose,red\n": http.StatusUnprocessableEntity,
	} {
		h.uploadFile(t, "/v1/traders/"+trader+"/activity-files", "Zoe Miller.csv", file, status)
	}
}

// bySync does what cycles do after a stream's first complete read.
func (h *happening) bySync(t *testing.T, id uuid.UUID) {
	t.Helper()
	claim, err := syncing.ClaimOne(t.Context(), h.db, "test", id, time.Minute)
	check(t, err)
	page := func(stream record.Stream, b record.Batch, findings ...record.Finding) syncing.OpenRun {
		run := syncing.OpenRun{
			ID: uuid.New(), CycleID: claim.Cycle.ID, Stream: stream, Trigger: syncing.TriggerManual, Mode: syncing.ModeIncremental, StartedAt: claim.Now, ReadFrom: claim.Now,
		}
		out, err := ingest.WritePage(t.Context(), h.db, ingest.PageCommit{Claim: &claim, Batch: b, Findings: findings, Run: run, Lease: time.Minute})
		check(t, err)
		return out.Run
	}
	at := claim.Now.Add(-time.Hour).Truncate(time.Second)
	page(record.StreamTraders, record.Batch{Traders: []record.Trader{{ID: "T1", Email: "t1@example.com", UpdatedAt: at}}})
	page(record.StreamTraders, record.Batch{Traders: []record.Trader{{ID: "T1", Email: "t2@example.com", UpdatedAt: at.Add(time.Second)}}})
	page(record.StreamAccounts, record.Batch{Accounts: []record.Account{{ID: "A1", TraderID: "T1", Status: "active", UpdatedAt: at}}})
	page(record.StreamAccounts, record.Batch{Accounts: []record.Account{{ID: "A1", TraderID: "T1", Status: "breached", UpdatedAt: at.Add(time.Second)}}})
	run := page(record.StreamPayouts, record.Batch{Payouts: []record.Payout{{ID: "P1", TraderID: "T1", Status: "paid", UpdatedAt: at}}},
		record.Finding{Rule: "numeric_string", Resource: record.Payouts, Count: 1})
	before := syncing.HealthPending
	settle := func(to syncing.Health, cycle *syncing.Cycle, due syncing.DueMode, ended ...syncing.EndedRun) {
		s := syncing.CycleCommit{Ended: ended, Cycle: &claim.Cycle, Over: cycle, Due: syncing.Due{Mode: due}, Health: &syncing.HealthChange{From: before, To: to, Reason: "a test"}}
		before = to
		check(t, syncing.CommitCycle(t.Context(), h.db, claim.Lease, s))
	}
	cycle := claim.Cycle
	cycle.Trigger = syncing.TriggerManual
	settle(syncing.HealthHealthy, &cycle, syncing.DueHold, syncing.EndedRun{Run: run, Status: syncing.RunSucceeded, FinishedAt: claim.Now})
	settle(syncing.HealthDegraded, nil, syncing.DueHold)
	settle(syncing.HealthHealthy, nil, syncing.DueHold)
	failed := run
	failed.ID, failed.CycleID = uuid.New(), uuid.New()
	cycle.ID = failed.CycleID
	settle(syncing.HealthFailing, &cycle, syncing.DueHold, syncing.EndedRun{
		Run: failed, Status: syncing.RunFailed, FinishedAt: claim.Now, Error: &syncing.Error{Resource: "payouts", Code: "server_error", HTTPStatus: 500, At: claim.Now},
	})
	settle(syncing.HealthBlocked, nil, syncing.DueNever)
	h.call(t, "DELETE", "/v1/integrations/"+id.String(), nil, http.StatusNoContent)
}

// byInterviews causes every event about interviews.
func (h *happening) byInterviews(t *testing.T) {
	t.Helper()
	made := h.call(t, "POST", "/v1/interviews", map[string]any{"trader": map[string]any{"full_name": "Yan Li", "email": "yan@example.com"}, "auto_questions": 0}, http.StatusCreated)
	path := "/v1/interviews/" + made["interview"].(map[string]any)["id"].(string)
	fresh := h.call(t, "POST", path+"/reissue", nil, http.StatusOK)["invite_url"].(string)
	token := fresh[strings.LastIndex(fresh, "/")+1:]
	_, err := answering.OpenInvite(t.Context(), h.db, token)
	check(t, err)
	begun, err := answering.BeginSession(t.Context(), h.db, token, answering.Browser{})
	check(t, err)
	check(t, answering.DecideConsent(t.Context(), h.db, begun.Session, answering.NewConsent{Accepted: true, TextVersion: "1", Text: "x"}))
	owner, err := access.ListPeople(t.Context(), h.db, h.org)
	check(t, err)
	h.call(t, "POST", path+"/assign", map[string]any{"user_id": owner[0].ID}, http.StatusOK)
	h.call(t, "POST", path+"/assign", map[string]any{"user_id": nil}, http.StatusOK)
	h.call(t, "POST", path+"/comments", map[string]any{"body": "Listen to this."}, http.StatusCreated)
	h.call(t, "POST", path+"/decision", map[string]any{"decision": "rejected"}, http.StatusOK)
	h.call(t, "PATCH", path+"/communication", map[string]any{"done": true}, http.StatusOK)
	h.call(t, "POST", path+"/share", nil, http.StatusCreated)
	h.call(t, "DELETE", path+"/share", nil, http.StatusNoContent)
	h.call(t, "DELETE", path, nil, http.StatusNoContent)

	n := storetest.NewInterview("Xi", "xi@example.com")
	completed := storetest.Completed(t, h.db, h.org, n, "words").ID.String()
	h.call(t, "PUT", "/v1/interviews/"+completed+"/segments/s1", map[string]any{"text": "other words"}, http.StatusOK)
	failed := storetest.Submitted(t, h.db, h.org, n)
	for _, step := range []steps.Name{steps.Media, steps.Transcript, steps.Activity, steps.Report} {
		check(t, worker.Fail(t.Context(), h.db, storetest.Claim(t, h.db, h.org, failed.ID, step), errors.New("no disk"), true))
	}
	declined, err := answering.BeginSession(t.Context(), h.db, storetest.Interview(t, h.db, h.org, n).Token.Reveal(), answering.Browser{})
	check(t, err)
	check(t, answering.DecideConsent(t.Context(), h.db, declined.Session, answering.NewConsent{TextVersion: "1", Text: "x"}))
	storetest.Interview(t, h.db, h.org, n)
	storetest.Started(t, h.db, storetest.Interview(t, h.db, h.org, n))
	_, err = storetest.Conn(t, h.database).Exec(t.Context(), `UPDATE interviews SET invite_expires_at = now(), complete_by = now()`)
	check(t, err)
	for _, tick := range []func(context.Context, *store.DB) (int, error){invite.Expire, answering.CloseOverdue} {
		if done, err := tick(t.Context(), h.db); err != nil || done != 1 {
			t.Errorf("%d interviews ended, %v", done, err)
		}
	}
}

// byReceivers lets an endpoint fail for long, and then be gone.
func (h *happening) byReceivers(t *testing.T) {
	t.Helper()
	bad := newReceiver(t)
	bad.status = http.StatusInternalServerError
	id, _ := h.hook(t, bad.server.URL, "api_key.created")
	conn := storetest.Conn(t, h.database)
	_, err := conn.Exec(t.Context(), `UPDATE webhook_states SET failures = 3, failing_since = now() - interval '30 hours' WHERE endpoint_id = $1`, id)
	check(t, err)
	h.call(t, "POST", "/v1/webhooks/"+id+"/test", nil, http.StatusOK)
	bad.mu.Lock()
	bad.status = http.StatusGone
	bad.mu.Unlock()
	h.call(t, "POST", "/v1/webhooks/"+id+"/test", nil, http.StatusOK)
}

// TestEveryKindIsDelivered brings every kind of event about and has each delivery verified by the
// libraries of others, also while the secret is rotated. It takes long because it does what leads to
// each of the events.
func TestEveryKindIsDelivered(t *testing.T) {
	t.Parallel()
	tools(t)
	a := startAPI(t)
	a.deliver(t)
	h := &happening{api: a, db: storetest.Open(t, a.database)}
	check(t, storetest.Conn(t, a.database).QueryRow(t.Context(), `SELECT id FROM organizations WHERE name = 'Alpha Capital'`).Scan(&h.org))
	r := newReceiver(t)
	id, old := h.hook(t, r.server.URL, "*")
	rotated := h.call(t, "POST", "/v1/webhooks/"+id+"/rotate-secret", map[string]any{"grace_period_seconds": 3600}, http.StatusOK)["secret"].(string)

	h.bySync(t, h.byTheAPI(t))
	h.byInterviews(t)
	h.byReceivers(t)
	h.call(t, "POST", "/v1/webhooks/"+id+"/test", nil, http.StatusOK)

	want := make(map[event.Kind]bool)
	for _, d := range event.All() {
		want[d.Kind] = true
	}
	got := make(map[event.Kind]bool)
	// The ping was posted last, and an endpoint gets its events in order.
	storetest.Eventually(t, "the last event is delivered", func() bool {
		for _, m := range r.messages() {
			got[m.kind] = true
		}
		return got[event.Ping]
	})
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	checkMessages(t, r.messages(), old, rotated)
}

// checkMessages verifies the messages by both secrets, and holds them against
// the catalog.
func checkMessages(t *testing.T, got []message, secrets ...string) {
	t.Helper()
	schemas := make(map[event.Kind]*jsonschema.Schema)
	for _, d := range event.All() {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Schema()))
		check(t, err)
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		check(t, c.AddResource("event.json", document))
		schemas[d.Kind], err = c.Compile("event.json")
		check(t, err)
	}
	var all []message
	for _, m := range got {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(m.Body))
		check(t, err)
		if err := schemas[m.kind].Validate(value); err != nil {
			t.Errorf("%s breaks its schema: %v", m.Body, err)
		}
		for _, private := range []string{"example.com", "Miller", "+49", "nobody else", "whsec_", "svc_live_", storetest.PlatformKey} {
			if strings.Contains(m.Body, private) {
				t.Errorf("%s tells %s", m.Body, private)
			}
		}
		for _, secret := range secrets {
			m.Secret = secret
			all = append(all, m)
			hook, err := standardwebhooks.NewWebhook(secret)
			check(t, err)
			header := http.Header{}
			for name, text := range m.Headers {
				header.Set(name, text)
			}
			if err := hook.Verify([]byte(m.Body), header); err != nil {
				t.Errorf("the library for Go refuses %s: %v", m.kind, err)
			}
		}
	}
	dir := workspace(t, "verify.mjs")
	text, err := json.Marshal(all)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "messages.json"), text, 0o600))
	out, ok := node(t, dir, nil, "verify.mjs", "messages.json")
	if want := fmt.Sprintf("standardwebhooks %d\nsvix %d\n", len(all), len(all)); !ok || out != want {
		t.Errorf("the libraries for JavaScript say:\n%swant:\n%s", out, want)
	}
	t.Logf("%d messages of %d kinds, each by two secrets", len(got), len(schemas))
}
