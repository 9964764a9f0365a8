package idempotency_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func (b orgDB) finishAttempt(t *testing.T, a *idempotency.Attempt, answer idempotency.Answer) {
	t.Helper()
	if err := idempotency.Finish(t.Context(), b.DB, a, answer); err != nil || !a.Kept() {
		t.Fatalf("finish: %v, kept %v", err, a.Kept())
	}
}

// created is the response that most tests store.
var created = idempotency.Answer{Status: 201, Location: "https://assay.example/v1/things/7", Body: []byte(`{"name":"Ada Lovelace"}`)}

// Statements that simulate the passing of time.
const (
	leasePassed = `UPDATE idempotency_keys SET locked_until = now() - interval '1 ms'`
	dayPassed   = `UPDATE idempotency_keys SET created_at = now() - interval '24 hours'`
	dayNotOver  = `UPDATE idempotency_keys SET created_at = now() - interval '23 hours 59 minutes'`
)

func TestClaimAttempt(t *testing.T) {
	t.Parallel()
	open := func(*testing.T, orgDB, *idempotency.Attempt) {}
	finish := func(answer idempotency.Answer) func(*testing.T, orgDB, *idempotency.Attempt) {
		return func(t *testing.T, b orgDB, a *idempotency.Attempt) { b.finishAttempt(t, a, answer) }
	}
	abandon := func(t *testing.T, b orgDB, a *idempotency.Attempt) {
		if err := idempotency.Abandon(t.Context(), b.DB, a); err != nil {
			t.Fatal(err)
		}
	}
	same := func(*idempotency.Key) {}
	payload := func(k *idempotency.Key) { k.PayloadHash = sha256.Sum256([]byte(`{"a": 2}`)) }
	for _, c := range []struct {
		name   string
		end    func(*testing.T, orgDB, *idempotency.Attempt) // of the first attempt
		later  string                                        // statement
		second func(*idempotency.Key)
		want   *idempotency.Answer // nil if there is none
		err    error               // nil without a response means claimed
	}{
		{"in flight", open, "", same, nil, idempotency.ErrInProgress},
		{"in flight, another payload", open, "", payload, nil, idempotency.ErrKeyReused},
		{"its process died", open, leasePassed, same, nil, nil},
		{"its process died, another payload", open, leasePassed, payload, nil, idempotency.ErrKeyReused},
		{"finished", finish(created), "", same, &created, nil},
		{"finished without a body", finish(idempotency.Answer{Status: 204}), "", same, &idempotency.Answer{Status: 204}, nil},
		{"finished with 422", finish(idempotency.Answer{Status: 422, Body: []byte(`{}`)}), "", same, &idempotency.Answer{Status: 422, Body: []byte(`{}`)}, nil},
		{"finished, another payload", finish(created), "", payload, nil, idempotency.ErrKeyReused},
		{"finished nearly a day ago", finish(created), dayNotOver, same, &created, nil},
		{"finished a day ago", finish(created), dayPassed, same, nil, nil},
		{"finished a day ago, another payload", finish(created), dayPassed, payload, nil, nil},
		{"begun a day ago", open, dayPassed, payload, nil, nil},
		{"abandoned", abandon, "", same, nil, nil},
		{"abandoned, another payload", abandon, "", payload, nil, nil},
		{"another Idempotency-Key", finish(created), "", func(k *idempotency.Key) { k.Key = "k-2" }, nil, nil},
		{"another object", finish(created), "", func(k *idempotency.Key) { k.Route = "POST /v1/things/7" }, nil, nil},
		{"another API key", finish(created), "", func(k *idempotency.Key) { k.KeyID = uuid.New() }, nil, nil},
		{"the same characters, divided differently", finish(created), "", func(k *idempotency.Key) { k.Route, k.Key = "POST /v1/thing", "sk-1" }, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			k := storetest.AttemptKey(b.Org)
			c.end(t, b, storetest.Attempt(t, b.DB, k))
			if c.later != "" {
				b.Exec(t, c.later)
			}
			c.second(&k)
			a, done, err := idempotency.Claim(t.Context(), b.DB, k, time.Minute)
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(c.want, done); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if claimed := a != nil; claimed != (c.want == nil && c.err == nil) {
				t.Errorf("claimed: %v", claimed)
			}
			if a == nil {
				return
			}
			// The new claim is like a first one, regardless of earlier ones.
			if _, _, err := idempotency.Claim(t.Context(), b.DB, k, time.Minute); !errors.Is(err, idempotency.ErrInProgress) {
				t.Errorf("a third attempt: %v, want %v", err, idempotency.ErrInProgress)
			}
			b.finishAttempt(t, a, idempotency.Answer{Status: 200, Body: []byte(`{"new":true}`)})
			if _, done, err := idempotency.Claim(t.Context(), b.DB, k, time.Minute); err != nil || done == nil || string(done.Body) != `{"new":true}` || done.Location != "" {
				t.Errorf("after the new one has finished: %+v, %v", done, err)
			}
		})
	}
}

// TestClaimAttemptConcurrently checks that one of many claims by several processes wins, even if an
// attempt is to be taken over.
func TestClaimAttemptConcurrently(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fleet := []*store.DB{b.DB, storetest.Open(t, b.URL), storetest.Open(t, b.URL)}
	for _, before := range []string{"", leasePassed, dayPassed} {
		if before != "" {
			b.Exec(t, before)
		}
		var (
			wg      sync.WaitGroup
			claimed atomic.Int64
		)
		for i := range 50 {
			wg.Go(func() {
				a, done, err := idempotency.Claim(t.Context(), fleet[i%len(fleet)], storetest.AttemptKey(b.Org), time.Minute)
				switch {
				case a != nil && done == nil && err == nil:
					claimed.Add(1)
				case !errors.Is(err, idempotency.ErrInProgress):
					t.Errorf("%v, %v, %v; want an attempt or %v", a, done, err, idempotency.ErrInProgress)
				}
			})
		}
		wg.Wait()
		if n := claimed.Load(); n != 1 {
			t.Errorf("after %q: %d callers got the attempt, want 1", before, n)
		}
	}
}

// changeUnder returns a change that stores its result as the response.
func (b orgDB) changeUnder(a *idempotency.Attempt) store.Change {
	a.Render = func(made any) (idempotency.Answer, error) {
		i, ok := made.(integrations.Integration)
		if !ok {
			return idempotency.Answer{}, fmt.Errorf("the change made a %T", made)
		}
		return idempotency.Answer{Status: 201, Location: "/" + i.ID.String(), Body: []byte(i.Name)}, nil
	}
	return store.Change{OrganizationID: b.Org, Attempt: a}
}

func (b orgDB) createUnder(ctx context.Context, a *idempotency.Attempt, name string) (integrations.Integration, error) {
	return integrations.Create(ctx, b.DB, b.changeUnder(a), integrations.New{
		Kind: record.CustomAPI, Name: name, BaseURL: "https://a.example/" + name, APIKey: seal.NewSecret("0123456789abcdef"), SyncIntervalSeconds: 300,
	})
}

func (b orgDB) integrationNames(t *testing.T) string {
	t.Helper()
	return storetest.One[string](t, b.Conn, `SELECT coalesce(string_agg(name, ' ' ORDER BY id), '') FROM integrations`)
}

// TestAttemptCommitsWithItsChange checks that a response is visible as soon as its change is.
func TestAttemptCommitsWithItsChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
	made, err := b.createUnder(t.Context(), a, "first")
	if err != nil || !a.Kept() {
		t.Fatalf("create: %v, kept %v", err, a.Kept())
	}
	// The process may die here, or believe that the change did not commit.
	if err := idempotency.Abandon(t.Context(), b.DB, a); err != nil {
		t.Fatal(err)
	}
	want := &idempotency.Answer{Status: 201, Location: "/" + made.ID.String(), Body: []byte("first")}
	_, done, err := idempotency.Claim(t.Context(), b.DB, storetest.AttemptKey(b.Org), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	// One attempt makes one change.
	if _, err := b.createUnder(t.Context(), a, "second"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a second change: %v, want %v", err, store.ErrFenced)
	}
	if got := b.integrationNames(t); got != "first" {
		t.Errorf("integrations: %s", got)
	}
}

// TestAttemptOfAChangeThatFails checks that no response of a rolled-back change is stored.
func TestAttemptOfAChangeThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
	// A deferred constraint fails at the commit, after the answer was written.
	b.Exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''made by the test''; END'`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON integrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	if _, err := b.createUnder(t.Context(), a, "first"); err == nil {
		t.Fatal("the change committed")
	}
	if _, _, err := idempotency.Claim(t.Context(), b.DB, storetest.AttemptKey(b.Org), time.Minute); !errors.Is(err, idempotency.ErrInProgress) {
		t.Errorf("while the attempt goes on: %v, want %v", err, idempotency.ErrInProgress)
	}
	if err := idempotency.Abandon(t.Context(), b.DB, a); err != nil {
		t.Fatal(err)
	}
	storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
}

// TestZombiesChangeDoesNotCommit checks a process that was considered dead and wakes up in the
// middle of its change.
func TestZombiesChangeDoesNotCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		meanwhile func(*testing.T, orgDB)
		left      string // number of integrations at the end
	}{
		{"taken over and in flight", func(t *testing.T, b orgDB) {
			b.Exec(t, leasePassed)
			storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
		}, ""},
		{"taken over and finished", func(t *testing.T, b orgDB) {
			b.Exec(t, leasePassed)
			if _, err := b.createUnder(t.Context(), storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org)), "successor"); err != nil {
				t.Fatal(err)
			}
		}, "successor"},
		{"claimed anew after a day", func(t *testing.T, b orgDB) {
			b.Exec(t, dayPassed)
			k := storetest.AttemptKey(b.Org)
			k.PayloadHash = sha256.Sum256(nil)
			storetest.Attempt(t, b.DB, k)
		}, ""},
		{"pruned", func(t *testing.T, b orgDB) {
			b.Exec(t, dayPassed)
			if n, err := idempotency.Prune(t.Context(), b.DB); err != nil || n != 1 {
				t.Fatalf("%d pruned, %v", n, err)
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			zombie := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
			c.meanwhile(t, b)
			before := storetest.One[string](t, b.Conn, `SELECT coalesce(string_agg(k::text, ' '), '') FROM idempotency_keys AS k`)
			if _, err := b.createUnder(t.Context(), zombie, "zombie"); !errors.Is(err, store.ErrFenced) {
				t.Errorf("the zombie's change: %v, want %v", err, store.ErrFenced)
			}
			if err := idempotency.Finish(t.Context(), b.DB, zombie, created); !errors.Is(err, store.ErrFenced) {
				t.Errorf("the zombie's answer: %v, want %v", err, store.ErrFenced)
			}
			if err := idempotency.Abandon(t.Context(), b.DB, zombie); err != nil {
				t.Error(err)
			}
			if zombie.Kept() {
				t.Error("the zombie takes its answer for kept")
			}
			if got := b.integrationNames(t); got != c.left {
				t.Errorf("integrations %q, want %q", got, c.left)
			}
			if after := storetest.One[string](t, b.Conn, `SELECT coalesce(string_agg(k::text, ' '), '') FROM idempotency_keys AS k`); after != before {
				t.Errorf("the successor's row was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestTakeoverDuringTheCommit checks a lease that expires while the change is being committed.
// Another claim waits, and receives the response.
func TestTakeoverDuringTheCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := storetest.Attempt(t, b.DB, storetest.AttemptKey(b.Org))
	b.Exec(t, leasePassed)
	b.Exec(t, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`)
	b.Exec(t, `CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON integrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`)
	b.Exec(t, `SELECT pg_advisory_lock(42)`)
	made, told := make(chan error, 1), make(chan struct{})
	go func() {
		_, err := b.createUnder(context.WithoutCancel(t.Context()), a, "first")
		made <- err
	}()
	storetest.AwaitBlocked(t, b.URL, true) // the change, in its commit
	go func() {
		defer close(told)
		_, done, err := idempotency.Claim(context.WithoutCancel(t.Context()), b.DB, storetest.AttemptKey(b.Org), time.Minute)
		if err != nil || done == nil || string(done.Body) != "first" {
			t.Errorf("the claim got %+v, %v; want the answer", done, err)
		}
	}()
	storetest.Eventually(t, "the claim waits as well", func() bool {
		return storetest.One[int](t, b.Conn, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 2
	})
	b.Exec(t, `SELECT pg_advisory_unlock(42)`)
	<-told
	if err := <-made; err != nil {
		t.Errorf("the change: %v", err)
	}
	if got := b.integrationNames(t); got != "first" {
		t.Errorf("integrations %q", got)
	}
}
