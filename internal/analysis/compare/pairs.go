// Package compare compares the accounts of a trader with each other and with those of other
// traders: who copies whom, who holds opposite positions, and which two are one account.
package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// openings are an account's decisions by kind, for comparing accounts.
type openings struct {
	account *trades.AccountView
	kinds   []opening // in order of kind
	n       int
}

// opening holds the decisions of one symbol group and side, in order of time.
type opening struct {
	kind     uint32 // symbol group and side
	open     []int64
	clusters []uint32
}

func kindOf(key uint32, side trades.Side) uint32 { return key<<1 | uint32(side) }

// openingsOf groups the decisions of an account. places has room for each kind of
// decision; it is all zero, and left so.
func openingsOf(a *trades.AccountView, places []int) *openings {
	o := &openings{account: a, n: len(a.Clusters)}
	for i := range a.Clusters {
		kind := kindOf(a.Clusters[i].Key, a.Clusters[i].Side)
		if places[kind] == 0 {
			o.kinds = append(o.kinds, opening{kind: kind})
		}
		places[kind]++
	}
	slices.SortFunc(o.kinds, func(x, y opening) int { return int(x.kind) - int(y.kind) })
	for i := range o.kinds {
		k := &o.kinds[i]
		n := places[k.kind]
		k.open, k.clusters, places[k.kind] = make([]int64, 0, n), make([]uint32, 0, n), i
	}
	for i := range a.Clusters {
		c := &a.Clusters[i]
		k := &o.kinds[places[kindOf(c.Key, c.Side)]]
		k.open, k.clusters = append(k.open, c.Open), append(k.clusters, uint32(i))
	}
	for i := range o.kinds {
		places[o.kinds[i].kind] = 0
	}
	return o
}

// find returns the decisions of a kind; nil when there are none.
func (o *openings) find(kind uint32) *opening {
	at, ok := slices.BinarySearchFunc(o.kinds, kind, func(x opening, kind uint32) int { return int(x.kind) - int(kind) })
	if !ok {
		return nil
	}
	return &o.kinds[at]
}

// commonKinds returns the kinds of both accounts, b's on the same side or opposite.
func (o *openings) commonKinds(b *openings, opposite bool) (mine, theirs []*opening) {
	for i := range o.kinds {
		kind := o.kinds[i].kind
		if opposite {
			kind ^= 1
		}
		if k := b.find(kind); k != nil {
			mine, theirs = append(mine, &o.kinds[i]), append(theirs, k)
		}
	}
	return mine, theirs
}

// pairStreams returns the moments of kinds that belong together.
func pairStreams(mine, theirs []*opening) []stat.Streams {
	out := make([]stat.Streams, len(mine))
	for i := range mine {
		out[i] = stat.Streams{A: mine[i].open, B: theirs[i].open}
	}
	return out
}

// maxPairs bounds how many pairs of accounts are compared. Loaders bring fewer.
const maxPairs = 20_000

// Pairing holds all pairs of accounts with at least one of the trader's own. It is
// made once and shared by the detectors that compare accounts.
type Pairing struct {
	all  []*openings // of own accounts, then of peers
	own  int         // how many of them are the trader's own
	same [][2]int    // pairs that are one account, reported twice
	// comparisons is how many pairs were there to be found, for the correction:
	// those of peers that a loader searched and did not bring are among them.
	comparisons int
	accounts    int // how many accounts took part, searched ones included
	clean       int // pairs that a loader searched to the end and found nothing in
}

// NewPairing pairs the accounts of a View. searched is among how many accounts of others the
// View's peers were searched, themselves included, and cut that some may have been missed.
func NewPairing(v *trades.View, searched int, cut bool) *Pairing {
	peers := max(len(v.Peers), searched)
	p := &Pairing{own: len(v.Accounts), accounts: len(v.Accounts) + peers, comparisons: len(v.Accounts)*(len(v.Accounts)-1)/2 + len(v.Accounts)*peers}
	if !cut {
		p.clean = len(v.Accounts) * (peers - len(v.Peers))
	}
	if p.own == 0 || p.accounts < 2 {
		return p
	}
	places := make([]int, 2*len(v.Symbols))
	for _, a := range slices.Concat(v.Accounts, v.Peers) {
		p.all = append(p.all, openingsOf(a, places))
	}
	for i := range p.own {
		for k := i + 1; k < len(p.all); k++ {
			if sameAccount(p.all[i].account, p.all[k].account) {
				p.same = append(p.same, [2]int{i, k})
			}
		}
	}
	return p
}

// sameAccount reports whether two accounts are one that two sources tell of: they
// have the same login, and at least half of the tickets of the one that has fewer
// are in the other, opened at the same moment. No copier is as fast as that, nor
// gets the same tickets.
func sameAccount(a, b *trades.AccountView) bool {
	if a.Login == "" || !strings.EqualFold(a.Login, b.Login) {
		return false
	}
	shared := 0
	for i, k := 0, 0; i < len(a.Trades) && k < len(b.Trades); {
		x, y := &a.Trades[i], &b.Trades[k]
		switch order := cmp.Or(cmp.Compare(x.Open, y.Open), strings.Compare(x.ID, y.ID)); {
		case order < 0:
			i++
		case order > 0:
			k++
		default:
			shared++
			i++
			k++
		}
	}
	return shared > 0 && 2*shared >= min(len(a.Trades), len(b.Trades))
}

// isAlone reports whether there was nothing to compare the trader with.
func (pairs *Pairing) isAlone() bool { return pairs.accounts < 2 }

// pairCount is what each went through.
type pairCount struct {
	compared int
	left     int // more than maxPairs, not compared
	largest  int // decisions of the smaller account, in the pair in which that has most
}

// visitPairs calls visit for every pair with minN decisions or more each, in a fixed
// order. Pairs that are one account are left out.
func (pairs *Pairing) visitPairs(minN int, visit func(a, b *openings)) (count pairCount) {
	for i := range min(pairs.own, len(pairs.all)) {
		for k := i + 1; k < len(pairs.all); k++ {
			n := min(pairs.all[i].n, pairs.all[k].n)
			count.largest = max(count.largest, n)
			switch {
			case n < minN || slices.Contains(pairs.same, [2]int{i, k}):
			case count.compared == maxPairs:
				count.left++
			default:
				count.compared++
				visit(pairs.all[i], pairs.all[k])
			}
		}
	}
	return count
}

// What rules out that two accounts of different people agree by chance, beside MaxChance.
// These are no thresholds of a ruleset: a firm may ask for less of an effect, but not for
// less evidence.
const (
	maxChancePerson = 0.001 // corrected p of high
	minRatio        = 3     // least lower bound, for high, of the ratio to what chance gives
)

// oneSided is the chance of two unrelated decisions to be on the sides in question
// from which on their sides tell nothing.
const oneSided = 0.9

// meeting is two decisions that were matched: when, by how much the second is
// behind, and whether their sides are those that are looked for.
type meeting struct {
	at, lag int64
	wanted  bool
}

// sidesByChance returns how likely two unrelated decisions of two accounts are to
// be on the same side, or on opposite ones: ½ at least, and more where both
// accounts prefer the sides that are looked for. Symbols count as often as they
// could meet.
func sidesByChance(a, b *openings, opposite bool) float64 {
	var chance, weight stat.RunningSum
	for i := 0; i < len(a.kinds); {
		key := a.kinds[i].kind >> 1
		mine := [2]float64{}
		for ; i < len(a.kinds) && a.kinds[i].kind>>1 == key; i++ {
			mine[a.kinds[i].kind&1] = float64(len(a.kinds[i].open))
		}
		theirs := [2]float64{}
		for _, side := range [...]trades.Side{trades.Buy, trades.Sell} {
			if k := b.find(kindOf(key, side)); k != nil {
				theirs[side] = float64(len(k.open))
			}
		}
		all := (mine[0] + mine[1]) * (theirs[0] + theirs[1])
		if all == 0 {
			continue
		}
		same := (mine[0]*theirs[0] + mine[1]*theirs[1]) / all
		if opposite {
			same = 1 - same
		}
		w := min(mine[0]+mine[1], theirs[0]+theirs[1])
		chance.Add(w * same)
		weight.Add(w)
	}
	if !(weight.Value() > 0) {
		return 1
	}
	return max(chance.Value()/weight.Value(), 0.5)
}

// unlessShared returns the p of moved days where the p of sides (or of lags) is below
// MaxChance for all that was compared, and else the larger one. Days that are moved
// lose what ties two people to the same minute of one day, such as news.
func unlessShared(moved, sides float64, comparisons int) float64 {
	if sides*float64(comparisons) < detect.MaxChance {
		return moved
	}
	return max(moved, sides)
}

// sidesP is the chance that so many meetings have the sides that are looked for,
// where each has with the chance given. It answers what moved days cannot: two
// people who trade the same minutes of news meet often, on any sides. Meetings
// that follow each other are not independent, so their number is the effective one.
func sidesP(meetings []meeting, chance float64) float64 {
	slices.SortStableFunc(meetings, func(x, y meeting) int { return cmp.Compare(x.at, y.at) })
	series, wanted := make([]bool, len(meetings)), 0
	for i, m := range meetings {
		series[i] = m.wanted
		if m.wanted {
			wanted++
		}
	}
	n := stat.EffectiveN(len(series), stat.SideAutocorrelation(series))
	return stat.BinomialUpper(int(n*stat.Fraction(wanted, len(series))), int(n), chance)
}

// lagsP is the chance that the second account is behind, or ahead, so often: who
// copies is always behind, while two who act on the same news take turns.
func lagsP(meetings []meeting) float64 {
	behind, n := 0, 0
	for _, m := range meetings {
		if m.wanted && m.lag != 0 {
			n++
			if m.lag > 0 {
				behind++
			}
		}
	}
	return stat.BinomialTwoSided(behind, n)
}

// maxShifts bounds the work of one comparison, whatever the ruleset says.
const maxShifts = 100

// expectedByChance is the number of matches of two Poisson streams over the
// time that both accounts span.
func expectedByChance(kinds []stat.Streams, tau int64) float64 {
	var expected stat.RunningSum
	for _, k := range kinds {
		from, to := max(k.A[0], k.B[0]), min(k.A[len(k.A)-1], k.B[len(k.B)-1])
		expected.Add(stat.ExpectedMatches(countWithin(k.A, from, to), countWithin(k.B, from, to), float64(tau), float64(to-from)))
	}
	return expected.Value()
}

// countWithin counts the moments from…to, both included.
func countWithin(x []int64, from, to int64) int {
	low, _ := slices.BinarySearch(x, from)
	high, _ := slices.BinarySearch(x, to+1)
	return max(high-low, 0)
}

// chanceText says how many matches chance gives, and within which range.
func chanceText(s stat.Shift) string {
	return wording.FormatText("%s are expected by chance (%d to %d with shifted days)", wording.FormatNumber(s.Mean), s.Low, s.High)
}

// comparedText says how many accounts took part.
func comparedText(accounts int) string {
	return wording.FormatText("%d accounts were compared", accounts)
}
