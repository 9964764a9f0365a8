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
	Matches   int     // m, with the days as they are
	Shifted   []int   // matches of each shift: +1, −1, +2, −2, …
	Mean      float64 // of Shifted
	MeanHigh  float64 // upper end of the mean's 95 % interval
	Low, High int     // least and greatest of Shifted
	Z         float64 // (m−Mean)/max(SD, 1)
	P         float64 // CountP of Matches and Shifted
}

// dayMicroseconds is a day in the unit of Streams.
const dayMicroseconds = int64(24 * 60 * 60 * 1_000_000)

// DayShift counts the matches of kinds within tau microseconds, and recounts
// them with every B moved by ±1…±most days, which keeps each account's hours,
// symbols and sides and breaks what ties the two together. Days are the days
// (UTC) on which either was active, and the last is followed by the first:
// without that a shift would lose matches to weekends and to the ends of the
// window, and chance would look like copying. Too few days allow fewer
// shifts, (days−1)/2 each way. With less than 3 days there is nothing to compare,
// and P is 1.
//
// The ranks of the shifts are exact for accounts whose days are exchangeable; a
// permutation test, as in B. F. J. Manly, Randomization, Bootstrap and Monte Carlo
// Methods (2007).
func DayShift(kinds []Streams, tau int64, most int) Shift {
	days := ActiveDays(kinds)
	matches := 0
	for _, k := range kinds {
		matches += CountMatches(k.A, k.B, tau)
	}
	return CompareShifts(matches, len(days), most, func(by int) int { return countShifted(kinds, days, by, tau) })
}

// CompareShifts is DayShift for who counts otherwise: count returns the matches
// with B moved to the day that comes by places later, of so many days.
func CompareShifts(matches, days, most int, count func(by int) int) Shift {
	s := Shift{Matches: matches, P: 1}
	reach := min(most, (days-1)/2)
	if reach < 1 {
		return s
	}
	for d := 1; d <= reach; d++ {
		s.Shifted = append(s.Shifted, count(d), count(days-d))
	}
	var m Moments
	total := 0
	for _, n := range s.Shifted {
		m.Add(float64(n))
		total += n
	}
	sd, _ := m.SD()
	n := float64(len(s.Shifted))
	_, high := PoissonInterval(float64(total))
	s.Low, s.High = slices.Min(s.Shifted), slices.Max(s.Shifted)
	s.Mean, s.MeanHigh = m.Mean(), max(high/n, m.Mean()+Z95*sd/math.Sqrt(n))
	s.Z = (float64(matches) - s.Mean) / math.Max(sd, 1)
	s.P = CountP(matches, s.Shifted)
	return s
}

// countShifted counts matches with each B on the day that comes by places later.
func countShifted(kinds []Streams, days []int64, by int, tau int64) int {
	var n int
	var moved []int64
	for _, k := range kinds {
		moved, _ = MoveDays(moved[:0], k.B, days, by)
		n += CountMatches(k.A, moved, tau)
	}
	return n
}

// MoveDays appends the moments, each on the day that comes by places later among
// days, the last followed by the first. The moments behind the wrap, which begin
// at the place split, come first, so that the order is that of time.
func MoveDays(to, moments, days []int64, by int) (moved []int64, split int) {
	split, _ = slices.BinarySearch(moments, days[len(days)-by]*dayMicroseconds)
	place := 0
	for _, t := range moments[split:] {
		to = append(to, moveToDay(t, days, &place, by-len(days)))
	}
	place = 0
	for _, t := range moments[:split] {
		to = append(to, moveToDay(t, days, &place, by))
	}
	return to, split
}

// moveToDay puts a moment onto another day; place follows its day through days.
func moveToDay(t int64, days []int64, place *int, by int) int64 {
	for t >= (days[*place]+1)*dayMicroseconds {
		*place++
	}
	return t + (days[*place+by]-days[*place])*dayMicroseconds
}

// ActiveDays returns the days on which any stream has a moment, ascending.
func ActiveDays(kinds []Streams) []int64 {
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
