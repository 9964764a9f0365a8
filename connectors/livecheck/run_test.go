package livecheck_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/livecheck"
	"github.com/assayhq/assay/connectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newPlatform returns a platform that answers /STATUS with that status, and a
// 429 with a minute to wait.
func newPlatform(t *testing.T) *fetch.Platform {
	t.Helper()
	p := connectortest.NewPlatform(t, func(r *http.Request) connectortest.Answer {
		answer := connectortest.OK(`[]`)
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &answer.Status)
		if answer.Status == http.StatusTooManyRequests {
			answer = connectortest.Throttled("60")
		}
		return answer
	})
	return p.Client.Platform(record.PartnerPlatform, p.Config(""))
}

// probe is a required step that gets an answer with the status.
func probe(name string, status int) livecheck.Probe {
	return livecheck.Probe{Name: name, Required: true, Request: livecheck.Always(fetch.Request{Path: fmt.Sprintf("/%d", status)})}
}

func summary(r connectors.Report) string {
	parts := []string{fmt.Sprintf("ok %t", r.OK)}
	for _, s := range r.Steps {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Name, s.Status, s.Code)))
	}
	return strings.Join(parts, ", ")
}

// A refused key is reported first, whatever else fails, because the rest may follow
// from it.
func TestARefusedKeyIsToldFirst(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		report := livecheck.Check{Platform: newPlatform(t), Probes: []livecheck.Probe{probe("a", 404), probe("b", status), probe("c", 404)}}.Run(t.Context())
		step, ok := report.FirstFailure()
		if !ok || step.Name != "b" || !step.Denied() || !strings.HasPrefix(step.Message, "the key was refused") {
			t.Errorf("status %d: step %q says %q", status, step.Name, step.Message)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	change := func(p livecheck.Probe, with func(*livecheck.Probe)) livecheck.Probe {
		with(&p)
		return p
	}
	optional := func(p *livecheck.Probe) { p.Required = false }
	gate := func(p *livecheck.Probe) { p.Gate = true }
	tests := []struct {
		name   string
		probes []livecheck.Probe
		want   string
	}{
		{"all pass", []livecheck.Probe{probe("a", 200), probe("b", 200)}, "ok true, a passed, b passed"},
		{"a failure does not end it", []livecheck.Probe{probe("a", 404), probe("b", 200)}, "ok false, a failed not_found, b passed"},
		{"a gate does", []livecheck.Probe{change(probe("a", 401), gate), probe("b", 200)}, "ok false, a failed unauthorized, b skipped"},
		{"a gate that passes", []livecheck.Probe{change(probe("a", 200), gate), probe("b", 200)}, "ok true, a passed, b passed"},
		{
			"a failure that is not required",
			[]livecheck.Probe{change(probe("a", 403), optional), probe("b", 200)},
			"ok true, a failed forbidden, b passed",
		},
		{
			"payouts are missing",
			[]livecheck.Probe{change(probe("a", 404), func(p *livecheck.Probe) { p.Failed = livecheck.PayoutsMissing })},
			"ok true, a warned not_found",
		},
		{
			"payouts fail otherwise",
			[]livecheck.Probe{change(probe("a", 403), func(p *livecheck.Probe) { p.Failed = livecheck.PayoutsMissing })},
			"ok false, a failed forbidden",
		},
		{
			"nothing to ask",
			[]livecheck.Probe{change(probe("a", 500), func(p *livecheck.Probe) {
				p.Request = func() (fetch.Request, bool) { return fetch.Request{}, false }
			}), probe("b", 200)},
			"ok true, a skipped, b passed",
		},
		{
			"judged",
			[]livecheck.Probe{change(probe("a", 200), func(p *livecheck.Probe) {
				p.Judge = func(s *connectors.Step) { livecheck.Reject(s, "it is the wrong one") }
			})},
			"ok false, a failed unexpected_response",
		},
		{
			"decoder fails",
			[]livecheck.Probe{change(probe("a", 200), func(p *livecheck.Probe) {
				p.Decode = func(fetch.Answer) error { return errors.New("a fault of the connector") }
			})},
			"ok false, a failed internal",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report := livecheck.Check{Platform: newPlatform(t), Kind: record.PartnerPlatform, Slow: time.Hour, Probes: test.probes}.Run(t.Context())
			if diff := cmp.Diff(test.want, summary(report)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, s := range report.Steps {
				if told := s.Message != "" && s.Hint != ""; told != (s.Code != "") {
					t.Errorf("step %+v", s)
				}
			}
			if report.Kind != record.PartnerPlatform || report.StartedAt.IsZero() || report.Duration <= 0 {
				t.Errorf("report %+v", report)
			}
		})
	}
}

func TestRunWarnsOfSlowSteps(t *testing.T) {
	t.Parallel()
	report := livecheck.Check{Platform: newPlatform(t), Probes: []livecheck.Probe{probe("a", 200), probe("b", 404)}}.Run(t.Context())
	if diff := cmp.Diff("ok false, a warned timeout, b failed not_found", summary(report)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A wait that would exceed the deadline is not begun, and no request is sent after
// it.
func TestRunKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	report := livecheck.Check{Platform: newPlatform(t), Slow: time.Hour, Probes: []livecheck.Probe{probe("a", 429), probe("b", 200)}}.Run(ctx)
	if diff := cmp.Diff("ok false, a failed throttled, b skipped", summary(report)); diff != "" || ctx.Err() != nil {
		t.Errorf("context %v (-want +got)\n%s", ctx.Err(), diff)
	}
	cancel()
	report = livecheck.Check{Platform: newPlatform(t), Probes: []livecheck.Probe{probe("a", 200), probe("b", 200)}}.Run(ctx)
	if diff := cmp.Diff("ok false, a failed timeout, b skipped", summary(report)); diff != "" {
		t.Errorf("stopped (-want +got)\n%s", diff)
	}
}

func TestUnusable(t *testing.T) {
	t.Parallel()
	page := &connectors.Page{Seen: 3}
	if got := livecheck.Unusable(page); got != "" {
		t.Errorf("all can be used: %q", got)
	}
	page.Rejected = []record.Rejected{{Detail: "id is null.", Rule: "required_missing", Pointer: "/id"}, {}}
	if got, want := livecheck.Unusable(page), "2 of 3 records cannot be used: id is null. (required_missing at /id)"; got != want {
		t.Errorf("got %q", got)
	}
}
