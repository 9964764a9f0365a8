package statement

import (
	"encoding/hex"
	"hash/maphash"
	"strconv"
)

// identities make the ids of trades unique within each account. A row that occurs
// twice with an id is one trade; without an id the copies are trades of their own,
// as when an order was filled in equal parts at once, and are numbered. Different
// rows of one id are parts of a position: the part closed first keeps the id, also
// when a later export brings further parts.
//
// Of each trade 24 bytes are kept, and of each id a hash.
type identities struct {
	seed   maphash.Seed
	taken  map[uint64]int32 // index of the trade that has the id, by the hash of account and id
	copies map[uint64]int32 // how many ids of a kind have been tried
	trades []identity
	// renamed are ids of trades whose addition got an addition of its own.
	renamed map[int32]string
	parts   int // trades that share their id with another part of their position
}

// identity distinguishes a trade from others. Its id is made from it.
type identity struct {
	hash   [8]byte // the beginning of the row's
	closed int64   // microseconds
	number int32   // of the copy, from 2; 0 for none
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
		seed: maphash.MakeSeed(), taken: make(map[uint64]int32, trades), copies: map[uint64]int32{}, trades: make([]identity, 0, trades), renamed: map[int32]string{},
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
	at, again := d.taken[key]
	if !again {
		d.taken[key] = n
		return true
	}
	other := &d.trades[at]
	same := other.hash == t.hash
	switch {
	case same && o.named && merges:
		t.state = asCopy
		return false
	case same || !o.named:
		t.number = d.claimUnused(account, id, n)
		return true
	}
	d.parts++
	if !t.closesBefore(other) {
		t.state, t.number = asPart, d.claimUnused(account, partID(id, t.hash), n)
		return true
	}
	d.taken[key] = n
	number := d.claimUnused(account, partID(id, other.hash), at)
	if other.state == asWritten && other.number == 0 {
		other.state, other.number = asPart, number
		return true
	}
	other.state = asRenamed
	d.renamed[at] = numberedID(partID(id, other.hash), number)
	return true
}

// claimUnused takes an id for a trade: the id itself, or the first of id-2, id-3, …
// that no trade of the account has. It returns the number, 0 for none.
func (d *identities) claimUnused(account, id string, n int32) (number int32) {
	first := d.keyOf(account, id)
	for key := first; ; key = d.keyOf(account, numberedID(id, number)) {
		if _, ok := d.taken[key]; !ok {
			d.taken[key] = n
			return number
		}
		d.copies[first]++
		number = d.copies[first] + 1
	}
}

func partID(id string, hash [8]byte) string { return id + "-" + hex.EncodeToString(hash[:4]) }

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
	t := &d.trades[n]
	switch t.state {
	case asCopy:
		return "", false
	case asRenamed:
		return d.renamed[int32(n)], true
	case asPart:
		id = partID(id, t.hash)
	}
	return numberedID(id, t.number), true
}
