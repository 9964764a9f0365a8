package clients_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/storetest"
)

// demo is what `make run` has started.
type demo struct {
	api
	dir      string // what it keeps
	platform string // address of the reference platform
	accepts  string // the key that it takes
	partner  string // address of the partner platform
	receiver string // address of the webhook receiver
	printed  string // API key of the organization whose platforms it has connected

	partnerAccepts  string // the key that the partner platform takes
	owner, password string // of that organization
}

// checkout is a folder that leads to the sources and to nothing of what was built
// of them, nor to the data of somebody's own `make run`. It is the same each time:
// what Go builds in it is kept.
func checkout(t *testing.T) string {
	t.Helper()
	sources, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	entries, err := os.ReadDir(sources)
	check(t, err)
	root := filepath.Join(sources, ".data", "browser")
	check(t, os.RemoveAll(root))
	check(t, os.MkdirAll(root, 0o755))
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && name != "bin" {
			check(t, os.Symlink(filepath.Join(sources, name), filepath.Join(root, name)))
		}
	}
	return root
}

// makeTarget is a target of the Makefile, not started yet.
func makeTarget(root, target string) *exec.Cmd {
	cmd := exec.Command("make", target)
	cmd.Dir = root
	// The variables of the make around the tests are not meant for this one.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS=") || strings.HasPrefix(v, "ARGS=")
	})
	// Ctrl-C reaches all that a terminal has started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// runDemo is `make run` until the test ends, at ports that are free.
func runDemo(t *testing.T) (d demo) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		missing(t, "make")
	}
	root := checkout(t)
	d.dir = filepath.Join(root, ".data", "run")
	check(t, os.MkdirAll(d.dir, 0o700))
	check(t, os.WriteFile(filepath.Join(d.dir, "ports.json"), []byte(`{"platform": 0, "partner": 0, "receiver": 0, "apiserver": 0, "syncd_debug": 0, "apiserver_debug": 0}`), 0o600))
	cmd := makeTarget(root, "run")
	out, err := cmd.StdoutPipe()
	check(t, err)
	var progress strings.Builder
	cmd.Stderr = &progress
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // it may have ended
		_ = cmd.Wait()                                     // by a signal
		if t.Failed() {
			t.Logf("make run:\n%s", &progress)
		}
		if text, err := makeTarget(root, "clean").CombinedOutput(); err != nil {
			t.Errorf("make clean: %v\n%s", err, text)
		}
		check(t, os.RemoveAll(root))
	})
	told := summary(t, out)
	row := func(name string) string {
		found := regexp.MustCompile(`(?m)^  ` + name + ` +(.+)$`).FindStringSubmatch(told)
		if found == nil {
			t.Fatalf("make run tells no %s:\n%s", name, told)
		}
		return found[1]
	}
	database, err := os.ReadFile(filepath.Join(d.dir, "database-url"))
	check(t, err)
	d.url, d.config, d.database = row("API"), row("configuration"), strings.TrimSpace(string(database))
	d.platform, d.accepts, _ = strings.Cut(strings.TrimSuffix(row("reference platform"), ")"), " (its API key is ")
	d.partner, d.partnerAccepts, _ = strings.Cut(strings.TrimSuffix(row("partner platform"), ")"), " (its API key is ")
	d.printed, d.owner, d.password = row("API key"), row("owner"), row("password")
	d.receiver = regexp.MustCompile(`https://\S+`).FindString(row("webhooks"))
	return d
}

// summary returns what `make run` prints once everything runs.
func summary(t *testing.T, out io.Reader) string {
	t.Helper()
	told := make(chan string, 1)
	go func() {
		defer close(told)
		var text strings.Builder
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(&text, lines.Text())
			if strings.HasPrefix(lines.Text(), "Ctrl-C stops everything") {
				told <- text.String()
				_, _ = io.Copy(io.Discard, out) // until it ends
				return
			}
		}
	}()
	select {
	case text, runs := <-told:
		if !runs {
			t.Fatal("make run has ended")
		}
		return text
	case <-time.After(2 * patience): // it builds everything
		t.Fatal("make run does not tell that everything runs")
		return ""
	}
}

// found makes an organization with an owner, of whom it returns the password.
func (d *demo) found(t *testing.T, name, email string) (password string) {
	t.Helper()
	out, err := exec.Command(program(t, "apiserver"), "bootstrap", "--config", d.config, "--organization", name, "--email", email).Output()
	check(t, err)
	var made struct {
		APIKey   string `json:"api_key"`
		Password string
	}
	check(t, json.Unmarshal(out, &made))
	d.key = made.APIKey
	return made.Password
}

// TestMakeRun is the first day with assay, in a browser, with what `make run` starts: connecting a
// platform and watching it being read, finding a trader, holding an interview and deciding on it,
// making a key and a webhook. At the end it runs the commands in the documents. It takes long
// because it starts all that `make run` starts, and works with it in a browser.
func TestMakeRun(t *testing.T) {
	t.Parallel()
	b := newTab(t, chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	d := runDemo(t)
	d.listSamples(t)
	const email = "zoe@firm.example"
	first := d.found(t, "Alpha Capital", email)
	b.do(t, chromedp.Navigate(d.url+"/"))
	b.enter(t, email, first, "Alpha Capital")
	b.sees(t, "First steps")

	b.connects(t, &d)
	b.interviews(t, &d, b.finds(t, &d))
	b.makesAKey(t, d.api)
	b.hooks(t, &d)
	d.runDocuments(t)
	b.forgive("validation_failed", "422") // what was mistyped on purpose
	b.wantQuiet(t, d.url)
}

// listSamples waits until the sample interviews are in the states that their traders and reviewers left
// them in. Those whose time is over are ended by the scheduler.
func (d *demo) listSamples(t *testing.T) {
	t.Helper()
	want := []string{
		"DEMO-1 completed approved", "DEMO-10 incomplete", "DEMO-11 failed", "DEMO-2 completed rejected", "DEMO-3 completed needs_review", "DEMO-4 completed",
		"DEMO-5 completed", "DEMO-6 in_progress", "DEMO-7 invited", "DEMO-8 declined", "DEMO-9 expired",
	}
	db := storetest.Conn(t, d.database)
	storetest.Within(t, pipelinePatience, "the sample interviews are in their states", func() bool {
		rows, err := db.Query(t.Context(), `SELECT concat_ws(' ', reference, status, decision) FROM interviews ORDER BY reference COLLATE "C"`)
		check(t, err)
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		check(t, err)
		return slices.Equal(got, want)
	})
}

// connects connects the reference platform, and waits until it was read. What the page shows meanwhile
// may be over before a busy browser looks; TestBackfillAndAudits holds the platform up to see it.
func (b *tab) connects(t *testing.T, d *demo) {
	t.Helper()
	b.do(t, click(`//main//a[normalize-space(.)="Connect a platform"]`))
	b.fill(t, "URL", d.platform)
	b.fill(t, "API key", d.accepts)
	b.press(t, "Check connection")
	b.sees(t, "Check passed")
	b.press(t, "Connect")
	b.seesLater(t, "The last sync read everything.")
}

// finds finds the trader of whom there are most trades as somebody who types, and
// returns the name.
func (b *tab) finds(t *testing.T, d *demo) (name string) {
	t.Helper()
	trader := d.call(t, "GET", "/v1/traders?limit=1", nil, 200)["data"].([]any)[0].(map[string]any)
	name = trader["full_name"].(string)
	b.follow(t, "Traders")
	b.do(t, write(`input[type="search"]`, trader["email"].(string)))
	b.sees(t, "1 trader matches")
	b.follow(t, name)
	b.heading(t, name)
	return name
}

// interviews makes an interview with the trader whose page is shown, which is held
// on camera, and decides on it.
func (b *tab) interviews(t *testing.T, d *demo, name string) {
	t.Helper()
	b.follow(t, "New interview")
	b.do(t, click(`//label[normalize-space(.)="Custom"]/input`))
	b.fill(t, "Question 1", "How long do you hold your trades?")
	b.press(t, "Create interview")
	b.heading(t, "Interview created")
	link := b.secret(t)
	b.follow(t, "Open interview")
	b.heading(t, name)
	b.sees(t, "hasn’t been opened yet")

	id := strings.TrimPrefix(ask(t, b, chromedp.Location()), d.url+"/interviews/")
	d.answer(t, id, strings.TrimPrefix(link, d.url+"/i/"), []answered{{interviews.AnswerVideo, spoken}})
	b.sees(t, "This interview changed while you had it open.")
	b.press(t, "Dismiss")
	b.seesLater(t, "Statements compared with the data") // when the report is there
	b.do(t, click("button.chapter"))
	b.until(t, "the recording plays", `document.querySelector("video").currentTime > 0.5`)
	b.look(t, "run-review")
	b.do(t, click(`input[value="approved"]`))
	b.press(t, "Save decision")
	b.sees(t, "Change decision") // once it is kept
	if i := d.call(t, "GET", "/v1/interviews/"+id, nil, 200); i["status"] != "completed" || i["decision"].(map[string]any)["value"] != "approved" {
		t.Errorf("status %v, decision %s", i["status"], text(t, i["decision"]))
	}
}

// hooks makes a webhook for the receiver, and sees a delivery arrive.
func (b *tab) hooks(t *testing.T, d *demo) {
	t.Helper()
	b.follow(t, "Webhooks")
	b.press(t, "Add endpoint")
	b.fill(t, "URL", d.receiver+"/webhooks")
	b.pressIn(t, "Add endpoint")
	secret := b.secret(t)
	check(t, os.WriteFile(filepath.Join(d.dir, "webhook-secret"), []byte(secret+"\n"), 0o600)) // which the receiver verifies by
	b.press(t, "Done")
	b.do(t, click(`//main//header//button[normalize-space(.)="Send test"]`))
	b.sees(t, "Your endpoint accepted the test")
	d.call(t, "POST", "/v1/traders", map[string]any{"full_name": "Ada"}, 201)
	b.do(t, click(`//tbody/tr[contains(., "trader.created") and contains(., "Succeeded")]//button[@aria-expanded="false"]`)) // it shows by itself
	b.look(t, "run-delivery")
}
