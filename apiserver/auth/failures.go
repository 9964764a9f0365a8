package auth

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// SignInFailure is why somebody was not signed in.
type SignInFailure string

// Why people are not signed in.
const (
	WrongPassword SignInFailure = "wrong_password" // the address and the password do not belong together
	TooMany       SignInFailure = "too_many"       // there were too many attempts before
	OIDCFailed    SignInFailure = "oidc"           // the OpenID Connect provider, or what it says of somebody
)

// What is written of failed sign-ins, whatever the number of attempts.
const (
	failurePeriod = 10 * time.Minute // after which a person's are written again
	failureLook   = time.Minute      // after which it is seen whose are due
	failedPeople  = 10_000           // of whom a process counts attempts at once
)

// Failures tells of failed sign-ins: all of them by a metric, and those with the
// address of somebody by the log and in the audit log, the first at once and
// those after it every ten minutes. No request waits for that, so that the time
// that an answer takes says nothing. Use NewFailures.
type Failures struct {
	store *store.DB
	log   *slog.Logger
	now   func() time.Time
	count *prometheus.CounterVec
	wake  chan struct{} // of size one

	mu     sync.Mutex
	people map[uuid.UUID]*failedPerson
}

// failedPerson is as whom somebody failed to sign in.
type failedPerson struct {
	change   store.Change // of the latest attempt
	attempts int          // that were not written yet
	due      time.Time    // when they are to be written
}

// NewFailures returns failures that are written while Run runs. It registers
// apiserver_sign_in_failures_total.
func NewFailures(db *store.DB, log *slog.Logger, now func() time.Time, registry prometheus.Registerer) (*Failures, error) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "apiserver_sign_in_failures_total", Help: "Attempts to sign in that failed, by reason.",
	}, []string{"reason"})
	for _, reason := range []SignInFailure{WrongPassword, TooMany, OIDCFailed} {
		count.WithLabelValues(string(reason))
	}
	return &Failures{
		store: db, log: log, now: now, count: count, wake: make(chan struct{}, 1), people: make(map[uuid.UUID]*failedPerson),
	}, registry.Register(count)
}

// Count counts a failed attempt.
func (f *Failures) Count(reason SignInFailure) { f.count.WithLabelValues(string(reason)).Inc() }

// Note notes a failed attempt with the address of somebody. While there are too
// many people to be noted, others are counted only.
func (f *Failures) Note(person, organization uuid.UUID, client netip.Addr, requestID string) {
	f.mu.Lock()
	p := f.people[person]
	if p == nil && len(f.people) < failedPeople {
		p = new(failedPerson)
		f.people[person] = p
	}
	if p != nil {
		p.change = store.Change{OrganizationID: organization, By: "sign-in", Client: client, RequestID: requestID}
		p.attempts++
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run writes what is noted until ctx ends, and then the rest.
func (f *Failures) Run(ctx context.Context) {
	look := time.NewTicker(failureLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			f.writeDue(ctx, true)
			return
		case <-look.C:
		case <-f.wake:
		}
		f.writeDue(ctx, false)
	}
}

// writeDue writes what is due, or everything.
func (f *Failures) writeDue(ctx context.Context, all bool) {
	// Stopping breaks nothing off: what is being written is all but done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteLimit)
	defer cancel()
	for person, p := range f.takeDue(all) {
		f.log.WarnContext(ctx, "sign-ins failed", "person_id", person, "organization_id", p.change.OrganizationID, "attempts", p.attempts, "client", p.change.Client.String())
		if err := access.RecordFailedSignIns(ctx, f.store, p.change, person, p.attempts); err != nil {
			f.log.WarnContext(ctx, "failed sign-ins were not noted in the audit log", "person_id", person, "error", err)
		}
	}
}

// takeDue returns what is to be written, and forgets people of whom nothing is.
func (f *Failures) takeDue(all bool) map[uuid.UUID]failedPerson {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, taken := f.now(), make(map[uuid.UUID]failedPerson)
	for person, p := range f.people {
		switch due := !now.Before(p.due); {
		case p.attempts > 0 && (due || all):
			taken[person] = *p
			p.attempts, p.due = 0, now.Add(failurePeriod)
		case due:
			delete(f.people, person)
		}
	}
	return taken
}
