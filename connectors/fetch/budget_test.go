package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

// arrivals notes when requests reach a platform.
type arrivals struct {
	mu    sync.Mutex
	times []time.Time
}

func (a *arrivals) serve(then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.times = append(a.times, time.Now())
		a.mu.Unlock()
		then(w, r)
	}
}

// gaps returns the times between arrivals.
func (a *arrivals) gaps() []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(a.times); i++ {
		gaps = append(gaps, a.times[i].Sub(a.times[i-1]).Round(time.Millisecond))
	}
	return gaps
}

func integration(c *fetch.Client, id, base string) *fetch.Platform {
	return c.Platform(record.CustomAPI, connectors.Config{IntegrationID: id, BaseURL: base, APIKey: seal.NewSecret(testKey)})
}

func repeat(d time.Duration, n int) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = d
	}
	return all
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }

func TestBudgetSpacesRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		n.serve("p.test", "1.0.0.1", a.serve(ok))
		c := n.client(fetch.Options{RequestsPerSecond: 5})
		time.Sleep(time.Hour) // idle time is not saved up
		var all sync.WaitGroup
		for range 4 {
			p := integration(c, "i1", "https://p.test")
			all.Go(func() {
				for range 5 {
					if _, res, err := get(t, p, fetch.Request{}); err != nil || res.Latency != 0 {
						t.Errorf("latency %v holds the wait for the budget; error %v", res.Latency, err)
					}
				}
			})
		}
		all.Wait()
		if diff := cmp.Diff(repeat(200*time.Millisecond, 19), a.gaps()); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
	})
}

func TestBudgetsAreSeparate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", ok)
		c := n.client(fetch.Options{RequestsPerSecond: 5})
		began := time.Now()
		for i := range 10 {
			if _, _, err := get(t, integration(c, fmt.Sprint(i), "https://p.test"), fetch.Request{}); err != nil {
				t.Fatal(err)
			}
			if _, _, err := get(t, platform(c, "https://p.test"), fetch.Request{}); err != nil { // not saved yet
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("integrations waited for each other: %v", took)
		}
	})
}

// Retries are requests too.
func TestRetriesUseTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		n.serve("p.test", "1.0.0.1", a.serve(script(reply{status: 500})))
		p := integration(n.client(fetch.Options{RequestsPerSecond: 0.1}), "i1", "https://p.test")
		_, res, err := get(t, p, fetch.Request{})
		if err == nil {
			t.Fatal("no error")
		}
		if diff := cmp.Diff(repeat(10*time.Second, 2), a.gaps()); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		if res.Latency > 6*time.Second {
			t.Errorf("latency %v holds waits for the budget", res.Latency)
		}
	})
}

func TestBudgetWidensAndNarrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		status := 429
		n.serve("p.test", "1.0.0.1", a.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		c := n.client(fetch.Options{RequestsPerSecond: 5})
		send := func(times int) []time.Duration {
			a.times = a.times[max(len(a.times)-1, 0):]
			for range times {
				_, _, _ = get(t, integration(c, "i1", "https://p.test"), fetch.Request{})
			}
			return a.gaps()
		}
		ms := time.Millisecond
		want := []time.Duration{400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10_000 * ms, 10_000 * ms}
		if diff := cmp.Diff(want, send(8)); diff != "" {
			t.Errorf("gaps while throttled (-want +got):\n%s", diff)
		}
		status = 200
		gaps := send(1000)
		if gaps[0] != 10_000*ms || gaps[1] > 9500*ms || gaps[1] < 9000*ms {
			t.Errorf("gaps %v after the throttling, want the first good answer to begin narrowing them", gaps[:2])
		}
		var back time.Duration
		for i := 1; gaps[i] > 200*ms; i++ {
			if back += gaps[i]; gaps[i+1] > gaps[i] {
				t.Errorf("gap %d is %v after %v", i+1, gaps[i+1], gaps[i])
			}
		}
		if back > time.Minute {
			t.Errorf("back at the budget's gap %v after the first good answer", back)
		}
	})
}

// TestTenAnswersHalveTheGap: if answers arrive fast, their number counts.
func TestTenAnswersHalveTheGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		n.serve("p.test", "1.0.0.1", a.serve(script(reply{status: 429}, reply{status: 429}, reply{status: 200})))
		c := n.client(fetch.Options{RequestsPerSecond: 100})
		for range 13 {
			_, _, _ = get(t, integration(c, "i1", "https://p.test"), fetch.Request{})
		}
		// 10 ms, twice doubled, and half of that except for the time of ten
		// answers.
		if got := a.gaps()[11]; got > 20*time.Millisecond || got < 18*time.Millisecond {
			t.Errorf("gap %v after ten answers, want half of 40 ms", got)
		}
	})
}

// TestSlowAnswersAndTheGap: answers within the time that the contract allows widen
// nothing, and slower answers do.
func TestSlowAnswersAndTheGap(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		6 * time.Second: 200 * time.Millisecond, 10 * time.Second: 200 * time.Millisecond, 11 * time.Second: 746 * time.Millisecond, // twice doubled, and one good answer since
	} {
		t.Run(took.String(), func(t *testing.T) {
			t.Parallel()
			slowAnswers(t, took, want)
		})
	}
}

func slowAnswers(t *testing.T, took, want time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		slow := true
		n.serve("p.test", "1.0.0.1", a.serve(func(http.ResponseWriter, *http.Request) {
			if slow {
				time.Sleep(took)
			}
		}))
		p := integration(n.client(fetch.Options{RequestsPerSecond: 5}), "i1", "https://p.test")
		for range 2 {
			if _, _, err := get(t, p, fetch.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		slow = false
		for range 2 {
			if _, _, err := get(t, p, fetch.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := a.gaps()[2]; got != want {
			t.Errorf("gap after two answers of %v is %v, want %v", took, got, want)
		}
	})
}

// row does for an integration what a database row does: it holds the next free
// slot.
type row struct {
	mu    sync.Mutex
	next  time.Time
	gap   time.Duration // fixed by a test; 0 means the base
	calls []reservation
	err   error
}

type reservation struct {
	n        int
	base     time.Duration
	feedback fetch.Feedback
}

func (r *row) ReserveRequests(_ context.Context, id string, n int, base time.Duration, f fetch.Feedback) (fetch.Grant, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "i1" {
		return fetch.Grant{}, fmt.Errorf("reserved for %q", id)
	}
	if r.err != nil {
		return fetch.Grant{}, r.err
	}
	r.calls = append(r.calls, reservation{n, base, f})
	gap := max(r.gap, base)
	begin := r.next
	if now := time.Now(); begin.Before(now) {
		begin = now
	}
	r.next = begin.Add(time.Duration(n) * gap)
	return fetch.Grant{Delay: time.Until(begin), Gap: gap}, nil
}

func TestReserverSharesBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a, r := newNetwork(t), new(arrivals), new(row)
		n.serve("p.test", "1.0.0.1", a.serve(ok))
		var all sync.WaitGroup
		for range 3 { // processes
			p := integration(n.client(fetch.Options{RequestsPerSecond: 5, Reserver: r}), "i1", "https://p.test")
			all.Go(func() {
				for range 20 {
					if _, _, err := get(t, p, fetch.Request{}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if diff := cmp.Diff(repeat(200*time.Millisecond, 59), a.gaps()); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		if len(r.calls) != 12 || r.calls[0].n != 5 || r.calls[0].base != 200*time.Millisecond {
			t.Errorf("60 requests took %d reservations, the first of %+v", len(r.calls), r.calls[0])
		}
	})
}

// Slots that were not used in time are lost, however many there are.
func TestUnusedSlotsAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a, r := newNetwork(t), new(arrivals), new(row)
		n.serve("p.test", "1.0.0.1", a.serve(ok))
		p := integration(n.client(fetch.Options{RequestsPerSecond: 5, Reserver: r}), "i1", "https://p.test")
		send := func() {
			if _, _, err := get(t, p, fetch.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		send()                             // slot 1, at 0
		time.Sleep(650 * time.Millisecond) // slots 2 and 3 pass, 4 has begun
		send()                             // slot 4, at 650
		send()                             // slot 5 began at 800, but no two requests are closer than the gap: 850
		send()                             // a new block, from 1000 on: 1050
		want := []time.Duration{650 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond}
		if diff := cmp.Diff(want, a.gaps()); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		if len(r.calls) != 2 {
			t.Errorf("%d reservations, want 2", len(r.calls))
		}
	})
}

func TestReserverHearsFeedback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, r := newNetwork(t), new(row)
		n.serve("p.test", "1.0.0.1", script(
			reply{status: 200}, reply{status: 404}, reply{status: 429}, reply{status: 200}, reply{status: 200}, // first block
			reply{status: 200}))
		p := integration(n.client(fetch.Options{RequestsPerSecond: 5, Reserver: r}), "i1", "https://p.test")
		for range 5 {
			_, _, _ = get(t, p, fetch.Request{})
		}
		away := errors.New("database away")
		r.err = away
		res, err := p.Get(t.Context(), fetch.Request{Path: "/traders"}, nil)
		res.Release()
		if err != away { //nolint:errorlint // it must come back unwrapped
			t.Errorf("got %v, want the reserver's own error", err)
		}
		if res.Stats.Requests != 0 || len(n.events) != 5 {
			t.Errorf("%d requests, %d events without a slot", res.Stats.Requests, len(n.events))
		}
		r.err = nil
		r.gap = 3 * time.Second // the reserver has widened it
		for range 4 {
			if _, _, err := get(t, p, fetch.Request{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		base := 200 * time.Millisecond
		want := []reservation{
			{5, base, fetch.Feedback{}},
			{5, base, fetch.Feedback{Throttled: true, Succeeded: 4}}, // not lost with the failed reservation
			{1, base, fetch.Feedback{Succeeded: 1}},                  // wide slots are not hoarded
			{1, base, fetch.Feedback{Succeeded: 1}},
			{1, base, fetch.Feedback{Succeeded: 1}},
		}
		if diff := cmp.Diff(want, r.calls, cmp.AllowUnexported(reservation{})); diff != "" {
			t.Errorf("reservations (-want +got):\n%s", diff)
		}
	})
}

func TestBudgetWaitAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", ok)
		p := integration(n.client(fetch.Options{RequestsPerSecond: 0.1}), "i1", "https://p.test")
		if _, _, err := get(t, p, fetch.Request{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := getContext(ctx, p, fetch.Request{Policy: fetch.CheckPolicy})
		if e := platformError(t, err); e.Code != connectors.CodeTimeout || e.Endpoint != "GET /traders" || time.Since(began) != 0 {
			t.Errorf("check: %v after %v, want a timeout at once", e, time.Since(began))
		}
		if _, _, err = getContext(ctx, p, fetch.Request{}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("sync: %v after %v", err, time.Since(began))
		}
		// The slot that was not taken is still there.
		if _, _, err := get(t, p, fetch.Request{}); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("next request after %v: %v", time.Since(began), err)
		}
	})
}

func TestIdleBudgetsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, a := newNetwork(t), new(arrivals)
		n.serve("p.test", "1.0.0.1", a.serve(ok))
		hang := make(chan struct{})
		n.serve("slow.test", "1.0.0.2", func(http.ResponseWriter, *http.Request) { <-hang })
		c := n.client(fetch.Options{RequestsPerSecond: 5})
		c.SetIdleBudgets(10)
		var busy sync.WaitGroup
		busy.Go(func() { _, _, _ = get(t, integration(c, "busy", "https://slow.test"), fetch.Request{}) })
		synctest.Wait()
		for i := range 1000 {
			if _, _, err := get(t, integration(c, fmt.Sprint(i), "https://p.test"), fetch.Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.Budgets(); got != 11 {
			t.Errorf("%d budgets are kept, want 10 idle and one in use", got)
		}
		close(hang)
		busy.Wait()
		if got := c.Budgets(); got != 10 {
			t.Errorf("%d budgets are kept, want 10", got)
		}
		// The latest is still known: its second request waits.
		began := time.Now()
		if _, _, err := get(t, integration(c, "999", "https://p.test"), fetch.Request{}); err != nil || time.Since(began) != 200*time.Millisecond {
			t.Errorf("waited %v, error %v", time.Since(began), err)
		}
	})
}
