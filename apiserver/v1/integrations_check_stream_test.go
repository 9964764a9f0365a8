package v1_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkEvent is a server-sent event of a live check.
type checkEvent struct {
	name string
	data json.RawMessage
}

// readEvent reads the next event; ok is false at the end.
func readEvent(t *testing.T, from *bufio.Reader) (e checkEvent, ok bool) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err == io.EOF {
			return e, false
		}
		check(t, err)
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			return e, true
		case strings.HasPrefix(line, "event: "):
			e.name = strings.TrimPrefix(line, "event: ")
		default:
			e.data = json.RawMessage(strings.TrimPrefix(line, "data: "))
		}
	}
}

// followCheck sends a POST that asks for events.
func (b *testAPI) followCheck(t *testing.T, path string, body any) *http.Response {
	t.Helper()
	text, err := json.Marshal(body)
	check(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+path, strings.NewReader(string(text)))
	check(t, err)
	identify(req, b.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := b.server.Client().Do(req)
	check(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// holdPayouts makes the platform delay requests for payouts until release is called.
func (b *testAPI) holdPayouts() (release func()) {
	open := make(chan struct{})
	b.platform.setGate(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/payouts" {
			<-open
		}
		return false
	})
	return func() { close(open) }
}

// TestLiveCheckIsFollowed checks that each step is sent when it has finished, while the platform
// has not answered the last request yet, and that the report contains the same steps.
func TestLiveCheckIsFollowed(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	saved := b.objects(t)["/v1/integrations/"]
	for path, body := range map[string]any{"/v1/integrations/test": b.newIntegration(), "/v1/integrations/" + saved + "/test": map[string]any{}} {
		release := b.holdPayouts()
		res := b.followCheck(t, path, body)
		if media := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || media != "text/event-stream" {
			t.Fatalf("%s: %d %s", path, res.StatusCode, media)
		}
		from := bufio.NewReader(res.Body)
		type step struct{ Name, Status string }
		var told []step
		for len(told) < 6 { // payouts are the seventh step, and wait
			e, ok := readEvent(t, from)
			if !ok || e.name != "step" {
				t.Fatalf("%s: after %v came %s %s", path, told, e.name, e.data)
			}
			told = append(told, decodeInto[step](t, reply{body: string(e.data)}))
		}
		release()
		last, _ := readEvent(t, from)
		told = append(told, decodeInto[step](t, reply{body: string(last.data)}))
		end, ok := readEvent(t, from)
		report := decodeInto[struct {
			OK    bool
			Steps []step
		}](t, reply{body: string(end.data)})
		if !ok || end.name != "report" || !report.OK {
			t.Fatalf("%s: the end is %s %s", path, end.name, end.data)
		}
		if diff := cmp.Diff(report.Steps, told); diff != "" {
			t.Errorf("%s: steps (-reported +told):\n%s", path, diff)
		}
		if _, more := readEvent(t, from); more {
			t.Errorf("%s: there is more after the report", path)
		}
	}
}

// TestFollowedCheckIsRefused checks that a check that is refused before its first step gets an
// ordinary response, and that a stopping server breaks the events off.
func TestFollowedCheckIsRefused(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	faulty := b.followCheck(t, "/v1/integrations/test", map[string]any{"kind": "custom_api"})
	if media := faulty.Header.Get("Content-Type"); faulty.StatusCode != http.StatusUnprocessableEntity || media != "application/problem+json" {
		t.Errorf("faulty settings: %d %s", faulty.StatusCode, media)
	}
	keyed := b.post(t, "/v1/integrations/test", "k-1", b.newIntegration())
	keyed.header.Set("Accept", "text/event-stream, application/json;q=0.5")
	if r := b.attempt(t, keyed); r.status != http.StatusOK || !strings.HasPrefix(r.body, "{") {
		t.Errorf("with an Idempotency-Key: %d %s", r.status, r.body)
	}

	release := b.holdPayouts()
	defer release()
	from := bufio.NewReader(b.followCheck(t, "/v1/integrations/test", b.newIntegration()).Body)
	if e, ok := readEvent(t, from); !ok || e.name != "step" {
		t.Fatalf("began with %s %s", e.name, e.data)
	}
	b.stop()
	for {
		e, ok := readEvent(t, from)
		if !ok {
			break
		}
		if e.name == "report" {
			t.Errorf("a check that was broken off reports %s", e.data)
		}
	}
}
