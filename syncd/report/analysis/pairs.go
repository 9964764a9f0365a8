package analysis

import (
	"fmt"
	"slices"

	"github.com/assayhq/assay/syncd/report/analysis/stat"
)

// openings are an account's decisions by kind, for comparing accounts.
type openings struct {
	account *AccountView
	kinds   []opening // in order of kind
	n       int
}

// opening holds the decisions of one symbol group and side, in order of time.
type opening struct {
	kind     uint32 // symbol group and side
	open     []int64
	clusters []uint32
}

func kindOf(key uint32, side Side) uint32 { return key<<1 | uint32(side) }

// openingsOf groups the decisions of an account. places has room for each kind of
// decision; it is all zero, and left so.
func openingsOf(a *AccountView, places []int) *openings {
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

// common returns the kinds of both accounts, b's on the same side or opposite.
func (o *openings) common(b *openings, opposite bool) (mine, theirs []*opening) {
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

// streams are the moments of kinds that belong together.
func streams(mine, theirs []*opening) []stat.Streams {
	out := make([]stat.Streams, len(mine))
	for i := range mine {
		out[i] = stat.Streams{A: mine[i].open, B: theirs[i].open}
	}
	return out
}

// maxPairs bounds how many pairs of accounts are compared. Loaders bring fewer.
const maxPairs = 20_000

// pairCount is what eachPair went through.
type pairCount struct {
	compared int
	left     int // more than maxPairs, not compared
	largest  int // decisions of the smaller account, in the pair in which that has most
}

// eachPair calls visit for every two accounts of which one is the trader's own,
// with minN decisions or more each, in a fixed order.
func eachPair(v *View, minN int, visit func(a, b *openings)) (count pairCount) {
	if len(v.Accounts) == 0 || len(v.Accounts)+len(v.Peers) < 2 {
		return count
	}
	all := make([]*openings, 0, len(v.Accounts)+len(v.Peers))
	places := make([]int, 2*len(v.Symbols))
	for _, a := range slices.Concat(v.Accounts, v.Peers) {
		all = append(all, openingsOf(a, places))
	}
	for i := range v.Accounts {
		for _, b := range all[i+1:] {
			n := min(all[i].n, b.n)
			count.largest = max(count.largest, n)
			switch {
			case n < minN:
			case count.compared == maxPairs:
				count.left++
			default:
				count.compared++
				visit(all[i], b)
			}
		}
	}
	return count
}

// maxShifts bounds the work of one comparison, whatever the ruleset says.
const maxShifts = 100

// expectedByChance is the number of matches of two Poisson streams over the
// time that both accounts span.
func expectedByChance(kinds []stat.Streams, tau int64) float64 {
	var expected sum
	for _, k := range kinds {
		from, to := max(k.A[0], k.B[0]), min(k.A[len(k.A)-1], k.B[len(k.B)-1])
		expected.add(stat.ExpectedMatches(within(k.A, from, to), within(k.B, from, to), float64(tau), float64(to-from)))
	}
	return expected.value()
}

// within counts the moments from…to, both included.
func within(x []int64, from, to int64) int {
	low, _ := slices.BinarySearch(x, from)
	high, _ := slices.BinarySearch(x, to+1)
	return max(high-low, 0)
}

// accountName is how people are told of an account. Texts are shown to more
// people than metrics are, so another trader's account has no name in them.
func accountName(a *AccountView) string {
	if a.Peer {
		return "another trader's account"
	}
	name := a.ID
	for _, known := range []string{a.Login, a.ExternalID} {
		if known != "" {
			name = known
			break
		}
	}
	return fmt.Sprintf("account %q", name)
}
