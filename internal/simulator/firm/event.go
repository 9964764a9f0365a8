package firm

// eventKind says what happens. At the same moment, lower kinds come first.
type eventKind uint8

const (
	tradeCloses eventKind = iota
	tradeChanges
	payoutMoves
	kycMoves
	accountOpens
	tradeOpens
	payoutRequested
	traderSignsUp
)

// event is something that is going to happen to a row.
type event struct {
	at   int64
	ref  uint32
	kind eventKind
}

func (e event) isBefore(other event) bool {
	if e.at != other.at {
		return e.at < other.at
	}
	if e.kind != other.kind {
		return e.kind < other.kind
	}
	return e.ref < other.ref
}

// agenda is a binary heap of events, the next one first. container/heap would
// allocate for each.
type agenda []event

func (a *agenda) push(e event) {
	h := append(*a, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].isBefore(h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	*a = h
}

func (a *agenda) pop() event {
	h := *a
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1].isBefore(h[child]) {
			child++
		}
		if !h[child].isBefore(h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*a = h
	return top
}

// stream is a flow of new things: so many over the history, spread by a
// calendar, and going on at the same rate after it.
type stream struct {
	calendar *calendar
	slot     int64 // where the next one's share of time begins
	step     int64 // that share, in mass of the calendar
	n        uint32
	history  uint32 // how many lie in the history
	start    int64
	liveStep int64
}

// newStream spreads count things over the time from one moment to another, and
// as many over each equally long time after it, speed times as fast.
func newStream(c *calendar, from, to int64, count int, speed float64) stream {
	step := max(c.sumWeights(from, to)/int64(count), 1)
	s := stream{calendar: c, slot: from, step: step, history: uint32(count), start: to}
	s.liveStep = max(int64(float64(step)/speed), 1)
	return s
}

// next returns the time of the next thing and its number, counted from 0.
func (s *stream) next(seed uint64, p purpose) (at int64, n uint32) {
	n = s.n
	if n == s.history {
		s.slot, s.step = s.start, s.liveStep
	}
	d := newDice(seed, p, uint64(n))
	at = s.calendar.advanceBy(s.slot, d.int64Below(s.step))
	s.slot = s.calendar.advanceBy(s.slot, s.step)
	s.n++
	return at, n
}
