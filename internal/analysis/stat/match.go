package stat

// A Pair is a match: the place in the one list and the place in the other.
type Pair struct{ A, B int }

// Match pairs moments of a with moments of b at most tau apart, each at most
// once, in time order: the earliest moments that can be paired are. Both lists
// ascend and share a unit with tau. No other pairing has more pairs.
func Match(a, b []int64, tau int64) []Pair {
	var pairs []Pair
	matchEach(a, b, tau, func(i, j int) { pairs = append(pairs, Pair{i, j}) })
	return pairs
}

// CountMatches returns how many pairs Match finds, without keeping them.
func CountMatches(a, b []int64, tau int64) int {
	var n int
	matchEach(a, b, tau, func(int, int) { n++ })
	return n
}

func matchEach(a, b []int64, tau int64, found func(i, j int)) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]-tau:
			i = SkipBelow(a, i+1, b[j]-tau)
		case b[j] < a[i]-tau:
			j = SkipBelow(b, j+1, a[i]-tau)
		default:
			found(i, j)
			i++
			j++
		}
	}
}

// SkipBelow returns the first place, begun with from, whose moment is not below least;
// len(x) when there is none. Its steps double, so that a short list is compared
// with a long one in little more time than the short one takes.
func SkipBelow(x []int64, from int, least int64) int {
	step := 1
	for from+step <= len(x) && x[from+step-1] < least {
		from += step
		step *= 2
	}
	low, high := from, min(from+step, len(x))
	for low < high {
		middle := int(uint(low+high) >> 1)
		if x[middle] < least {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// ExpectedMatches returns the matches that two unrelated Poisson streams of
// na and nb moments within a common time of length span have by chance,
// na·nb·2τ/span, but no more than the shorter stream allows; 0 for a span of 0.
func ExpectedMatches(na, nb int, tau, span float64) float64 {
	if span <= 0 {
		return 0
	}
	return min(float64(na)*float64(nb)*2*tau/span, float64(min(na, nb)))
}
