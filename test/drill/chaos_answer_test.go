package drill_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestChaosAnswerLost kills apiserver after the database has committed a creation, and before
// apiserver knows. The client sends the request again, with the same Idempotency-Key, to the
// apiserver that is started next. It takes long because each run starts apiserver twice.
func TestChaosAnswerLost(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes again and again")
	}
	chaostest.Fault{Name: "kill -9 between commit and answer", Small: 4, Large: 1000, Width: 4}.Each(t, func(t *testing.T, r *chaostest.Run) {
		database := storetest.URL(t)
		answers := new(answerCutter)
		d := deploytest.New(t, deploytest.Options{Database: storetest.Forward(t, database, answers.newFilter)})
		d.Bootstrap(t)
		conn := storetest.Conn(t, database)
		victim := d.Start(t, "apiserver")
		trader := d.Call(t, http.MethodPost, "/v1/traders", `{"full_name": "Zoe Miller"}`, http.StatusCreated)["id"].(string)
		marker := fmt.Sprintf("marker-%d", r.Uint64())
		c := creations(trader, marker)[r.IntN(5)]
		count := func() (n int) {
			check(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+c.table).Scan(&n))
			return n
		}
		before := count()
		answers.lose(marker, func() { _ = victim.Cmd.Process.Kill() })
		if status, _, text := create(t, d, c, marker); status != 0 {
			t.Fatalf("POST %s was answered, with %d %s", c.path, status, text)
		}
		at := time.Now()
		victim.Wait()
		if n := count(); n != before+1 {
			t.Fatalf("%d rows of %s were committed, want one", n-before, c.table)
		}
		d.Start(t, "apiserver")
		status, replayed, text := create(t, d, c, marker)
		r.TookOver(time.Since(at))
		if status != http.StatusCreated || !replayed {
			t.Fatalf("POST %s again: %d %s, replayed: %t", c.path, status, text, replayed)
		}
		if again, _, same := create(t, d, c, marker); again != status || !bytes.Equal(text, same) {
			t.Errorf("POST %s for a third time: %d %s", c.path, again, same)
		}
		var known bool
		check(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM `+c.table+` WHERE strpos($1, id::text) > 0)`, string(text)).Scan(&known))
		if n := count(); n != before+1 || !known {
			t.Errorf("%d rows of %s were made, the answer's is one: %t", n-before, c.table, known)
		}
	})
}

// creation is a request that makes a row of a table.
type creation struct{ path, body, table string }

// creations lists the requests. Each of them contains the marker.
func creations(trader, marker string) []creation {
	return []creation{
		{"/v1/traders", fmt.Sprintf(`{"full_name": %q}`, marker), "traders"},
		{"/v1/traders/" + trader + "/notes", fmt.Sprintf(`{"body": %q}`, marker), "trader_notes"},
		{"/v1/api-keys", fmt.Sprintf(`{"name": %q, "scopes": ["traders:read"]}`, marker), "api_keys"},
		{"/v1/webhooks", fmt.Sprintf(`{"url": "https://127.0.0.1:1/%s", "events": ["*"]}`, marker), "webhook_endpoints"},
		{"/v1/interviews", fmt.Sprintf(`{"trader": {"full_name": %q, "email": "zoe@example.com"}, "auto_questions": 0}`, marker), "interviews"},
	}
}

// create sends the request. The status is 0 if there is no answer.
func create(t *testing.T, d *deploytest.Deployment, c creation, key string) (status int, replayed bool, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+c.path, strings.NewReader(c.body))
	check(t, err)
	for name, value := range map[string]string{"Authorization": "Bearer " + d.Key, "Content-Type": "application/json", "Idempotency-Key": key} {
		req.Header.Set(name, value)
	}
	req.GetBody, req.Close = nil, true // the client must not repeat it by itself
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, false, nil
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	check(t, err)
	return res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true", answer
}

// answerCutter breaks a connection in place of the answer to a commit.
type answerCutter struct{ next atomic.Pointer[loss] }

// loss is an answer that is lost.
type loss struct {
	marker []byte // in a statement of the transaction
	then   func() // called when the database has committed
}

// lose loses the answer to the next commit of a transaction with the marker.
func (c *answerCutter) lose(marker string, then func()) { c.next.Store(&loss{[]byte(marker), then}) }

func (c *answerCutter) newFilter() storetest.Filter {
	var marked atomic.Bool
	return storetest.Filter{
		FromClient: func(sent []byte) bool {
			if next := c.next.Load(); next != nil && bytes.Contains(sent, next.marker) {
				marked.Store(true)
			}
			return true
		},
		FromServer: func(sent []byte) bool {
			next := c.next.Load()
			if next == nil || !marked.Load() || !bytes.Contains(sent, []byte("COMMIT\x00")) || !c.next.CompareAndSwap(next, nil) {
				return true
			}
			next.then()
			return false
		},
	}
}
