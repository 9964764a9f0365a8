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

// A customer's module needs only this module, and no checksums of others.
func TestCustomersModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module")
	}
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		status string
		fails  bool
		want   string
	}{
		{"ok", false, "--- SKIP: TestContract/live.traders_next_page"},
		{"fine", true, "MUST live.health: the member status is not the string"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":      "module platform.example/api\n\ngo 1.26\n\nrequire github.com/assayhq/assay v0.0.0\n\nreplace github.com/assayhq/assay => " + root + "\n",
			"api_test.go": fmt.Sprintf(customerTest, tt.status),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "go", "test", "-v", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.Success() == tt.fails || !strings.Contains(string(out), tt.want) {
			t.Errorf("status %s: %v\n%s", tt.status, err, out)
		}
	}
}
