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

	"github.com/assayhq/assay/internal/dev/internal/receiver"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// sent is when the message is sent whose signature is tested.
var sent = time.Unix(1_790_000_000, 0)

const body = `{"id":"evt_1"}`

// signatures of the body under the secret, as the library for Go of Standard
// Webhooks makes them, by how long after sent they are made.
var signatures = map[time.Duration]string{
	0:                "v1,5dKFOEfZfc0EiaxUEg4kM/a1MEHA1jKLEll6sPPYB7Y=",
	-6 * time.Minute: "v1,MeNIgw23AR7eT2SbhHVapT5LpIvhwDNaIj0wAsD/AqA=",
	6 * time.Minute:  "v1,sQZM1Q7KG+FIO0t/mCru2/8CO+T560FSXWD4j5b5m+g=",
}

// signed are the headers of a message that is signed so long after sent.
func signed(after time.Duration) http.Header {
	return http.Header{"Webhook-Id": {"evt_1"}, "Webhook-Timestamp": {strconv.FormatInt(sent.Add(after).Unix(), 10)}, "Webhook-Signature": {signatures[after]}}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		secret string
		after  time.Duration
		body   string
		change func(http.Header)
		ok     bool
	}{
		{"right", secret, 0, body, nil, true},
		{"another body", secret, 0, body + " ", nil, false},
		{"another secret", "whsec_AAAA", 0, body, nil, false},
		{"no secret", "", 0, body, nil, false},
		{"old", secret, -6 * time.Minute, body, nil, false},
		{"ahead", secret, 6 * time.Minute, body, nil, false},
		{"a second signature is right", secret, 0, body, func(h http.Header) { h.Set("webhook-signature", "v1,AAAA "+h.Get("webhook-signature")) }, true},
		{"another id", secret, 0, body, func(h http.Header) { h.Set("webhook-id", "evt_2") }, false},
		{"no signature", secret, 0, body, func(h http.Header) { h.Del("webhook-signature") }, false},
		{"no time", secret, 0, body, func(h http.Header) { h.Set("webhook-timestamp", "soon") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := signed(c.after)
			if c.change != nil {
				c.change(h)
			}
			if err := receiver.Verify(c.secret, h, []byte(c.body), sent); (err == nil) != c.ok {
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
