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

// TestYieldedPlaces: endpoints whose attempts take long make room for others, up to a limit. Those
// that were slow before keep their places, so that others like them wait, and those whose run has
// ended have nothing to yield.
func TestYieldedPlaces(t *testing.T) {
	t.Parallel()
	const all, most = 4, 12
	p := deliver.NewPlaces(all)
	enter := func(org uuid.UUID, hindered bool) deliver.Place {
		t.Helper()
		l, ok := p.Enter(org, hindered)
		if !ok {
			t.Fatal("an endpoint gets no place")
		}
		return l
	}
	slow := enter(uuid.New(), true)
	if slow.Yield() {
		t.Error("an endpoint that was slow before yields its place")
	}
	slow.Leave()
	org := uuid.New() // has half of the places, and more than that after it has yielded them
	var entered []deliver.Place
	for range most {
		l := enter(org, false)
		if first := l.Yield(); !first || l.Yield() {
			t.Error("a place is not yielded once")
		}
		entered = append(entered, l)
	}
	kept := enter(org, false)
	if kept.Yield() {
		t.Errorf("more than %d endpoints are worked on without a place", most)
	}
	for _, l := range append(entered, kept) {
		l.Leave()
		if l.Yield() {
			t.Error("an endpoint yields its place after its run")
		}
	}
	for range most {
		enter(org, false).Yield()
	}
	enter(org, false)
	enter(org, false)
	if _, ok := p.Enter(org, false); ok {
		t.Error("an organization has more than half of the places")
	}
}
