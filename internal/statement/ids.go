package statement

import (
	"hash/maphash"
	"strconv"

	"github.com/assayhq/assay/internal/statement/pairing"
	"github.com/assayhq/assay/internal/statement/table"
)

// identities make the ids of trades unique within each account. A row that occurs
// twice with an id is one trade; without an id the copies are trades of their own,
// as when an order was filled in equal parts at once, and are numbered. Different
// rows of one id are parts of a position: the part closed first keeps the id, also
// when a later export brings further parts.
//
// Of each trade 32 bytes are kept: a file may have a million of them.
type identities struct {
	seed   maphash.Seed
	taken  idIndex          // the trade that has an id, by the hash of account and id
	copies map[uint64]int32 // how many ids of a kind have been tried
	trades []identity
	// additions to the ids of trades; nil as long as no trade has one.
	additions []addition
	// renamed are ids of trades whose addition got an addition of its own.
	renamed map[int32]string
	parts   int // trades that share their id with another part of their position
}

// identity distinguishes a trade from others.
type identity struct {
	hash   [8]byte // the beginning of the row's
	closed int64   // microseconds
}

// addition is what makes the id of a trade different from the one in its row.
type addition struct {
	number int32 // of the copy, from 2; 0 for none
	state  identityState
}

type identityState uint8

const (
	asWritten identityState = iota
	asPart                  // the id has the beginning of the row's hash added
	asCopy                  // it is the same trade as another
	asRenamed               // the id is in renamed
)

func newIdentities(trades int) *identities {
	return &identities{
		seed: maphash.MakeSeed(), taken: newIDIndex(trades), copies: map[uint64]int32{}, trades: make([]identity, 0, trades), renamed: map[int32]string{},
	}
}

func (d *identities) keyOf(account, id string) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	_, _ = h.WriteString(account)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(id)
	return h.Sum64()
}

// assignID gives the next trade an id. merges means that equal rows with an id are one
// trade; assignID returns false for the second of them.
func (d *identities) assignID(account, id string, closed int64, o origin, merges bool) bool {
	n := int32(len(d.trades))
	d.trades = append(d.trades, identity{hash: [8]byte(o.hash[:]), closed: closed})
	t, key := &d.trades[n], d.keyOf(account, id)
	at, again := d.taken.findTrade(key)
	if !again {
		d.taken.giveID(key, n)
		return true
	}
	other := &d.trades[at]
	same := other.hash == t.hash
	switch {
	case same && o.named && merges:
		d.addTo(n, addition{state: asCopy})
		return false
	case same || !o.named:
		d.addTo(n, addition{number: d.claimUnused(account, id, n)})
		return true
	}
	d.parts++
	if !t.closesBefore(other) {
		d.addTo(n, addition{d.claimUnused(account, pairing.PartID(id, t.hash), n), asPart})
		return true
	}
	d.taken.giveID(key, n)
	number := d.claimUnused(account, pairing.PartID(id, other.hash), at)
	if d.additionOf(at) == (addition{}) {
		d.addTo(at, addition{number, asPart})
		return true
	}
	d.addTo(at, addition{state: asRenamed})
	d.renamed[at] = numberedID(pairing.PartID(id, other.hash), number)
	return true
}

// addCopy keeps the place of a trade that is the same as one of an earlier table.
func (d *identities) addCopy() {
	d.trades = append(d.trades, identity{})
	d.addTo(int32(len(d.trades)-1), addition{state: asCopy})
}

func (d *identities) addTo(n int32, a addition) {
	if d.additions == nil {
		d.additions = make([]addition, 0, cap(d.trades))
	}
	for int(n) >= len(d.additions) {
		d.additions = append(d.additions, addition{})
	}
	d.additions[n] = a
}

func (d *identities) additionOf(n int32) addition {
	if int(n) >= len(d.additions) {
		return addition{}
	}
	return d.additions[n]
}

// claimUnused takes an id for a trade: the id itself, or the first of id-2, id-3, …
// that no trade of the account has. It returns the number, 0 for none.
func (d *identities) claimUnused(account, id string, n int32) (number int32) {
	first := d.keyOf(account, id)
	for key := first; ; key = d.keyOf(account, numberedID(id, number)) {
		if _, ok := d.taken.findTrade(key); !ok {
			d.taken.giveID(key, n)
			return number
		}
		d.copies[first]++
		number = d.copies[first] + 1
	}
}

func numberedID(id string, number int32) string {
	if number == 0 {
		return id
	}
	return id + "-" + strconv.Itoa(int(number))
}

func (t *identity) closesBefore(u *identity) bool {
	if t.closed != u.closed {
		return t.closed < u.closed
	}
	return string(t.hash[:]) < string(u.hash[:])
}

// nameOf returns the final id of the n-th trade; kept is false for a copy of
// another.
func (d *identities) nameOf(n int, id string) (name string, kept bool) {
	a := d.additionOf(int32(n))
	switch a.state {
	case asCopy:
		return "", false
	case asRenamed:
		return d.renamed[int32(n)], true
	case asPart:
		id = pairing.PartID(id, d.trades[n].hash)
	}
	return numberedID(id, a.number), true
}

// repeats finds rows that an earlier table has as well: that of another sheet, or of an archive's other
// file. Within one table, equal rows are as many as there are.
type repeats struct {
	current       *table.Table
	earlier, here map[[8]byte]int32 // how often the rows with the beginning of a hash occur; nil in a file with one table
}

func newRepeats(tables []*table.Table) repeats {
	used := 0
	for _, t := range tables {
		if t.Used && t.Rows > 0 {
			used++
		}
	}
	if used < 2 {
		return repeats{}
	}
	return repeats{earlier: map[[8]byte]int32{}, here: map[[8]byte]int32{}}
}

// countRow counts a row and reports whether an earlier table has it.
func (p *repeats) countRow(t *table.Table, hash [16]byte) bool {
	if p.here == nil {
		return false
	}
	if t != p.current {
		for row, n := range p.here {
			p.earlier[row] = max(p.earlier[row], n)
		}
		p.here, p.current = map[[8]byte]int32{}, t // to clear a large one costs as much as it was
	}
	row := [8]byte(hash[:])
	p.here[row]++
	return p.here[row] <= p.earlier[row]
}
