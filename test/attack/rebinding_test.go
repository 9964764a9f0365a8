package attack_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/assayhq/assay/connectors/fetch/fetchtest"
	"github.com/assayhq/assay/store/storetest"
)

// nameServerAddress is one of this machine, because resolv.conf names no port.
const nameServerAddress = "127.0.53.53:53"

// startNames starts the name server. It returns nil where processes cannot be made to ask it: only
// root may give a process a resolv.conf of its own.
func startNames(t *testing.T) *fetchtest.NameServer {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 || exec.CommandContext(t.Context(), "unshare", "--mount", "mount", "--bind", "/etc/resolv.conf", "/etc/resolv.conf").Run() != nil {
		return nil
	}
	n, err := fetchtest.StartNameServer(t, nameServerAddress)
	if err != nil {
		return nil // somebody else answers there
	}
	return n
}

// useNames makes a process ask the name server, if there is one.
func (s *site) useNames(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if s.names == nil {
		return cmd
	}
	host, _, err := net.SplitHostPort(nameServerAddress)
	check(t, err)
	file := filepath.Join(t.TempDir(), "resolv.conf")
	check(t, os.WriteFile(file, []byte("nameserver "+host+"\n"), 0o644))
	unshare, err := exec.LookPath("unshare")
	check(t, err)
	cmd.Args = append([]string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, file, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = unshare
	return cmd
}

// attackByRebinding has names lead outside when assay checks them, and inside when it calls them:
// as webhooks and as platforms.
func attackByRebinding(t *testing.T, s *site, size int) string {
	t.Helper()
	if s.names == nil {
		storetest.LeaveOut(t, "only root on Linux gives a process a name server of its own")
	}
	_, port, err := net.SplitHostPort(s.outside.Listener.Addr().String())
	check(t, err)
	i := newInside(t, port)
	out, in := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	blocked := 0
	for n := range size {
		// A moment later, at each other question, or in one answer with an address outside.
		changes := [][][]netip.Addr{
			{{in}},
			{{out}, {in}, {out}, {in}, {out}, {in}},
			{{in, out}, {out, in}, {in}},
		}[n%3]
		host := fmt.Sprintf("name%d.example.com", n)
		url := "https://" + host + ":" + port
		s.names.SetAnswers(host, []netip.Addr{out})
		hook := s.Call(t, http.MethodPost, "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, url+"/hook"), http.StatusCreated)["id"].(string)
		s.names.SetAnswers(host, changes...)
		before := s.names.CountQuestions(host)
		if status, answer := s.post(t, "/v1/webhooks/"+hook+"/test", nil); status/100 != 2 {
			t.Errorf("a test delivery: %d %.300s", status, answer)
		}
		storetest.Eventually(t, "the delivery is attempted", func() bool {
			return s.rows(t, `SELECT count(*) FROM webhook_attempts AS a JOIN webhook_deliveries AS d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`, hook) > 0
		})
		blocked += s.rows(t, `SELECT count(*) FROM webhook_attempts AS a JOIN webhook_deliveries AS d ON d.id = a.delivery_id WHERE d.endpoint_id = $1 AND a.error_code = 'blocked_address'`, hook)
		if s.names.CountQuestions(host) == before {
			t.Errorf("%s was not asked for", host)
		}
		s.Call(t, http.MethodDelete, "/v1/webhooks/"+hook, "", http.StatusNoContent)
		s.names.SetAnswers(host, append([][]netip.Addr{{out}}, changes...)...)
		body, err := json.Marshal(map[string]any{"kind": "custom_api", "base_url": url, "api_key": storetest.PlatformKey})
		check(t, err)
		if status, answer := s.post(t, "/v1/integrations/test", body); status >= 500 {
			t.Errorf("a live check: %d %.300s", status, answer)
		}
	}
	if n := i.calls.Load(); n > 0 {
		t.Errorf("the server inside was called %d times", n)
	}
	if blocked == 0 {
		t.Error("no name led inside when it was called")
	}
	return fmt.Sprintf("%d of %d deliveries refused when they were sent, %d calls inside", blocked, size, i.calls.Load())
}
