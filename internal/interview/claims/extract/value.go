package extract

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims"
)

// valueRests marks the tokens that belong to the value of the token before.
func valueRests(tokens []token) []bool {
	kept := make([]bool, len(tokens))
	for _, n := range findNumbers(tokens) {
		markKept(kept, n.first+1, n.last)
	}
	for _, c := range findClocks(tokens) {
		markKept(kept, c.first+1, c.last)
	}
	return kept
}

func markKept(kept []bool, first, last int) {
	for i := first; i <= last; i++ {
		kept[i] = true
	}
}

// hasValue reports whether there is a number that is not part of the name of an instrument.
func hasValue(tokens []token) bool {
	all := findNumbers(tokens)
	if len(all) == 0 {
		return false
	}
	named := instrumentSpans(tokens)
	return slices.ContainsFunc(all, func(n number) bool {
		return !slices.ContainsFunc(named, func(x mention) bool { return n.first <= x.last && x.first <= n.last })
	})
}

// hasUnit reports whether the words end with a value that has a unit.
func hasUnit(tokens []token) bool {
	all := findNumbers(tokens)
	return len(all) > 0 && all[len(all)-1].unit != claims.NoUnit && all[len(all)-1].last == len(tokens)-1
}

// restPlaces returns where in the text numbers begin that are no values.
func restPlaces(tokens []token) map[int]bool {
	all := findNumbers(tokens)
	places := map[int]bool{}
	for i, rest := range findRests(tokens, all) {
		if rest {
			places[tokens[all[i].first].start] = true
		}
	}
	return places
}

// findRests reports which numbers are no values, because they are what is left of a longer number that cannot be
// read: "fifty" of "two, two fifty", or of "two hundred plus or minus fifty".
func findRests(tokens []token, all []number) []bool {
	rests := make([]bool, len(all))
	named, clocks := instrumentSpans(tokens), findClocks(tokens)
	apart := func(n number) bool { // a year, or a number of a name or of an hour
		return n.unit != claims.NoUnit || n.low >= 1990 && n.low < 2100 ||
			slices.ContainsFunc(named, func(x mention) bool { return n.first <= x.last && x.first <= n.last }) ||
			slices.ContainsFunc(clocks, func(c clockRange) bool { return n.first <= c.last && c.first <= n.last })
	}
	for i, n := range all {
		before := textAt(tokens, n.first-1)
		switch {
		case textAt(tokens, n.last+1) == "point" && n.unit == claims.NoUnit:
			rests[i] = true // "three point something"
		case i > 0 && all[i-1].last == n.first-1 && tokens[n.first].restarts && all[i-1].ranged:
			// "four or five, I would say six"
		case i > 0 && all[i-1].last == n.first-1:
			size := scales[tokens[n.last].text] > 0 && isListed(textAt(tokens, n.last+1), []string{"account", "accounts"})
			again, _ := readNumber(tokens, n.first)
			switch {
			case again.low == all[i-1].low && all[i-1].unit == claims.NoUnit && !isNumeral(tokens[n.first].text):
				rests[i-1] = true // "two, two percent" says it again
			case !apart(all[i-1]):
				rests[i], rests[i-1] = true, rests[i-1] || !size // not "two 50k accounts"
			}
		case i > 0 && all[i-1].last == n.first-2 && before == "of" && (all[i-1].low < 1 || fractions[tokens[all[i-1].last].text] > 0):
			rests[i], rests[i-1] = true, true // "0.5 of two percent"
		default:
			rests[i] = isSpokenNumber(before) || isListed(before, []string{"hundred", "thousand", "million", "dozen", "point", "tenths", "hundredths"}) ||
				before == "minus" && hasPhrase(tokens[max(0, n.first-3):n.first], "plus or minus", "plus minus") ||
				before == "of" && fractions[textAt(tokens, n.first-2)] > 0
		}
	}
	return rests
}
