package stat_test

import (
	"math"
	"testing"

	"github.com/assayhq/assay/internal/analysis/stat"
)

// near fails when got is further from want than the relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Max(math.Abs(want), 1e-300) {
		t.Errorf("%s = %.10g, want %.10g", what, got, want)
	}
}

// TestPublished holds tails against printed tables and documented examples of
// other programs; the tolerance is the last printed digit.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got       float64
		want      float64
		tolerance float64
	}{
		{"two-sided binomial, 26 of 30", stat.BinomialTwoSided(26, 30), 5.9476e-5, 1e-5},
		{"two-sided binomial, 4 of 30", stat.BinomialTwoSided(4, 30), 5.9476e-5, 1e-5},
		{"two-sided binomial, 24 of 30", stat.BinomialTwoSided(24, 30), .00143091, 1e-5},
		// SciPy reference, binomtest, "3 of 15 cars unsafe".
		{"binomial upper", stat.BinomialUpper(3, 15, 0.1), 0.18406106910639114, 1e-12},
		{"Fisher 8,4;2,16", stat.FisherUpper(8, 4, 2, 16), .00265472, 1e-5},
		// R, ?fisher.test: the lady tasting tea, and the convicts' twins.
		{"Fisher, tea", stat.FisherUpper(3, 1, 1, 3), 0.2429, 3e-4},
		{"Fisher, twins", stat.FisherUpper(10, 2, 3, 15), 0.0004652, 2e-4},
		{"scan statistic", stat.ScanUpper(6, 20, .02), 5.2549e-4, 1e-4},
		// Percentage points of χ², as in any table.
		{"chi² 5 % of 1", stat.ChiSquareUpper(3.841, 1), 0.05, 5e-4},
		{"chi² 5 % of 10", stat.ChiSquareUpper(18.307, 10), 0.05, 1e-4},
		{"chi² 1 % of 11", stat.ChiSquareUpper(24.725, 11), 0.01, 1e-4},
		{"chi² 0.1 % of 11", stat.ChiSquareUpper(31.264, 11), 0.001, 1e-3},
		{"chi² 95 % of 30", stat.ChiSquareUpper(18.493, 30), 0.95, 1e-4},
		{"normal", stat.NormalLower(-1.959963984540054), 0.025, 1e-12},
		{"Šidák, five tests", stat.FamilyP(0.010206218313011495, 5), 0.05, 1e-12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			near(t, c.name, c.got, c.want, c.tolerance)
		})
	}
}

// TestWilson uses Newcombe's table I, method 3 (Statistics in Medicine 17,
// 1998, 857–872).
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		k, n      int
		low, high float64
	}{
		{"81/263", 81, 263, 0.2553, 0.3662},
		{"15/148", 15, 148, 0.0624, 0.1605},
		{"0/20", 0, 20, 0, 0.1611},
		{"1/29", 1, 29, 0.0061, 0.1718},
		{"24/30 is short of 0.70", 24, 30, .626943, .904949},
		{"nothing", 0, 0, 0, 1},
		{"more than all", 3, 2, 0, 1},
		{"all of 4", 4, 4, 0.5101, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			low, high := stat.Wilson(c.k, c.n, stat.Z95)
			if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
				t.Errorf("Wilson(%d, %d) = [%.6f, %.6f], want [%.4f, %.4f]", c.k, c.n, low, high, c.low, c.high)
			}
		})
	}
}

// TestMannWhitney uses R's ?wilcox.test (ozone in May and August: W = 127.5,
// p-value = 0.0001208 two-sided, with ties and continuity correction) and the
// SciPy reference of mannwhitneyu (U = 17, asymptotic p = 0.11134688653314041).
func TestMannWhitney(t *testing.T) {
	t.Parallel()
	may := []float64{41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37}
	august := []float64{39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85}
	got, ok := stat.MannWhitneyLessWithin([]stat.Stratum{{X: may, Y: august}})
	if !ok || got.U != 127.5 {
		t.Errorf("ozone: U = %v (%v), want 127.5", got.U, ok)
	}
	near(t, "ozone, two-sided", 2*got.P, 0.0001208, 4e-4)
	got, _ = stat.MannWhitneyLessWithin([]stat.Stratum{{X: []float64{20, 11, 17, 12}, Y: []float64{19, 22, 16, 29, 24}}})
	if got.U != 3 {
		t.Errorf("ages: U = %v, want 3", got.U)
	}
	near(t, "ages, two-sided", 2*got.P, 0.11134688653314041, 1e-12)
}

func TestMannWhitneyUndefined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		x, y []float64
	}{
		{"empty first", nil, []float64{1}},
		{"empty second", []float64{1}, nil},
		{"all equal", []float64{2, 2}, []float64{2, 2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := stat.MannWhitneyLessWithin([]stat.Stratum{{X: c.x, Y: c.y}}); ok || got.P != 1 {
				t.Errorf("%+v, %v; want undefined with P 1", got, ok)
			}
		})
	}
}

// TestCertified uses NIST's Statistical Reference Datasets NumAcc3 and
// NumAcc4, whose mean, SD and lag-1 autocorrelation are exact.
func TestCertified(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		base float64
	}{{"NumAcc3", 1000000}, {"NumAcc4", 10000000}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := []float64{c.base + 0.2}
			for range 500 {
				x = append(x, c.base+0.1, c.base+0.3)
			}
			m := stat.MomentsOf(x)
			sd, _ := m.SD()
			near(t, "mean", m.Mean(), c.base+0.2, 1e-14)
			near(t, "SD", sd, 0.1, 1e-7)
			near(t, "autocorrelation", stat.Autocorrelation(x), -0.999, 1e-6)
		})
	}
}

// TestQuantile uses quantile(mtcars$mpg) of R and 1:10.
func TestQuantile(t *testing.T) {
	t.Parallel()
	mpg := []float64{
		10.4, 10.4, 13.3, 14.3, 14.7, 15, 15.2, 15.2, 15.5, 15.8, 16.4, 17.3, 17.8, 18.1, 18.7, 19.2,
		19.2, 19.7, 21, 21, 21.4, 21.4, 21.5, 22.8, 22.8, 24.4, 26, 27.3, 30.4, 30.4, 32.4, 33.9,
	}
	for _, c := range []struct {
		name   string
		x      []float64
		p      float64
		want   float64
		absent bool
	}{
		{"mpg 0 %", mpg, 0, 10.4, false},
		{"mpg 25 %", mpg, 0.25, 15.425, false},
		{"mpg 50 %", mpg, 0.5, 19.2, false},
		{"mpg 75 %", mpg, 0.75, 22.8, false},
		{"mpg 100 %", mpg, 1, 33.9, false},
		{"1:10", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.25, 3.25, false},
		{"one", []float64{7}, 0.9, 7, false},
		{"beyond 1", []float64{7, 8}, 1.5, 8, false},
		{"none", nil, 0.5, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := stat.Quantile(c.x, c.p)
			if ok == c.absent || math.Abs(got-c.want) > 1e-12 {
				t.Errorf("Quantile = %v, %v; want %v, %v", got, ok, c.want, !c.absent)
			}
		})
	}
}

// TestMAD uses mad(1:9) of R's manual.
func TestMAD(t *testing.T) {
	t.Parallel()
	median, scale, ok := stat.MAD([]float64{9, 1, 8, 2, 7, 3, 6, 4, 5})
	if !ok || median != 5 || math.Abs(scale-2.9652) > 1e-12 {
		t.Errorf("MAD = %v, %v, %v; want 5, 2.9652", median, scale, ok)
	}
	if _, _, ok := stat.MAD(nil); ok {
		t.Error("MAD of nothing is defined")
	}
}

// TestBenjaminiHochberg uses the fifteen p of the paper's section 4: at 0.05
// four hypotheses are rejected.
func TestBenjaminiHochberg(t *testing.T) {
	t.Parallel()
	// Out of order, as they come from detectors.
	p := []float64{0.0459, 0.0001, 1, 0.0004, 0.7590, 0.0019, 0.6528, 0.0095, 0.5719, 0.0201, 0.4262, 0.0278, 0.3240, 0.0298, 0.0344}
	got := stat.BenjaminiHochberg(p)
	want := map[float64]float64{0.0001: 0.0015, 0.0004: 0.003, 0.0019: 0.0095, 0.0095: 0.035625, 0.0201: 0.0603, 0.0278: 0.06385714285714286, 1: 1}
	rejected := 0
	for i, v := range p {
		if w, ok := want[v]; ok {
			near(t, "adjusted", got[i], w, 1e-12)
		}
		if got[i] <= 0.05 {
			rejected++
		}
	}
	if rejected != 4 {
		t.Errorf("%d rejected, want 4", rejected)
	}
	if one := stat.BenjaminiHochberg([]float64{0.03}); one[0] != 0.03 {
		t.Errorf("a single p became %v", one[0])
	}
	if none := stat.BenjaminiHochberg(nil); len(none) != 0 {
		t.Errorf("no p became %v", none)
	}
}

// TestDispersion uses Bortkiewicz's deaths by horse-kick: mean 0.61, variance
// 0.6109 with n−1, the standard example of Poisson counts.
func TestDispersion(t *testing.T) {
	t.Parallel()
	var counts []int
	for deaths, years := range []int{109, 65, 22, 3, 1} {
		for range years {
			counts = append(counts, deaths)
		}
	}
	index, p, ok := stat.Dispersion(counts)
	if !ok || math.Abs(index-0.6109/0.61) > 1e-3 || p < 0.4 || p > 0.6 {
		t.Errorf("Dispersion = %v, %v, %v; want about 1.0015, 0.48", index, p, ok)
	}
	if _, p, ok := stat.Dispersion([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}); ok || p != 1 {
		t.Errorf("nine days are enough (p %v)", p)
	}
	if _, p, ok := stat.Dispersion(make([]int, 12)); ok || p != 1 {
		t.Errorf("days without trades have a dispersion (p %v)", p)
	}
}

// TestHolm uses p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") of R: 0.05, 0.08,
// 0.09, 0.09, 0.09.
func TestHolm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		p           []float64
		comparisons int
		want        []float64
	}{
		{"R's", []float64{0.03, 0.01, 0.05, 0.02, 0.04}, 0, []float64{0.09, 0.05, 0.09, 0.08, 0.09}},
		{"one", []float64{0.3}, 1, []float64{0.3}},
		{"others that were looked at", []float64{0.0001, 0.5}, 1000, []float64{0.1, 1}},
		{"none", nil, 5, nil},
	} {
		got := stat.Holm(c.p, c.comparisons)
		if len(got) != len(c.want) {
			t.Fatalf("%s: %v", c.name, got)
		}
		for i := range got {
			near(t, c.name, got[i], c.want[i], 1e-12)
		}
	}
}

// TestDifference uses Newcombe's table II, method 10 (Statistics in Medicine 17,
// 1998, 873–890): 56/70 − 48/80 is 0.0524 to 0.3339, 9/10 − 3/10 is 0.1705 to 0.8090,
// 10/10 − 0/10 is 0.6075 to 1.
func TestDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ p1, n1, p2, n2, low, high float64 }{
		{56.0 / 70, 70, 48.0 / 80, 80, 0.0524, 0.3339}, {0.9, 10, 0.3, 10, 0.1705, 0.8090}, {1, 10, 0, 10, 0.6075, 1},
	} {
		low, high := stat.Difference(c.p1, c.n1, c.p2, c.n2)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%v: %.4f to %.4f", c, low, high)
		}
	}
}

// TestPoissonInterval compares with the exact interval of chi-square quantiles, as
// in R's poisson.test: 3 is 0.6187 to 8.7673, 10 is 4.7954 to 18.3904, 0 to 3.6889.
func TestPoissonInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, low, high float64 }{{0, 0, 3.6889}, {3, 0.6187, 8.7673}, {10, 4.7954, 18.3904}} {
		low, high := stat.PoissonInterval(c.n)
		if math.Abs(low-c.low) > 0.02*max(c.low, 1) || math.Abs(high-c.high) > 0.02*c.high {
			t.Errorf("%v: %.4f to %.4f, want %.4f to %.4f", c.n, low, high, c.low, c.high)
		}
	}
}
