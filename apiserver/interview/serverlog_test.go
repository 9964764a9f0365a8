package interview_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/viewing"
	"github.com/assayhq/assay/store/storetest"
)

// TestServerLogOfTraders goes through the pages of a trader, and of a reader of the shared
// report, on a Postgres server that logs the text of each statement. Values that are not part of
// the text must not be logged, even if a statement fails or is canceled. Everything that
// identifies the interviewed trader or is part of an answer contains qwolmark.
func TestServerLogOfTraders(t *testing.T) {
	t.Parallel()
	const entered = "qwolmark"
	server := storetest.NewServer(t, "", "log_statement=all", "log_parameter_max_length=0", "log_lock_waits=on", "deadlock_timeout=10ms", "fsync=off")
	b := setupOn(t, storetest.URLOn(t, server.URL))
	n := storetest.NewInterview("Zoe Qwolmark", "zoe@qwolmark.example")
	n.Questions[0].Prompt = "Who is Qwolmark?"
	p := b.trader(t, storetest.Interview(t, b.DB, b.Org, n))
	p.send(t, "GET", "", nil).want(t, "200 OK")
	s := p.started(t)
	first, second := s.Questions[0].ID, s.Questions[1].ID
	p.post(t, "device-check", map[string]any{"outcome": "ok", "browser": "Qwolmark's browser"}).want(t, "200 OK")
	p.tell(t, 0, observed(1, "paste", "data", map[string]any{"text": "it's qwolmark"}), observed(2, "tab_hidden")).want(t, "204 No Content")
	p.tell(t, 0, observed(3, "paste", "data", map[string]any{"qwolmark": "\x00"})).want(t, "422 validation_failed")
	seal := func(question uuid.UUID) reply {
		return p.post(t, "answers/"+question.String()+"/seal", map[string]any{"text": "It's Qwolmark who trades; ?0 $1."})
	}
	p.post(t, "answers/"+first.String()+"/serve", empty).want(t, "200 OK")
	p.open(t, first)

	// Statements that wait for a lock are canceled, as a timeout or an operator would do.
	for _, tt := range []struct {
		table string
		send  func() reply
	}{
		{"interview_takes", func() reply { return seal(second) }},
		{"interview_devices", func() reply {
			return p.post(t, "device-check", map[string]any{"outcome": "ok", "browser": "Qwolmark's other browser"})
		}},
		{"interview_events", func() reply { return p.tell(t, 0, observed(4, "paste", "data", map[string]any{"text": entered})) }},
	} {
		b.canceled(t, tt.table, func() {
			if r := tt.send(); r.status < 500 {
				t.Errorf("%s: the request was canceled and answers %d %s", tt.table, r.status, r.body)
			}
		})
	}
	seal(second).want(t, "200 OK")

	made := storetest.Completed(t, b.DB, b.Org, n, "It was Qwolmark")
	shared := b.share(t, made.ID, true)
	for _, path := range []string{"", "report"} {
		shared.send(t, "GET", path, nil)
	}
	shared.post(t, "playback", nil)
	b.canceled(t, "interview_views", func() { shared.send(t, "GET", "report", nil) })
	check(t, viewing.RevokeShare(t.Context(), b.DB, store.SystemChange(b.Org), made.ID))

	text, err := os.ReadFile(filepath.Join(server.Home, "log"))
	check(t, err)
	log := string(text)
	if !strings.Contains(log, "INSERT INTO interview_takes") || strings.Count(log, "canceling statement due to user request") < 4 {
		t.Error("the server logs no statements, or not each request was canceled")
	}
	told := 0
	for line := range strings.Lines(log) {
		if strings.Contains(strings.ToLower(line), entered) {
			if told++; told <= 10 {
				t.Errorf("the server's log holds %.600s", line)
			}
		}
	}
}

// canceled makes a request wait for a lock on the table, and cancels the waiting statement.
func (b *testServer) canceled(t *testing.T, table string, send func()) {
	t.Helper()
	tx, err := storetest.Conn(t, b.URL).Begin(t.Context())
	check(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE `+table+` IN ACCESS EXCLUSIVE MODE`)
	check(t, err)
	var request sync.WaitGroup
	request.Go(send)
	watcher := storetest.Conn(t, b.URL)
	storetest.Eventually(t, "a request waits for "+table, func() bool {
		var canceled bool
		check(t, watcher.QueryRow(t.Context(), `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_locks WHERE NOT granted AND relation = $1::regclass`, table).Scan(&canceled))
		return canceled
	})
	request.Wait()
	check(t, tx.Rollback(t.Context()))
}
