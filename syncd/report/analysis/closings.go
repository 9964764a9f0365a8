package analysis

// closings is a heap of what is open, the next to close on top; equal times
// come in order of index. A pass over opens in order of time pops what closed
// before each: O(n log n) time, memory for what is open at once.
type closings struct{ held []closing }

type closing struct {
	at    int64
	index uint32
}

func (a closing) before(b closing) bool { return a.at < b.at || a.at == b.at && a.index < b.index }

func (h *closings) push(at int64, index uint32) {
	h.held = append(h.held, closing{at, index})
	for i := len(h.held) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.held[i].before(h.held[up]) {
			break
		}
		h.held[i], h.held[up] = h.held[up], h.held[i]
		i = up
	}
}

// pop returns the next that closes at or before a moment.
func (h *closings) pop(until int64) (closing, bool) {
	if len(h.held) == 0 || h.held[0].at > until {
		return closing{}, false
	}
	top, last := h.held[0], len(h.held)-1
	h.held[0] = h.held[last]
	h.held = h.held[:last]
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < last && h.held[down].before(h.held[least]) {
				least = down
			}
		}
		if least == i {
			return top, true
		}
		h.held[i], h.held[least] = h.held[least], h.held[i]
		i = least
	}
}
