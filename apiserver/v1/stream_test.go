package v1_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/stream"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// streamPatience limits how long a test waits for an event.
const streamPatience = 5 * time.Minute

// sentEvent is a server-sent event.
type sentEvent struct{ name, data, text string }

// eventReader reads server-sent events.
type eventReader struct {
	body  io.ReadCloser
	lines *bufio.Reader
}

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{body, bufio.NewReader(body)}
}

// read returns the next event, or the error that ended the stream.
func (r *eventReader) read() (e sentEvent, err error) {
	late := time.AfterFunc(streamPatience, func() { _ = r.body.Close() })
	defer late.Stop()
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		e.text += line
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "\n" && e.name != "":
			return e, nil
		case name == "event":
			e.name = value
		case name == "data":
			e.data = value
		}
	}
}

func (r *eventReader) next(t testing.TB) sentEvent {
	t.Helper()
	e, err := r.read()
	check(t, err)
	return e
}

// openStream opens a stream and reads its first event.
func (b *testAPI) openStream(t testing.TB, key string) *eventReader {
	t.Helper()
	r, ready := b.streamOf(t, key)
	if ready.name != "ready" || !strings.HasPrefix(ready.text, "retry: ") {
		t.Fatalf("the stream begins with %q", ready.text)
	}
	return r
}

// streamOf opens a stream and returns its first event. It waits until the server receives changes,
// because streams that were open before are told that anything may have changed.
func (b *testAPI) streamOf(t testing.TB, key string) (*eventReader, sentEvent) {
	t.Helper()
	storetest.Eventually(t, "the server listens for changes", func() bool { return b.listeners(t) > 0 })
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", b.server.URL+"/v1/stream", http.NoBody)
	check(t, err)
	identify(req, key)
	res, err := b.server.Client().Do(req)
	check(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream answers %d %v", res.StatusCode, res.Header)
	}
	r := newEventReader(res.Body)
	return r, r.next(t)
}

// change returns the data of an event with that name.
type change struct {
	Topic string
	ID    *uuid.UUID
}

// changes reads events until one has the topic.
func (r *eventReader) changes(t testing.TB, topic string) (list []change) {
	t.Helper()
	for {
		e := r.next(t)
		var c change
		check(t, json.Unmarshal([]byte(e.data), &c))
		if e.name != "change" {
			t.Fatalf("event %q", e.text)
		}
		if list = append(list, c); c.Topic == topic {
			return list
		}
	}
}

// about returns the id of the first change of the topic.
func (r *eventReader) about(t testing.TB, topic string) *uuid.UUID {
	t.Helper()
	list := r.changes(t, topic)
	return list[len(list)-1].ID
}

// makeKey creates an API key and returns its id and secret.
func (b *testAPI) makeKey(t testing.TB, key string, scopes ...auth.Scope) (id uuid.UUID, secret string) {
	t.Helper()
	r := b.send(t, "POST", "/v1/api-keys", key, map[string]any{"name": "made", "scopes": scopes}).want(t, http.StatusCreated)
	made := decodeInto[struct {
		ID     uuid.UUID
		Secret string
	}](t, r)
	return made.ID, made.Secret
}

// listeners counts the sessions that listen for changes in the database.
func (b *testAPI) listeners(t testing.TB) (n int) {
	t.Helper()
	check(t, storetest.Conn(t, b.databaseURL).QueryRow(context.Background(),
		`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN changes'`).Scan(&n))
	return n
}

func TestStreamTellsWhatChanges(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	ours, ready := b.streamOf(t, b.key)
	if want := `{"topics":["integrations","traders","interviews","webhooks","api_keys","users","audit"]}`; ready.data != want {
		t.Errorf("the stream begins with %s, want %s", ready.data, want)
	}
	theirs := b.openStream(t, b.other)

	id, _ := b.makeKey(t, b.key, auth.TradersRead)
	got := ours.changes(t, "audit")
	if diff := cmp.Diff([]change{{"api_keys", &id}, {"audit", nil}}, got); diff != "" {
		t.Errorf("a new key tells (-want +got):\n%s", diff)
	}

	tests := []struct {
		name, topic string
		do          func() uuid.UUID
	}{
		{"trader", "traders", func() uuid.UUID {
			return decodeInto[struct{ ID uuid.UUID }](t, b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Ada"}).want(t, http.StatusCreated)).ID
		}},
		{"webhook", "webhooks", func() uuid.UUID {
			e, err := webhooks.CreateEndpoint(t.Context(), b.db, store.SystemChange(b.org.ID), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: []string{"*"}})
			check(t, err)
			return e.ID
		}},
		{"person", "users", func() uuid.UUID { return b.newPerson(t, b.org.ID, access.RoleViewer).ID }},
		{"integration", "integrations", func() uuid.UUID { return b.create(t) }},
		{"interview", "interviews", func() uuid.UUID { return b.inStatus(t, "invited") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := tt.do()
			if got := ours.about(t, tt.topic); got == nil || *got != id {
				t.Errorf("told of %v, want %s", got, id)
			}
			ours.changes(t, "audit")
		})
	}

	// The other organization receives none of this: the first change that it receives is its own.
	id, _ = b.makeKey(t, b.other, auth.TradersRead)
	if got := theirs.changes(t, "audit"); len(got) != 2 || got[0].ID == nil || *got[0].ID != id {
		t.Errorf("the other organization is told %v", got)
	}
}

func TestStreamTellsOnlyWhatTheScopesAllow(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	_, weak := b.makeKey(t, b.key, auth.InterviewsRead)
	viewer, _ := b.newSession(t, b.org.ID, access.RoleViewer)
	r, ready := b.streamOf(t, weak)
	if want := `{"topics":["interviews","users"]}`; ready.data != want {
		t.Errorf("a key for interviews hears of %s", ready.data)
	}
	if _, ready := b.streamOf(t, viewer); ready.data != `{"topics":["integrations","traders","interviews","users"]}` {
		t.Errorf("a viewer hears of %s", ready.data)
	}
	b.makeKey(t, b.key, auth.TradersRead)
	b.send(t, "POST", "/v1/traders", b.key, map[string]any{"full_name": "Ada"}).want(t, http.StatusCreated)
	person := b.newPerson(t, b.org.ID, access.RoleViewer).ID
	// The viewer receives changes of people, and none of the others.
	for told := false; !told; {
		got := r.changes(t, "users")
		if len(got) != 1 {
			t.Fatalf("a key for interviews is told %v", got)
		}
		told = *got[0].ID == person
	}
	_, none := b.makeKey(t, b.key, auth.IntegrationsManage)
	if _, ready := b.streamOf(t, none); ready.data != `{"topics":[]}` {
		t.Errorf("a key without a scope to read hears of %s", ready.data)
	}
}

func TestStreamRefusals(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	r := b.send(t, "GET", "/v1/stream", b.key, nil).want(t, http.StatusOK)
	if got := r.header.Get("RateLimit"); !strings.HasPrefix(got, `"default";r=599;`) {
		t.Errorf("a stream counts as %s", got)
	}
	if head := b.send(t, "HEAD", "/v1/stream", b.key, nil).want(t, http.StatusOK); head.body != "" || head.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD answers %v", head)
	}
	b.ask(t, request{method: "GET", path: "/v1/stream", key: b.key, header: with("Accept", "application/json")}).wantProblem(t, http.StatusNotAcceptable, "not_acceptable")

	// A person who must choose a password first receives nothing.
	session, person := b.newSession(t, b.org.ID, access.RoleOwner)
	b.exec(t, `UPDATE people SET password_temporary = true WHERE id = $1`, person.ID)
	b.exec(t, `UPDATE sessions SET method = 'password' WHERE person_id = $1`, person.ID)
	b.send(t, "GET", "/v1/stream", session, nil).wantProblem(t, http.StatusForbidden, "password_change_required")

	// One more than the limit.
	_, key := b.makeKey(t, b.key, auth.TradersRead)
	var last *eventReader
	for range stream.MaxOfCaller {
		last = b.openStream(t, key)
	}
	if got := b.send(t, "GET", "/v1/stream", key, nil); got.wantProblem(t, http.StatusTooManyRequests, "rate_limited").Title == "" || got.header.Get("Retry-After") != "60" {
		t.Errorf("the stream too many is answered %v", got.header)
	}
	b.openStream(t, b.key) // other callers are not affected
	check(t, last.body.Close())
	storetest.Eventually(t, "a place is free again", func() bool { return b.send(t, "GET", "/v1/stream", key, nil).status == http.StatusOK })
}

func TestStreamEndsWithItsKeyOrSession(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	id, key := b.makeKey(t, b.key, auth.TradersRead)
	session, person := b.newSession(t, b.org.ID, access.RoleOwner)
	sessionOfDemoted, demoted := b.newSession(t, b.org.ID, access.RoleOwner)
	tests := []struct {
		name string
		key  string
		end  func()
	}{
		{"a revoked key", key, func() { b.send(t, "DELETE", "/v1/api-keys/"+id.String(), b.key, nil).want(t, http.StatusNoContent) }},
		{"a session after a sign-out", session, func() {
			b.send(t, "DELETE", "/session?everywhere=true", b.sessionOf(t, person), nil).want(t, http.StatusNoContent)
		}},
		{"a session whose role is another", sessionOfDemoted, func() {
			b.send(t, "PATCH", "/v1/users/"+demoted.ID.String(), b.key, map[string]any{"role": "viewer"}).want(t, http.StatusOK)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.openStream(t, tt.key)
			begun := time.Now()
			tt.end()
			took := time.Since(begun)
			for {
				if _, err := r.read(); err != nil {
					if errors.Is(err, io.EOF) {
						t.Error("the stream ends as if all were well")
					}
					break
				}
			}
			if took > 3*time.Second {
				t.Errorf("the end was confirmed after %s: the stream held it up", took)
			}
			b.send(t, "GET", "/v1/stream", tt.key, nil).want(t, http.StatusUnauthorized)
		})
	}
}

func TestStreamEndsWhenItsKeyExpires(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a key expires")
	}
	t.Parallel()
	b := setupAlone(t)
	id, key := b.makeKey(t, b.key, auth.TradersRead)
	session, person := b.newSession(t, b.org.ID, access.RoleViewer)
	b.exec(t, `UPDATE api_keys SET expires_at = now() + interval '15 s' WHERE id = $1`, id)
	b.exec(t, `UPDATE sessions SET expires_at = now() + interval '15 s' WHERE person_id = $1`, person.ID)
	deleted, former := b.newSession(t, b.org.ID, access.RoleViewer)
	b.exec(t, `UPDATE sessions SET expires_at = now() + interval '15 s' WHERE person_id = $1`, former.ID)
	streams := map[string]*eventReader{key: b.openStream(t, key), session: b.openStream(t, session), deleted: b.openStream(t, deleted)}
	b.exec(t, `DELETE FROM sessions WHERE person_id = $1`, former.ID)
	for key, code := range map[string]string{key: "api_key_expired", session: "session_expired", deleted: "invalid_session"} {
		if e, err := streams[key].read(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: told %q, %v after the end", code, e.text, err)
		}
		b.send(t, "GET", "/v1/stream", key, nil).wantProblem(t, http.StatusUnauthorized, code)
	}
}

func TestStreamOutlastsTheTimeToRead(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.readTimeout = time.Second
	b.restart(t)
	r := b.openStream(t, b.key)
	begun := time.Now()
	for time.Since(begun) < 3*b.readTimeout {
		b.makeKey(t, b.key, auth.TradersRead)
		r.changes(t, "audit")
	}
}

func TestStreamResynchronizesAfterALostSession(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	r := b.openStream(t, b.key)
	b.makeKey(t, b.key, auth.TradersRead) // the session is alive
	r.changes(t, "audit")
	b.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN changes'`)
	var got []string
	for len(got) < len(store.Topics()) {
		for _, c := range r.changes(t, "audit") {
			if c.ID != nil {
				t.Errorf("told of %v", c)
			}
			got = append(got, c.Topic)
		}
	}
	var want []string
	for _, topic := range store.Topics() {
		want = append(want, string(topic))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after the session was lost (-want +got):\n%s", diff)
	}
	id, _ := b.makeKey(t, b.key, auth.TradersRead)
	if got := r.about(t, "api_keys"); got == nil || *got != id {
		t.Errorf("the next session tells of %v", got)
	}
}

// TestManyStreamsAreOneListener measures the memory of the process, so no other test of the package
// runs beside it.
func TestManyStreamsAreOneListener(t *testing.T) {
	b := setupAlone(t)
	const streams = 200
	var made []uuid.UUID
	var keys []string
	for range streams / stream.MaxOfCaller {
		id, key := b.makeKey(t, b.key, auth.APIKeysManage)
		made, keys = append(made, id), append(keys, key)
	}
	b.openStream(t, b.key)
	before := memory()
	open := make([]*eventReader, streams)
	for i := range open {
		open[i] = b.openStream(t, keys[i%len(keys)])
	}
	if each := (memory() - before) / streams; each > 150<<10 { // both ends of the connection, TCP without TLS
		t.Errorf("each stream takes %d bytes", each)
	}
	if n := b.listeners(t); n != 1 {
		t.Errorf("%d sessions listen for %d streams", n, streams)
	}
	want := fmt.Sprintf("# HELP assay_apiserver_streams Open change streams.\n# TYPE assay_apiserver_streams gauge\nassay_apiserver_streams %d\n", streams+1)
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "assay_apiserver_streams"); err != nil {
		t.Error(err)
	}
	id, _ := b.makeKey(t, b.key, auth.TradersRead)
	for _, r := range open {
		told := r.about(t, "api_keys")
		for told != nil && slices.Contains(made, *told) { // a key that was made before may be announced late
			told = r.about(t, "api_keys")
		}
		if told == nil || *told != id {
			t.Fatalf("one of many is told of %v", told)
		}
	}
}

// memory returns the size of the process's heap and stacks.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func TestSlowReadersHoldUpNobody(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	slow, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", b.server.Listener.Addr().String())
	check(t, err)
	defer func() { _ = slow.Close() }()
	_, err = io.WriteString(slow, "GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+b.key+"\r\n\r\n")
	check(t, err)
	quick := b.openStream(t, b.key)
	const changes = 5000
	b.exec(t, `SELECT pg_notify('changes', $1::text || ' traders ' || gen_random_uuid()) FROM generate_series(1, $2)`, b.org.ID.String(), changes)
	id, _ := b.makeKey(t, b.key, auth.TradersRead)
	got := quick.changes(t, "audit")
	if len(got) > changes/10 {
		t.Errorf("%d changes at once are told as %d", changes, len(got))
	}
	if !slices.ContainsFunc(got, func(c change) bool { return c.Topic == "traders" && c.ID == nil }) {
		t.Error("many changes of a topic are not told as one")
	}
	if !slices.ContainsFunc(got, func(c change) bool { return c.ID != nil && *c.ID == id }) {
		t.Error("a change is not told because there were many others")
	}
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	r := b.openStream(t, b.key)
	b.stop()
	if _, err := r.read(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
}

// failingSessions fails to open a few sessions.
type failingSessions struct {
	*store.DB
	failures int
}

func (s *failingSessions) OpenNoticeSession(ctx context.Context) (*store.NoticeSession, error) {
	if s.failures > 0 {
		s.failures--
		return nil, errors.New("connection refused")
	}
	return s.DB.OpenNoticeSession(ctx)
}

// TestStreamLogsAnOutageOnce checks that the log says once that no changes are announced, and once
// that they are again.
func TestStreamLogsAnOutageOnce(t *testing.T) {
	t.Parallel()
	log := new(storetest.Log)
	hub, err := stream.New(&failingSessions{storetest.SharedOrgDB(t).DB, 3}, slog.New(slog.NewTextHandler(log, nil)), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { hub.Run(ctx) })
	const lost, back = "no database connection", "there is a database connection again"
	storetest.Eventually(t, "the log says that the database is back", func() bool { return strings.Contains(log.String(), back) })
	cancel()
	group.Wait()
	if text := log.String(); strings.Count(text, lost) != 1 || strings.Count(text, back) != 1 {
		t.Errorf("log:\n%s", text)
	}
}
