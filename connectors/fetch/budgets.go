package fetch

import (
	"container/list"
	"sync"
	"time"
)

// maxIdleBudgets bounds how many unused budgets are kept. Even if thousands of
// integrations are polled each second, a dropped budget has been idle for seconds,
// so that all its slots have passed. The Reserver remembers a widened gap.
const maxIdleBudgets = 16_384

// budgets finds each integration's budget. Budgets in use are pinned. Idle ones are
// kept up to a bound, and the least recently used is dropped first.
type budgets struct {
	base     time.Duration
	reserver Reserver
	limit    int

	mu   sync.Mutex
	byID map[string]*sharedBudget
	idle *list.List // of *sharedBudget with no users, least recently used first
}

type sharedBudget struct {
	*budget
	users   int
	element *list.Element // nil while in use
}

// newBudgets returns nil, which means unlimited, when perSecond is not positive.
func newBudgets(perSecond float64, r Reserver) *budgets {
	if !(perSecond > 0) {
		return nil
	}
	base := min(float64(time.Second)/perSecond, float64(time.Hour))
	return &budgets{
		base: max(time.Duration(base), 1), reserver: r, limit: maxIdleBudgets,
		byID: make(map[string]*sharedBudget), idle: list.New(),
	}
}

// newUnsharedBudget returns a budget for an integration that is not saved yet.
func (bs *budgets) newUnsharedBudget() *budget {
	if bs == nil {
		return nil
	}
	return newBudget("", bs.base, nil)
}

// acquireBudget returns the integration's budget and a function to call when done
// with it.
func (bs *budgets) acquireBudget(id string) (*budget, func()) {
	if bs == nil {
		return nil, func() {}
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b, known := bs.byID[id]
	if !known {
		b = &sharedBudget{budget: newBudget(id, bs.base, bs.reserver)}
		bs.byID[id] = b
	}
	if b.element != nil {
		bs.idle.Remove(b.element)
		b.element = nil
	}
	b.users++
	return b.budget, func() { bs.releaseBudget(b) }
}

func (bs *budgets) releaseBudget(b *sharedBudget) {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b.users--
	if b.users > 0 {
		return
	}
	b.element = bs.idle.PushBack(b)
	if bs.idle.Len() > bs.limit {
		oldest := bs.idle.Remove(bs.idle.Front()).(*sharedBudget)
		delete(bs.byID, oldest.id)
	}
}
