package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecisionReasons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/v1/decision-reasons"
	if r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); r.body != `{"reasons":[]}` {
		t.Errorf("reasons before any were set: %s", r.body)
	}
	body := `{"reasons":[{"decision":"rejected","text":"Copied trades: \"A\", 交易"},{"decision":null,"text":"Two\nlines"}]}`
	r := b.send(t, "PUT", path, b.key, body).want(t, http.StatusOK)
	if diff := cmp.Diff(body, r.body); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if got := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK); got.body != body || got.header.Get("ETag") != r.header.Get("ETag") {
		t.Errorf("reasons %s with the tag %s, want %s with %s", got.body, got.header.Get("ETag"), body, r.header.Get("ETag"))
	}
	first := r.header.Get("ETag")
	r = b.ask(t, request{method: "PUT", path: path, key: b.key, body: `{"reasons":[{"text":"New"}]}`, header: with("If-Match", first)}).want(t, http.StatusOK)
	if r.header.Get("ETag") == first || !strings.Contains(r.body, `"New"`) {
		t.Errorf("a change of what was read answers %s with the tag %s", r.body, r.header.Get("ETag"))
	}
	b.ask(t, request{method: "PUT", path: path, key: b.key, body: "{}", header: with("If-Match", first)}).wantProblem(t, http.StatusPreconditionFailed, "precondition_failed")
	b.send(t, "PUT", path, b.key, body).want(t, http.StatusOK)
	for bad, fault := range map[string]string{
		`{"reasons":[{"text":" "}]}`:                                 "#/reasons/0/text invalid_format",
		`{"reasons":[{"text":"a","decision":"fired"}]}`:              "#/reasons/0/decision invalid_format",
		`{"reasons":[{"text":"` + strings.Repeat("x", 4001) + `"}]}`: "#/reasons/0/text too_long",
	} {
		if diff := cmp.Diff([]string{fault}, b.send(t, "PUT", path, b.key, bad).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed").faults()); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", bad, diff)
		}
	}
	if r := b.send(t, "PUT", path, b.key, "{}").want(t, http.StatusOK); r.body != `{"reasons":[]}` {
		t.Errorf("reasons after they were omitted: %s", r.body)
	}
	log := b.send(t, "GET", "/v1/audit?action=organization.reasons_replaced", b.key, nil).want(t, http.StatusOK).body
	if !strings.Contains(log, `"before":{"reasons":0}`) || !strings.Contains(log, `"after":{"reasons":2}`) {
		t.Errorf("the audit log does not tell how many reasons there were and are: %s", log)
	}
}
