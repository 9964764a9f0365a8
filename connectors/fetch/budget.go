package fetch

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/assayhq/assay/connectors"
)

const (
	blockSlots = 5                   // most slots reserved at once
	blockSpan  = time.Second         // all of them begin within this time
	maxGap     = 10 * time.Second    // how far throttling may widen the gap
	halfAfter  = 10                  // good answers after which the gap is half as wide
	easeWithin = 40 * time.Second    // after good answers for this time, however few, the widest gap is back at the budget's
	easePause  = 20 * time.Second    // how much time between two good answers counts at most
	slowAnswer = connectors.SlowStep // an answer counts as throttling if it takes longer than this and than the contract allows
)

// Reserver allocates an integration's request slots across all processes.
// Implementations are safe for concurrent use.
type Reserver interface {
	// ReserveRequests takes the next n consecutive slots of the integration. base
	// is the gap of its full budget. feedback describes the answers since the
	// caller's last reservation. An error means that nothing was reserved. Get
	// returns it unchanged.
	ReserveRequests(ctx context.Context, integrationID string, n int, base time.Duration, feedback Feedback) (Grant, error)
}

// Feedback describes to a Reserver how a platform answered the requests since the
// last reservation.
type Feedback struct {
	Throttled bool // a 429, a 503 with Retry-After, or an answer that took over 10 s
	Succeeded int  // answers other than 5xx that were fast enough
}

// Grant is a reservation of consecutive slots.
type Grant struct {
	Delay time.Duration // from the return of the call to the first slot
	Gap   time.Duration // between slots; wider than the base after throttling
}

// budget is one integration's request budget in this process. One request takes one
// slot. A slot that is not used in time is lost, so a quiet period never leads to a
// burst. The limiter keeps this process's requests a gap apart even if one uses the
// end of its slot and the next the beginning.
type budget struct {
	id       string
	base     time.Duration
	reserver Reserver      // nil means that there is only this process
	turn     chan struct{} // held while waiting for a slot; guards the next four fields
	limiter  *rate.Limiter
	begin    time.Time // the next slot's
	left     int       // slots from begin on
	gap      time.Duration

	mu       sync.Mutex // guards the rest
	feedback Feedback
	localGap time.Duration // without a reserver: the gap in force
	goodAt   time.Time     // without a reserver: of the newest good answer since it was widened
}

func newBudget(id string, base time.Duration, r Reserver) *budget {
	return &budget{
		id: id, base: base, reserver: r,
		turn:    make(chan struct{}, 1),
		limiter: rate.NewLimiter(rate.Every(base), 1),
		gap:     base, localGap: base,
	}
}

// takeSlot waits for the next slot and uses it. If bounded, a wait that would
// exceed ctx's deadline is not begun and fails with CodeTimeout. A nil budget is
// unlimited.
func (b *budget) takeSlot(ctx context.Context, bounded bool) error {
	if b == nil {
		return nil
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := b.refillSlots(ctx); err != nil {
		return err
	}
	at := b.nextSlot(time.Now())
	if deadline, ok := ctx.Deadline(); bounded && ok && at.After(deadline) {
		return &connectors.Error{
			Code:    connectors.CodeTimeout,
			Message: "the platform's request budget left no time for this request",
		}
	}
	if err := sleep(ctx, time.Until(at)); err != nil {
		return err
	}
	// The request is sent in this slot even if the process woke late.
	b.left--
	b.begin = b.begin.Add(b.gap)
	b.limiter.ReserveN(time.Now(), 1)
	return nil
}

// nextSlot returns when the next slot can be used: not before it begins, and at
// least a gap after this process's last request.
func (b *budget) nextSlot(now time.Time) time.Time {
	at := now
	if b.begin.After(at) {
		at = b.begin
	}
	if missing := 1 - b.limiter.TokensAt(at); missing > 0 {
		at = at.Add(time.Duration(missing * float64(b.gap)))
	}
	return at
}

// refillSlots drops slots that have passed and gets new ones when none is left.
func (b *budget) refillSlots(ctx context.Context) error {
	for now := time.Now(); b.left > 0 && !b.begin.Add(b.gap).After(now); b.left-- {
		b.begin = b.begin.Add(b.gap)
	}
	if b.left > 0 {
		return nil
	}
	if b.reserver == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.setSlots(Grant{Gap: b.localGap}, 1)
		return nil
	}
	n := min(max(int(blockSpan/b.gap), 1), blockSlots)
	feedback := b.takeFeedback()
	grant, err := b.reserver.ReserveRequests(ctx, b.id, n, b.base, feedback)
	if err != nil {
		b.returnFeedback(feedback)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	b.setSlots(grant, n)
	return nil
}

// setSlots makes n slots the ones to use.
func (b *budget) setSlots(g Grant, n int) {
	now := time.Now()
	b.gap = max(g.Gap, b.base)
	b.begin = now.Add(max(g.Delay, 0))
	b.left = n
	b.limiter.SetLimitAt(now, rate.Every(b.gap))
}

// reportAnswer notes how the platform answered a request.
func (b *budget) reportAnswer(throttled, succeeded bool) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reserver != nil {
		b.feedback.Throttled = b.feedback.Throttled || throttled
		if succeeded {
			b.feedback.Succeeded++
		}
		return
	}
	if !throttled && !succeeded {
		return
	}
	now := time.Now()
	var since time.Duration
	if !b.goodAt.IsZero() {
		since = now.Sub(b.goodAt)
	}
	b.localGap, b.goodAt = NextGap(b.localGap, b.base, Feedback{Throttled: throttled, Succeeded: 1}, since), now
	if throttled {
		b.goodAt = time.Time{}
	}
}

// NextGap returns the gap between requests after answers, of which the newest good one before came
// since ago, or 0 if there was none after a throttled one. Throttling doubles the gap. Good answers
// halve it with each ten of them, and also narrow it by the time in which they arrive, because ten
// answers that are ten seconds apart would take too long. The store does the same for budgets that
// processes share.
func NextGap(gap, base time.Duration, f Feedback, since time.Duration) time.Duration {
	widest := max(maxGap, base)
	switch {
	case f.Throttled:
		gap = min(2*gap, widest)
	case f.Succeeded > 0:
		factor := math.Pow(0.5, float64(f.Succeeded)/halfAfter) * math.Pow(base.Seconds()/widest.Seconds(), min(since, easePause).Seconds()/easeWithin.Seconds())
		gap = time.Duration(float64(gap) * factor)
	}
	return max(gap, base)
}

func (b *budget) takeFeedback() Feedback {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.feedback
	b.feedback = Feedback{}
	return f
}

func (b *budget) returnFeedback(f Feedback) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.feedback.Throttled = b.feedback.Throttled || f.Throttled
	b.feedback.Succeeded += f.Succeeded
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
