package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

// stopRounds is how often a process that serves the key is stopped for the five seconds that a
// revocation waits.
var stopRounds = flag.Int("stop-rounds", 3, "rounds of TestRevocationWithAStoppedProcess")

// rounds is how often a key or a session ends during its requests.
var rounds = flag.Int("rounds", 12, "rounds of the other tests that end keys and sessions")

// Size of a round.
const (
	requestsOfARound   = 300
	requestsAfterwards = 20
)

// revocations is two apiservers on one database, and a key with which other keys are created and
// revoked.
type revocations struct {
	databaseURL string
	org         uuid.UUID
	servers     [2]*daemon
	owner       string
	integration uuid.UUID
	client      *http.Client
	random      *rand.Rand
	seen        map[int]int // answers by status, of all rounds
}

func newRevocations(t *testing.T) *revocations {
	t.Helper()
	v := &revocations{databaseURL: storetest.URL(t), seen: make(map[int]int)}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	v.random = rand.New(rand.NewPCG(seed, seed))
	first := newSite(t, v.databaseURL, "log: {level: warn}")
	v.servers[0] = first.start(t)
	v.servers[1] = newSite(t, v.databaseURL, "log: {level: warn}").start(t)
	for _, d := range v.servers {
		d.ready(t)
	}
	owner := bootstrapOf(t, first, "Alpha")
	v.owner, v.org = owner.APIKey, owner.OrganizationID
	v.integration = storetest.Integration(t, storetest.Open(t, v.databaseURL), owner.OrganizationID, "https://platform.example").ID
	transport := &http.Transport{MaxIdleConnsPerHost: requestsOfARound}
	t.Cleanup(transport.CloseIdleConnections)
	v.client = &http.Client{Transport: transport, Timeout: patience}
	return v
}

// do sends a request and returns the response and the time of its arrival.
func (v *revocations) do(server int, method, path, key string, body any) (status int, answer []byte, at time.Time, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, at, err
	}
	req, err := http.NewRequest(method, "http://"+v.servers[server].public+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, at, err
	}
	identify(req, key)
	req.Header.Set("Content-Type", "application/json")
	if body == nil {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	res, err := v.client.Do(req)
	if err != nil {
		return 0, nil, time.Now(), err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, time.Now(), err
}

// newKey creates a key with the scopes that the rounds need.
func (v *revocations) newKey(t *testing.T) (id, secret string) {
	t.Helper()
	status, body, _, err := v.do(0, "POST", "/v1/api-keys", v.owner, map[string]any{"name": "to be revoked", "scopes": []string{"traders:read", "integrations:manage"}})
	check(t, err)
	var made struct{ ID, Secret string }
	check(t, json.Unmarshal(body, &made))
	if status != http.StatusCreated || made.Secret == "" {
		t.Fatalf("create key: %d %s", status, body)
	}
	return made.ID, made.Secret
}

// changes counts the changes that the rounds have committed.
func (v *revocations) changes(t *testing.T) (n int) {
	t.Helper()
	check(t, storetest.Conn(t, v.databaseURL).QueryRow(context.Background(), `SELECT count(*) FROM integration_transitions WHERE kind = 'settings'`).Scan(&n))
	return n
}

// outcome is the outcome of one request.
type outcome struct {
	server, status int
	at             time.Time
	err            error
}

// start sends the round's requests, and closes reached when both servers have answered some of
// them.
func (v *revocations) start(key string) (outcomes []outcome, reached chan struct{}, wait func()) {
	outcomes, reached = make([]outcome, requestsOfARound), make(chan struct{})
	var (
		answered atomic.Int32
		served   [2]atomic.Bool
		once     sync.Once
		group    sync.WaitGroup
	)
	threshold := int32(20 + v.random.IntN(requestsOfARound/2))
	for i := range outcomes {
		group.Go(func() {
			o := &outcomes[i]
			o.server = i % 2
			if i%4 < 2 {
				o.status, _, o.at, o.err = v.do(o.server, "GET", "/v1/traders?limit=5", key, nil)
			} else {
				body := map[string]any{"name": fmt.Sprintf("name %d", i)}
				o.status, _, o.at, o.err = v.do(o.server, "PATCH", "/v1/integrations/"+v.integration.String(), key, body)
			}
			if o.status < http.StatusMultipleChoices {
				served[o.server].Store(true)
			}
			if n := answered.Add(1); n >= threshold && served[0].Load() && served[1].Load() || n == requestsOfARound {
				once.Do(func() { close(reached) })
			}
		})
	}
	return outcomes, reached, group.Wait
}

// round revokes a key during its requests. disturb, which may be nil, is called just before. mend
// is called if a revocation was not confirmed.
func (v *revocations) round(t *testing.T, disturb, mend func()) {
	t.Helper()
	id, key := v.newKey(t)
	v.endAmid(t, key, func() (int, []byte, time.Time, error) { return v.do(0, "DELETE", "/v1/api-keys/"+id, v.owner, nil) }, disturb, mend)
}

// endAmid sends requests with the key or in the session, and calls end during them. It fails the
// test if one of them changes or returns anything afterwards.
func (v *revocations) endAmid(t *testing.T, key string, end func() (int, []byte, time.Time, error), disturb, mend func()) {
	t.Helper()
	outcomes, reached, wait := v.start(key)
	<-reached
	if disturb != nil {
		disturb()
	}
	status, body, revokedAt, err := end()
	for attempt := 0; status == http.StatusServiceUnavailable && attempt < 100; attempt++ {
		if mend != nil {
			mend()
		} else if disturb == nil {
			t.Errorf("the revocation was not confirmed, although every process runs: %s", body)
		}
		status, body, revokedAt, err = end()
	}
	check(t, err)
	if status >= http.StatusBadRequest {
		t.Fatalf("revoke: %d %s", status, body)
	}
	committed := v.changes(t)
	for i := range requestsAfterwards {
		if status, body, _, err := v.do(i%2, "GET", "/v1/traders", key, nil); err != nil || status != http.StatusUnauthorized {
			t.Errorf("a request sent after the revocation is answered %d %s, %v", status, body, err)
		}
	}
	wait()
	for i, o := range outcomes {
		v.seen[o.status]++
		switch {
		case o.err != nil:
			t.Errorf("request %d to server %d: %v", i, o.server, o.err)
		case o.status < 300 && o.at.After(revokedAt):
			t.Errorf("request %d to server %d is answered %d %s after the revocation", i, o.server, o.status, o.at.Sub(revokedAt))
		}
	}
	if late := v.changes(t) - committed; late > 0 {
		t.Errorf("%d changes were committed after the revocation", late)
	}
}

func TestRevocation(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several servers through many rounds")
	}
	t.Parallel()
	v := newRevocations(t)
	for range *rounds {
		v.round(t, nil, nil)
	}
	t.Logf("%d rounds of %d requests; answers by status: %v", *rounds, requestsOfARound, v.seen)
	if v.seen[http.StatusOK] == 0 || v.seen[http.StatusUnauthorized] == 0 {
		t.Error("the revocations did not come in the middle of the requests")
	}
	if others := *rounds*requestsOfARound - v.seen[http.StatusOK] - v.seen[http.StatusUnauthorized]; others > 0 {
		t.Errorf("%d answers are neither 200 nor 401", others)
	}
}

func TestRevocationWithoutControlConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several servers through many rounds")
	}
	t.Parallel()
	v := newRevocations(t)
	conn := storetest.Conn(t, v.databaseURL)
	cut := 0
	for range *rounds {
		v.round(t, func() {
			rows, err := conn.Query(context.Background(), `SELECT pg_terminate_backend(pid) FROM (
    SELECT DISTINCT l.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
    WHERE a.datname = current_database() AND l.locktype = 'advisory' AND l.mode = 'ShareLock' AND a.state = 'idle'
        AND a.query ~* 'pg_try_advisory_lock_shared|pg_advisory_unlock_shared|listen|-- ping') AS held`)
			check(t, err)
			for rows.Next() {
				cut++
			}
			check(t, rows.Err())
		}, nil)
	}
	t.Logf("%d rounds of %d requests, %d control connections cut; answers by status: %v", *rounds, requestsOfARound, cut, v.seen)
	v.wantStatuses(t)
	if cut < *rounds {
		t.Errorf("only %d connections were cut", cut)
	}
}

func TestRevocationWithAStoppedProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("runs several servers through many rounds")
	}
	t.Parallel()
	v := newRevocations(t)
	stopped := v.servers[1].cmd.Process
	for range *stopRounds {
		refused := 0
		v.round(t, func() {
			check(t, stopped.Signal(syscall.SIGSTOP))
		}, func() {
			refused++
			check(t, stopped.Signal(syscall.SIGCONT))
		})
		if refused == 0 {
			t.Error("the revocation was confirmed while a process that served the key stood still")
		}
	}
	t.Logf("%d rounds of %d requests; answers by status: %v", *stopRounds, requestsOfARound, v.seen)
	v.wantStatuses(t)
}

// wantStatuses fails the test if a request was answered with anything other than its result, that
// its key was revoked, or that it has to be sent again.
func (v *revocations) wantStatuses(t *testing.T) {
	t.Helper()
	for status, n := range v.seen {
		if status != http.StatusOK && status != http.StatusUnauthorized && status != http.StatusServiceUnavailable {
			t.Errorf("%d answers of %d", n, status)
		}
	}
}
