package stat

import (
	"math"
	"slices"
)

// KolmogorovSmirnov compares two samples: D = sup|F₁−F₂| of their empirical
// distribution functions, in [0, 1], and the p of a D as large or larger, which
// is SmirnovUpper of D and both sizes. Undefined for an empty sample; on the safe
// side with ties; rules ask for 20 per sample.
// Source: N. Smirnov, Ann. Math. Stat. 19 (1948).
func KolmogorovSmirnov(x, y []float64) (d, p float64, ok bool) {
	if len(x) == 0 || len(y) == 0 {
		return 0, 1, false
	}
	x, y = slices.Clone(x), slices.Clone(y)
	Sort(x)
	Sort(y)
	n1, n2 := float64(len(x)), float64(len(y))
	for i, j := 0, 0; i < len(x) && j < len(y); {
		v := min(x[i], y[j])
		for i < len(x) && x[i] <= v {
			i++
		}
		for j < len(y) && y[j] <= v {
			j++
		}
		d = max(d, math.Abs(float64(i)/n1-float64(j)/n2))
	}
	return d, SmirnovUpper(d, n1, n2), true
}

// SmirnovUpper returns how likely two samples of one distribution, of sizes n1
// and n2, are a distance of d or more apart: Q_KS((√ne + 0.12 + 0.11/√ne)·d) with
// ne = n₁n₂/(n₁+n₂), in [0, 1]. Sizes may be effective ones and thus fractions.
// Fair from ne = 4 on; 1 for a size of 0.
// Source: M. A. Stephens, JRSS B 32 (1970).
func SmirnovUpper(d, n1, n2 float64) float64 {
	if n1 <= 0 || n2 <= 0 {
		return 1
	}
	root := math.Sqrt(n1 * n2 / (n1 + n2))
	return QKS((root + 0.12 + 0.11/root) * d)
}

// QKS returns the upper tail of the Kolmogorov distribution,
// 2·Σ_{j≥1} (−1)^{j−1} exp(−2j²λ²), in [0, 1]; 1 for λ ≤ 0. For small λ, where
// the series alternates too long, it uses the theta-function form
// 1 − √(2π)/λ·Σ_{j≥1} exp(−(2j−1)²π²/(8λ²)).
// Source: N. Smirnov, Ann. Math. Stat. 19 (1948).
func QKS(lambda float64) float64 {
	if lambda <= 0 {
		return 1
	}
	const terms = 12 // far more than either series needs on its side of 1
	var sum float64
	if lambda < 1 {
		for j := 1; j <= terms; j++ {
			odd := float64(2*j - 1)
			sum += math.Exp(-odd * odd * math.Pi * math.Pi / (8 * lambda * lambda))
		}
		return clampProbability(1 - math.Sqrt(2*math.Pi)/lambda*sum)
	}
	sign := 2.0
	for j := 1; j <= terms; j++ {
		sum += sign * math.Exp(-2*float64(j*j)*lambda*lambda)
		sign = -sign
	}
	return clampProbability(sum)
}
