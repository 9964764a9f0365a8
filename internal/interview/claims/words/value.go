package words

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
)

// ValueRests marks the tokens that belong to the value of the token before.
func (ts Tokens) ValueRests() []bool {
	kept := make([]bool, len(ts))
	for _, n := range ts.FindNumbers() {
		markKept(kept, n.First+1, n.Last)
	}
	for _, c := range ts.FindClocks() {
		markKept(kept, c.First+1, c.Last)
	}
	return kept
}

func markKept(kept []bool, first, last int) {
	for i := first; i <= last; i++ {
		kept[i] = true
	}
}

// HasValue reports whether there is a number that is not part of the name of an instrument.
func (ts Tokens) HasValue() bool {
	all := ts.FindNumbers()
	if len(all) == 0 {
		return false
	}
	named := ts.FindInstruments()
	return slices.ContainsFunc(all, func(n Number) bool {
		return !slices.ContainsFunc(named, func(x Mention) bool { return n.First <= x.Last && x.First <= n.Last })
	})
}

// HasUnit reports whether the words end with a value that has a unit.
func (ts Tokens) HasUnit() bool {
	all := ts.FindNumbers()
	return len(all) > 0 && all[len(all)-1].Unit != claims.NoUnit && all[len(all)-1].Last == len(ts)-1
}

// RestPlaces returns where in the text numbers begin that are no values.
func (ts Tokens) RestPlaces() map[int]bool {
	all := ts.FindNumbers()
	places := map[int]bool{}
	for i, rest := range findRests(ts, all) {
		if rest {
			places[ts[all[i].First].Start] = true
		}
	}
	return places
}

// findRests reports which numbers are no values, because they are what is left of a longer number that cannot be
// read: "fifty" of "two, two fifty", or of "two hundred plus or minus fifty".
func findRests(tokens Tokens, all []Number) []bool {
	rests := make([]bool, len(all))
	named, clocks := tokens.FindInstruments(), tokens.FindClocks()
	apart := func(n Number) bool { // a year, or a number of a name or of an hour
		return n.Unit != claims.NoUnit || n.Low >= 1990 && n.Low < 2100 ||
			slices.ContainsFunc(named, func(x Mention) bool { return n.First <= x.Last && x.First <= n.Last }) ||
			slices.ContainsFunc(clocks, func(c ClockRange) bool { return n.First <= c.Last && c.First <= n.Last })
	}
	for i, n := range all {
		before := tokens.TextAt(n.First - 1)
		switch {
		case tokens.TextAt(n.Last+1) == "point" && n.Unit == claims.NoUnit:
			rests[i] = true // "three point something"
		case i > 0 && all[i-1].Last == n.First-1 && tokens[n.First].Restarts && all[i-1].Ranged:
			// "four or five, I would say six"
		case i > 0 && all[i-1].Last == n.First-1:
			size := scales[tokens[n.Last].Text] > 0 && IsListed(tokens.TextAt(n.Last+1), []string{"account", "accounts"})
			again, _ := tokens.readNumber(n.First)
			switch {
			case again.Low == all[i-1].Low && all[i-1].Unit == claims.NoUnit && !isNumeral(tokens[n.First].Text):
				rests[i-1] = true // "two, two percent" says it again
			case !apart(all[i-1]):
				rests[i], rests[i-1] = true, rests[i-1] || !size // not "two 50k accounts"
			}
		case i > 0 && all[i-1].Last == n.First-2 && before == "of" && (all[i-1].Low < 1 || Fractions[tokens[all[i-1].Last].Text] > 0):
			rests[i], rests[i-1] = true, true // "0.5 of two percent"
		default:
			rests[i] = isSpokenNumber(before) || IsListed(before, []string{"hundred", "thousand", "million", "dozen", "point", "tenths", "hundredths"}) ||
				before == "minus" && tokens[max(0, n.First-3):n.First].HasPhrase("plus or minus", "plus minus") ||
				before == "of" && Fractions[tokens.TextAt(n.First-2)] > 0
		}
	}
	return rests
}
