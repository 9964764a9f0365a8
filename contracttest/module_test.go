package contracttest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// customerTest is a test in a customer's own module. The first %s is the status of the platform's
// health.
const customerTest = `package api

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assayhq/assay/contracttest"
)

func platform(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Authorization") != "Bearer test-key":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("{\"error\":{\"code\":\"unauthorized\",\"message\":\"Who are you?\"}}"))
	case r.URL.Path == "/health":
		_, _ = w.Write([]byte("{\"status\":\"%s\"}"))
	case strings.HasPrefix(r.URL.Path, "/traders/"):
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("{\"error\":{\"code\":\"not_found\",\"message\":\"Nobody.\"}}"))
	default:
		_, _ = w.Write([]byte("{\"data\":[],\"next_cursor\":null}"))
	}
}

func TestContract(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(platform))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	contracttest.Test(t, contracttest.Options{URL: server.URL, Key: "test-key", RootCAs: roots, Profile: contracttest.LiveCheck})
}
`

// writeModule writes a customer's module, whose platform answers with the status, and returns its
// folder.
func writeModule(t *testing.T, status string) string {
	t.Helper()
	kit, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module platform.example/api\n\ngo 1.26.0\n\nrequire github.com/assayhq/assay/contracttest v0.0.0\n\nreplace github.com/assayhq/assay/contracttest => " + kit + "\n",
		"api_test.go": fmt.Sprintf(customerTest, status),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goCommand returns a command of go that runs in a customer's module. Neither go.work nor a proxy
// can add a module, and -mod=readonly refuses to change go.mod.
func goCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	return cmd
}

// A customer's module gets the kit and no other module, and needs no checksums.
func TestCustomersRequirements(t *testing.T) {
	t.Parallel()
	if text, err := os.ReadFile("go.mod"); err != nil || strings.Contains(string(text), "require") {
		t.Errorf("the kit's module requires another: %v\n%s", err, text)
	}
	dir := writeModule(t, "ok")
	out, err := goCommand(t, dir, "list", "-m", "-f", "{{.Path}}", "all").CombinedOutput()
	if err != nil || string(out) != "platform.example/api\ngithub.com/assayhq/assay/contracttest\n" {
		t.Errorf("the modules of a customer's module are not itself and the kit: %v\n%s", err, out)
	}
	if out, err := goCommand(t, dir, "mod", "tidy", "-diff").CombinedOutput(); err != nil {
		t.Errorf("a customer's module needs more than the kit: %v\n%s", err, out)
	}
}

// A customer's tests show what the kit found.
func TestCustomersModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module")
	}
	t.Parallel()
	for _, tt := range []struct {
		status string
		fails  bool
		want   string
	}{
		{"ok", false, "--- SKIP: TestContract/live.traders_next_page"},
		{"fine", true, "MUST live.health: the member status is not the string"},
	} {
		cmd := goCommand(t, writeModule(t, tt.status), "test", "-v", ".")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.Success() == tt.fails || !strings.Contains(string(out), tt.want) {
			t.Errorf("status %s: %v\n%s", tt.status, err, out)
		}
	}
}
