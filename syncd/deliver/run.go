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

// How a run processes an endpoint's deliveries.
const (
	batch       = 64                     // deliveries that are read at a time
	inFlight    = 4                      // attempts at a time
	freshFor    = 250 * time.Millisecond // how long the endpoint's settings and the list of requested deliveries are valid
	startLimit  = 4 * time.Second        // no attempt begins later in the run: it ends within runTimeout
	leaseTime   = 25 * time.Second       // longer than a run takes
	recordEvery = time.Second            // how long an outcome may wait to be written while others of its batch are made
	recordLimit = 5 * time.Second        // for writing
)

// unsigned is how long an endpoint waits if its signing secret can't be opened.
const unsigned = 10 * time.Second

// run is an endpoint that is being worked on.
type run struct {
	*webhooks.Run
	d        *Deliverer
	began    time.Time // on the process's clock
	target   *webhooks.Target
	read     time.Time   // when the target was read, on the process's clock
	asked    []uuid.UUID // deliveries of this batch that somebody has requested, until their attempts are written
	allAsked bool        // the batch is full of such deliveries, so that there may be others, and they are next
	stale    bool        // somebody has changed the endpoint since, or requested an attempt
	failing  bool        // the last attempt failed
	hindered bool        // it failed or was slow when the run began, and holds such a place
	held     bool        // the receiver has asked for a pause
	turned   bool        // attempts have begun to fail or to be slow in this run
	gone     bool
	yield    func()                    // gives up the place of the run, because an attempt takes long
	made     []webhooks.AttemptOutcome // not written yet
	health   webhooks.EndpointHealth   // as of the last write
}

// databaseNow is the time on the database's clock.
func (r *run) databaseNow() time.Time { return r.Now.Add(r.d.now().Sub(r.began)) }

// work makes the due deliveries of the endpoint, and releases it.
func (r *run) work(ctx context.Context) error {
	r.began = r.d.now()
	if r.target.SecretErr != nil { // deliveries wait, because this is not the endpoint's fault
		r.d.Log.ErrorContext(ctx, "signing secret or headers can't be decrypted, deliveries wait: add their key to the keyring, or rotate the secret and set the headers again",
			"endpoint_id", r.EndpointID, "organization_id", r.OrganizationID, "error", r.target.SecretErr)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
		defer cancel()
		return webhooks.HoldDeliveries(ctx, r.d.Store, r.Run, unsigned)
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

// deliverDue makes deliveries until none is due, or the run must end.
func (r *run) deliverDue(ctx context.Context) error {
	for {
		r.stale = false // the read below includes earlier changes
		due, err := webhooks.ReadDue(ctx, r.d.Store, r.EndpointID, batch)
		if err != nil {
			return err
		}
		if due.GivenUp { // in parts, so that new deliveries do not wait for it
			if _, err := webhooks.SkipDeliveries(ctx, r.d.Store, r.Run); err != nil {
				return err
			}
		}
		r.asked = askedIDs(due.Due)
		r.allAsked = len(r.asked) == batch
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

// askedIDs returns the deliveries that somebody has requested.
func askedIDs(due []webhooks.DueDelivery) (ids []uuid.UUID) {
	for i := range due {
		if due[i].Trigger != webhooks.TriggerOfSchedule {
			ids = append(ids, due[i].ID)
		}
	}
	return ids
}

// forgetAsked removes deliveries from the requested ones after their outcome was
// written. A later request for one of them is a new one.
func (r *run) forgetAsked(made []webhooks.AttemptOutcome) {
	r.asked = slices.DeleteFunc(r.asked, func(id uuid.UUID) bool {
		return slices.ContainsFunc(made, func(o webhooks.AttemptOutcome) bool { return o.DeliveryID == id })
	})
}

// releaseEndpoint releases the endpoint although more will be due later, also when
// the process stops.
func (r *run) releaseEndpoint(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	return webhooks.ReleaseDeliveries(ctx, r.d.Store, r.Run, after)
}

// nextWait returns how long to wait until the endpoint has something due again,
// after the attempts of this run.
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
// has not read yet.
func (r *run) mayGoOn() bool {
	return !r.gone && !r.held && !r.turned && r.target.SecretErr == nil && !r.d.isStopping() && r.d.now().Sub(r.began) < startLimit
}

// attemptLimit returns how many attempts may be under way. Messages of a channel have no number, and people
// read them in the order in which they arrive.
func (r *run) attemptLimit() int {
	if r.failing || r.target.Kind != webhooks.KindStandard {
		return 1
	}
	return inFlight
}

// made is a delivery with its outcome. err is set if the attempt was broken off.
type made struct {
	due    *webhooks.DueDelivery
	to     *webhooks.Target
	answer answer
	err    error
}

// sendAll makes attempts at the deliveries and waits for them. rest reports whether
// some were not begun or were broken off. If there is an error, it breaks off all
// attempts under way.
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
			if m.err != nil { // the run is being stopped, and another run makes the attempt again
				broken = true
				continue
			}
			if err = r.ignorePrevious(ctx, &m); err == nil {
				r.noteAttempt(m)
			}
		case <-written.C:
			err = r.recordAttempts(ctx)
		}
		if err != nil { // the lease or the database is lost
			return true, err
		}
	}
}

// beginAttempts begins as many attempts as are allowed, given how many are under
// way.
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
			defer time.AfterFunc(yieldAfter, r.yield).Stop()
			a, err := r.d.makeAttempt(ctx, to, d, r.databaseNow())
			results <- made{d, to, a, err}
		}()
	}
	return begun, nil
}

// refreshTarget checks whether somebody has changed the endpoint, unless that was
// checked just now, because attempts go to the address that is set when they begin.
// Each write returns the endpoint's settings, too.
func (r *run) refreshTarget(ctx context.Context) error {
	now := r.d.now()
	if now.Sub(r.read) < r.d.fresh {
		return nil
	}
	target, err := webhooks.ReadTarget(ctx, r.d.Store, r.Run, r.asked)
	switch {
	case store.Transient(err):
		r.stale = true // no attempt begins until the database answers again
		return nil
	case err != nil:
		return err
	}
	r.setTarget(target, now)
	return nil
}

// setTarget stores the endpoint's settings and when they were read.
func (r *run) setTarget(target *webhooks.Target, at time.Time) {
	r.stale = r.stale || target.Asked && !r.allAsked || !target.Same(r.target)
	r.target, r.read = target, at
}

// ignorePrevious ignores that a receiver wants to be left alone, for a while or for good, if the
// endpoint has another URL by now.
func (r *run) ignorePrevious(ctx context.Context, m *made) error {
	if !m.answer.isGone() && m.answer.pause == 0 {
		return nil
	}
	r.read = time.Time{} // it is rare, so the settings are read again
	if err := r.refreshTarget(ctx); err != nil {
		return err
	}
	if m.to.URL == r.target.URL {
		return nil
	}
	m.answer.pause = 0
	if m.answer.isGone() {
		m.answer.code = codeRejected
	}
	return nil
}

// noteAttempt notes the outcome of an attempt.
func (r *run) noteAttempt(m made) {
	o := outcomeOf(m.due, m.answer, rand.Float64()) //nolint:gosec // jitter needs no secrecy
	o.StartedAt = m.answer.started
	failed := o.ErrorCode != nil
	if o.Ours {
		failed = r.failing
	}
	r.turned = r.turned || failed && !r.failing || o.Slow && !r.hindered
	r.failing, r.gone, r.held = failed, r.gone || m.answer.isGone(), r.held || o.Hold > 0
	r.made = append(r.made, o)
	r.d.metrics.countAttempt(&o)
	if o.Number == 1 && o.Trigger == webhooks.TriggerOfSchedule && !r.hindered && m.due.CreatedAt.After(r.HeldUntil) { // otherwise it has waited for its receiver
		r.d.metrics.observeLatency(&o, m.due.CreatedAt, m.answer.span)
	}
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

// finishRun writes the outcomes and ends the run, unless deliveries were added that
// the run does not know.
func (r *run) finishRun(ctx context.Context, version int64, next time.Duration) (finished bool, err error) {
	return r.writeProgress(ctx, webhooks.Progress{Finish: true, Version: version, Next: next})
}

// recordAttempts writes the outcomes so far.
func (r *run) recordAttempts(ctx context.Context) error {
	if len(r.made) == 0 {
		return nil
	}
	_, err := r.writeProgress(ctx, webhooks.Progress{})
	return err
}

// writeProgress writes progress, and retries while the database is briefly away.
func (r *run) writeProgress(ctx context.Context, p webhooks.Progress) (finished bool, err error) {
	p.Run, p.Attempts, p.Lease, p.Known = r.Run, r.made, leaseTime, r.asked
	// The outcome of what was sent must be written even if the process stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	var asked time.Time
	var done webhooks.RecordedProgress
	err = store.RetryTransient(ctx, 50*time.Millisecond, recordLimit, func() error {
		asked = r.d.now()
		done, err = webhooks.RecordAttempts(ctx, r.d.Store, p)
		return err
	}, func(error, time.Duration) {})
	if err != nil {
		return false, err
	}
	r.d.metrics.countWritten(r.made)
	r.forgetAsked(r.made)
	r.made, r.health = nil, done.Health
	r.setTarget(done.Target, asked)
	return done.Finished, nil
}

// judgeEndpoint disables the endpoint, or warns of that, if its failures require
// it.
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
