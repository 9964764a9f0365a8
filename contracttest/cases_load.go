package contracttest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// loadCases check speed.
func loadCases() []Case {
	return []Case{
		{
			ID: "load.sustained", Title: "five requests a second are served", Clause: clauseLimits, Level: Must, Profile: Core,
			Rule:  "Request capacity expected of the customer platform: at least 5 requests per second.",
			Why:   "assay sends up to five requests a second during a backfill. If the platform throttles below that, the backfill takes many times as long and the data is never fresh.",
			Fix:   "Raise the rate limit for this key to at least five requests a second, with some room for bursts, or exempt the route.",
			check: (*run).checkSustainedRate,
		},
		{
			ID: "load.latency", Title: "responses arrive within ten seconds", Clause: clauseLimits, Level: Should, Profile: Core, rests: true,
			Rule:  "Response time: aim for under 10 seconds; hard timeout 20 seconds.",
			Why:   "Requests time out after 20 seconds. A response that takes ten today takes twenty when the tables have doubled.",
			Fix:   "Add an index on (updated_at, id), and let the database stop at LIMIT. EXPLAIN shows a sequential scan otherwise.",
			check: (*run).checkLatency,
		},
		{
			ID: "load.retry-after", Title: "429 says how long to wait", Clause: "Errors", Level: Should, Profile: Core, rests: true, always: true,
			Rule:  "429: reads Retry-After in seconds.",
			Why:   "Without a number of seconds, assay waits ten, and a sync that is throttled on every page takes hours.",
			Fix:   "Send Retry-After in whole seconds, such as Retry-After: 2, without a date or fraction.",
			check: (*run).checkRetryAfter,
		},
		{
			ID: "load.first-try", Title: "requests succeed at the first attempt", Clause: "Errors", Level: Should, Profile: Core, rests: true,
			Rule:  "5xx or timeout: retries with backoff; the dashboard shows the endpoint and status.",
			Why:   "Each repeated request costs seconds, and a request that fails three times in a row fails the run.",
			Fix:   "Find the requests below in the platform's log. They failed or got no response, and were sent again.",
			check: (*run).firstTry,
		},
	}
}

// burst is a series of requests at a constant rate, which alternate between the lists.
type burst struct {
	lists    []*list
	replies  []*reply // nil if the request was not sent
	took     time.Duration
	sent     int
	failed   []int // number of replies
	throttle int   // those of the failures that had status 429
}

// failedShare returns the share of requests that failed.
func (b *burst) failedShare() float64 { return float64(len(b.failed)) / float64(max(b.sent, 1)) }

// Shares of a burst. Clients have to repeat requests after 429 and 5xx, so a few of them break no
// rule if the repeated request succeeds.
const (
	tolerated = 0.1
	half      = 0.5
)

// checkSustainedRate sends requests at the rate that a platform has to sustain, whether answers
// arrive or not. Failures get a second chance, because an outage of a few seconds says nothing
// about the rate. Neither does a 429 that is as frequent at half the rate.
func (r *run) checkSustainedRate() outcome {
	var usable []*list
	for i := range lists() {
		if l := &lists()[i]; r.requireReadable(l) == nil {
			usable = append(usable, l)
		}
	}
	r.seen = nil
	if len(usable) == 0 {
		return skip(SkipDepends, "no list can be read")
	}
	t := &r.o.Timing
	full := r.sendBurst(usable, t.SustainedRate, t.Sustained)
	if full.failedShare() > tolerated {
		sleep(r.client.ctx, min(10*time.Second, t.MaxWait))
		full = r.sendBurst(usable, t.SustainedRate, t.Sustained)
	}
	if full.failedShare() > tolerated && full.failedShare() <= half && full.throttle == len(full.failed) {
		if slow := r.sendBurst(usable, t.SustainedRate/2, t.Sustained); slow.sent > 0 && slow.failedShare() >= full.failedShare()/2 {
			r.load = full.summarizeLoad()
			return pass(fmt.Sprintf("%d of %d requests were answered with 429, and %d of %d at half the rate, so the rate is not the reason", len(full.failed), full.sent, len(slow.failed), slow.sent))
		}
	}
	return r.judgeBurst(full)
}

// sendBurst sends requests at a rate.
func (r *run) sendBurst(lists []*list, rate float64, duration time.Duration) *burst {
	b := &burst{lists: lists, replies: make([]*reply, max(int(duration.Seconds()*rate), 1))}
	// The pause between two requests is slightly longer than the rate's interval: a request that
	// arrives a moment early would exceed the limit of a platform that sustains exactly this
	// rate.
	step := time.Duration(1.02 * float64(time.Second) / rate)
	slots := make(chan struct{}, 64) // limits concurrent requests
	var sending sync.WaitGroup
	began := time.Now()
	for i := range b.replies {
		if !sleep(r.client.ctx, time.Until(began.Add(time.Duration(i)*step))) {
			break
		}
		slots <- struct{}{}
		sending.Go(func() {
			b.replies[i] = r.fetchPage(lists[i%len(lists)], pageQuery{limit: liveLimit}, true)
			<-slots
		})
	}
	b.took = time.Since(began)
	sending.Wait()
	for i, p := range b.replies {
		if p == nil {
			continue
		}
		if b.sent++; p.page == nil {
			b.failed = append(b.failed, i)
			if errors.Is(p.err, errThrottle) {
				b.throttle++
			}
		}
	}
	return b
}

// summarizeLoad summarizes the burst.
func (b *burst) summarizeLoad() *Load {
	var times []time.Duration
	for _, p := range b.replies {
		if p != nil {
			times = append(times, p.took)
		}
	}
	slices.Sort(times)
	return &Load{
		Requests: b.sent, Failed: len(b.failed), Rate: float64(b.sent) / max(b.took, time.Millisecond).Seconds(),
		Median: times[len(times)/2], P95: times[len(times)*95/100], Slowest: times[len(times)-1],
	}
}

// judgeBurst judges the burst at the full rate.
func (r *run) judgeBurst(b *burst) outcome {
	if b.sent == 0 {
		return skip(SkipDeadline, refusalReason(errDeadline))
	}
	load := b.summarizeLoad()
	r.load = load
	if load.Failed == 0 {
		return pass(fmt.Sprintf("%d requests, median %s, slowest %s", load.Requests, load.Median.Round(time.Millisecond), load.Slowest.Round(time.Millisecond)))
	}
	failed := b.failed
	if b.failedShare() <= tolerated {
		failed = slices.DeleteFunc(slices.Clone(failed), func(i int) bool { return r.borneAgain(b.lists[i%len(b.lists)], b.replies[i]) })
		if len(failed) == 0 {
			return pass(fmt.Sprintf("%d requests, %d of which succeeded when they were repeated", load.Requests, load.Failed))
		}
	}
	p, n := r.mostCommonFailure(b.replies, failed)
	o := fail(fmt.Sprintf("%d of %d requests failed, %d of them because %s", load.Failed, load.Requests, n, p.text))
	if !errors.Is(p.err, errThrottle) {
		o.fix = suggestFix(&p.answer)
	}
	return o
}

// borneAgain reports whether a repeated request of the sustained rate is answered.
func (r *run) borneAgain(l *list, p *reply) bool {
	again := r.fetchPage(l, pageQuery{limit: liveLimit}, false)
	r.recordUse(&again.answer)
	if again.page == nil {
		return false
	}
	if !errors.Is(p.err, errThrottle) {
		r.client.updateStats(func() { r.client.retried = append(r.client.retried, p.exchanges...) })
	}
	return true
}

// mostCommonFailure returns a reply with the most common failure, and how many replies failed
// like that. The case cites the first few failures.
func (r *run) mostCommonFailure(replies []*reply, failed []int) (most *reply, n int) {
	counts := make(map[string]int)
	for k, i := range failed {
		p := replies[i]
		if k < 3 {
			r.recordUse(&p.answer)
		}
		if counts[p.text]++; counts[p.text] > n {
			most, n = p, counts[p.text]
		}
	}
	return most, n
}

func (r *run) checkLatency() outcome {
	c := r.client
	if len(c.slow) > 0 {
		r.seen = append(r.seen, c.slow[:min(len(c.slow), 3)]...)
		return fail(fmt.Sprintf("%d answers took more than %s, the slowest %s", len(c.slow), r.o.Timing.Slow, c.slowest.Round(time.Millisecond)))
	}
	return pass("the slowest answer took " + c.slowest.Round(time.Millisecond).String())
}

func (r *run) checkRetryAfter() outcome {
	c := r.client
	switch {
	case len(c.throttled) > 0:
	case r.closed != "":
		return dependsOn(healthCase, r.closed)
	default:
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

// compareClocks compares the platform's Date header with this machine's clock.
func (r *run) compareClocks(a *answer) (date string, skew time.Duration, ok bool) {
	at, err := http.ParseTime(a.header.Get("Date"))
	if err != nil || len(a.exchanges) == 0 {
		return "", 0, false
	}
	asked := r.client.exchanges[a.exchanges[len(a.exchanges)-1]-1].At
	return at.Format(time.RFC3339), at.Sub(asked).Round(time.Second), true
}
