package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assayhq/assay/internal/analysis/stat"
)

// TestScanAgreesWithSimulation throws n points on the unit interval and counts
// how often some window of length x holds m of them.
func TestScanAgreesWithSimulation(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		m, n int
		x    float64
	}{{4, 12, .02}, {5, 20, .02}, {5, 20, .0333}, {6, 30, .0333}, {7, 50, .02}, {9, 80, .0333}, {12, 200, .02}} {
		t.Run(fmt.Sprintf("m=%d n=%d x=%v", c.m, c.n, c.x), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			throws, hits := 2_000_000/c.n, 0
			points := make([]float64, c.n)
			for range throws {
				for j := range points {
					points[j] = rng.Float64()
				}
				slices.Sort(points)
				for j := c.m - 1; j < c.n; j++ {
					if points[j]-points[j-c.m+1] < c.x {
						hits++
						break
					}
				}
			}
			got := stat.ScanUpper(c.m, c.n, c.x)
			seen := float64(hits) / float64(throws)
			// A tenth, the approximation's own, and three standard errors of what is seen.
			if margin := 0.1*got + 3*math.Sqrt(got/float64(throws)); math.Abs(got-seen) > margin {
				t.Errorf("P = %.5f, simulated %.5f (± %.5f)", got, seen, margin)
			}
		})
	}
}

const (
	second = int64(1_000_000)
	day    = 86_400 * second
)

// sessions draws the moments of an honest account: perDay opens on each of the
// given days within a few busy hours.
func sessions(rng *rand.Rand, days, perDay int) []int64 {
	var times []int64
	for d := range int64(days) {
		for range perDay {
			times = append(times, d*day+int64((13*3600+rng.ExpFloat64()*1800)*float64(second)))
		}
	}
	slices.Sort(times)
	return times
}

// TestDayShiftOfTheUnrelated: two accounts that trade the same symbol in the
// same busy hours and know nothing of each other are beyond all shifts in one
// case of 21 at most, though their matches are many more than Poisson's.
func TestDayShiftOfTheUnrelated(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 3))
	const pairs = 2000
	beyond, matches := 0, 0
	for range pairs {
		s := stat.DayShift([]stat.Streams{{A: sessions(rng, 30, 6), B: sessions(rng, 30, 8)}}, 60*second, 10)
		if len(s.Shifted) != 20 {
			t.Fatalf("%d shifts, want 20", len(s.Shifted))
		}
		matches += s.Matches
		if isBeyond(s) {
			beyond++
		}
	}
	if matches < 5*pairs {
		t.Errorf("%d matches: the simulation tests nothing", matches)
	}
	// 1/21 of 2,000 and three standard errors. Ties count against the pair.
	if limit := 95 + 3*9.6; float64(beyond) > limit {
		t.Errorf("%d of %d unrelated pairs are beyond all shifts, want at most %.0f", beyond, pairs, limit)
	}
	if beyond == 0 {
		t.Error("no unrelated pair is beyond all shifts: the test has no power")
	}
}

func TestDayShiftOfACopier(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	leader := sessions(rng, 30, 6)
	copier := make([]int64, len(leader))
	for i, at := range leader {
		copier[i] = at + second + rng.Int64N(second)
	}
	s := stat.DayShift([]stat.Streams{{A: leader, B: copier}}, 5*second, 10)
	if s.Matches < len(leader)-5 || !isBeyond(s) || s.P > 1e-20 || s.Z < 10 {
		t.Errorf("copier: %+v", s)
	}
}

func TestDayShiftOfFewDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ days, shifts int }{{1, 0}, {2, 0}, {3, 2}, {5, 4}, {20, 18}, {21, 20}, {60, 20}} {
		t.Run(fmt.Sprint(c.days), func(t *testing.T) {
			t.Parallel()
			times := sessions(rand.New(rand.NewPCG(1, 1)), c.days, 4)
			s := stat.DayShift([]stat.Streams{{A: times, B: times}}, second, 10)
			if len(s.Shifted) != c.shifts || s.Matches != len(times) {
				t.Errorf("%d days: %d shifts, %d matches; want %d, %d", c.days, len(s.Shifted), s.Matches, c.shifts, len(times))
			}
			if isBeyond(s) != (c.shifts > 0) {
				t.Errorf("%d days: %d matches, and up to %d shifted", c.days, s.Matches, s.High)
			}
		})
	}
	if s := stat.DayShift(nil, second, 10); s.P != 1 || isBeyond(s) {
		t.Errorf("nothing: %+v", s)
	}
}

// TestDayShiftKeepsEveryTrade: what is moved by whole days, also from before
// the epoch and over the end of the window, matches itself again.
func TestDayShiftKeepsEveryTrade(t *testing.T) {
	t.Parallel()
	var times []int64
	for d := int64(-3); d < 4; d++ {
		times = append(times, d*day+9*3600*second)
	}
	s := stat.DayShift([]stat.Streams{{A: times, B: times}}, second, 10)
	for i, n := range s.Shifted {
		if n != len(times) {
			t.Errorf("shift %d keeps %d of %d", i, n, len(times))
		}
	}
	if s.P != 1 {
		t.Errorf("a clockwork's P = %v, want 1", s.P)
	}
}

// TestCountUpper: counts of chance that vary as Poisson counts do, or more, are
// beyond what was seen of them no more often than the tail says.
func TestCountUpper(t *testing.T) {
	t.Parallel()
	const draws = 20_000
	rng := rand.New(rand.NewPCG(3, 9))
	for _, mean := range []float64{0.1, 2, 30} {
		for _, spread := range []float64{0, 0.15} {
			low := 0
			for range draws {
				// The mean differs from one pair of accounts to another, and from shift to shift.
				counts := make([]int, 21)
				for i := range counts {
					counts[i] = poisson(rng, mean*math.Exp(spread*rng.NormFloat64()))
				}
				if stat.CountP(counts[0], counts[1:]) < 0.001 {
					low++
				}
			}
			if limit := 2*0.001*draws + 3*math.Sqrt(0.001*draws); float64(low) > limit {
				t.Errorf("mean %v, spread %v: p below 0.001 in %d of %d", mean, spread, low, draws)
			}
		}
	}
	if p := stat.CountUpper(30, make([]int, 20)); p > 1e-30 {
		t.Errorf("30 where 20 counts are zero: p %v", p)
	}
	if p := stat.CountUpper(3, nil); p != 1 {
		t.Errorf("without counts: p %v", p)
	}
}

func poisson(rng *rand.Rand, mean float64) (n int) {
	for at := rng.ExpFloat64(); at < mean; at += rng.ExpFloat64() {
		n++
	}
	return n
}

// TestExtremeUpper: maxima of chance are beyond their fitted tail no more often than
// it says.
func TestExtremeUpper(t *testing.T) {
	t.Parallel()
	const draws = 3_000
	rng := rand.New(rand.NewPCG(4, 9))
	largest := func() float64 {
		m := 0.0
		for range 20 {
			x := rng.NormFloat64()
			m = max(m, x*x)
		}
		return m
	}
	low := 0
	for range draws {
		chance := make([]float64, 200)
		for i := range chance {
			chance[i] = largest()
		}
		if stat.ExtremeUpper(largest(), chance) < 0.002 {
			low++
		}
	}
	if limit := 2*0.002*draws + 3*math.Sqrt(0.002*draws); float64(low) > limit {
		t.Errorf("p below 0.002 in %d of %d", low, draws)
	}
}

// TestEvenSteps: distances between random prices are even no more often than said.
func TestEvenSteps(t *testing.T) {
	t.Parallel()
	const draws = 20_000
	rng := rand.New(rand.NewPCG(5, 9))
	for _, k := range []int{4, 5, 6} {
		even := 0
		for range draws {
			var m stat.Moments
			for range k {
				m.Add(math.Abs(rng.NormFloat64()))
			}
			if cv, _ := m.CV(); cv <= 0.25 {
				even++
			}
		}
		if got, p := float64(even)/draws, stat.EvenSteps(k, 0.25); got > p || p > 0.1 {
			t.Errorf("%d steps: even in %.4f, said at most %.4f", k, got, p)
		}
	}
}

// isBeyond reports whether every shift has fewer matches than the actual days.
func isBeyond(s stat.Shift) bool { return len(s.Shifted) > 0 && s.High < s.Matches }
