package schedule

import (
	"time"

	"github.com/assayhq/assay/store/syncing"
)

// While a transaction elsewhere holds back vacuum, every claim leaves a dead
// index entry at its old time: thousands of them a second, millions in a quarter
// of an hour. A look for due integrations goes past all that lie within its
// reach. So it reaches no further back than to what has been taken already, and
// those looks that reach further are seldom in the measure in which they are slow.

// margin is how much further back than to what has been taken each look reaches:
// for those that were made due by a transaction which took as long to commit,
// and as one look may take longer to get to the database than the next.
const margin = 3 * time.Second

// Looks that reach further find what others have missed: integrations that
// somebody's change had locked, or that were made due in the past. Each is taken
// every wideEvery, or so seldom that it takes no more than a part in wideShare
// of a process's time, but every wideMost at least.
const (
	wideEvery = 10 * time.Second
	wideShare = 200
	wideMost  = 5 * time.Minute
)

// wideWithin is how far back they reach, the furthest first; 0: to the beginning.
var wideWithin = [...]time.Duration{0, time.Minute}

// reach decides how far back to look for due integrations. The zero value begins
// with all of them.
type reach struct {
	taken time.Time                  // whatever became due before has been taken; zero: not known
	next  [len(wideWithin)]time.Time // when the wide looks are due
}

// lookback returns how far back a poll has to reach that begins now. It returns 0
// when the poll has to reach to the beginning.
func (r *reach) lookback(now time.Time) time.Duration {
	if r.taken.IsZero() {
		return 0
	}
	near := r.sinceTaken(now) + margin
	for i, within := range wideWithin {
		if !now.Before(r.next[i]) && (within == 0 || within > near) {
			return within
		}
	}
	return near
}

// sinceTaken is how long ago the moment is up to which all has been taken. A
// machine that was put to sleep shows it on the clock on the wall alone.
func (r *reach) sinceTaken(now time.Time) time.Duration {
	return max(now.Sub(r.taken), now.Round(0).Sub(r.taken.Round(0)))
}

// notePoll takes in what a poll has found that took from began to ended, and
// asked for at most limit claims.
func (r *reach) notePoll(began, ended time.Time, within time.Duration, claims []syncing.Claim, limit int) {
	r.putOff(began, ended, within)
	if within > 0 && ended.Sub(began) > within-r.sinceTaken(began) {
		return // it may have got there too late to reach back as far as it had to
	}
	r.taken = began
	if len(claims) == limit { // those that have waited longest; younger ones are left
		age := claims[0].Now.Sub(claims[0].DueAt)
		for _, c := range claims {
			age = min(age, c.Now.Sub(c.DueAt))
		}
		r.taken = began.Add(-age)
	}
}

// noteFailure takes in a poll that came to nothing. Where already the first poll
// is so slow that it is cut off, those that follow begin with what has just
// become due.
func (r *reach) noteFailure(began, ended time.Time, within time.Duration) {
	r.putOff(began, ended, within)
	if r.taken.IsZero() && ended.Sub(began) > wideEvery {
		r.taken = began.Add(-time.Minute)
	}
}

// putOff says when to take a wide look again.
func (r *reach) putOff(began, ended time.Time, within time.Duration) {
	for i, wide := range wideWithin {
		if within == 0 || wide != 0 && within >= wide {
			r.next[i] = ended.Add(min(max(wideEvery, wideShare*ended.Sub(began)), wideMost))
		}
	}
}
