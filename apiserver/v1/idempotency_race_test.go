package v1_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

func TestStoppingServerGivesAttemptsUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached, release := b.platform.hang()
	defer release()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	answered := make(chan reply, 1)
	go func() { answered <- b.attempt(t, a) }()
	<-reached
	b.stop()
	(<-answered).wantNew(t, http.StatusServiceUnavailable)
	b.platform.setGate(nil)
	b.another(t)
	b.attempt(t, a).wantNew(t, http.StatusCreated)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestConcurrentAttempts checks that of many equal requests one is served.
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
			r := b.attempt(t, a)
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
	for _, r := range append(replays, b.attempt(t, a)) {
		r.wantReplay(t, first[0])
	}
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestCreateThatOutlivesItsClient checks that a client that leaves during the live check and asks
// again gets the response to its first request.
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
	r := b.attempt(t, a)
	r.wantNew(t, http.StatusConflict).wantProblem(t, 409, "idempotency_in_progress")
	release()
	storetest.Eventually(t, "the answer is kept", func() bool { r = b.attempt(t, a); return r.status != http.StatusConflict })
	if got := r.want(t, http.StatusCreated).header.Get("Idempotent-Replayed"); got != "true" {
		t.Errorf("Idempotent-Replayed %q", got)
	}
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestClientThatGoesGivesTheAttemptUp checks routes that do not continue without their client.
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
	storetest.Eventually(t, "the attempt is given up", func() bool { r = b.attempt(t, a); return r.status != http.StatusConflict })
	r.wantNew(t, http.StatusOK)
}

// TestZombie suspends a process in the middle of a creation until its claim has passed to another
// process, and resumes it.
func TestZombie(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	woken := make(chan reply, 1)
	go func() { woken <- b.attempt(t, a) }()
	<-reached
	b.platform.setGate(nil)
	b.exec(t, `UPDATE idempotency_keys SET locked_until = now() - interval '1 ms'`)
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	release()
	(<-woken).wantProblem(t, http.StatusConflict, "integration_exists")
	b.attempt(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}

// TestProcessDied leaves a claim behind, which lasts until its lease has ended.
func TestProcessDied(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	reached, release := b.platform.hang()
	a := b.post(t, "/v1/integrations", "k-1", b.newIntegration())
	go func() { _, _ = b.try(t, context.Background(), a) }()
	<-reached
	// The dead process cannot affect what follows.
	b.exec(t, `UPDATE idempotency_keys SET token = gen_random_uuid()`)
	b.platform.setGate(nil)
	b.attempt(t, a).wantNew(t, http.StatusConflict)
	if lease := b.readText(t, `SELECT (locked_until - created_at)::text FROM idempotency_keys`); lease != "00:02:15" {
		t.Errorf("the claim holds for %s, want the route's limit and a little", lease)
	}
	b.exec(t, `UPDATE idempotency_keys SET locked_until = now()`)
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	release()
	b.server.Close() // waits for the handler
	b.another(t)
	b.attempt(t, a).wantReplay(t, first)
	if n := b.integrations(t); n != 1 {
		t.Errorf("%d integrations, want 1", n)
	}
}
