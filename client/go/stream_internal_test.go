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

// A caller that stops, such as one that only checks the key, waits for nothing more from the server.
func TestStopReadingStream(t *testing.T) {
	t.Parallel()
	server := silent{strings.NewReader("event: ready\ndata: {}\n\n"), t}
	s := stream{yield: func(Change, error) bool { return false }}
	if err := s.read(server, func() {}); err != nil || !s.stopped {
		t.Errorf("stopped %t, %v", s.stopped, err)
	}
}

// silent is a connection on which nothing more arrives.
type silent struct {
	*strings.Reader
	t *testing.T
}

func (s silent) Read(p []byte) (int, error) {
	if s.Len() == 0 {
		s.t.Error("reads on after the caller has stopped")
	}
	return s.Reader.Read(p)
}

func FuzzReadStream(f *testing.F) {
	f.Add("event: change\ndata: {\"topic\":\"traders\",\"id\":\"1\"}\n\n")
	f.Fuzz(func(_ *testing.T, text string) {
		s := stream{yield: func(Change, error) bool { return true }}
		_ = s.read(strings.NewReader(text), func() {}) // must end, and not panic
	})
}
