package demo_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hook is the webhook endpoint as the stand-in of the API keeps it.
type hook struct {
	ID       string   `json:"id"`
	URL      string   `json:"url"`
	Events   []string `json:"events"`
	IsActive bool     `json:"is_active"`
	Reason   string   `json:"disabled_reason,omitempty"`
	Secrets  int      // that were made
}

func (h hook) secret() string {
	return "whsec_" + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%032d", h.Secrets))
}

// webhooks serves the routes of webhook endpoints.
func (a *api) webhooks(w http.ResponseWriter, r *http.Request) {
	file := a.file + ".hooks"
	var list []hook
	if content, err := os.ReadFile(file); err == nil && json.Unmarshal(content, &list) != nil || err != nil && !errors.Is(err, os.ErrNotExist) {
		panic(http.ErrAbortHandler)
	}
	var in hook
	if r.ContentLength > 0 && json.NewDecoder(r.Body).Decode(&in) != nil {
		panic(http.ErrAbortHandler)
	}
	var answer any = map[string]any{"data": list}
	told := func(h hook) any {
		return map[string]any{"id": h.ID, "url": h.URL, "is_active": h.IsActive, "disabled_reason": nil, "secret": h.secret()}
	}
	switch _, after, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/webhooks/"), "/"); {
	case r.Method == http.MethodPost && after == "rotate-secret":
		list[0].Secrets++
		answer = told(list[0])
	case r.Method == http.MethodPost:
		in.ID, in.IsActive, in.Secrets = "0195-hook", true, 1
		list = append(list, in)
		answer = told(in)
	case r.Method == http.MethodPatch:
		list[0].URL, list[0].IsActive, list[0].Reason = in.URL, in.IsActive, ""
		answer = list[0]
	}
	content, err := json.Marshal(list)
	if err != nil || os.WriteFile(file, content, 0o600) != nil || json.NewEncoder(w).Encode(answer) != nil {
		panic(http.ErrAbortHandler)
	}
}

func (b *bench) hooks(t *testing.T) (list []hook) {
	t.Helper()
	content, err := os.ReadFile(b.calls + ".integrations.hooks")
	if err == nil {
		err = json.Unmarshal(content, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (b *bench) setHook(t *testing.T, h hook) {
	t.Helper()
	content, err := json.Marshal([]hook{h})
	if err == nil {
		err = os.WriteFile(b.calls+".integrations.hooks", content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// trusting is a client that trusts what the daemons trust.
func (b *bench) trusting(t *testing.T) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	for _, block := range regexp.MustCompile(`(?s)-----BEGIN.*?END CERTIFICATE-----`).FindAllString(b.read(t, "platforms-ca.pem"), -1) {
		roots.AppendCertsFromPEM([]byte(block))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestReceiver: the receiver has an endpoint, verifies and shows what it receives, and keeps all of
// this at the next start. It takes long because it starts the whole stack twice.
func TestReceiver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := b.hooks(t)
	if len(made) != 1 || !made[0].IsActive || cmp.Diff([]string{"*"}, made[0].Events) != "" {
		t.Fatalf("endpoints %+v", made)
	}
	send := func(secret string) int {
		t.Helper()
		body, at := `{"id":"evt_1","type":"ping","sequence":7,"data":{}}`, strconv.FormatInt(time.Now().Unix(), 10)
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte("evt_1." + at + "." + body))
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.hooks(t)[0].URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header = http.Header{"Webhook-Id": {"evt_1"}, "Webhook-Timestamp": {at}, "Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
		r, err := b.trusting(t).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		return r.StatusCode
	}
	first := made[0].secret()
	if status := send(first); status != http.StatusNoContent {
		t.Errorf("a right signature gets %d", status)
	}
	if status := send(hook{Secrets: 9}.secret()); status != http.StatusBadRequest {
		t.Errorf("a wrong signature gets %d", status)
	}
	if got := b.shown(t); !strings.Contains(got, `"verified": false`) || !strings.Contains(got, `"verified": true`) || !strings.Contains(got, `"sequence": 7`) {
		t.Errorf("it shows %s", got)
	}
	if _, err := b.startAgain(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, b.hooks(t)); diff != "" || send(first) != http.StatusNoContent {
		t.Errorf("endpoints after the second start (-want +got):\n%s", diff)
	}
	// Somebody has lost the secret, and the endpoint was switched off by itself.
	if err := os.Remove(filepath.Join(b.stack.Dir, "webhook-secret")); err != nil {
		t.Fatal(err)
	}
	changed := made[0]
	changed.IsActive, changed.Reason, changed.URL = false, "failing", "https://127.0.0.1:1/webhooks"
	b.setHook(t, changed)
	if _, err := b.startAgain(t); err != nil {
		t.Fatal(err)
	}
	if again := b.hooks(t); len(again) != 1 || !again[0].IsActive || again[0].URL != made[0].URL || send(again[0].secret()) != http.StatusNoContent || again[0].secret() == first {
		t.Errorf("endpoints after the third start: %+v", again)
	}
}

// shown returns what the receiver shows on request.
func (b *bench) shown(t *testing.T) string {
	t.Helper()
	r, err := b.trusting(t).Get(strings.TrimSuffix(b.hooks(t)[0].URL, "/webhooks"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	content, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
