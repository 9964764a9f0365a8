package statement

// idIndex is a map from the hash of an id to the trade that has it. A trade has one id
// at a time, so the hashes are kept by trade, and the places of the index hold nothing
// but the trade: less than half of what a map takes.
type idIndex struct {
	keys   []uint64 // by trade
	places []int32  // the trade and one; 0 for none
	used   int
}

// newIDIndex has room for a number of trades.
func newIDIndex(trades int) idIndex {
	size := 16
	for 3*size < 4*trades {
		size *= 2
	}
	return idIndex{keys: make([]uint64, 0, trades), places: make([]int32, size)}
}

// placeOf returns the place of a hash, or the empty one at which it would be.
func (x *idIndex) placeOf(key uint64) int {
	last := len(x.places) - 1
	at := int(key) & last
	for x.places[at] != 0 && x.keys[x.places[at]-1] != key {
		at = (at + 1) & last
	}
	return at
}

// findTrade returns the trade that has the id.
func (x *idIndex) findTrade(key uint64) (trade int32, ok bool) {
	trade = x.places[x.placeOf(key)] - 1
	return trade, trade >= 0
}

// giveID gives an id to a trade. The trade that had it must be given another.
func (x *idIndex) giveID(key uint64, trade int32) {
	for int(trade) >= len(x.keys) {
		x.keys = append(x.keys, 0)
	}
	at := x.placeOf(key)
	if x.places[at] == 0 {
		x.used++
	}
	x.keys[trade], x.places[at] = key, trade+1
	if 4*x.used > 3*len(x.places) {
		x.growPlaces()
	}
}

// growPlaces doubles the number of places.
func (x *idIndex) growPlaces() {
	old := x.places
	x.places = make([]int32, 2*len(old))
	for _, place := range old {
		if place != 0 {
			x.places[x.placeOf(x.keys[place-1])] = place
		}
	}
}
