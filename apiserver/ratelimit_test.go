package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// The limit that the contract promises, and how it is tested: by this many clients of each
// process, for slightly longer than two windows, so that a burst at the edge of the first window
// would show.
const (
	limitedRequests = 600
	limitWindow     = time.Minute
	limitTrial      = 63 * time.Second
	limitClients    = 2
	limitPause      = 15 * time.Millisecond // between two requests of a client
)

// attempt is a request as seen by its client.
type attempt struct {
	sent, answered time.Time
	status         int
}

// TestLimitOverThreeProcesses sends far more requests with one key than allowed, to three
// processes, and checks what the clients saw: no window had more than 600 served requests, and no
// request was refused while fewer had been served.
func TestLimitOverThreeProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for windows of the limit to pass")
	}
	t.Parallel()
	databaseURL := storetest.URL(t)
	var servers []*daemon
	for range 3 {
		servers = append(servers, newSite(t, databaseURL, "log: {level: warn}").start(t))
	}
	for _, d := range servers {
		d.ready(t)
	}
	key := bootstrapOf(t, servers[0].site, "Alpha").APIKey
	served, refused := tryLimit(t, servers, key)
	t.Logf("%d requests served and %d refused in %s by three processes", len(served), len(refused), limitTrial)
	if len(served) < limitedRequests || len(refused) == 0 {
		t.Fatal("the limit was not reached")
	}
	for _, first := range served {
		n := 0
		for _, a := range served {
			if !a.sent.Before(first.sent) && a.answered.Before(first.sent.Add(limitWindow)) {
				n++
			}
		}
		if n > limitedRequests {
			t.Fatalf("%d requests were sent and served within a minute from %s", n, first.sent)
		}
	}
	for _, r := range refused {
		n := 0
		for _, a := range served {
			if a.answered.After(r.sent.Add(-limitWindow)) && a.sent.Before(r.answered) {
				n++
			}
		}
		if n < limitedRequests {
			t.Fatalf("a request was refused at %s, although only %d had been served in the minute before", r.sent, n)
		}
	}
}

func tryLimit(t *testing.T, servers []*daemon, key string) (served, refused []attempt) {
	t.Helper()
	var (
		mu    sync.Mutex
		group sync.WaitGroup
		end   = time.Now().Add(limitTrial)
	)
	for _, d := range servers {
		for range limitClients {
			group.Go(func() {
				client := &http.Client{Transport: &http.Transport{}}
				defer client.CloseIdleConnections()
				for pace := time.Tick(limitPause); time.Now().Before(end); <-pace {
					a := attempt{sent: time.Now()}
					var body string
					a.status, body = get(client, "http://"+d.public+"/v1/integrations/egress", key)
					a.answered = time.Now()
					mu.Lock()
					switch a.status {
					case http.StatusOK:
						served = append(served, a)
					case http.StatusTooManyRequests:
						refused = append(refused, a)
					default:
						t.Errorf("answered %s", fmt.Sprint(a.status, body))
					}
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	return served, refused
}
