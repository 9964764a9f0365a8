package reporting

import (
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/load"
)

func TestHandover(t *testing.T) {
	t.Parallel()
	of := func(trades int) studied {
		return studied{&load.Loaded{Input: analysis.Input{Trades: make([]analysis.Trade, trades)}}, new(analysis.Activity)}
	}
	var h handover
	first, second := uuid.New(), uuid.New()
	taken := func(what string, id uuid.UUID, text string, want studied) {
		t.Helper()
		if s, ok := h.take(id, []byte(text)); s != want || ok != (want != studied{}) {
			t.Errorf("%s: %v, %t", what, s, ok)
		}
	}
	taken("of nothing", first, "", studied{})
	one, two := of(1), of(2)
	h.keep(first, []byte("one"), one)
	h.keep(second, []byte("two"), two)
	taken("the second", second, "two", two)
	taken("the second again", second, "two", studied{})
	taken("the first", first, "one", one)

	h.keep(first, []byte("one"), one)
	taken("another analysis is stored", first, "two", studied{})
	taken("which forgets it", first, "one", studied{})

	h.keep(first, []byte("one"), one)
	h.keep(first, []byte("two"), two)
	taken("a new analysis", first, "two", two)

	most := of(mostHanded)
	h.keep(first, []byte("one"), one)
	h.keep(second, []byte("most"), most)
	taken("what there is no room for", first, "one", studied{})
	taken("what there is room for", second, "most", most)
	h.keep(first, []byte("more"), of(mostHanded+1))
	taken("more than there is room for", first, "more", studied{})
	if len(h.kept) > 0 {
		t.Errorf("%d are left", len(h.kept))
	}
}
