package deliver_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/syncd/deliver"
)

// TestPlaces: whatever the endpoints of one organization do, there are places for
// those of another.
func TestPlaces(t *testing.T) {
	t.Parallel()
	a, b, c := uuid.New(), uuid.New(), uuid.New()
	type step struct {
		org      uuid.UUID
		hindered bool
		tries    int
		want     int // how many of them get a place
	}
	for _, test := range []struct {
		name  string
		all   int
		steps []step
	}{
		{"one organization has half", 32, []step{{a, false, 20, 16}, {b, false, 20, 16}}},
		{"its slow ones a quarter", 32, []step{{a, true, 20, 8}, {a, false, 20, 8}, {b, false, 20, 16}}},
		{"all slow ones half", 32, []step{{a, true, 20, 8}, {b, true, 20, 8}, {c, true, 20, 0}, {c, false, 20, 16}}},
		{"few places", 1, []step{{a, true, 2, 1}, {a, false, 2, 0}}},
		{"three", 3, []step{{a, false, 3, 1}, {b, true, 3, 1}, {c, false, 3, 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := deliver.NewPlaces(test.all)
			var entered []deliver.Place
			for _, s := range test.steps {
				got := 0
				for range s.tries {
					if l, ok := p.Enter(s.org, s.hindered); ok {
						got++
						entered = append(entered, l)
					}
				}
				if got != s.want {
					t.Errorf("%d of %d got a place, want %d", got, s.tries, s.want)
				}
			}
			for _, l := range entered {
				l.Leave()
			}
			if _, ok := p.Enter(c, true); !ok {
				t.Error("places that were given back are not free")
			}
		})
	}
}

// TestYieldedPlaces: endpoints that turn out to be slow make room for others, up to a limit.
// Those that were slow before keep their places, so that others like them wait.
func TestYieldedPlaces(t *testing.T) {
	t.Parallel()
	const all = 4
	p := deliver.NewPlaces(all)
	enter := func(hindered bool) (deliver.Place, bool) { return p.Enter(uuid.New(), hindered) }
	var entered []deliver.Place
	slow, _ := enter(true)
	if slow.Yield() {
		t.Error("an endpoint that was slow before yields its place")
	}
	slow.Leave()
	for {
		l, ok := enter(false)
		if !ok {
			break
		}
		if first := l.Yield(); first && l.Yield() {
			t.Error("a place is yielded twice")
		}
		entered = append(entered, l)
	}
	if len(entered) != 4*all {
		t.Errorf("%d endpoints are worked on, want %d", len(entered), 4*all)
	}
	for _, l := range entered {
		l.Leave()
	}
	for range 3 * all {
		if l, ok := enter(false); !ok || !l.Yield() {
			t.Fatal("an endpoint that has ended still counts")
		}
	}
}
