package deliver

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/webhooks"
)

// How a run goes about an endpoint's deliveries.
const (
	batch       = 64                     // deliveries that are read at a time
	inFlight    = 4                      // attempts at a time
	freshFor    = 250 * time.Millisecond // how long what is known of an endpoint's settings, and of what was asked for, holds
	startLimit  = 4 * time.Second        // no attempt begins later in the run: it ends within runTimeout
	leaseTime   = 25 * time.Second       // longer than a run takes
	recordEvery = time.Second            // how long an outcome waits to be written, while others of its batch are made
	recordLimit = 5 * time.Second        // for writing
)

// unsigned is how long an endpoint waits whose signing secret can't be opened.
const unsigned = 10 * time.Second

// run is an endpoint that is being worked on.
type run struct {
	*webhooks.Run
	d        *Deliverer
	began    time.Time // on the process's clock
	target   *webhooks.Target
	read     time.Time   // when it was, on the process's clock
	asked    []uuid.UUID // the deliveries at hand that somebody has asked for, until their attempts are written
	stale    bool        // somebody has changed the endpoint since, or asked for an attempt
	failing  bool        // the last attempt failed
	hindered bool        // it failed or was slow when the run began, and holds one of those places
	held     bool        // the receiver wants to be left alone
	turned   bool        // attempts have begun to fail or to be slow in this run
	gone     bool
	made     []webhooks.AttemptOutcome // not written yet
	health   webhooks.EndpointHealth   // after what was written last
}

// work makes the due deliveries of the endpoint, and gives it back.
func (r *run) work(ctx context.Context) error {
	r.began = r.d.now()
	if r.target.SecretErr != nil { // deliveries keep, and the endpoint can't help it
		r.d.Log.ErrorContext(ctx, "signing secret can't be opened, deliveries wait: load its key, or rotate the secret",
			"endpoint_id", r.EndpointID, "organization_id", r.OrganizationID, "error", r.target.SecretErr)
		return r.releaseEndpoint(ctx, unsigned)
	}
	err := r.deliverDue(ctx)
	if errors.Is(err, store.ErrFenced) {
		r.d.Log.InfoContext(ctx, "deliveries taken over by another process, or their endpoint deleted", "endpoint_id", r.EndpointID)
		return nil
	}
	if err != nil {
		return errors.Join(err, r.judgeEndpoint(ctx), r.releaseEndpoint(ctx, retryPause))
	}
	return r.judgeEndpoint(ctx)
}

// deliverDue makes deliveries until none is due, or the run has to end.
func (r *run) deliverDue(ctx context.Context) error {
	for {
		r.stale = false // what has changed before is known with what is read now
		due, err := webhooks.ReadDue(ctx, r.d.Store, r.EndpointID, batch)
		if err != nil {
			return err
		}
		if due.GivenUp { // by and by, so that what is new does not wait for it
			if _, err := webhooks.SkipDeliveries(ctx, r.d.Store, r.Run); err != nil {
				return err
			}
		}
		r.asked = askedIDs(due.Due)
		rest, err := r.sendAll(ctx, due.Due)
		if err != nil {
			return err
		}
		more := due.Next == 0 || due.GivenUp
		if r.stale && r.mayGoOn() {
			rest, more = false, true
		}
		if rest || more {
			if err := r.recordAttempts(ctx); err != nil {
				return err
			}
			if rest || !r.mayGoOn() {
				return r.releaseEndpoint(ctx, 0)
			}
			continue
		}
		finished, err := r.finishRun(ctx, due.Version, r.nextWait(due.Next))
		if err != nil || finished {
			return err
		}
	}
}

// askedIDs lists the deliveries that somebody has asked for.
func askedIDs(due []webhooks.DueDelivery) (ids []uuid.UUID) {
	for i := range due {
		if due[i].Trigger != webhooks.TriggerOfSchedule {
			ids = append(ids, due[i].ID)
		}
	}
	return ids
}

// forgetAsked strikes deliveries from those that were asked for, because what
// came of them is written. A later request for one of them asks for something
// new.
func (r *run) forgetAsked(made []webhooks.AttemptOutcome) {
	r.asked = slices.DeleteFunc(r.asked, func(id uuid.UUID) bool {
		return slices.ContainsFunc(made, func(o webhooks.AttemptOutcome) bool { return o.DeliveryID == id })
	})
}

// releaseEndpoint gives the endpoint back although there is more to do after a
// while, also when the process stops.
func (r *run) releaseEndpoint(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	return webhooks.ReleaseDeliveries(ctx, r.d.Store, r.Run, after)
}

// nextWait returns when something of the endpoint is due again, after what was
// made.
func (r *run) nextWait(wait time.Duration) time.Duration {
	for i := range r.made {
		if o := &r.made[i]; o.Status == webhooks.DeliveryPending && (wait < 0 || o.Wait < wait) {
			wait = o.Wait
		}
	}
	return wait
}

// mayStart reports whether the run may begin another attempt.
func (r *run) mayStart() bool { return !r.stale && r.mayGoOn() }

// mayGoOn reports whether the run may begin another attempt at deliveries that it
// has yet to read.
func (r *run) mayGoOn() bool {
	return !r.gone && !r.held && !r.turned && r.target.SecretErr == nil && !r.d.isStopping() && r.d.now().Sub(r.began) < startLimit
}

// attemptLimit returns how many attempts may be under way.
func (r *run) attemptLimit() int {
	if r.failing {
		return 1
	}
	return inFlight
}

// made is a delivery with what came of it; err is set when it was broken off.
type made struct {
	due    *webhooks.DueDelivery
	answer answer
	err    error
}

// sendAll makes attempts at the deliveries and waits for them. rest reports
// whether some were not begun, or broken off. All that are under way are broken
// off when there is an error.
func (r *run) sendAll(ctx context.Context, due []webhooks.DueDelivery) (rest bool, err error) {
	ctx, breakOff := context.WithCancel(ctx)
	results := make(chan made, inFlight)
	written := time.NewTicker(recordEvery)
	defer written.Stop()
	begun, ended, broken := 0, 0, false
	defer func() {
		for breakOff(); ended < begun; ended++ {
			<-results
		}
	}()
	for {
		n, err := r.beginAttempts(ctx, due[begun:], begun-ended, results)
		begun += n
		if err != nil {
			return true, err
		}
		if begun == ended {
			return broken || begun < len(due), nil
		}
		select {
		case m := <-results:
			ended++
			if m.err != nil { // the run is being stopped, and another makes it again
				broken = true
				continue
			}
			r.noteAttempt(m)
		case <-written.C:
			err = r.recordAttempts(ctx)
		}
		if err != nil { // the lease is gone, or the database
			return true, err
		}
	}
}

// beginAttempts begins as many attempts as may be, while so many are under way.
func (r *run) beginAttempts(ctx context.Context, due []webhooks.DueDelivery, underWay int, results chan<- made) (begun int, err error) {
	for begun < len(due) && underWay+begun < r.attemptLimit() && r.mayStart() {
		if err := r.refreshTarget(ctx); err != nil {
			return begun, err
		}
		if !r.mayStart() {
			break
		}
		d, to := &due[begun], r.target
		begun++
		go func() {
			a, err := r.d.makeAttempt(ctx, to, d)
			results <- made{d, a, err}
		}()
	}
	return begun, nil
}

// refreshTarget checks whether somebody has changed the endpoint, unless that was
// checked just now, because attempts go to the address that is set when they
// begin. Each write brings the endpoint's settings, too.
func (r *run) refreshTarget(ctx context.Context) error {
	now := r.d.now()
	if now.Sub(r.read) < r.d.fresh {
		return nil
	}
	target, err := webhooks.ReadTarget(ctx, r.d.Store, r.Run, r.asked)
	switch {
	case store.Transient(err):
		r.stale = true // nothing is begun until the database can be asked again
		return nil
	case err != nil:
		return err
	}
	r.setTarget(target, now)
	return nil
}

// setTarget takes over what was asked about the endpoint at a time.
func (r *run) setTarget(target *webhooks.Target, at time.Time) {
	r.stale = r.stale || target.Asked || !target.Same(r.target)
	r.target, r.read = target, at
}

// noteAttempt notes what came of an attempt.
func (r *run) noteAttempt(m made) {
	o := outcomeOf(m.due, m.answer, rand.Float64()) //nolint:gosec // jitter needs no secrecy
	o.StartedAt = r.Now.Add(m.answer.started.Sub(r.began))
	failed := o.ErrorCode != nil
	if o.Ours {
		failed = r.failing
	}
	r.turned = r.turned || failed && !r.failing || o.Slow && !r.hindered
	r.failing, r.gone, r.held = failed, r.gone || m.answer.isGone(), r.held || o.Hold > 0
	r.made = append(r.made, o)
	r.d.metrics.countAttempt(&o, m.due)
}

// outcomeOf returns what follows from an attempt at a delivery.
func outcomeOf(due *webhooks.DueDelivery, a answer, chance float64) webhooks.AttemptOutcome {
	o := webhooks.AttemptOutcome{
		Attempt: webhooks.Attempt{
			DeliveryID: due.ID, Number: due.Attempts + 1, Trigger: due.Trigger, LatencyMS: max(a.latency.Milliseconds(), 1), Truncated: a.truncated,
		},
		Status: webhooks.DeliverySucceeded, Scheduled: min(due.Scheduled+1, webhooks.ScheduledAttempts), Slow: a.latency >= slowAfter,
	}
	if a.status != 0 {
		o.HTTPStatus = &a.status
	}
	if a.body != "" {
		o.ResponseBody = &a.body
	}
	if a.code == "" {
		return o
	}
	o.ErrorCode, o.Status, o.Ours, o.Hold = &a.code, webhooks.DeliveryFailed, a.ours, a.pause
	if due.Trigger == webhooks.TriggerOfTest || a.isGone() || a.code == codeExpired {
		return o
	}
	if d, again := nextPause(o.Scheduled, a.pause, chance); again {
		o.Status, o.Wait = webhooks.DeliveryPending, d
	}
	return o
}

// finishRun writes what was made and ends the run, unless something was added
// that it does not know of.
func (r *run) finishRun(ctx context.Context, version int64, next time.Duration) (finished bool, err error) {
	return r.writeProgress(ctx, webhooks.Progress{Finish: true, Version: version, Next: next})
}

// recordAttempts writes what was made.
func (r *run) recordAttempts(ctx context.Context) error {
	if len(r.made) == 0 {
		return nil
	}
	_, err := r.writeProgress(ctx, webhooks.Progress{})
	return err
}

// writeProgress writes progress, again while the database is away for a moment.
func (r *run) writeProgress(ctx context.Context, p webhooks.Progress) (finished bool, err error) {
	p.Run, p.Attempts, p.Lease, p.Known = r.Run, r.made, leaseTime, r.asked
	// What was sent must be written also when the process stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		asked := r.d.now()
		done, err := webhooks.RecordAttempts(ctx, r.d.Store, p)
		if err == nil {
			r.d.metrics.countWritten(r.made)
			r.forgetAsked(r.made)
			r.made, r.health = nil, done.Health
			r.setTarget(done.Target, asked)
			return done.Finished, nil
		}
		if !store.Transient(err) {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-time.After(pause):
		}
	}
}

// judgeEndpoint switches the endpoint off, or warns of it, when its failures ask
// for it.
func (r *run) judgeEndpoint(ctx context.Context) error {
	if !r.target.IsActive || !r.gone && r.health.Judge(false) == webhooks.JudgedSound {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	judged, err := webhooks.JudgeEndpoint(ctx, r.d.Store, store.SystemChange(r.OrganizationID), r.EndpointID, r.gone)
	if err != nil || judged == webhooks.JudgedSound {
		return err
	}
	r.d.Log.WarnContext(ctx, "webhook endpoint fails", "endpoint_id", r.EndpointID, "organization_id", r.OrganizationID,
		"judgement", judged, "gone", r.gone, "failures", r.health.Failures, "failing_since", r.health.FailingSince)
	return nil
}
