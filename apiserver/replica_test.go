package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
)

// replicated is a database with a replica whose replication a test can stop.
type replicated struct {
	primary, replica *storetest.Server
	database         string
	on, behind       *pgx.Conn // connections to the database and to its replica
	owner            bootstrapped
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	b := &replicated{primary: storetest.NewServer(t, "")}
	b.database = storetest.URLOn(t, b.primary.URL)
	b.replica = b.primary.Replica(t)
	b.on, b.behind = storetest.Conn(t, b.database), storetest.Conn(t, b.replica.Of(t, b.database))
	b.owner = bootstrapOf(t, newSite(t, b.database), "Alpha")
	return b
}

// start starts an apiserver that reads from the replica.
func (b *replicated) start(t *testing.T, maxLag string) *daemon {
	t.Helper()
	database := storetest.As(t, roles.APIServer, b.database)
	s := newSite(t, database)
	s.env = []string{"ASSAY_DATABASE_REPLICA_URL=" + b.replica.Of(t, database), "ASSAY_DATABASE_REPLICA_MAX_LAG=" + maxLag}
	d := s.start(t)
	d.ready(t)
	return d
}

// halt stops the replica's replication until resume is called.
func (b *replicated) halt(t *testing.T) {
	t.Helper()
	_, err := b.behind.Exec(t.Context(), `SELECT pg_wal_replay_pause()`)
	check(t, err)
	storetest.Eventually(t, "the replica stands still", func() bool {
		var state string
		check(t, b.behind.QueryRow(t.Context(), `SELECT pg_get_wal_replay_pause_state()`).Scan(&state))
		return state == "paused"
	})
}

func (b *replicated) resume(t *testing.T) {
	t.Helper()
	_, err := b.behind.Exec(t.Context(), `SELECT pg_wal_replay_resume()`)
	check(t, err)
}

// rename changes a trader directly in the database, without a notification.
func (b *replicated) rename(t *testing.T, id, name string) {
	t.Helper()
	_, err := b.on.Exec(t.Context(), `UPDATE traders SET full_name = $2 WHERE id = $1`, id, name)
	check(t, err)
}

// follows waits until reads start or stop using the replica.
func (d *daemon) follows(t *testing.T, want bool) {
	t.Helper()
	answer := "ok\nreads go to the replica\n"
	if !want {
		answer = "ok\nreads do not go to the replica\n"
	}
	storetest.Eventually(t, "readyz says: "+answer, func() bool {
		status, body := get(http.DefaultClient, "http://"+d.debug+"/readyz", "")
		return status == http.StatusOK && body == answer
	})
}

// name requests a trader's name, in the list or as an item.
func (d *daemon) name(t *testing.T, key, id string) string {
	t.Helper()
	var item struct {
		FullName string `json:"full_name"`
	}
	status, body := get(http.DefaultClient, "http://"+d.public+"/v1/traders/"+id, key)
	if err := json.Unmarshal([]byte(body), &item); err != nil || status != http.StatusOK {
		t.Fatalf("trader %s: %d %s", id, status, body)
	}
	return item.FullName
}

// listed requests a name in the list.
func (d *daemon) listed(t *testing.T, key, name string) bool {
	t.Helper()
	status, body := get(http.DefaultClient, "http://"+d.public+"/v1/traders", key)
	if status != http.StatusOK {
		t.Fatalf("traders: %d %s", status, body)
	}
	return strings.Contains(body, fmt.Sprintf("%q", name))
}

// send sends a body and returns the member of the response.
func (d *daemon) send(t *testing.T, method, path, key, body, member string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+d.public+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	value, _ := answer[member].(string)
	return value
}

// counted waits until the metric is above zero.
func (d *daemon) counted(t *testing.T, metric string) {
	t.Helper()
	storetest.Eventually(t, metric+" is counted", func() bool {
		_, metrics := get(http.DefaultClient, "http://"+d.debug+"/metrics", "")
		return strings.Contains(metrics, metric+" ") && !strings.Contains(metrics, metric+" 0\n")
	})
}

// TestReplica runs apiservers that read from a real streaming replica, which is halted, killed
// and restarted.
func TestReplica(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Postgres server and its replica")
	}
	t.Parallel()
	b := newReplicated(t)
	key := b.owner.APIKey
	first, second, strict := b.start(t, "1h"), b.start(t, "1h"), b.start(t, "1s")
	id := first.send(t, http.MethodPost, "/v1/traders", key, `{"full_name": "Ada"}`, "id")
	for _, d := range []*daemon{first, second, strict} {
		d.follows(t, true)
	}

	// Lists and items come from the replica: they show values that the primary no longer has.
	first.counted(t, `assay_apiserver_replica_used`)
	storetest.Eventually(t, "all processes read from the replica", func() bool {
		b.resume(t)
		b.rename(t, id, "Ada")
		storetest.Eventually(t, "the replica has it", func() bool {
			var name string
			return b.behind.QueryRow(t.Context(), `SELECT full_name FROM traders WHERE id = $1`, id).Scan(&name) == nil && name == "Ada"
		})
		b.halt(t)
		b.rename(t, id, "Grace")
		return first.name(t, key, id) == "Ada" && second.name(t, key, id) == "Ada" && first.listed(t, key, "Ada") && second.listed(t, key, "Ada")
	})
	first.counted(t, `assay_apiserver_replica_reads_total{served="replica"}`)

	// An apiserver that allows a staleness of one second stops reading there.
	strict.follows(t, false)
	if got := strict.name(t, key, id); got != "Grace" || !strict.listed(t, key, "Grace") {
		t.Errorf("with a replica that lags the trader is %s", got)
	}

	// Objects that are not on the replica are looked up on the primary, and callers are never
	// authenticated on the replica.
	newer := first.send(t, http.MethodPost, "/v1/api-keys", key, `{"name": "newer", "scopes": ["traders:read"]}`, "secret")
	if got := second.name(t, newer, id); got == "" {
		t.Error("no name")
	}

	// A client that has changed something reads the change, here and in other processes.
	first.send(t, http.MethodPatch, "/v1/traders/"+id, key, `{"full_name": "Joan"}`, "id")
	if got := first.name(t, key, id); got != "Joan" || !first.listed(t, key, "Joan") {
		t.Errorf("after the change the trader is %s", got)
	}
	storetest.Eventually(t, "the other process has heard of it", func() bool { return second.name(t, key, id) == "Joan" && second.listed(t, key, "Joan") })
	made := second.send(t, http.MethodPost, "/v1/traders", key, `{"full_name": "Mary"}`, "id")
	if got := second.name(t, key, made); got != "Mary" || !second.listed(t, key, "Mary") {
		t.Errorf("the new trader is %s", got)
	}

	// It continues where it stopped.
	b.resume(t)
	strict.follows(t, true)
	if status, _ := get(http.DefaultClient, "http://"+strict.public+"/v1/traders/"+b.owner.UserID.String(), key); status != http.StatusNotFound {
		t.Errorf("nobody is answered with %d", status)
	}

	// If it is killed, nobody notices.
	storetest.Eventually(t, "what is not there is looked for twice", func() bool {
		get(http.DefaultClient, "http://"+first.public+"/v1/traders/"+b.owner.UserID.String(), key)
		_, metrics := get(http.DefaultClient, "http://"+first.debug+"/metrics", "")
		return !strings.Contains(metrics, "assay_apiserver_replica_reads_total{served=\"again\"} 0\n")
	})
	b.replica.Stop(t, "immediate")
	for range 20 {
		for _, d := range []*daemon{first, second, strict} {
			if got := d.name(t, key, id); got != "Joan" || !d.listed(t, key, "Joan") {
				t.Errorf("without the replica the trader is %s", got)
			}
		}
	}
	first.follows(t, false)
	b.replica.Start(t)
	first.follows(t, true)

	// A replica that was promoted to a primary diverges.
	_, err := storetest.Conn(t, b.replica.Of(t, b.database)).Exec(t.Context(), `SELECT pg_promote()`)
	check(t, err)
	first.follows(t, false)
	storetest.Eventually(t, "the log says why", func() bool { return strings.Contains(first.logged(), "it accepts writes") })
}
