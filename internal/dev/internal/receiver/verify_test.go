package receiver_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assayhq/assay/internal/dev/internal/receiver"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// signed are the headers of a message as the standard's own library makes them.
func signed(t testing.TB, at time.Time, body string) http.Header {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := hook.Sign("evt_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return http.Header{"Webhook-Id": {"evt_1"}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature}}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_790_000_000, 0)
	const body = `{"id":"evt_1"}`
	for _, c := range []struct {
		name   string
		secret string
		at     time.Time
		body   string
		change func(http.Header)
		ok     bool
	}{
		{"right", secret, now, body, nil, true},
		{"another body", secret, now, body + " ", nil, false},
		{"another secret", "whsec_AAAA", now, body, nil, false},
		{"no secret", "", now, body, nil, false},
		{"old", secret, now.Add(-6 * time.Minute), body, nil, false},
		{"ahead", secret, now.Add(6 * time.Minute), body, nil, false},
		{"a second signature is right", secret, now, body, func(h http.Header) { h.Set("webhook-signature", "v1,AAAA "+h.Get("webhook-signature")) }, true},
		{"another id", secret, now, body, func(h http.Header) { h.Set("webhook-id", "evt_2") }, false},
		{"no signature", secret, now, body, func(h http.Header) { h.Del("webhook-signature") }, false},
		{"no time", secret, now, body, func(h http.Header) { h.Set("webhook-timestamp", "soon") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := signed(t, c.at, body)
			if c.change != nil {
				c.change(h)
			}
			if err := receiver.Verify(c.secret, h, []byte(c.body), now); (err == nil) != c.ok {
				t.Errorf("%v", err)
			}
		})
	}
}

// FuzzTake: whatever comes, it is answered, and nothing is taken for verified
// without a signature.
func FuzzTake(f *testing.F) {
	f.Add("POST", "/webhooks", "evt_1", "1790000000", "v1,AAAA", []byte(`{"id":"evt_1","type":"ping","sequence":1}`))
	f.Add("GET", "/", "", "", "", []byte(nil))
	f.Add("POST", "/webhooks", "", "-9223372036854775808", "v1", []byte(`{"verified":true,"problem":"none","type":5}`))
	file := filepath.Join(f.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, path, id, at, signature string, body []byte) {
		q, err := http.NewRequest(method, "https://127.0.0.1/", bytes.NewReader(body))
		if err != nil {
			return // a method that no client can send
		}
		q.URL.Path = path
		q.Header = http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {at}, "Webhook-Signature": {signature}}
		var out strings.Builder
		r := receiver.New(file, &out)
		w := httptest.NewRecorder()
		r.ServeHTTP(w, q)
		if w.Code == http.StatusNoContent || strings.Contains(out.String(), `"verified":true`) {
			t.Errorf("%d: %s", w.Code, out.String())
		}
	})
}
