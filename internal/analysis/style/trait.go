package style

import (
	"math"
	"slices"

	"github.com/assayhq/assay/internal/analysis/stat"
)

// traitBins is the number of bins that a trait is divided into. Distances compare bins.
const traitBins = 32

// trait is one property of decisions, as how often each of its bins occurs in each
// block of decisions. A block is a day of an account: what is done on one day hangs
// together, and blocks are what a test may put in another order.
type trait struct {
	name   string
	mix    bool // bins are kinds without an order
	bins   int
	blocks int
	upTo   []int32 // block by block: of an ordered trait, decisions in this bin or a lower one; else in this bin
	sizes  []int32 // decisions of each block
	total  int
	all    []float64 // sums of upTo over the blocks, divided by total
	weight []float64 // of each bin in a score
	scale  float64   // what the score of a split is by chance; it weighs traits against each other
}

// newTrait counts the bins of decisions. bin is −1 where a decision does not have
// the property, block its block.
func newTrait(name string, mix bool, bins, blocks int, bin []int8, block []int32) *trait {
	t := &trait{name: name, mix: mix, bins: bins, blocks: blocks, upTo: make([]int32, bins*blocks), sizes: make([]int32, blocks)}
	for i, k := range bin {
		if k >= 0 {
			t.upTo[int(block[i])*bins+int(k)]++
			t.sizes[block[i]]++
			t.total++
		}
	}
	if !mix {
		for b := range blocks {
			row := t.upTo[b*bins : (b+1)*bins]
			for k := 1; k < bins; k++ {
				row[k] += row[k-1]
			}
		}
	}
	t.setWeights()
	return t
}

// setWeights sums up the blocks and sets what makes a score: the weights of Anderson and
// Darling for an ordered trait, whose score has the mean 1 by chance, and those of
// Pearson's χ² for a mix, whose score has one less than it has kinds.
func (t *trait) setWeights() {
	t.all, t.weight = make([]float64, t.bins), make([]float64, t.bins)
	for i, n := range t.upTo {
		t.all[i%t.bins] += float64(n) / float64(max(t.total, 1))
	}
	t.scale = 1
	if t.mix {
		t.scale = float64(max(t.bins-1, 1))
	}
	below := 0.0
	for k, p := range t.all {
		switch {
		case t.mix && p > 0:
			t.weight[k] = 1 / p
		case !t.mix && p > 0 && p < 1:
			t.weight[k] = (p - below) / (p * (1 - p))
		}
		below = p
	}
}

// assignBins assigns numbers to bins between their quantiles; NaN is none. Many values
// are cut by the quantiles of a part of them.
func assignBins(values []float64) (bin []int8, bins int) {
	const sample = 20_000
	step := max(1, len(values)/sample)
	var some []float64
	for i := 0; i < len(values); i += step {
		if !math.IsNaN(values[i]) {
			some = append(some, values[i])
		}
	}
	stat.Sort(some)
	var edges []float64
	for k := 1; k < traitBins && len(some) > 0; k++ {
		if e := some[len(some)*k/traitBins]; len(edges) == 0 || e > edges[len(edges)-1] {
			edges = append(edges, e)
		}
	}
	bin = make([]int8, len(values))
	for i, v := range values {
		bin[i] = -1
		if !math.IsNaN(v) {
			bin[i] = int8(stat.CountBelow(edges, v))
		}
	}
	return bin, len(edges) + 1
}

// assignSymbolBins assigns symbol groups to bins: those with most decisions have
// one each, the rest one together.
func assignSymbolBins(keys []uint32, symbols int) (bin []int8, bins int) {
	n := make([]int, symbols)
	for _, k := range keys {
		n[k]++
	}
	order := make([]uint32, symbols)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return n[b] - n[a] })
	place := make([]int8, symbols)
	for i, k := range order {
		place[k] = int8(min(i, traitBins-1))
	}
	bin = make([]int8, len(keys))
	for i, k := range keys {
		bin[i] = place[k]
	}
	return bin, min(symbols, traitBins)
}

// split is a place between blocks, and how far apart a trait is on its two sides.
type split struct {
	at    int     // blocks before it; 0 when there is none
	score float64 // n₁n₂/(n₁+n₂) times the weighted squares of the differences
	d     float64 // the distance D
	bin   int     // of an ordered trait, where the distance is largest
}

// searched is the result of a search over the splits.
type searched struct {
	each     []split // of each trait, the one with the highest score
	together []split // of all traits at one place: that where the sum of their scaled scores is highest
	sum      float64 // that sum
}

// traitSums are those of the blocks before a split.
type traitSums struct {
	upTo []float64
	n    float64
}

// searchSplits looks at the splits with least decisions on each side, the blocks taken in
// an order; only at that at a place, if one is named.
func searchSplits(traits []*trait, order []int, least, only int) searched {
	s := searched{each: make([]split, len(traits)), together: make([]split, len(traits))}
	sums, here := make([]traitSums, len(traits)), make([]split, len(traits))
	for i, t := range traits {
		sums[i].upTo = make([]float64, t.bins)
	}
	for k, b := range order[:max(len(order)-1, 0)] {
		sum := 0.0
		for i, t := range traits {
			t.addBlock(&sums[i], b)
			here[i] = split{}
			if only > 0 && k+1 != only || sums[i].n < float64(least) || float64(t.total)-sums[i].n < float64(least) {
				continue
			}
			here[i] = split{at: k + 1, score: t.scoreSplit(&sums[i])}
			sum += here[i].score / t.scale
			if here[i].score > s.each[i].score {
				s.each[i] = t.measureDistance(here[i], &sums[i])
			}
		}
		if sum > s.sum {
			s.sum = sum
			for i, t := range traits {
				s.together[i] = t.measureDistance(here[i], &sums[i])
			}
		}
	}
	return s
}

// addBlock adds a block.
func (t *trait) addBlock(to *traitSums, block int) {
	for k, c := range t.upTo[block*t.bins : (block+1)*t.bins] {
		to.upTo[k] += float64(c)
	}
	to.n += float64(t.sizes[block])
}

// scoreSplit compares the blocks before a split with those after it.
func (t *trait) scoreSplit(before *traitSums) float64 {
	n1, n, squares := before.n, float64(t.total), 0.0
	all, weight := t.all[:len(before.upTo)], t.weight[:len(before.upTo)]
	for k, s := range before.upTo {
		x := s/n1 - all[k]
		squares += weight[k] * x * x
	}
	return n1 * n / (n - n1) * squares // from one part and the whole to both parts
}

// measureDistance adds the distance D to a split that has a score: that of Kolmogorov and
// Smirnov, or of a mix the total variation distance.
func (t *trait) measureDistance(at split, before *traitSums) split {
	if at.at == 0 {
		return at
	}
	n1, n := before.n, float64(t.total)
	for k, s := range before.upTo {
		x := math.Abs(s/n1 - t.all[k])
		if t.mix {
			at.d += x / 2
		} else if x > at.d {
			at.d, at.bin = x, k
		}
	}
	at.d = min(at.d*n/(n-n1), 1)
	return at
}

// styleOrders is the number of random orders of the blocks in a test.
const styleOrders = 200

// permuteScores returns the highest score of each trait, and behind them the highest sum
// of all, for each of many orders of the blocks. The orders are drawn from a fixed
// sequence, so that equal histories give equal scores.
func permuteScores(traits []*trait, least, only int) [][]float64 {
	scores := make([][]float64, len(traits)+1)
	rng := stat.Sequence(13, uint64(traits[0].blocks))
	order := inOrder(traits[0].blocks)
	for range styleOrders {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		found := searchSplits(traits, order, least, only)
		for i := range traits {
			scores[i] = append(scores[i], found.each[i].score)
		}
		scores[len(traits)] = append(scores[len(traits)], found.sum)
	}
	return scores
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// splitShares returns which part of the decisions on each side of a split is in the
// bins that distinguish the sides, and how many decisions each side has.
func (t *trait) splitShares(s split) (share, n [2]float64) {
	event := t.frequentBefore(s)
	for b := range t.blocks {
		side := sideOf(b, s)
		n[side] += float64(t.sizes[b])
		share[side] += t.countHits(b, s, event)
	}
	for side := range share {
		share[side] /= max(n[side], 1)
	}
	return share, n
}

func sideOf(block int, s split) int {
	if block < s.at {
		return 0
	}
	return 1
}

// dependence measures how far decisions are from being independent.
type dependence struct {
	spread  float64 // by how much shares vary more between blocks than they would, at least 1
	follows float64 // how neighboring blocks agree, 0…0.9
}

// remainingPart returns the part of a score that is left when neighboring blocks
// agree.
func (d dependence) remainingPart() float64 { return (1 - d.follows) / (1 + d.follows) }

// estimateDependence estimates the dependence within the two sides of a split, so
// that the change from one to the other is no part of it. Neighbors are compared
// with Kendall's correction for the bias of short series. Source: M. G. Kendall,
// Biometrika 41 (1954).
func (t *trait) estimateDependence(s split) dependence {
	share, _ := t.splitShares(s)
	event := t.frequentBefore(s)
	var product, square, expected, last float64
	for b := range t.blocks {
		if b == s.at {
			last = 0
		}
		p, n := share[sideOf(b, s)], float64(t.sizes[b])
		e := t.countHits(b, s, event) - p*n
		product += e * last
		square += e * e
		expected += n * p * (1 - p)
		last = e
	}
	d := dependence{spread: 1}
	if expected > 0 {
		d.spread = max(square/expected, 1)
	}
	if square > 0 {
		d.follows = product / square
	}
	d.follows = min(max(d.follows+(1+3*d.follows)/float64(t.blocks), 0), 0.9)
	return d
}

// frequentBefore returns, of a mix, the kinds that are more frequent before the split.
func (t *trait) frequentBefore(s split) []bool {
	if !t.mix {
		return nil
	}
	first, second := make([]float64, t.bins), make([]float64, t.bins)
	n1, n2 := 0.0, 0.0
	for b := range t.blocks {
		to, n := second, &n2
		if b < s.at {
			to, n = first, &n1
		}
		*n += float64(t.sizes[b])
		for k := range t.bins {
			to[k] += float64(t.upTo[b*t.bins+k])
		}
	}
	event := make([]bool, t.bins)
	for k := range event {
		event[k] = first[k]/n1 > second[k]/n2
	}
	return event
}

// countHits counts the decisions of a block in the bins that distinguish the sides.
func (t *trait) countHits(block int, s split, event []bool) float64 {
	row := t.upTo[block*t.bins : (block+1)*t.bins]
	if !t.mix {
		return float64(row[s.bin])
	}
	n := 0.0
	for k, in := range event {
		if in {
			n += float64(row[k])
		}
	}
	return n
}
