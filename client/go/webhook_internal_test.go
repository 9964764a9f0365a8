package assay

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// The example of the Standard Webhooks specification, which other libraries are tested with, too.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	sent := time.Unix(1614265330, 0)
	for _, tc := range []struct {
		name, body, signature string
		secrets               []string
		now                   time.Time
		want                  error
	}{
		{"valid", exampleBody, exampleSignature, []string{exampleSecret}, sent, nil},
		{"by the second signature", exampleBody, "v1,AAAA " + exampleSignature, []string{exampleSecret}, sent, nil},
		{"by the second secret", exampleBody, exampleSignature, []string{"whsec_AAAA", exampleSecret}, sent, nil},
		{"another body", exampleBody + " ", exampleSignature, []string{exampleSecret}, sent, ErrWebhookSignature},
		{"another secret", exampleBody, exampleSignature, []string{"whsec_AAAA"}, sent, ErrWebhookSignature},
		{"no signature", exampleBody, "", []string{exampleSecret}, sent, ErrWebhookSignature},
		{"no secret", exampleBody, exampleSignature, nil, sent, ErrWebhookSignature},
		{"sent long ago", exampleBody, exampleSignature, []string{exampleSecret}, sent.Add(6 * time.Minute), ErrWebhookSignature},
		{"sent in the future", exampleBody, exampleSignature, []string{exampleSecret}, sent.Add(-6 * time.Minute), ErrWebhookSignature},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			header.Set(HeaderWebhookID, exampleID)
			header.Set(HeaderWebhookTimestamp, "1614265330")
			header.Set(HeaderWebhookSignature, tc.signature)
			if err := verifyWebhook(header, []byte(tc.body), tc.now, tc.secrets); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(`{"id":"evt_1","type":"ping","timestamp":"2026-11-20T08:00:00Z","sequence":1,"data":{}}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		_, _ = parseEvent(body) // must not panic
	})
}
