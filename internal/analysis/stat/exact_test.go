package stat_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/assayhq/assay/internal/analysis/stat"
)

// exactBinomial sums C(n,i)·a^i·(b−a)^(n−i)/b^n over i = k…n in integers.
func exactBinomial(k, n int, a, b int64) float64 {
	sum := new(big.Int)
	for i := max(k, 0); i <= n; i++ {
		term := new(big.Int).Binomial(int64(n), int64(i))
		term.Mul(term, new(big.Int).Exp(big.NewInt(a), big.NewInt(int64(i)), nil))
		term.Mul(term, new(big.Int).Exp(big.NewInt(b-a), big.NewInt(int64(n-i)), nil))
		sum.Add(sum, term)
	}
	all := new(big.Int).Exp(big.NewInt(b), big.NewInt(int64(n)), nil)
	f, _ := new(big.Rat).SetFrac(sum, all).Float64()
	return f
}

func TestBinomialTailsAreExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, a, b int }{{1, 1, 2}, {7, 1, 10}, {30, 1, 2}, {41, 9, 10}, {300, 1, 3}} {
		t.Run(fmt.Sprintf("n=%d p=%d/%d", c.n, c.a, c.b), func(t *testing.T) {
			t.Parallel()
			p := float64(c.a) / float64(c.b)
			for k := -1; k <= c.n+1; k++ {
				near(t, fmt.Sprintf("P(X≥%d)", k), stat.BinomialUpper(k, c.n, p), exactBinomial(k, c.n, int64(c.a), int64(c.b)), 1e-9)
			}
		})
	}
}

func TestBinomialEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"no toss", stat.BinomialTwoSided(0, 0), 1},
		{"one toss", stat.BinomialTwoSided(1, 1), 1},
		{"even", stat.BinomialTwoSided(15, 30), 1},
		{"certain", stat.BinomialUpper(5, 5, 1), 1},
		{"impossible", stat.BinomialUpper(1, 5, 0), 0},
		{"more than all", stat.BinomialUpper(6, 5, 0.5), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// exactFisher sums hypergeometric probabilities in integers.
func exactFisher(a, b, c, d int64) float64 {
	sum := new(big.Int)
	for x := a; x <= min(a+b, a+c); x++ {
		if a+c-x > c+d {
			continue
		}
		sum.Add(sum, new(big.Int).Mul(new(big.Int).Binomial(a+b, x), new(big.Int).Binomial(c+d, a+c-x)))
	}
	f, _ := new(big.Rat).SetFrac(sum, new(big.Int).Binomial(a+b+c+d, a+c)).Float64()
	return f
}

func TestFisherIsExact(t *testing.T) {
	t.Parallel()
	for a := range int64(9) {
		for b := range int64(9) {
			for c := range int64(9) {
				for d := range int64(9) {
					if a+b == 0 || c+d == 0 {
						continue
					}
					near(t, fmt.Sprintf("Fisher(%d,%d;%d,%d)", a, b, c, d),
						stat.FisherUpper(int(a), int(b), int(c), int(d)), exactFisher(a, b, c, d), 1e-10)
				}
			}
		}
	}
	for _, c := range [][4]int64{{300, 700, 200, 800}, {12, 988, 30, 970}, {2000, 1000, 1000, 2000}, {900, 100, 2900, 100}} {
		near(t, fmt.Sprintf("Fisher%v", c), stat.FisherUpper(int(c[0]), int(c[1]), int(c[2]), int(c[3])), exactFisher(c[0], c[1], c[2], c[3]), 1e-8)
	}
}

func TestFisherOfMillions(t *testing.T) {
	t.Parallel()
	// Against the normal approximation, which is good to a per cent or so here.
	a, b, c, d := 251_000, 249_000, 250_000, 250_000
	n := float64(a + b + c + d)
	sd := math.Sqrt(float64(a+b) * float64(c+d) * float64(a+c) * float64(b+d) / (n * n * (n - 1)))
	z := (float64(a) - 0.5 - float64(a+b)*float64(a+c)/n) / sd
	near(t, "Fisher of a million", stat.FisherUpper(a, b, c, d), stat.NormalLower(-z), 0.02)
	if p := stat.FisherUpper(-1, 2, 3, 4); p != 1 {
		t.Errorf("a negative count has p %v", p)
	}
}

// TestRunsZ takes the mean and the variance of the number of runs from all
// orders of ten of the one and ten of the other kind.
func TestRunsZ(t *testing.T) {
	t.Parallel()
	var n, sum, squares float64
	for mask := range uint32(1 << 20) {
		ones := 0
		for m := mask; m != 0; m &= m - 1 {
			ones++
		}
		if ones != 10 {
			continue
		}
		runs := 1
		for m := (mask ^ mask>>1) & (1<<19 - 1); m != 0; m &= m - 1 {
			runs++
		}
		n, sum, squares = n+1, sum+float64(runs), squares+float64(runs*runs)
	}
	mean := sum / n
	sd := math.Sqrt(squares/n - mean*mean)
	series := make([]bool, 20)
	for i := range series {
		series[i] = i < 10
	}
	got, ok := stat.RunsZ(series)
	if !ok {
		t.Fatal("ten of either kind are too few")
	}
	near(t, "two runs", got, (2-mean)/sd, 1e-9)
	for i := range series {
		series[i] = i%2 == 0
	}
	got, _ = stat.RunsZ(series)
	near(t, "twenty runs", got, (20-mean)/sd, 1e-9)
	if _, ok := stat.RunsZ(series[:19]); ok {
		t.Error("nine of a kind are enough")
	}
}
