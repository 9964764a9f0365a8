package drill_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestChaosDatabaseAwayUnderLoad takes the database away while both processes work and clients make
// traders. It takes long because it starts a server of its own and both processes, and waits until
// they have recovered.
func TestChaosDatabaseAwayUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("stops a Postgres server")
	}
	chaostest.Fault{Name: "Postgres away under load", Timed: true, Small: 1, Large: 1}.Each(t, func(t *testing.T, r *chaostest.Run) {
		server := storetest.NewServer(t, "")
		lasts := chaostest.Time(t, 3*time.Second, time.Minute)
		d := deploytest.New(t, deploytest.Options{Database: storetest.URLOn(t, server.URL)})
		underLoad(t, r, d, d.Command(t, "apiserver"), func() {
			server.Stop(t, []string{"fast", "immediate"}[r.IntN(2)])
			time.Sleep(lasts) // for how long it is away
			server.Start(t)
		})
	})
}

// TestChaosConnectionLimitUnderLoad takes all connections that the server has left while both
// processes work and clients make traders, and ends those that work. It takes long because it
// starts a server of its own and both processes, and waits until they have recovered.
func TestChaosConnectionLimitUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Postgres server of its own")
	}
	chaostest.Fault{Name: "connection limit under load", Small: 1, Large: 10}.Each(t, func(t *testing.T, r *chaostest.Run) {
		server := storetest.NewServer(t, "", "max_connections=60")
		d := deploytest.New(t, deploytest.Options{Database: storetest.URLOn(t, server.URL)})
		underLoad(t, r, d, d.Command(t, "apiserver"), func() {
			admin := storetest.Conn(t, server.URL)
			_, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
			check(t, err)
			var hogs []*pgx.Conn
			for until := time.Now().Add(time.Duration(r.Between(1000, 3000)) * time.Millisecond); time.Now().Before(until); {
				conn, err := pgx.Connect(t.Context(), server.URL)
				if err != nil {
					time.Sleep(10 * time.Millisecond) // all connections are taken
					continue
				}
				hogs = append(hogs, conn)
			}
			for _, c := range hogs {
				_ = c.Close(context.WithoutCancel(t.Context())) // the server may have closed it
			}
		})
	})
}

// loadKeys are so many that the load stays below the limit of each key.
const loadKeys = 8

// underLoad runs both processes of a deployment while clients make traders, causes the
// trouble, and checks that both have survived and that every trader was made once.
func underLoad(t *testing.T, r *chaostest.Run, d *deploytest.Deployment, apiserver *exec.Cmd, trouble func()) {
	t.Helper()
	d.Bootstrap(t)
	processes := map[string]*deploytest.Process{"apiserver": d.StartCommand(t, "apiserver", apiserver), "syncd": d.Start(t, "syncd")}
	var stop atomic.Bool
	var made, failed atomic.Int64
	var group sync.WaitGroup
	for n := range loadKeys {
		client := *d
		client.Key = d.Call(t, http.MethodPost, "/v1/api-keys", fmt.Sprintf(`{"name": "load %d", "scopes": ["traders:write"]}`, n), http.StatusCreated)["secret"].(string)
		group.Go(func() {
			pause := time.NewTicker(150 * time.Millisecond) // of the 600 requests that a key has in a minute
			defer pause.Stop()
			for i := 0; !stop.Load(); i++ {
				marker := fmt.Sprintf("load-%d-%d", n, i)
				c := creation{"/v1/traders", fmt.Sprintf(`{"full_name": %q}`, marker), "traders"}
				for {
					<-pause.C
					if status, _, _ := create(t, &client, c, marker); status == http.StatusCreated {
						break
					}
					failed.Add(1)
				}
				made.Add(1)
			}
		})
	}
	more := func() {
		before := made.Load()
		storetest.Within(t, patience, "traders are made", func() bool { return made.Load() >= before+50 })
	}
	more()
	trouble()
	at := time.Now()
	more()
	r.TookOver(time.Since(at))
	stop.Store(true)
	group.Wait()
	for name, p := range processes {
		if !p.Runs() {
			t.Errorf("%s has ended", name)
		}
		storetest.Within(t, patience, name+" is ready again", func() bool {
			status, _ := deploytest.Get(t.Context(), "http://"+d.Debug[name]+"/readyz", "")
			return status == http.StatusOK
		})
	}
	var rows, names int64
	check(t, storetest.Conn(t, d.Database).QueryRow(t.Context(), `SELECT count(*), count(DISTINCT full_name) FROM traders WHERE full_name LIKE 'load-%'`).Scan(&rows, &names))
	if rows != made.Load() || names != rows {
		t.Errorf("%d traders of %d names, %d were answered for", rows, names, made.Load())
	}
	r.Note("%d made, %d requests failed meanwhile", made.Load(), failed.Load())
	t.Logf("%d traders made, %d requests failed meanwhile, 50 more took %s", made.Load(), failed.Load(), time.Since(at).Round(time.Millisecond))
}
