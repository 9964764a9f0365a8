// Package deploytest runs apiserver and syncd as an operator does: as programs with
// configuration files, each with its own user of a real database. No binary links it.
package deploytest

import (
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
	"github.com/assayhq/assay/syncd/chaostest"
)

// patience bounds what a test waits for. It is there for what never comes.
const patience = 5 * time.Minute

// built returns the folder with the programs, which Run builds once.
var built func() (dir string, err error)

// Run runs the tests of a package that start deployments, for its TestMain. Beside apiserver and
// syncd, it builds the packages of more programs, as a release does without what debuggers need.
func Run(m *testing.M, more ...string) int {
	dir, err := os.MkdirTemp("", "assay-deploy-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder of temporary files
	built = sync.OnceValues(func() (string, error) {
		args := append([]string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator), "github.com/assayhq/assay/apiserver", "github.com/assayhq/assay/syncd"}, more...)
		out, err := exec.CommandContext(context.Background(), "go", args...).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return dir, nil
	})
	return m.Run()
}

// Program is the path of a program that Run builds.
func Program(t testing.TB, name string) string {
	t.Helper()
	dir, err := built()
	check(t, err)
	return filepath.Join(dir, name)
}

// Deployment is a place where both processes run on a database.
type Deployment struct {
	Dir      string // of configuration and blobs
	Database string // URL of the owner
	URL      string // of the API
	Debug    map[string]string
	Key      string // of an organization of the deployment's own, with every scope
}

// Options are what deployments differ in.
type Options struct {
	Database string
	Roots    []byte // certificates to trust, in PEM
	// Allow are the address ranges that may be called although they are private; empty means
	// those of this machine.
	Allow string
	Sync  string // settings of sync; empty means that platforms are asked without a limit
	More  string // lines of the configuration
}

// processRoles are the database roles of the processes.
var processRoles = map[string]string{"apiserver": roles.APIServer, "syncd": roles.Syncd}

// New configures both processes, each with its own user of the database.
func New(t testing.TB, o Options) *Deployment {
	t.Helper()
	d := &Deployment{Dir: t.TempDir(), Debug: make(map[string]string)}
	address := storetest.Address(t)
	d.URL = "http://" + address
	for process := range processRoles {
		d.Debug[process] = storetest.Address(t)
	}
	d.Use(t, o.Database)
	authorities := ""
	if len(o.Roots) > 0 {
		d.Write(t, "ca.pem", string(o.Roots))
		authorities = fmt.Sprintf(", ca_file: %q", d.Path("ca.pem"))
	}
	d.Write(t, "keyring.json", storetest.KeyringText)
	if o.Allow == "" {
		o.Allow = `127.0.0.0/8, "::1/128"`
	}
	if o.Sync == "" {
		o.Sync = "requests_per_second: 0"
	}
	for process := range d.Debug {
		d.Write(t, process+".yaml", fmt.Sprintf(`
database: {url_file: %q}
keyring_file: %q
public_url: %s
listen: %q
debug: {apiserver: %q, syncd: %q}
egress: {region: test, cidrs: [203.0.113.0/28], allow_cidrs: [%s]%s}
blobs: {url: %q}
sync: {%s}
%s
`, d.Path(process+"-database"), d.Path("keyring.json"), d.URL, address, d.Debug["apiserver"], d.Debug["syncd"], o.Allow, authorities, d.BlobURL(), o.Sync, o.More))
	}
	return d
}

// Use makes both processes use the database, from their next start on.
func (d *Deployment) Use(t testing.TB, database string) {
	t.Helper()
	d.Database = database
	for process, role := range processRoles {
		d.Write(t, process+"-database", storetest.As(t, role, database))
	}
}

// Path is the path of a file of the deployment.
func (d *Deployment) Path(name string) string { return filepath.Join(d.Dir, name) }

// BlobURL is where blobs are stored.
func (d *Deployment) BlobURL() string { return "file://" + d.Path("blobs") }

// Write writes a file of the deployment.
func (d *Deployment) Write(t testing.TB, name, text string) {
	t.Helper()
	check(t, os.WriteFile(d.Path(name), []byte(text), 0o600))
}

// Command is one of the processes' programs with arguments.
func (d *Deployment) Command(t testing.TB, process string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), Program(t, process), append(args, "--config", d.Path(process+".yaml"))...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ASSAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// JumpingCommand is Command for a program whose clock jumps each second by an hour. It builds
// everything anew, which takes minutes the first time.
func (d *Deployment) JumpingCommand(t testing.TB, process string) *exec.Cmd {
	t.Helper()
	cmd := d.Command(t, process)
	dir := t.TempDir()
	overlay, err := chaostest.JumpingClock(dir)
	check(t, err)
	cmd.Path = filepath.Join(dir, process)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-overlay", overlay, "-o", cmd.Path, "github.com/assayhq/assay/"+process).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return cmd
}

// Run runs a command to its end and returns what it printed.
func (d *Deployment) Run(t testing.TB, process string, args ...string) []byte {
	t.Helper()
	out, err := d.Command(t, process, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s %v: %v\n%s%s", process, args, err, out, exit.Stderr)
	}
	check(t, err)
	return out
}

// Owner is who the deployment's organization was made for.
const Owner = "drill@example.com"

// Bootstrap creates an organization whose key the deployment's requests use. It returns the secrets
// that were printed: the key and the password of Owner.
func (d *Deployment) Bootstrap(t testing.TB) (secrets []string) {
	t.Helper()
	var made struct {
		APIKey   string `json:"api_key"`
		Password string `json:"password"`
	}
	check(t, json.Unmarshal(d.Run(t, "apiserver", "bootstrap", "--organization", "Drill", "--email", Owner), &made))
	d.Key = made.APIKey
	return []string{made.APIKey, made.Password}
}

// Call calls the API with the deployment's key.
func (d *Deployment) Call(t testing.TB, method, path, body string, want int) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+d.Key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	status, text := Send(req)
	if status != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, status, text, want)
	}
	var answer map[string]any
	_ = json.Unmarshal(text, &answer) // not every answer is an object
	return answer
}

// Get asks an address; the status is 0 where nobody answers.
func Get(ctx context.Context, url, key string) (status int, body []byte) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return Send(req)
}

// Send sends a request; the status is 0 where nobody answers.
func Send(req *http.Request) (status int, body []byte) {
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
