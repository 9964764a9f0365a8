package contracttest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// loadCases are about speed.
func loadCases() []Case {
	return []Case{
		{
			ID: "load.sustained", Title: "five requests a second are borne", Clause: clauseLimits, Level: Must, Profile: Core,
			Rule:  "Request capacity expected of the customer platform: at least 5 requests per second.",
			Why:   "assay spends up to five requests a second while it backfills. A platform that throttles below that takes many times as long, and the data is never fresh.",
			Fix:   "Raise the rate limit for this key to at least five a second with a burst of some, or take the route out of it.",
			check: (*run).sustained,
		},
		{
			ID: "load.latency", Title: "answers come within ten seconds", Clause: clauseLimits, Level: Should, Profile: Core, rests: true,
			Rule:  "Response time: aim for under 10 seconds; hard timeout 20 seconds.",
			Why:   "Requests are given up after 20 seconds. What takes ten today takes twenty when the tables have doubled.",
			Fix:   "Add an index on (updated_at, id), and let the database stop at LIMIT. EXPLAIN shows a sequential scan otherwise.",
			check: (*run).latency,
		},
		{
			ID: "load.retry-after", Title: "429 says how long to wait", Clause: "Errors", Level: Should, Profile: Core, rests: true,
			Rule:  "429: reads Retry-After in seconds.",
			Why:   "Without whole seconds, assay waits ten, and a sync that is throttled once a page takes hours.",
			Fix:   "Send Retry-After with whole seconds, such as Retry-After: 2: no date and no fraction.",
			check: (*run).advice,
		},
		{
			ID: "load.first-try", Title: "answers come at the first attempt", Clause: "Errors", Level: Should, Profile: Core, rests: true,
			Rule:  "5xx or timeout: retries with backoff; the dashboard shows the endpoint and status.",
			Why:   "A request that has to be repeated costs seconds each time, and fails the run when it fails three times in a row.",
			Fix:   "Look up the requests below in the log of the platform: they were answered by an error, or not at all, and then again.",
			check: (*run).firstTry,
		},
	}
}

// sustained sends the rate that a platform has to bear, whether answers come or
// not, over the lists by turns.
func (r *run) sustained() outcome {
	var usable []*list
	for i := range lists() {
		if l := &lists()[i]; r.readable(l) == nil {
			usable = append(usable, l)
		}
	}
	r.seen = nil
	if len(usable) == 0 {
		return skip(SkipDepends, "no list can be read")
	}
	t := &r.o.Timing
	total := max(int(t.Sustained.Seconds()*t.SustainedRate), 1)
	step := time.Duration(float64(time.Second) / t.SustainedRate)
	replies := make([]*reply, total)
	slots := make(chan struct{}, 64) // requests at once
	var sending sync.WaitGroup
	began := time.Now()
	for i := range total {
		if !sleep(r.client.ctx, time.Until(began.Add(time.Duration(i)*step))) {
			break
		}
		slots <- struct{}{}
		sending.Go(func() {
			l := usable[i%len(usable)]
			replies[i] = r.fetch(l, pageQuery{limit: liveLimit}, true)
			<-slots
		})
	}
	took := time.Since(began)
	sending.Wait()
	return r.loaded(replies, took)
}

// loaded sums the sustained rate up.
func (r *run) loaded(replies []*reply, took time.Duration) outcome {
	load := &Load{}
	var times []time.Duration
	failures := make(map[string]int)
	for _, p := range replies {
		if p == nil {
			continue
		}
		load.Requests++
		times = append(times, p.took)
		if p.page == nil {
			load.Failed++
			failures[p.text]++
			if load.Failed <= 3 {
				r.use(&p.answer)
			}
		}
	}
	if load.Requests == 0 {
		return skip(SkipDeadline, refusal(errDeadline))
	}
	slices.Sort(times)
	load.Rate = float64(load.Requests) / max(took, time.Millisecond).Seconds()
	load.Median, load.P95, load.Slowest = times[len(times)/2], times[len(times)*95/100], times[len(times)-1]
	r.load = load
	if load.Failed == 0 {
		return pass(fmt.Sprintf("%d requests, median %s, slowest %s", load.Requests, load.Median.Round(time.Millisecond), load.Slowest.Round(time.Millisecond)))
	}
	most := ""
	for text, n := range failures {
		if n > failures[most] || n == failures[most] && text < most {
			most = text
		}
	}
	return fail(fmt.Sprintf("%d of %d requests failed, most because %s", load.Failed, load.Requests, most))
}

func (r *run) latency() outcome {
	c := r.client
	if len(c.slow) > 0 {
		r.seen = append(r.seen, c.slow[:min(len(c.slow), 3)]...)
		return fail(fmt.Sprintf("%d answers took more than %s, the slowest %s", len(c.slow), r.o.Timing.Slow, c.slowest.Round(time.Millisecond)))
	}
	return pass("the slowest answer took " + c.slowest.Round(time.Millisecond).String())
}

func (r *run) advice() outcome {
	c := r.client
	if len(c.throttled) == 0 {
		return skip(SkipUnseen, "the platform never answered 429")
	}
	r.seen = append(r.seen, c.throttled[:min(len(c.throttled), 3)]...)
	if c.advised < len(c.throttled) {
		return fail(fmt.Sprintf("%d of %d answers with status 429 had no Retry-After in whole seconds", len(c.throttled)-c.advised, len(c.throttled)))
	}
	return pass(fmt.Sprintf("%d answers with status 429 had a usable Retry-After", len(c.throttled)))
}

func (r *run) firstTry() outcome {
	c := r.client
	if len(c.retried) == 0 {
		return pass("no request was repeated")
	}
	r.seen = append(r.seen, c.retried[:min(len(c.retried), 3)]...)
	return fail(fmt.Sprintf("%d requests had to be repeated, the first because %s", len(c.retried), c.exchanges[c.retried[0]-1].Error))
}

// skew compares the platform's Date with the clock of this machine.
func (r *run) skew(a *answer) (date string, skew time.Duration, ok bool) {
	at, err := http.ParseTime(a.header.Get("Date"))
	if err != nil || len(a.exchanges) == 0 {
		return "", 0, false
	}
	asked := r.client.exchanges[a.exchanges[len(a.exchanges)-1]-1].At
	return at.Format(time.RFC3339), at.Sub(asked).Round(time.Second), true
}
