package stat

import (
	"cmp"
	"slices"
)

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
		lowest = min(lowest, clampProbability(p[order[j]]*float64(len(p))/float64(j+1)))
		adjusted[order[j]] = lowest
	}
	return adjusted
}

// Holm returns the adjusted p in the order of p, of comparisons of which these are
// the ones that were computed: the others, of comparisons in all, count with p = 1.
// p_adj(i) = max_{j≤i} min(1, (comparisons−j+1)·p(j)) over the ascending p(1)…
// The chance that any p_adj ≤ α is false is at most α, whatever their dependence.
// Source: S. Holm, Scand. J. Statist. 6 (1979); R's p.adjust(method="holm").
func Holm(p []float64, comparisons int) []float64 {
	comparisons = max(comparisons, len(p))
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for j, i := range order {
		highest = max(highest, clampProbability(p[i]*float64(comparisons-j)))
		adjusted[i] = highest
	}
	return adjusted
}
