package fetch_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/fetch"
)

// TestConnectionsToOneHostAreKept: later requests, as many at a time, use the
// connections of earlier ones, as far as these may be kept.
func TestConnectionsToOneHostAreKept(t *testing.T) {
	t.Parallel()
	const requests = 100 // at a time
	for _, test := range []struct {
		name    string
		perHost int
		want    int64 // connections for twice as many
	}{
		{"as many as are needed", requests, requests},
		{"64 where nothing is said", 0, 2*requests - 64},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var made atomic.Int64
			var together sync.WaitGroup
			meet := func(w http.ResponseWriter, _ *http.Request) {
				together.Done()
				together.Wait()
				w.WriteHeader(http.StatusNoContent)
			}
			srv, c := loopback(t, http.HandlerFunc(meet), func(s *httptest.Server) {
				s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateNew {
						made.Add(1)
					}
				}
			})
			transport := c.Transport(fetch.Limits{Dial: 10 * time.Second, Handshake: 10 * time.Second, Idle: time.Minute, PerHost: test.perHost})
			defer transport.CloseIdleConnections()
			for range 2 {
				together.Add(requests)
				var group sync.WaitGroup
				for range requests {
					group.Go(func() {
						if err := call(t, transport, srv.URL); err != nil {
							t.Error(err)
							together.Done() // the others wait for it
						}
					})
				}
				group.Wait()
			}
			if got := made.Load(); got != test.want {
				t.Errorf("%d connections, want %d", got, test.want)
			}
		})
	}
}

// call makes a request and expects an answer without a body.
func call(t *testing.T, transport *fetch.Transport, url string) error {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	return errors.Join(err, response.Body.Close())
}
