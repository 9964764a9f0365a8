package interview

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/viewing"
)

// readers are all functions that read bodies from the page.
func readers() map[string]func(*decode.Object) {
	return map[string]func(*decode.Object){
		"consent": func(o *decode.Object) { readConsent(o) }, "device-check": func(o *decode.Object) { readDeviceCheck(o) },
		"takes": func(o *decode.Object) { readWish(o) }, "seal": func(o *decode.Object) { readSeal(o) }, "abort": func(o *decode.Object) { readAbort(o) },
		"events": func(o *decode.Object) { readEvents(o).dateEvents(uuid.New(), time.Now()) },
	}
}

// FuzzBodies checks that any body is either read or refused as the caller's fault.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"accepted": true, "sha256": "ab"}`, `{"outcome": "ok", "upload_kbps": 1e300, "extra_time": "2", "camera": "\ud800"}`, `{"mode": "video", "media_type": "video/webm;codecs=vp8,opus"}`,
		`{"take": 1, "bytes": 5, "duration_ms": 1, "sha256": "zz"}`, `{"text": "\u0000"}`, `{"take": 0, "recorded_ms": -1}`,
		`{"sent_at": "2026-11-20T12:00:00Z", "events": [{"client_id": "x", "seq": 1, "kind": "copy", "at_ms": 99999999999999999999, "data": {"a": {"b": []}}}]}`, `{"events": [1]}`, `[`, ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for name, read := range readers() {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			_, err := decode.BodyOf(r, func(o *decode.Object) struct{} { read(o); return struct{}{} })
			if err == nil {
				continue
			}
			if p := problem.From(err); p.Status() < 400 || p.Status() >= 500 {
				t.Errorf("%s of %q: %v", name, body, err)
			}
		}
	})
}

// FuzzShared checks that any report and transcript result in an excerpt or an error, and never
// reveal an address.
func FuzzShared(f *testing.F) {
	f.Add(`{"findings": [{"evidence": [{"type": "transcript"}, {"type": "trade"}]}]}`, `{"segments": [{}]}`, "zoe@example.com")
	f.Add(`{"findings": null, "claim_checks": [null]}`, `[]`, "@")
	f.Add(`null`, `null`, "é@x")
	f.Fuzz(func(t *testing.T, told, heard, email string) {
		shown, err := sharedOf(viewing.Shared{Detail: interviews.Detail{
			Interview: interviews.Interview{TraderEmail: &email}, Report: []byte(told), Transcript: []byte(heard),
		}})
		if err != nil {
			return
		}
		name, _, found := strings.Cut(email, "@")
		if got := *shown.Trader.Email; found && utf8.RuneCountInString(name) > 1 && strings.HasPrefix(got, name+"@") {
			t.Errorf("%s is shown as %s", email, got)
		}
		for _, one := range shown.Report.Findings {
			for _, e := range one.Evidence {
				if e.Type != said {
					t.Errorf("evidence of type %s is shared", e.Type)
				}
			}
		}
	})
}
