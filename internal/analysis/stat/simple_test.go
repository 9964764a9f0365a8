package stat_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assayhq/assay/internal/analysis/stat"
)

func TestSum(t *testing.T) {
	t.Parallel()
	// Neumaier's own example: naive summation gives 0.
	if got := stat.Sum([]float64{1, 1e100, 1, -1e100}); got != 2 {
		t.Errorf("Sum = %v, want 2", got)
	}
	cents := make([]float64, 0, 1_000_002)
	for range 1_000_000 {
		cents = append(cents, 0.01)
	}
	if got := stat.Sum(append(cents, 1e15, -1e15)); math.Abs(got-10_000) > 1e-9 {
		t.Errorf("a million cents beside 10^15 = %v", got)
	}
}

func TestRunningSum(t *testing.T) {
	t.Parallel()
	var whole, first, second stat.RunningSum
	for i, x := range []float64{1, 1e100, 1, -1e100} {
		whole.Add(x)
		if i < 2 {
			first.Add(x)
		} else {
			second.Add(x)
		}
	}
	first.Merge(second)
	if whole.Value() != 2 || first.Value() != 2 {
		t.Errorf("one by one %v, in two parts %v, want 2", whole.Value(), first.Value())
	}
}

// TestDecimals compares sums and quotients of decimals that a float64 only comes near to.
func TestDecimals(t *testing.T) {
	t.Parallel()
	lots, price := 0.1, 1.1 // variables, because constants are exact
	if lots+0.2 == 0.3 || stat.DropBinaryRest(lots+0.2) != 0.3 {
		t.Errorf("0.1 and 0.2 are %v", stat.DropBinaryRest(lots+0.2))
	}
	if got := stat.DropBinaryRest(9_000_001.0000000005); got != 9_000_001.0000000005 {
		t.Errorf("a large number becomes %v", got)
	}
	if ratio := price * 1.3 / price; !stat.IsAtLeast(ratio, 1.3) || stat.IsAbove(ratio, 1.3) {
		t.Errorf("%v is not taken for 1.3", ratio)
	}
	if !stat.IsAbove(1.3001, 1.3) || stat.IsAtLeast(1.3, 1.3001) {
		t.Error("1.3001 is not above 1.3")
	}
	if stat.Fraction(1, 4) != 0.25 || stat.Fraction(1, 0) != 0 {
		t.Error("fractions are wrong")
	}
}

func TestMomentsUndefined(t *testing.T) {
	t.Parallel()
	var m stat.Moments
	if _, ok := m.Variance(); ok {
		t.Error("nothing has a variance")
	}
	m.Add(5)
	if _, ok := m.SD(); ok || m.Mean() != 5 || m.N() != 1 {
		t.Errorf("one value: %+v", m)
	}
	if _, ok := stat.MomentsOf([]float64{-1, 1}).CV(); ok {
		t.Error("a mean of 0 has a CV")
	}
	if cv, ok := stat.MomentsOf([]float64{-1, -3}).CV(); !ok || math.Abs(cv-math.Sqrt2/2) > 1e-15 {
		t.Errorf("CV = %v, %v", cv, ok)
	}
}

func TestScanEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		m, n int
		x    float64
		want float64
	}{
		{"one point is always in some window", 1, 20, .001, 1},
		{"at the mean", 2, 19, .1, 1},
		{"below the mean", 3, 100, .05, 1},
		{"more than there are", 21, 20, .02, 0},
		{"a window of all", 5, 20, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := stat.ScanUpper(c.m, c.n, c.x); got != c.want {
				t.Errorf("ScanUpper = %v, want %v", got, c.want)
			}
		})
	}
	if got := stat.FamilyP(1e-18, 100); math.Abs(got-1e-16) > 1e-20 {
		t.Errorf("FamilyP loses small p: %v", got)
	}
	if stat.FamilyP(0.5, 0) != 1 || stat.FamilyP(1, 3) != 1 {
		t.Error("FamilyP without a test is not 1")
	}
}

func TestUniform(t *testing.T) {
	t.Parallel()
	// A die: 4 6 5 7 5 3 around 5 is χ² = 2 of 5 degrees, p = 0.849.
	chi2, p, ok := stat.Uniform([]int{4, 6, 5, 7, 5, 3})
	if !ok || math.Abs(chi2-2) > 1e-12 || math.Abs(p-0.849145) > 1e-6 {
		t.Errorf("Uniform = %v, %v, %v", chi2, p, ok)
	}
	if _, p, ok := stat.Uniform([]int{4, 5}); ok || p != 1 {
		t.Error("an expectation below 5 is tested")
	}
	if _, _, ok := stat.Uniform(nil); ok {
		t.Error("no bins are tested")
	}
}

func TestEffectiveN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ r, want float64 }{{-0.5, 100}, {0, 100}, {0.5, 100.0 / 3}, {0.9, 100 * 0.1 / 1.9}, {0.99, 100 * 0.1 / 1.9}} {
		if got := stat.EffectiveN(100, c.r); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("EffectiveN(100, %v) = %v, want %v", c.r, got, c.want)
		}
	}
	if r := stat.SideAutocorrelation([]bool{true, true, true}); r != 0 {
		t.Errorf("one side has autocorrelation %v", r)
	}
	// Ten buys, then ten sells: products 9+9−1 of 20.
	series := make([]bool, 20)
	for i := range 10 {
		series[i] = true
	}
	if r := stat.SideAutocorrelation(series); math.Abs(r-17.0/20) > 1e-12 {
		t.Errorf("two blocks have autocorrelation %v, want 0.85", r)
	}
}

func TestMixes(t *testing.T) {
	t.Parallel()
	if got, ok := stat.HHI([]float64{5, 5, 5, 5}); !ok || got != 0.25 {
		t.Errorf("HHI = %v, %v", got, ok)
	}
	if _, ok := stat.HHI([]float64{0}); ok {
		t.Error("HHI of nothing is defined")
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b []int64
		want []stat.Pair
	}{
		{"at the tolerance", []int64{0}, []int64{5}, []stat.Pair{{0, 0}}},
		{"beyond it", []int64{0}, []int64{6}, nil},
		{"either may be first", []int64{10, 20}, []int64{8, 23}, []stat.Pair{{0, 0}, {1, 1}}},
		{"one answers once", []int64{0, 1, 2}, []int64{2}, []stat.Pair{{0, 0}}},
		{"the nearest would cost a pair", []int64{0, 4}, []int64{4, 9}, []stat.Pair{{0, 0}, {1, 1}}},
		{"nothing", nil, []int64{1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := stat.Match(c.a, c.b, 5)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if n := stat.CountMatches(c.a, c.b, 5); n != len(c.want) {
				t.Errorf("CountMatches = %d, want %d", n, len(c.want))
			}
		})
	}
}

// TestMatchIsLargest compares with the largest of all pairings.
func TestMatchIsLargest(t *testing.T) {
	t.Parallel()
	var largest func(a, b []int64) int
	largest = func(a, b []int64) int {
		if len(a) == 0 {
			return 0
		}
		best := largest(a[1:], b)
		for j := range b {
			if d := a[0] - b[j]; d >= -3 && d <= 3 {
				rest := append(append([]int64{}, b[:j]...), b[j+1:]...)
				best = max(best, 1+largest(a[1:], rest))
			}
		}
		return best
	}
	rapid.Check(t, func(t *rapid.T) {
		list := func(label string) []int64 {
			x := rapid.SliceOfN(rapid.Int64Range(0, 20), 0, 6).Draw(t, label)
			for i := 1; i < len(x); i++ {
				for j := i; j > 0 && x[j] < x[j-1]; j-- {
					x[j], x[j-1] = x[j-1], x[j]
				}
			}
			return x
		}
		a, b := list("a"), list("b")
		if got, want := stat.CountMatches(a, b, 3), largest(a, b); got != want {
			t.Fatalf("%d pairs of %v and %v, want %d", got, a, b, want)
		}
	})
}

func TestExpectedMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ span, want float64 }{{100_000, 100 * 50 * 10.0 / 100_000}, {1, 50}, {0, 0}} {
		if got := stat.ExpectedMatches(100, 50, 5, c.span); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("span %v: %v, want %v", c.span, got, c.want)
		}
	}
}

// TestMannWhitneyWithinStrata: a fast stratum that has more of the one sample
// makes a difference in the pool and none within.
func TestMannWhitneyWithinStrata(t *testing.T) {
	t.Parallel()
	run := func(from, n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(from) + float64((i*7)%n)/float64(n)
		}
		return x
	}
	fast, slow := stat.Stratum{X: run(1, 40), Y: run(1, 10)}, stat.Stratum{X: run(100, 10), Y: run(100, 40)}
	pooled, _ := stat.MannWhitneyLessWithin([]stat.Stratum{{X: append(run(1, 40), run(100, 10)...), Y: append(run(1, 10), run(100, 40)...)}})
	within, ok := stat.MannWhitneyLessWithin([]stat.Stratum{fast, slow, {X: run(5, 3)}})
	if !ok || pooled.P > 1e-4 || within.P < 0.2 {
		t.Errorf("pooled P %v, within %v (%v)", pooled.P, within.P, ok)
	}
}

// TestMADIsAMedian compares with the median of all distances.
func TestMADIsAMedian(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 9).Draw(t, "x")
		if rapid.Bool().Draw(t, "with ties") {
			for i := range x {
				x[i] = math.Round(x[i])
			}
		}
		median, scale, _ := stat.MAD(x)
		away := make([]float64, len(x))
		for i, v := range x {
			away[i] = math.Abs(v - median)
		}
		if want, _ := stat.Median(away); math.Abs(scale-1.4826*want) > 1e-12 {
			t.Fatalf("MAD(%v) = %v, want %v", x, scale, 1.4826*want)
		}
	})
}

// TestCountBelow compares with halving the list and branching.
func TestCountBelow(t *testing.T) {
	t.Parallel()
	for _, sorted := range [][]float64{nil, {1}, {1, 2}, {-3, -3, 0, 0, 0, 5e-324, 1}, {-1e18, -1, 0, 1e-9, 2, 2, 2, 7, 1e18}} {
		for _, x := range append([]float64{-2e18, -2, 0, math.Copysign(0, -1), 1e-12, 3, 2e18}, sorted...) {
			want, _ := slices.BinarySearch(sorted, x)
			if got := stat.CountBelow(sorted, x); got != want {
				t.Errorf("CountBelow(%v, %g) = %d, want %d", sorted, x, got, want)
			}
		}
	}
}
