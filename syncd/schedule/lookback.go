package schedule

import (
	"time"

	"github.com/assayhq/assay/store/syncing"
)

// While a transaction elsewhere holds back vacuum, every claim leaves a dead index
// entry at its old time: thousands of them a second, millions in a quarter of an
// hour. A poll for due integrations reads all entries within its lookback. So most
// polls look back only to the time up to which everything has been taken, and the
// slower the polls that look back further are, the rarer they become.

// margin is how much further each poll looks back. It covers integrations that were
// made due by a transaction that took as long to commit, and a poll that takes
// longer to get to the database than the next one.
const margin = 3 * time.Second

// Wide polls look back further and find what others have missed: integrations that
// somebody's change had locked, or that were made due in the past. Each of them
// runs every wideEvery, or rarely enough that it takes at most one part in
// wideShare of a process's time, but at least every wideMost.
const (
	wideEvery = 10 * time.Second
	wideShare = 200
	wideMost  = 5 * time.Minute
)

// restartShare is how rare polls are that look back to the beginning for integrations
// that were left out: they take at most one part in restartShare of a process's time.
const restartShare = 20

// wideWithin is how far the wide polls look back, the furthest first; 0 means to
// the beginning.
var wideWithin = [...]time.Duration{0, time.Minute}

// lookback decides how far back to look for due integrations. With the zero value the
// first poll looks back to the beginning.
type lookback struct {
	taken time.Time                  // everything that became due before has been taken; zero when that time is not known
	next  [len(wideWithin)]time.Time // when the wide polls are due
	// behind reports that polls have left out hindered integrations, which may have been due for long.
	behind bool
	again  time.Time // when a poll may look back to the beginning for them, before that is due
}

// chooseWithin returns how far back a poll that begins now has to look. It returns 0 if
// the poll has to look back to the beginning, as one of all integrations has to after
// others have left out some.
func (l *lookback) chooseWithin(now time.Time, all bool) time.Duration {
	if l.taken.IsZero() || all && l.behind && !now.Before(l.again) {
		return 0
	}
	near := l.sinceTaken(now) + margin
	for i, within := range wideWithin {
		if !now.Before(l.next[i]) && (within == 0 || within > near) {
			return within
		}
	}
	return near
}

// sinceTaken returns the time since the moment up to which everything has been
// taken. Only the wall clock shows that a machine was asleep.
func (l *lookback) sinceTaken(now time.Time) time.Duration {
	return max(now.Sub(l.taken), now.Round(0).Sub(l.taken.Round(0)))
}

// notePoll records the result of a poll that took from began to ended and asked for
// at most limit claims. all reports whether hindered integrations were not left out.
func (l *lookback) notePoll(began, ended time.Time, within time.Duration, all bool, claims []syncing.Claim, limit int) {
	l.putOff(began, ended, within)
	l.behind = !all || l.behind && within > 0
	if within > 0 && ended.Sub(began) > within-l.sinceTaken(began) {
		return // it may have got there too late to look back as far as it had to
	}
	l.taken = began
	if len(claims) == limit { // the oldest ones; younger ones are left
		age := claims[0].Now.Sub(claims[0].DueAt)
		for _, c := range claims {
			age = min(age, c.Now.Sub(c.DueAt))
		}
		l.taken = began.Add(-age)
	}
}

// noteFailure records a poll that failed. If even the first poll is so slow that it
// is cut off, later ones begin with what has just become due.
func (l *lookback) noteFailure(began, ended time.Time, within time.Duration) {
	l.putOff(began, ended, within)
	if l.taken.IsZero() && ended.Sub(began) > wideEvery {
		l.taken = began.Add(-time.Minute)
	}
}

// putOff sets when a wide poll runs again.
func (l *lookback) putOff(began, ended time.Time, within time.Duration) {
	if within == 0 {
		l.again = ended.Add(restartShare * ended.Sub(began))
	}
	for i, wide := range wideWithin {
		if within == 0 || wide != 0 && within >= wide {
			l.next[i] = ended.Add(min(max(wideEvery, wideShare*ended.Sub(began)), wideMost))
		}
	}
}
