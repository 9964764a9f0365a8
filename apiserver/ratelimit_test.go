package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// The limit that the contract promises, and how it is tried: by so many clients
// of each process, for a little longer than two windows would need to show a
// burst at the edge of the first.
const (
	limitedRequests = 600
	limitWindow     = time.Minute
	limitTrial      = 63 * time.Second
	limitClients    = 2
	limitPause      = 15 * time.Millisecond // between two requests of a client
)

// attempt is a request as its client saw it.
type attempt struct {
	sent, answered time.Time
	status         int
}

// TestLimitOverThreeProcesses sends far more requests with one key than allowed,
// to three processes, and checks what the clients saw: in no window were more
// than 600 served, and none was refused while fewer had been.
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
