package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	assay "github.com/assayhq/assay/client/go"
	"github.com/assayhq/assay/store/storetest"
)

// terminal runs the assay command as a person does, whose home is a folder of the test.
type terminal struct {
	home string
	env  []string
}

func (term terminal) command(ctx context.Context, t *testing.T, input string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, program(t, "assay"), args...)
	cmd.Dir, cmd.Stdin = term.home, strings.NewReader(input)
	cmd.Env = append(append(os.Environ(), "HOME="+term.home, "XDG_CONFIG_HOME="+filepath.Join(term.home, "config"), "TZ=UTC"), term.env...)
	return cmd
}

// run runs a command that must end with the code, and returns what it printed and said.
func (term terminal) run(t *testing.T, code int, input string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := term.command(t.Context(), t, input, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("assay %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &errs)
	}
	return out.String(), errs.String()
}

// TestTerminal works with assay from a terminal. It takes long because it runs the command for each
// thing that one does with it.
func TestTerminal(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	a.deliver(t)
	term := terminal{home: t.TempDir()}

	if _, said := term.run(t, 3, "", "traders", "list"); !strings.Contains(said, "assay login") {
		t.Errorf("without a key: %s", said)
	}
	if _, said := term.run(t, 3, "ak_wrong\n", "login", "--url", a.url); !strings.Contains(said, "refused the key") {
		t.Errorf("a wrong key: %s", said)
	}
	if out, _ := term.run(t, 0, "", "--version"); !regexp.MustCompile(`^assay \S+, revision \S+, go1\.\S+\n$`).MatchString(out) {
		t.Errorf("the version: %q", out)
	}
	term.run(t, 2, "", "tradrs")
	term.run(t, 2, "", "login")
	term.run(t, 2, a.key, "login", "--url", "http://assay.example.com")
	term.run(t, 0, a.key+"\n", "login", "--url", a.url)
	stored, err := os.Stat(filepath.Join(term.home, "config", "assay", "credentials.json"))
	check(t, err)
	if stored.Mode().Perm() != 0o600 {
		t.Errorf("the key is stored with the mode %v", stored.Mode())
	}
	if _, said := term.run(t, 1, a.key, "login", "--url", a.url+"/dashboard"); !strings.Contains(said, "leave out the path of a page, as in "+a.url) {
		t.Errorf("the address of a page: %s", said)
	}
	t.Run("interrupted", func(t *testing.T) { interruptTerminal(t, term, a) })
	integration := connectByTerminal(t, term, a)
	a.read(t, integration)
	t.Run("lists and exports", func(t *testing.T) { listByTerminal(t, term, a, integration) })
	t.Run("interviews", func(t *testing.T) { interviewByTerminal(t, term, a) })
	t.Run("tail", func(t *testing.T) { tailByTerminal(t, term, integration, func() { a.read(t, integration) }) })
	t.Run("tail of runs that find nothing new", func(t *testing.T) {
		conn := storetest.Conn(t, a.database)
		tailByTerminal(t, term, integration, func() { // as syncd ends a scheduled one
			_, err := conn.Exec(t.Context(), `UPDATE sync_runs SET repeats = repeats + 1, finished_at = now() WHERE integration_id = $1`, integration)
			check(t, err)
			a.call(t, http.MethodPatch, "/v1/integrations/"+integration, map[string]any{"name": "Desk " + time.Now().String()}, http.StatusOK)
		})
	})
	t.Run("endpoints", func(t *testing.T) { changeEndpointByTerminal(t, term, a) })
	t.Run("webhooks", func(t *testing.T) { listenByTerminal(t, term, a) })
}

// interruptTerminal ends commands that are not done, with Ctrl-C and as a supervisor does.
func interruptTerminal(t *testing.T, term terminal, a api) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "id,full_name\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	unfinished := terminal{home: term.home, env: []string{"ASSAY_URL=" + server.URL, "ASSAY_API_KEY=" + a.key}}
	pressCtrlC := func(shown *screen, _ *exec.Cmd) { shown.pressKey(t, ctrlC) }
	for _, c := range []struct {
		cmd       *exec.Cmd
		sees      string
		interrupt func(*screen, *exec.Cmd)
	}{
		{term.command(ctx, t, "", "login", "--url", a.url), "API key:", pressCtrlC},
		{term.command(ctx, t, "", "login", "--url", a.url), "API key:", func(_ *screen, cmd *exec.Cmd) {
			check(t, cmd.Process.Signal(syscall.SIGTERM))
		}},
		{unfinished.command(ctx, t, "", "export", "traders"), "full_name", pressCtrlC},
	} {
		shown := onScreen(t, c.cmd)
		shown.sees(t, c.sees)
		c.interrupt(shown, c.cmd)
		_ = c.cmd.Wait() // its code is read below
		if code := c.cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%v: exit code %d, want 1\n%s", c.cmd.Args, code, shown.readText())
		}
		settings := exec.CommandContext(t.Context(), "stty", "-a")
		settings.Stdin = shown.terminal
		out, err := settings.Output()
		check(t, err)
		if !strings.Contains(string(out), " echo ") {
			t.Errorf("%v leaves a terminal that does not show what is typed:\n%s", c.cmd.Args, out)
		}
	}
}

func connectByTerminal(t *testing.T, term terminal, a api) (integration string) {
	t.Helper()
	out, said := term.run(t, 1, "wrong\n", "integrations", "connect", "--url", a.synced.URL)
	if said == "" || !strings.Contains(out, "answered with status 401") || !strings.Contains(out, "Paste the current key") {
		t.Errorf("a wrong key of a platform gave\n%s\n%s", out, said)
	}
	var made assay.IntegrationCreated
	out, _ = term.run(t, 0, storetest.PlatformKey, "integrations", "connect", "--url", a.synced.URL, "--name", "Main desk", "--json")
	check(t, json.Unmarshal([]byte(out), &made))
	if out, _ := term.run(t, 0, "", "integrations", "test", made.ID); !strings.Contains(out, "passed") {
		t.Errorf("the check printed\n%s", out)
	}
	if out, _ := term.run(t, 0, "", "integrations", "list"); !strings.Contains(out, "Main desk") {
		t.Errorf("the integrations are\n%s", out)
	}
	return made.ID
}

func listByTerminal(t *testing.T, term terminal, a api, integration string) {
	var traders []assay.Trader
	out, _ := term.run(t, 0, "", "traders", "list", "--json")
	check(t, json.Unmarshal([]byte(out), &traders))
	table, _ := term.run(t, 0, "", "traders", "list", "--limit", "7")
	if lines := strings.Count(table, "\n"); len(traders) != 60 || lines != 8 || !strings.HasPrefix(table, "ID ") {
		t.Errorf("%d traders, and %d lines:\n%s", len(traders), lines, table)
	}
	if out, _ := term.run(t, 0, "", "traders", "show", traders[0].ID); !strings.Contains(out, *traders[0].FullName) {
		t.Errorf("the trader is\n%s", out)
	}
	if _, said := term.run(t, 1, "", "traders", "show", "nobody"); !strings.Contains(said, "list commands") {
		t.Errorf("nobody: %s", said)
	}
	term.run(t, 2, "", "traders", "list", "--limit", "-1")
	if _, said := term.run(t, 2, "", "webhooks", "listen", "--forward-to", "http://localhost:1", "--events", "traders.*"); !strings.Contains(said, "trader.created") {
		t.Errorf("no such events: %s", said)
	}
	if out, _ := term.run(t, 0, "", "integrations", "runs", integration); !strings.Contains(out, "succeeded") {
		t.Errorf("the runs are\n%s", out)
	}
	if out, _ := term.run(t, 0, "", "integrations", "runs", integration, "--limit", "1"); strings.Count(out, "\n") != 2 {
		t.Errorf("the latest run is\n%s", out)
	}
	term.run(t, 0, "", "export", "traders", "-o", "traders.csv")
	text, err := os.ReadFile(filepath.Join(term.home, "traders.csv"))
	check(t, err)
	if strings.Count(string(text), "\n") != 61 {
		t.Errorf("the export is\n%.300s", text)
	}
	if _, said := term.run(t, 1, "", "export", "traders", "-o", "traders.csv"); !strings.Contains(said, "exists") {
		t.Errorf("over another file: %s", said)
	}
	if out, _ := term.run(t, 0, "", "export", "trades", traders[0].ID); !strings.Contains(out, "symbol") {
		t.Errorf("the trades are\n%s", out)
	}
	narrow := terminal{home: term.home, env: []string{"ASSAY_API_KEY=" + a.narrow}}
	if _, said := narrow.run(t, 3, "", "integrations", "list"); !strings.Contains(said, "integrations:read") {
		t.Errorf("without the scope: %s", said)
	}
}

func interviewByTerminal(t *testing.T, term terminal, a api) {
	out, _ := term.run(t, 0, "", "interviews", "create", "--name", "Zoe Miller", "--email", "zoe@example.com")
	if !strings.Contains(out, a.url+"/i/") {
		t.Errorf("there is no link in\n%s", out)
	}
	term.run(t, 2, "", "interviews", "create")
	list, _ := term.run(t, 0, "", "interviews", "list")
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindString(list)
	if id == "" || !strings.Contains(list, "Zoe Miller") {
		t.Fatalf("the interviews are\n%s", list)
	}
	if out, _ := term.run(t, 0, "", "interviews", "open", id, "--print"); strings.TrimSpace(out) != a.url+"/interviews/"+id {
		t.Errorf("it opens %s", out)
	}
}

// tailByTerminal watches an integration while runs of it end.
func tailByTerminal(t *testing.T, term terminal, integration string, endRun func()) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := term.command(ctx, t, "", "integrations", "tail", integration, "--count", "1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		endRun()
		select {
		case err := <-ended:
			if err != nil || !strings.Contains(out.String(), "succeeded") {
				t.Errorf("tail printed %v\n%s%s", err, &out, &errs)
			}
			return
		case <-time.After(time.Second): // it may not have begun to watch
		}
	}
}

// changeEndpointByTerminal creates an endpoint, changes it, and deletes it in the end.
func changeEndpointByTerminal(t *testing.T, term terminal, a api) {
	c, err := assay.New(a.url, a.key)
	check(t, err)
	var made assay.WebhookEndpointWithSecret
	out, _ := term.run(t, 0, "", "webhooks", "create", "--kind", "slack", "--url", "https://127.0.0.1:9/hook", "--events", "integration.*,trader.updated",
		"--header", "X-Tenant: 7", "--filter", "data.health_status=blocked", "--filter", "data.health_status=failing", "--json")
	check(t, json.Unmarshal([]byte(out), &made))
	want := []assay.WebhookFilter{{Member: "data.health_status", Values: []string{"blocked", "failing"}}}
	if !reflect.DeepEqual(made.Filters, want) || len(made.Headers) != 1 || made.Headers[0].Name != "X-Tenant" || made.Kind != "slack" || made.Secret == nil {
		t.Errorf("created %+v", made)
	}
	out, _ = term.run(t, 0, "", "webhooks", "update", made.ID, "--disable", "--filter", "data.status=archived", "--header", "X-A: b")
	for _, part := range []string{"data.status=archived", "X-A", "false"} {
		if !strings.Contains(out, part) {
			t.Errorf("there is no %s in\n%s", part, out)
		}
	}
	if out, _ := term.run(t, 0, "", "webhooks", "update", made.ID, "--enable", "--no-filters", "--no-headers"); strings.Contains(out, "Filter") || strings.Contains(out, "Header") || !strings.Contains(out, "true") {
		t.Errorf("after all are removed:\n%s", out)
	}
	if out, _ := term.run(t, 0, "", "webhooks", "list"); !strings.Contains(out, made.ID) {
		t.Errorf("the endpoints are\n%s", out)
	}
	if _, said := term.run(t, 1, "", "webhooks", "update", made.ID, "--filter", "data.severity=high"); !strings.Contains(said, "data.integration_id") {
		t.Errorf("a member that no event has: %s", said)
	}
	for _, wrong := range [][]string{{"create"}, {"create", "--url", "https://127.0.0.1:9/", "--header", "X"}, {"update", made.ID, "--filter", "data.status"}, {"update", made.ID, "--enable", "--disable"}, {"update"}} {
		term.run(t, 2, "", append([]string{"webhooks"}, wrong...)...)
	}
	check(t, c.DeleteWebhook(t.Context(), made.ID))
}

// listenByTerminal forwards an event to a program, and leaves no endpoint behind.
func listenByTerminal(t *testing.T, term terminal, a api) {
	c, err := assay.New(a.url, a.key)
	check(t, err)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	got := make(chan *assay.Event, 10)
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		event, err := assay.ParseWebhook(r.Header, body, secret)
		if err != nil {
			t.Errorf("the program got %v: %s", err, body)
			return
		}
		got <- event
		w.WriteHeader(http.StatusNoContent)
	}))
	defer local.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args := []string{"webhooks", "listen", "--forward-to", local.URL, "--secret", secret, "--events", "trader.*"}
	cmd := term.command(ctx, t, "", args...)
	shown := onScreen(t, cmd)
	shown.sees(t, "Forwarding events")
	trader, err := c.CreateTrader(ctx, assay.NewTrader{FullName: "Zoe Listener"})
	check(t, err)
	event := <-got
	if created, err := event.Payload.AsTraderCreatedEvent(); err != nil || event.Type != "trader.created" || created.Data.TraderID != trader.ID {
		t.Errorf("the program got %+v: %v", event, err)
	}
	shown.sees(t, "204 No Content")
	_, err = c.CreateNote(ctx, trader.ID, assay.NewNote{Body: "Called back."})
	check(t, err)
	if event = <-got; event.Type != "trader.note_added" {
		t.Errorf("the program got %+v", event)
	}
	shown.sees(t, "trader.note_added")
	shown.pressKey(t, ctrlC)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	<-shown.ended
	compareRecording(t, shown.asciicast(t, "assay webhooks listen", "assay "+strings.Replace(strings.Join(args, " "), "trader.*", "'trader.*'", 1)))
	list, err := c.ListWebhooks(ctx, nil)
	check(t, err)
	if list.Meta.Total != 0 {
		t.Errorf("%d endpoints are left", list.Meta.Total)
	}
	if out, _ := term.run(t, 2, "", "webhooks", "listen"); out != "" {
		t.Error(fmt.Sprint("without an address it prints ", out))
	}
}

// compareRecording holds the published recording of `assay webhooks listen` against what the command
// shows, or takes it again for make pictures.
func compareRecording(t *testing.T, cast []byte) {
	t.Helper()
	const name = "webhooks-listen.cast"
	if dir := os.Getenv(pictures); dir != "" {
		check(t, os.WriteFile(filepath.Join(dir, name), cast, 0o600))
		return
	}
	published, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", name))
	check(t, err)
	if diff := cmp.Diff(withoutChanging(readAsciicast(t, published)), withoutChanging(readAsciicast(t, cast))); diff != "" {
		t.Errorf("docs/images/%s shows something else than the command now, take it again with make pictures (-published +now):\n%s", name, diff)
	}
}
