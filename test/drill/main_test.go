// Package drill tests what operators do with both processes: restore a backup,
// run on another schema, look for secrets where they must not be.
package drill_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/enginetest"
)

// patience bounds what a test waits for. It is there for what never comes.
const patience = 5 * time.Minute

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "assay-drill-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built = sync.OnceValues(func() (string, error) {
		out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "github.com/assayhq/assay/apiserver", "github.com/assayhq/assay/syncd").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return dir, nil
	})
	code := m.Run()
	_ = os.RemoveAll(dir) // a folder of temporary files
	os.Exit(code)
}

// built returns the folder with the programs, which are built once.
var built func() (dir string, err error)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// deployment is a place where both processes run on a database.
type deployment struct {
	dir      string // of configuration and blobs
	database string // URL of the owner
	url      string // of the API
	debug    map[string]string
	key      string // of an organization of the deployment's own, with every scope
}

// processRoles are the database roles of the processes.
var processRoles = map[string]string{"apiserver": roles.APIServer, "syncd": roles.Syncd}

// deploy configures both processes for the world's platform, each with its own
// user of the database. more are lines of the configuration.
func deploy(t *testing.T, database string, w *enginetest.World, roots []byte, more string) *deployment {
	t.Helper()
	d := &deployment{dir: t.TempDir(), database: database, debug: make(map[string]string)}
	address := storetest.Address(t)
	d.url = "http://" + address
	for process, role := range processRoles {
		d.debug[process] = storetest.Address(t)
		d.write(t, process+"-database", storetest.As(t, role, database))
	}
	d.write(t, "ca.pem", string(append(bytes.Clone(w.CA()), roots...)))
	d.write(t, "keyring.json", storetest.KeyringText)
	for process := range d.debug {
		d.write(t, process+".yaml", fmt.Sprintf(`
database: {url_file: %q}
keyring_file: %q
public_url: %s
listen: %q
debug: {apiserver: %q, syncd: %q}
egress: {region: test, allow_cidrs: [127.0.0.0/8, "::1/128"], ca_file: %q}
blobs: {url: %q}
sync: {requests_per_second: 0}
%s
`, d.path(process+"-database"), d.path("keyring.json"), d.url, address, d.debug["apiserver"], d.debug["syncd"], d.path("ca.pem"), "file://"+d.path("blobs"), more))
	}
	return d
}

func (d *deployment) path(name string) string { return filepath.Join(d.dir, name) }

func (d *deployment) write(t *testing.T, name, text string) {
	t.Helper()
	check(t, os.WriteFile(d.path(name), []byte(text), 0o600))
}

// command is one of the processes' programs with arguments.
func (d *deployment) command(t *testing.T, process string, args ...string) *exec.Cmd {
	t.Helper()
	dir, err := built()
	check(t, err)
	cmd := exec.Command(filepath.Join(dir, process), append(args, "--config", d.path(process+".yaml"))...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ASSAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// run runs a command to its end and returns what it printed.
func (d *deployment) run(t *testing.T, process string, args ...string) []byte {
	t.Helper()
	cmd := d.command(t, process, args...)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s %v: %v\n%s%s", process, args, err, out, exit.Stderr)
	}
	check(t, err)
	return out
}

// bootstrap makes an organization, whose key the deployment's requests use. It
// returns everything secret that it was told.
func (d *deployment) bootstrap(t *testing.T) (secrets []string) {
	t.Helper()
	var made struct {
		APIKey   string `json:"api_key"`
		Password string `json:"password"`
	}
	check(t, json.Unmarshal(d.run(t, "apiserver", "bootstrap", "--organization", "Drill", "--email", "drill@example.com"), &made))
	d.key = made.APIKey
	return []string{made.APIKey, made.Password}
}

// process is one that runs.
type process struct {
	cmd   *exec.Cmd
	ended chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes the log.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(text)
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// start starts a process and waits until it is ready.
func (d *deployment) start(t *testing.T, name string) *process {
	t.Helper()
	p := &process{cmd: d.command(t, name), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	check(t, p.cmd.Start())
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s:\n%s", name, p.text())
		}
	})
	storetest.Within(t, patience, name+" is ready", func() bool {
		select {
		case err := <-p.ended:
			p.ended <- err
			t.Fatalf("%s ended before it was ready: %v", name, err)
		default:
		}
		status, _ := get(t.Context(), "http://"+d.debug[name]+"/readyz", "")
		return status == http.StatusOK
	})
	return p
}

// kill ends the process without a word.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	err := <-p.ended
	p.ended <- err // for whoever asks again
}

// get asks an address; the status is 0 where nobody answers.
func get(ctx context.Context, url, key string) (status int, body []byte) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return send(req)
}

func send(req *http.Request) (status int, body []byte) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, body
}

// call calls the API with the deployment's key.
func (d *deployment) call(t *testing.T, method, path, body string, want int) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+d.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	status, text := send(req)
	if status != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, status, text, want)
	}
	var answer map[string]any
	_ = json.Unmarshal(text, &answer) // not every answer is an object
	return answer
}
