package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assayhq/assay/internal/analysis/stat"
)

// TestSort compares with sorting by comparison, on both sides of the length
// from which digits are used.
func TestSort(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	for _, tc := range []struct {
		name string
		of   func(i int) float64
	}{
		{"uniform", func(int) float64 { return r.Float64() }},
		{"both signs", func(int) float64 { return r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20)) }},
		{"few values", func(int) float64 { return float64(r.IntN(3) - 1) }},
		{"equal", func(int) float64 { return 7 }},
		{"ascending", func(i int) float64 { return float64(i) }},
		{"descending", func(i int) float64 { return float64(-i) }},
		{"ends of the range", func(i int) float64 {
			return []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0}[i%4]
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, n := range []int{0, 1, 2, 2047, 2048, 5001} {
				x := make([]float64, n)
				keys := make([]uint64, n)
				for i := range x {
					x[i] = tc.of(i)
					keys[i] = math.Float64bits(x[i])
				}
				want, wantKeys := slices.Clone(x), slices.Clone(keys)
				slices.Sort(want)
				slices.Sort(wantKeys)
				stat.Sort(x)
				stat.SortUints(keys)
				if !slices.Equal(x, want) || !slices.Equal(keys, wantKeys) {
					t.Fatalf("n %d is not in order", n)
				}
			}
		})
	}
}
