package reporting

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

func TestHandover(t *testing.T) {
	t.Parallel()
	of := func(text string, n int) studied {
		return studied{&load.Loaded{Input: trades.Input{Trades: make([]trades.Trade, n)}}, new(result.Activity), json.RawMessage(text)}
	}
	var h handover
	first, second := uuid.New(), uuid.New()
	taken := func(what string, id uuid.UUID, text string, want studied) {
		t.Helper()
		if s, ok := h.take(id, []byte(text)); s.loaded != want.loaded || ok != (want.loaded != nil) {
			t.Errorf("%s: %v, %t", what, s, ok)
		}
	}
	taken("of nothing", first, "", studied{})
	one, two := of("one", 1), of("two", 2)
	h.keep(first, one)
	h.keep(second, two)
	taken("the second", second, "two", two)
	taken("the second again", second, "two", studied{})
	taken("the first", first, "one", one)

	h.keep(first, one)
	taken("another analysis is stored", first, "two", studied{})
	taken("which forgets it", first, "one", studied{})

	h.keep(first, one)
	h.keep(first, two)
	taken("a new analysis", first, "two", two)

	most := of("most", mostHanded)
	h.keep(first, one)
	h.keep(second, most)
	taken("what there is no room for", first, "one", studied{})
	taken("what there is room for", second, "most", most)
	h.keep(first, of("more", mostHanded+1))
	taken("more than there is room for", first, "more", studied{})
	if len(h.kept) > 0 {
		t.Errorf("%d are left", len(h.kept))
	}
}
