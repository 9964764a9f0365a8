package drill_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/mediatest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/enginetest"
	"github.com/assayhq/assay/test/deploytest"
)

// TestRestoreDrill backs up a deployment while it works, continues for a while, loses the server,
// the processes and the blobs, and restores the backup into an empty cluster:
// docs/guides/restore.md, step by step. It takes long because it backs up and restores a server of
// its own.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	mediatest.Need(t, "ffmpeg", "ffprobe")
	for _, program := range []string{"pg_dump", "pg_restore"} {
		if storetest.ProgramPath(program) == "" {
			storetest.LeaveOut(t, program+" is not on this machine")
		}
	}
	say := logSteps(t)
	lost := storetest.NewServer(t, "")
	database := storetest.URLOn(t, lost.URL)
	t.Cleanup(func() {
		if !lost.Running() {
			lost.Start(t) // its databases are dropped
		}
	})
	w := enginetest.NewOn(t, database, reference.Options{Firm: firm.Options{Seed: 7, Traders: 60, AccountsPerTrader: 2, Trades: 4000, Payouts: 40, Weekends: true}})
	r := receive(t, w)
	d := deploy(t, database, w, r.certificate(), "")
	d.Bootstrap(t)
	processes := []*deploytest.Process{d.Start(t, "apiserver"), d.Start(t, "syncd")}
	settled(t, w)
	d.traders(t, w, 20)
	r.complete(t, w)
	interview := submit(t, w, d, mediatest.Make(t, mediatest.Recording{Size: "160x120", Rate: 10, Seconds: 2}))
	say("both processes work: %s", state(t, w))

	dump := d.Path("assay.dump")
	wait := meanwhile(t, w)
	dumpDatabase(t, database, dump)
	copyFolder(t, d.Path("blobs"), d.Path("blobs-backup"))
	say("backup taken while %d traders were made and cycles ran: %d KiB of dump, %d blobs", wait(), size(t, dump)>>10, files(t, d.Path("blobs-backup")))
	w.Platform.Advance(firm.History / 85)
	settled(t, w)
	r.complete(t, w)
	before := r.numbers()
	for _, p := range processes {
		p.Kill()
	}
	lost.Stop(t, "immediate")
	check(t, os.RemoveAll(d.Path("blobs")))
	say("processes killed, server stopped, blobs gone; events up to number %d had been delivered", before)

	server := storetest.NewServer(t, "")
	w.URL = restoreDatabase(t, server, dump)
	copyFolder(t, d.Path("blobs-backup"), d.Path("blobs"))
	w.Conn, w.DB = storetest.Conn(t, w.URL), storetest.Open(t, w.URL)
	say("restored into an empty cluster: %s", state(t, w))
	d.Use(t, w.URL)
	t.Logf("audit verify: %s", bytes.TrimSpace(d.Run(t, "apiserver", "audit", "verify")))
	d.Start(t, "apiserver")
	d.Start(t, "syncd")
	say("both processes are ready")
	settled(t, w)
	w.Compare(t)
	say("what the platform told since the backup has been read again: store and platform agree")
	storetest.Within(t, patience, "the interview's recording is there", func() bool { return mediaDone(t, w, interview) })
	d.traders(t, w, 20)
	r.complete(t, w)
	say("%d events, numbered without a gap, and each was delivered; numbers after the backup came twice, with other ids", r.numbers())
}

// logSteps returns what says how far the drill has come, and after how long.
func logSteps(t *testing.T) func(format string, args ...any) {
	t.Helper()
	began, n := time.Now(), 0
	return func(format string, args ...any) {
		t.Helper()
		n++
		t.Logf("step %d, after %s: %s", n, time.Since(began).Round(100*time.Millisecond), fmt.Sprintf(format, args...))
	}
}

// settled asks for a cycle and waits until it is over.
func settled(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	if _, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
		t.Fatal(err)
	}
	storetest.Within(t, patience, "a cycle is over", func() bool {
		return len(w.Texts(t, `SELECT 'x' FROM sync_state s JOIN integrations i ON i.id = s.integration_id
            WHERE s.owner IS NULL AND s.cycle_id IS NULL AND NOT s.manual AND s.claimable_at > now() AND i.health_status = 'healthy'`)) == 1
	})
}

// traders makes traders, each of which is an event.
func (d *drill) traders(t *testing.T, w *enginetest.Fixture, n int) {
	t.Helper()
	for range n {
		if _, err := directory.CreateTrader(t.Context(), w.DB, store.SystemChange(w.Organization), directory.NewTrader{FullName: "Zoe Miller"}); err != nil {
			t.Fatal(err)
		}
	}
	d.Call(t, http.MethodGet, "/v1/traders", "", http.StatusOK)
}

// meanwhile makes traders and asks for cycles until wait is called, which returns
// how many.
func meanwhile(t *testing.T, w *enginetest.Fixture) (wait func() int) {
	t.Helper()
	stop, done, n := make(chan struct{}), make(chan struct{}), 0
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := directory.CreateTrader(context.WithoutCancel(t.Context()), w.DB, store.SystemChange(w.Organization), directory.NewTrader{FullName: "Zoe Miller"})
			_, err2 := integrations.RequestSync(context.WithoutCancel(t.Context()), w.DB, store.SystemChange(w.Organization), w.IntegrationID)
			if err != nil || err2 != nil {
				t.Errorf("%v, %v", err, err2)
				return
			}
			n++
		}
	}()
	return func() int {
		close(stop)
		<-done
		return n
	}
}

// state describes what is stored.
func state(t *testing.T, w *enginetest.Fixture) string {
	t.Helper()
	return w.Texts(t, `SELECT format('%s traders, %s trades, %s events, %s interviews, %s rows of the audit log', (SELECT count(*) FROM traders), (SELECT count(*) FROM trades),
        (SELECT count(*) FROM webhook_events), (SELECT count(*) FROM interviews), (SELECT count(*) FROM audit_log))`)[0]
}

// submit makes an interview that was answered with the recording, and waits until
// it has been worked on.
func submit(t *testing.T, w *enginetest.Fixture, d *drill, recording string) uuid.UUID {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "file://"+d.Path("blobs"))
	check(t, err)
	defer func() { _ = blobs.Close() }() // all is written
	s, i := storetest.Started(t, w.DB, storetest.Interview(t, w.DB, w.Organization, storetest.NewInterview("Ada", "ada@example.com")))
	content, err := os.ReadFile(recording)
	check(t, err)
	take, err := answering.BeginTake(t.Context(), w.DB, s, answering.NewTake{QuestionID: i.Questions[0].ID, Mode: interviews.AnswerVideo, MediaType: "video/webm"})
	check(t, err)
	key := interviews.TakePrefix(s.InterviewID, take.ID) + "0"
	_, err = blobs.Put(t.Context(), key, bytes.NewReader(content))
	check(t, err)
	_, err = answering.AppendTake(t.Context(), w.DB, s, take.ID, answering.TakePart{Bytes: int64(len(content)), Blob: key}, nil)
	check(t, err)
	sum := sha256.Sum256(content)
	_, err = answering.SealTake(t.Context(), w.DB, s, take.ID, answering.Sealing{Bytes: int64(len(content)), SHA256: sum[:], DurationMS: 2000})
	check(t, err)
	check(t, answering.Submit(t.Context(), w.DB, s))
	storetest.Within(t, patience, "the recording is worked on", func() bool { return mediaDone(t, w, i.ID) })
	return i.ID
}

func mediaDone(t *testing.T, w *enginetest.Fixture, id uuid.UUID) bool {
	t.Helper()
	i, err := interviews.ReadHead(t.Context(), w.DB, w.Organization, id)
	check(t, err)
	return i.Step(steps.Media).Status == steps.Done
}

// dumpDatabase is the first half of a backup.
func dumpDatabase(t *testing.T, database, file string) {
	t.Helper()
	postgres(t, database, "pg_dump", "--format=custom", "--no-owner", "--file", file, "--dbname")
}

// restoreDatabase makes the processes' roles and a database in an empty cluster,
// and restores the dump into it.
func restoreDatabase(t *testing.T, server *storetest.Server, file string) string {
	t.Helper()
	conn := storetest.Conn(t, server.URL)
	check(t, storetest.MakeRoles(t.Context(), conn))
	_, err := conn.Exec(t.Context(), `CREATE DATABASE assay`)
	check(t, err)
	u, err := url.Parse(server.URL)
	check(t, err)
	u.Path = "/assay"
	postgres(t, u.String(), "pg_restore", "--no-owner", "--exit-on-error", "--jobs=2", file, "--dbname")
	check(t, store.Migrate(t.Context(), seal.NewSecret(u.String()), nil))
	return u.String()
}

// postgres runs one of Postgres' programs, whose last argument is the database.
func postgres(t *testing.T, database, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), storetest.ProgramPath(program), append(args, database)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// copyFolder is the second half of a backup, and of its restoring.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	check(t, os.CopyFS(to, os.DirFS(from)))
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	check(t, err)
	return info.Size()
}

// files counts the files below a folder.
func files(t *testing.T, dir string) (n int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "find", dir, "-type", "f").Output()
	check(t, err)
	return strings.Count(string(out), "\n")
}

// receiver is a webhook endpoint with the server behind it.
type receiver struct {
	webhooks.MadeEndpoint
	server *httptest.Server

	mu  sync.Mutex
	ids map[int64]map[string]bool // of events, by sequence number
}

// receive subscribes to everything that happens at the platform.
func receive(t *testing.T, w *enginetest.Fixture) *receiver {
	t.Helper()
	r := &receiver{ids: make(map[int64]map[string]bool)}
	r.server = httptest.NewUnstartedServer(r)
	r.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.server.StartTLS()
	t.Cleanup(r.server.Close)
	var err error
	r.MadeEndpoint, err = webhooks.CreateEndpoint(t.Context(), w.DB, store.SystemChange(w.Organization),
		webhooks.NewEndpoint{URL: r.server.URL + "/hook", Events: []string{event.Everything}})
	check(t, err)
	return r
}

func (r *receiver) certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
}

// ServeHTTP takes a delivery down.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var e struct {
		ID       string
		Sequence int64
	}
	body, err := io.ReadAll(q.Body)
	if err != nil || json.Unmarshal(body, &e) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	if r.ids[e.Sequence] == nil {
		r.ids[e.Sequence] = make(map[string]bool)
	}
	r.ids[e.Sequence][e.ID] = true
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// numbers is the highest number that has come.
func (r *receiver) numbers() (highest int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.ids {
		highest = max(highest, n)
	}
	return highest
}

// complete waits until the receiver has every event that the store has, under
// its number, and looks for gaps among the numbers.
func (r *receiver) complete(t *testing.T, w *enginetest.Fixture) {
	t.Helper()
	var missing []string
	storetest.Within(t, patience, "every event is delivered", func() bool {
		rows, err := w.Conn.Query(t.Context(), `SELECT sequence, event_id FROM webhook_deliveries WHERE endpoint_id = $1`, r.ID)
		check(t, err)
		missing = missing[:0]
		var sequence int64
		var id uuid.UUID
		r.mu.Lock()
		defer r.mu.Unlock()
		_, err = pgx.ForEachRow(rows, []any{&sequence, &id}, func() error {
			if !r.ids[sequence][event.ID(id)] {
				missing = append(missing, fmt.Sprint(sequence))
			}
			return nil
		})
		check(t, err)
		return len(missing) == 0
	})
	gaps := w.Texts(t, `SELECT format('%s deliveries, last number %s', count(*), s.sequence) FROM webhook_states s LEFT JOIN webhook_deliveries d USING (endpoint_id)
        WHERE s.endpoint_id = $1 GROUP BY s.sequence HAVING count(*) <> s.sequence OR min(d.sequence) <> 1 OR max(d.sequence) <> s.sequence`, r.ID)
	if len(gaps) > 0 {
		t.Errorf("the numbers have a gap: %s", gaps[0])
	}
}
