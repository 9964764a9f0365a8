package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
)

func TestMemoryOfHostileBody(t *testing.T) {
	n := newNetwork(t)
	n.serve("p.test", "1.0.0.1", plain(10<<30, false))
	p := platform(n.client(fetch.Options{}), "https://p.test")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := get(t, p, fetch.Request{}); err == nil {
		t.Fatal("a body of 10 GB was read")
	}
	runtime.ReadMemStats(&after)
	// Every doubling from 64 KiB to 32 MiB is allocated once.
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 3*fetch.MaxBody {
		t.Errorf("allocated %d MiB for a body that was refused", spent>>20)
	}
}

func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", plain(1<<20, false))
		n.serve("small.test", "1.0.0.2", plain(1000, false))
		c := n.client(fetch.Options{})
		p := platform(c, "https://p.test")
		_, first, err := get(t, p, fetch.Request{})
		if err != nil {
			t.Fatal(err)
		}
		type answer struct {
			size int
			res  fetch.Result
			err  error
		}
		second := make(chan answer, 1)
		go func() {
			body, res, err := get(t, p, fetch.Request{})
			second <- answer{len(body), res, err}
		}()
		// Much longer than an attempt may take, because waiting for memory does not
		// count.
		time.Sleep(10 * fetch.AttemptLimit)
		select {
		case a := <-second:
			t.Fatalf("the second large body did not wait: %+v", a)
		default:
		}
		if _, _, err := get(t, platform(c, "https://small.test"), fetch.Request{}); err != nil {
			t.Errorf("a small body had to wait: %v", err)
		}
		first.Release()
		a := <-second
		if a.err != nil || a.size != 1<<20 || a.res.Stats.Requests != 1 {
			t.Fatalf("second body: %+v", a)
		}
		if a.res.Latency > time.Second {
			t.Errorf("latency %v holds the wait for memory", a.res.Latency)
		}
		a.res.Release()
		a.res.Release() // a second release must not release another Get's token
		if c.LargeHeld() {
			t.Error("the token is still held")
		}
	})
}

// Many goroutines fetch pages ahead while earlier ones are written, and some
// requests fail or are given up. None may wait for ever.
func TestManyLargeBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", plain(600<<10, false))
		c := n.client(fetch.Options{})
		p := platform(c, "https://p.test")
		var all sync.WaitGroup
		for worker := range 16 {
			pages := make(chan fetch.Result)
			all.Go(func() { // writes
				for res := range pages {
					time.Sleep(50 * time.Millisecond)
					res.Release()
				}
			})
			all.Go(func() { // reads ahead
				defer close(pages)
				for page := range 4 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(worker)*500*time.Millisecond)
					res, err := p.Get(ctx, fetch.Request{Path: "/traders"}, func(fetch.Answer) error {
						if page == 2 {
							return errors.New("not what was expected")
						}
						return nil
					})
					cancel()
					if err != nil {
						res.Release()
						continue
					}
					pages <- res
				}
			})
		}
		all.Wait()
		if c.LargeHeld() {
			t.Error("the token is still held")
		}
	})
}

// The clock of an attempt continues after a wait for memory.
func TestDripAfterWaitForMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("large.test", "1.0.0.1", plain(1<<20, false))
		n.serve("p.test", "1.0.0.2", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(15 * time.Second)
			_, _ = io.Copy(w, io.LimitReader(zeros{}, 1<<20))
			drip(w, r)
		})
		c := n.client(fetch.Options{})
		_, holder, err := get(t, platform(c, "https://large.test"), fetch.Request{})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(100*time.Second, holder.Release)
		_, _, err = get(t, platform(c, "https://p.test"), fetch.Request{})
		if e := platformError(t, err); e.Code != connectors.CodeTimeout {
			t.Errorf("got %v, want timeout", e)
		}
		for i, ev := range n.events[1:] {
			if ev.Duration != fetch.AttemptLimit {
				t.Errorf("attempt %d ran for %v", i, ev.Duration)
			}
		}
	})
}

func TestWaitForMemoryEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", plain(1<<20, false))
		p := platform(n.client(fetch.Options{}), "https://p.test")
		_, first, err := get(t, p, fetch.Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer first.Release()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, second, err := getContext(ctx, p, fetch.Request{})
		second.Release()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}

func TestFailedLargeBodyGivesTokenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", plain(1<<20, false))
		c := n.client(fetch.Options{})
		p := platform(c, "https://p.test")
		for _, fault := range []error{alias.ErrSyntax, errors.New("decoder's own")} {
			res, err := p.Get(t.Context(), fetch.Request{Path: "/traders"}, func(fetch.Answer) error { return fault })
			if err == nil || c.LargeHeld() {
				t.Errorf("%v: error %v, token held: %v", fault, err, c.LargeHeld())
			}
			res.Release()
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = p.Get(t.Context(), fetch.Request{Path: "/traders"}, func(fetch.Answer) error { panic("decoder") })
		}()
		if c.LargeHeld() {
			t.Error("a panic kept the token")
		}
	})
}

// A buffer that has grown beyond smallBody must not return to the pool.
func TestBufferReuse(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.serve("small.test", "1.0.0.1", plain(300<<10, false))
	n.serve("large.test", "1.0.0.2", plain(4<<20, false))
	c := n.client(fetch.Options{})
	for _, host := range []string{"large.test", "small.test", "large.test", "small.test"} {
		res, err := platform(c, "https://"+host).Get(t.Context(), fetch.Request{Path: "/traders"}, func(a fetch.Answer) error {
			if host == "small.test" && cap(a.Body) > fetch.SmallBody {
				t.Errorf("a small body got a buffer of %d bytes", cap(a.Body))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		res.Release()
	}
}

// TestDecodeErrors checks what a body that is no damaged one, but not the one that was requested
// either, means for the request.
func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]connectors.Code{
		alias.ErrTooManyRecords: connectors.CodeResponseTooLarge,
		alias.ErrShape:          connectors.CodeUnexpectedResponse,
		alias.ErrSyntax:         connectors.CodeUnexpectedResponse,
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			n.serve("p.test", "1.0.0.1", plain(10, false))
			res, err := platform(n.client(fetch.Options{}), "https://p.test").Get(t.Context(), fetch.Request{Path: "/traders"}, func(fetch.Answer) error { return fmt.Errorf("%w: so", cause) })
			res.Release()
			e, ok := errors.AsType[*connectors.Error](err)
			if again := res.Stats.Requests > 1; !ok || e.Code != want || again != errors.Is(cause, alias.ErrSyntax) || !strings.Contains(e.Message, cause.Error()+": so") {
				t.Errorf("%v became %v after %d requests", cause, err, res.Stats.Requests)
			}
		})
	}
}
