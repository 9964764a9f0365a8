package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assayhq/assay/store/syncing"
)

// dueAt is one integration in a model of what is due.
type dueAt struct {
	due, known time.Time // when it becomes due, and when a poll can first see that
}

// seen returns for how long it could have been taken.
func (d dueAt) seen(now time.Time) time.Duration {
	return min(now.Sub(d.due), now.Sub(d.known))
}

// claim takes, in order of time, what a poll finds that gets to the database at a
// given moment.
func claim(waiting *[]dueAt, at time.Time, within time.Duration, limit int) (claims []syncing.Claim) {
	slices.SortFunc(*waiting, func(a, b dueAt) int { return a.due.Compare(b.due) })
	*waiting = slices.DeleteFunc(*waiting, func(d dueAt) bool {
		if len(claims) == limit || d.due.After(at) || d.known.After(at) || within > 0 && at.Sub(d.due) > within {
			return false
		}
		claims = append(claims, syncing.Claim{Now: at, DueAt: d.due})
		return true
	})
	return claims
}

// TestLookbackMissesNothing: whatever stalls, however many integrations are due at
// once and however long polls take to get to the database, the next poll that has
// room takes each integration, in the order of their times. Integrations that were
// made due in the past are taken by the next wide poll.
func TestLookbackMissesNothing(t *testing.T) {
	t.Parallel()
	const tick = 200 * time.Millisecond
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		between := func(low, high time.Duration) time.Duration {
			return low + time.Duration(random.Int64N(int64(high-low)))
		}
		r, now := lookback{}, time.Unix(1_700_000_000, 0)
		var waiting []dueAt
		past := seed%2 == 1 // some are made due in the past
		for range 2000 {
			for range random.IntN(4) {
				due := now.Add(between(0, 20*time.Second))
				// A transaction that makes something due needs a while to commit.
				d := dueAt{due, due.Add(between(-time.Second, margin-time.Second))}
				if past && random.IntN(50) == 0 {
					d = dueAt{now.Add(-between(0, time.Hour)), now}
				}
				waiting = append(waiting, d)
			}
			now = now.Add(tick)
			if random.IntN(500) == 0 {
				now = now.Add(between(0, 20*time.Second)) // the process stood still
			}
			if random.IntN(100) == 0 {
				now = now.Add(between(0, 3*time.Second)) // no slot was free
				continue
			}
			sound := true
			for {
				limit := 1 + random.IntN(8)
				within, latency := r.chooseWithin(now, true), between(0, 900*time.Millisecond)
				if random.IntN(200) == 0 {
					latency, sound = between(0, 10*time.Second), false
				}
				claims := claim(&waiting, now.Add(latency), within, limit)
				r.notePoll(now, now.Add(latency+time.Millisecond), within, true, claims, limit)
				now = now.Add(latency)
				if len(claims) < limit {
					break
				}
			}
			for _, d := range waiting {
				patience := 3 * time.Second // for those that became due during the poll
				if d.due.Before(d.known.Add(-margin)) || past && d.due.Before(d.known) {
					patience = wideMost
				}
				if sound && d.seen(now) > patience {
					t.Fatalf("seed %d: one that became due %s ago and could be seen for %s was not taken by a look that had room", seed, now.Sub(d.due), d.seen(now))
				}
			}
		}
	}
}

// TestLookbackOfSlowPolls: slow polls that look back to the beginning are rare, and
// those between them look no further back than they have to.
func TestLookbackOfSlowPolls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		slow  time.Duration // duration of a poll that looks back to the beginning
		fails bool          // it is cut off
		most  float64       // part of the time that wide polls take
	}{
		{"quick", 10 * time.Millisecond, false, 0.005},
		{"slow", time.Second, false, 0.015},
		{"cut off", 30 * time.Second, true, 0.15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, clock := lookback{}, time.Unix(1_700_000_000, 0)
			began, spent, near := clock, time.Duration(0), 0
			for clock.Sub(began) < 2*time.Hour {
				within := r.chooseWithin(clock, true)
				took := 10 * time.Millisecond
				if within == 0 {
					took = tt.slow
				}
				if within == 0 || within >= time.Minute {
					spent += took
				} else {
					near++
				}
				if within == 0 && tt.fails {
					r.noteFailure(clock, clock.Add(took), within)
				} else {
					r.notePoll(clock, clock.Add(took), within, true, nil, 100)
				}
				clock = clock.Add(took + 200*time.Millisecond)
			}
			if part := float64(spent) / float64(clock.Sub(began)); part > tt.most || near == 0 {
				t.Errorf("wide looks took %.1f %% of the time, and there were %d others", 100*part, near)
			}
		})
	}
}

// TestLeftOut: after polls that have left out hindered integrations, one of all looks back to the
// beginning, again if it fails, and seldom while such polls are slow.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	var l lookback
	now := time.Now()
	const took = 11 * time.Second
	poll := func(all, works bool) (toBeginning bool) {
		within := l.chooseWithin(now, all)
		if works {
			l.notePoll(now, now.Add(took), within, all, nil, 100)
		} else {
			l.noteFailure(now, now.Add(took), within)
		}
		now = now.Add(took)
		return within == 0
	}
	for _, step := range []struct {
		name             string
		wait             time.Duration
		all, works, want bool
	}{
		{"the first poll", 0, true, true, true},
		{"a poll of all at once", 0, true, true, false},
		{"a poll that leaves out some", 0, false, true, false},
		{"a poll of all that would take too much time", 0, true, true, false},
		{"a poll of all that fails", restartShare * took, true, false, true},
		{"a poll of all after the failure, too early", 0, true, true, false},
		{"a poll of all after the failure", restartShare * took, true, true, true},
		{"a poll of all when nothing is left out", restartShare * took / 4, true, true, false},
	} {
		now = now.Add(step.wait)
		l.next = [len(wideWithin)]time.Time{now.Add(time.Hour), now.Add(time.Hour)} // no wide poll is due
		if got := poll(step.all, step.works); got != step.want {
			t.Errorf("%s looks back to the beginning: %t", step.name, got)
		}
	}
}
