package stat

import (
	"math"
	"slices"
)

// Streams are the moments at which two accounts did the same kind of thing
// (opened the same symbol on the same side), ascending, in microseconds since
// the epoch.
type Streams struct{ A, B []int64 }

// Shift compares the matches of two accounts with the matches that are left
// when one of them is moved by whole days.
type Shift struct {
	Matches int     // m, with the days as they are
	Shifted []int   // matches of each shift: +1, −1, +2, −2, …
	Mean    float64 // of Shifted
	Z       float64 // (m−Mean)/max(SD, 1)
	P       float64 // (1 + how many of Shifted are ≥ m)/(1 + how many there are)
}

// AllBelow tells whether every shift has fewer matches than the days as they
// are; false when there was no shift to compare with.
func (s Shift) AllBelow() bool {
	return len(s.Shifted) > 0 && s.P <= 1/float64(len(s.Shifted)+1)
}

// dayMicroseconds is a day in the unit of Streams.
const dayMicroseconds = int64(24 * 60 * 60 * 1_000_000)

// DayShift counts the matches of kinds within tau microseconds, and recounts
// them with every B moved by ±1…±most days, which keeps each account's hours,
// symbols and sides and breaks what ties the two together. Days are the days
// (UTC) on which either was active, and the last is followed by the first:
// without that a shift would lose matches to weekends and to the ends of the
// window, and chance would look like copying. Too few days allow fewer
// shifts, (days−1)/2 each way, and a P no lower than 1/(shifts+1); a copier's
// first days thus need the other evidence. With less than 3 days there is
// nothing to compare, and P is 1.
//
// P is exact for accounts whose days are exchangeable; a permutation test, as
// in B. F. J. Manly, Randomization, Bootstrap and Monte Carlo Methods (2007).
func DayShift(kinds []Streams, tau int64, most int) Shift {
	days := activeDays(kinds)
	s := Shift{P: 1}
	for _, k := range kinds {
		s.Matches += CountMatches(k.A, k.B, tau)
	}
	reach := min(most, (len(days)-1)/2)
	if reach < 1 {
		return s
	}
	var m Moments
	above := 0
	for d := 1; d <= reach; d++ {
		for _, by := range [...]int{d, len(days) - d} {
			n := shifted(kinds, days, by, tau)
			s.Shifted = append(s.Shifted, n)
			m.Add(float64(n))
			if n >= s.Matches {
				above++
			}
		}
	}
	sd, _ := m.SD()
	s.Mean = m.Mean()
	s.Z = (float64(s.Matches) - s.Mean) / math.Max(sd, 1)
	s.P = float64(1+above) / float64(1+len(s.Shifted))
	return s
}

// shifted counts matches with each B on the day that comes by places later.
// The moments behind the wrap become the first ones, and order stays.
func shifted(kinds []Streams, days []int64, by int, tau int64) int {
	var n int
	var moved []int64
	for _, k := range kinds {
		split, _ := slices.BinarySearch(k.B, days[len(days)-by]*dayMicroseconds)
		moved = moved[:0]
		place := 0
		for _, t := range k.B[split:] {
			moved = append(moved, move(t, days, &place, by-len(days)))
		}
		place = 0
		for _, t := range k.B[:split] {
			moved = append(moved, move(t, days, &place, by))
		}
		n += CountMatches(k.A, moved, tau)
	}
	return n
}

// move puts a moment onto another day; place follows its day through days.
func move(t int64, days []int64, place *int, by int) int64 {
	for t >= (days[*place]+1)*dayMicroseconds {
		*place++
	}
	return t + (days[*place+by]-days[*place])*dayMicroseconds
}

// activeDays returns the days on which any stream has a moment, ascending.
func activeDays(kinds []Streams) []int64 {
	var days []int64
	for _, k := range kinds {
		for _, list := range [...][]int64{k.A, k.B} {
			for i, t := range list {
				if day := floorDay(t); i == 0 || day != days[len(days)-1] {
					days = append(days, day)
				}
			}
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// floorDay returns the day of a moment, also before the epoch.
func floorDay(t int64) int64 {
	day := t / dayMicroseconds
	if t%dayMicroseconds < 0 {
		day--
	}
	return day
}
