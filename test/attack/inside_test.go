package attack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// inside is a server at an address of this machine that assay must not call.
type inside struct {
	port  string
	calls atomic.Int64 // connections
}

// newInside starts the server at 127.0.0.2, and at the other addresses that lead to it. Port 0 is
// any that is free.
func newInside(t *testing.T, port string) *inside {
	t.Helper()
	i := new(inside)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.2", port))
	if err != nil {
		storetest.LeaveOut(t, "this system has no address 127.0.0.2: "+err.Error())
	}
	_, i.port, err = net.SplitHostPort(listener.Addr().String())
	check(t, err)
	var accepted sync.WaitGroup
	accepted.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			i.calls.Add(1)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepted.Wait()
	})
	return i
}

// insideHosts are ways to write the address of the server inside, and other addresses
// that nobody outside has.
func insideHosts() []string {
	return []string{
		"127.0.0.2", "127.2", "2130706434", "0x7f000002", "0177.0.0.2", "0x7f.0.0.2", "127.000.000.002", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::127.0.0.2]",
		"[64:ff9b::7f00:2]", "[64:ff9b::127.0.0.2]", "[2002:7f00:2::]", "127.0.0.2.", "0.0.0.0", "[::]", "[::1]",
		"[fe80::1]", "[fe80::1%25lo]", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "１２７.0.0.2", "127。0。0。2",
		"user@127.0.0.2", "127.0.0.1@127.0.0.2", "127.0.0.1#@127.0.0.2", "127.0.0.1%00.example.com",
	}
}

// attackInside has assay call addresses inside: as webhooks, as platforms and as the
// targets of redirects.
func attackInside(t *testing.T, s *site, size int) string {
	t.Helper()
	i := newInside(t, "0")
	refused, begun := 0, 0
	for n, host := range insideHosts() {
		if n >= size {
			break
		}
		for _, path := range []string{"/v1/webhooks", "/v1/integrations/test", "/v1/integrations"} {
			body, err := json.Marshal(map[string]any{"/v1/webhooks": map[string]any{"url": "https://" + host + ":" + i.port + "/hook", "events": []string{"*"}}}[path])
			check(t, err)
			if path != "/v1/webhooks" {
				body, err = json.Marshal(map[string]any{"kind": "custom_api", "base_url": "https://" + host + ":" + i.port, "api_key": storetest.PlatformKey})
				check(t, err)
			}
			if status, answer := s.post(t, path, body); status/100 == 4 {
				refused++
			} else {
				t.Errorf("POST %s for %s: %d %.200s", path, host, status, answer)
			}
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		begun += s.redirect(t, i, status)
	}
	if n := i.calls.Load(); n > 0 {
		t.Errorf("the server inside was called %d times", n)
	}
	return fmt.Sprintf("%d of %d requests refused, %d redirects not followed, %d calls inside", refused, 3*min(size, len(insideHosts())), begun, i.calls.Load())
}

// redirect has both kinds of calls redirected to the server inside, and returns how many
// redirects were answered.
func (s *site) redirect(t *testing.T, i *inside, status int) int {
	t.Helper()
	var answered atomic.Int64
	s.outside.serve(func(w http.ResponseWriter, r *http.Request) {
		answered.Add(1)
		http.Redirect(w, r, "https://127.0.0.2:"+i.port+"/inside", status)
	})
	defer s.outside.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	u, err := url.Parse(s.outside.URL)
	check(t, err)
	hook := s.Call(t, http.MethodPost, "/v1/webhooks", fmt.Sprintf(`{"url": "https://%s/hook", "events": ["*"]}`, u.Host), http.StatusCreated)["id"].(string)
	if got, answer := s.post(t, "/v1/webhooks/"+hook+"/test", nil); got/100 != 2 {
		t.Errorf("a test delivery: %d %.300s", got, answer)
	}
	storetest.Eventually(t, "the receiver is called", func() bool { return answered.Load() > 0 })
	before := answered.Load()
	body := fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, s.outside.URL, storetest.PlatformKey)
	if got, answer := s.post(t, "/v1/integrations/test", []byte(body)); got != http.StatusOK || answered.Load() == before || bytes.Contains(answer, []byte(`"ok":true`)) {
		t.Errorf("a platform that redirects: %d %.300s", got, answer)
	}
	s.Call(t, http.MethodDelete, "/v1/webhooks/"+hook, "", http.StatusNoContent)
	return int(answered.Load())
}

// post sends a request with the deployment's key.
func (s *site) post(t *testing.T, path string, body []byte) (status int, answer []byte) {
	t.Helper()
	return s.throw(t, bomb{path: path, media: "application/json", body: body}, s.Key)
}
