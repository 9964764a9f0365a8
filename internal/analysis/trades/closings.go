package trades

import "math"

// closings is a heap of moments, the next one on top; equal ones come in order of
// index.
type closings struct{ held []closing }

type closing struct {
	at    int64
	index uint32
}

func (a closing) isBefore(b closing) bool { return a.at < b.at || a.at == b.at && a.index < b.index }

func (h *closings) push(at int64, index uint32) {
	c := closing{at, index}
	h.held = append(h.held, c)
	i := len(h.held) - 1
	for i > 0 && c.isBefore(h.held[(i-1)/2]) {
		h.held[i], i = h.held[(i-1)/2], (i-1)/2
	}
	h.held[i] = c
}

// pop returns the next that closes at or before a moment.
func (h *closings) pop(until int64) (closing, bool) {
	if len(h.held) == 0 || h.held[0].at > until {
		return closing{}, false
	}
	top, last := h.held[0], h.held[len(h.held)-1]
	h.held = h.held[:len(h.held)-1]
	held, i := h.held, 0
	for down := 1; down < len(held); down = 2*i + 1 {
		if next := down + 1; next < len(held) && held[next].isBefore(held[down]) {
			down = next
		}
		if !held[down].isBefore(last) {
			break
		}
		held[i], i = held[down], down
	}
	if len(held) > 0 {
		held[i] = last
	}
	return top, true
}

// mergeOrdered yields the places of n lists that ascend in time, all in order of time;
// equal moments come in order of the list. Stretches of one list cost nothing
// but a comparison.
func mergeOrdered(n int, length func(list int) int, moment func(list, i int) int64, yield func(list, i int) bool) {
	next := make([]int, n)
	var heads closings // of all lists but the one that is read
	for list := range n {
		if length(list) > 0 {
			heads.push(moment(list, 0), uint32(list))
		}
	}
	for head, ok := heads.pop(math.MaxInt64); ok; head, ok = heads.pop(math.MaxInt64) {
		list := int(head.index)
		for end := length(list); next[list] < end; next[list]++ {
			here := closing{moment(list, next[list]), head.index}
			if len(heads.held) > 0 && heads.held[0].isBefore(here) {
				heads.push(here.at, here.index)
				break
			}
			if !yield(list, next[list]) {
				return
			}
		}
	}
}

// EachNet visits the known results of closed trades in the order of their closes.
func EachNet(accounts []*AccountView, visit func(moment int64, net float64)) {
	mergeOrdered(
		len(accounts),
		func(k int) int { return len(accounts[k].ByClose) },
		func(k, i int) int64 { return accounts[k].Trades[accounts[k].ByClose[i]].Close },
		func(k, i int) bool {
			t := &accounts[k].Trades[accounts[k].ByClose[i]]
			if net, ok := t.Net(); ok {
				visit(t.Close, net)
			}
			return true
		},
	)
}
