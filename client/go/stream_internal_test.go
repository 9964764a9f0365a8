package assay

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadStream(t *testing.T) {
	t.Parallel()
	const text = "retry: 3100\nevent: ready\ndata: {\"topics\":[\"traders\"]}\n\n: there is nothing new\n\n" +
		"event: change\ndata: {\"topic\":\"traders\",\"id\":\"1\"}\n\nevent: invented later\ndata: {}\n\n" +
		"event: change\ndata: {\"topic\":\"traders\",\"id\":null}\n\nevent: change\ndata: {\"topic\":\"broken off"
	var got []Change
	s := stream{yield: func(c Change, _ error) bool { got = append(got, c); return true }}
	if err := s.read(strings.NewReader(text), func() {}); err != nil {
		t.Fatal(err)
	}
	if want := []Change{{}, {"traders", "1"}, {"traders", ""}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s.pause != 3100*time.Millisecond {
		t.Errorf("connects again after %s", s.pause)
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add("event: change\ndata: {\"topic\":\"traders\",\"id\":\"1\"}\n\n")
	f.Fuzz(func(_ *testing.T, text string) {
		s := stream{yield: func(Change, error) bool { return true }}
		_ = s.read(strings.NewReader(text), func() {}) // must end, and not panic
	})
}
