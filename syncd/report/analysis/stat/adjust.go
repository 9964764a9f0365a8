package stat

import "slices"

// BenjaminiHochberg returns the adjusted p in the order of p:
// p_adj(i) = min_{j≥i} min(1, k·p(j)/j) over the k ascending p(1)…p(k).
// Findings with p_adj ≤ q hold a share of false ones of at most q on average.
// A k of 1 changes nothing. Source: Y. Benjamini and Y. Hochberg, JRSS B 57
// (1995); R's p.adjust(method="BH").
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	lowest := 1.0
	for j := len(order) - 1; j >= 0; j-- {
		lowest = min(lowest, probability(p[order[j]]*float64(len(p))/float64(j+1)))
		adjusted[order[j]] = lowest
	}
	return adjusted
}
