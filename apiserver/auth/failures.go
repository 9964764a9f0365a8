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

// SignInFailure is the reason for a failed sign-in.
type SignInFailure string

// The reasons for a failed sign-in.
const (
	WrongPassword SignInFailure = "wrong_password" // the address and the password do not match
	TooMany       SignInFailure = "too_many"       // there were too many attempts before
	OIDCFailed    SignInFailure = "oidc"           // the OpenID Connect provider failed, or did not vouch for the person
)

// Limits on what is written about failed sign-ins, regardless of the number of attempts.
const (
	failurePeriod = 10 * time.Minute // pause before the next entry about a person
	failurePoll   = time.Minute      // how often due entries are looked for
	failedPeople  = 10_000           // people whose attempts a process counts at the same time
)

// Failures reports failed sign-ins: all of them in a metric, and those with a person's address in
// the log and the audit log, the first at once and later ones every ten minutes. No request waits
// for that, so the response time reveals nothing. Use NewFailures.
type Failures struct {
	store *store.DB
	log   *slog.Logger
	now   func() time.Time
	count *prometheus.CounterVec
	wake  chan struct{} // of size one

	mu     sync.Mutex
	people map[uuid.UUID]*failedPerson
}

// failedPerson is the person as whom somebody failed to sign in.
type failedPerson struct {
	change   store.Change // time of the latest attempt
	attempts int          // attempts that have not been written yet
	due      time.Time    // when they are due to be written
}

// NewFailures returns failures that are written while Run runs. It registers
// assay_apiserver_sign_in_failures_total.
func NewFailures(db *store.DB, log *slog.Logger, now func() time.Time, registry prometheus.Registerer) (*Failures, error) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_apiserver_sign_in_failures_total", Help: "Failed attempts to sign in.",
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

// Note records a failed attempt with a person's address. If there are too many people to record,
// further attempts are only counted.
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

// Run writes recorded attempts until ctx ends, and then the rest.
func (f *Failures) Run(ctx context.Context) {
	look := time.NewTicker(failurePoll)
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

// writeDue writes the entries that are due, or all of them.
func (f *Failures) writeDue(ctx context.Context, all bool) {
	// Stopping cancels nothing, because a write that has begun is almost done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteLimit)
	defer cancel()
	for person, p := range f.takeDue(all) {
		f.log.WarnContext(ctx, "sign-ins failed", "person_id", person, "organization_id", p.change.OrganizationID, "attempts", p.attempts, "client", p.change.Client.String())
		if err := access.RecordFailedSignIns(ctx, f.store, p.change, person, p.attempts); err != nil {
			f.log.WarnContext(ctx, "failed sign-ins were not recorded in the audit log", "person_id", person, "error", err)
		}
	}
}

// takeDue returns the entries to write, and forgets people without any.
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
