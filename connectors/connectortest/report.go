package connectortest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// CheckReport checks what the report of every live check must hold, whatever its
// result. endpoint is how the endpoint of each step begins, such as "GET /v1/".
func CheckReport(t testing.TB, kind record.Kind, endpoint string, r connectors.Report) {
	t.Helper()
	if r.Kind != kind || r.StartedAt.IsZero() || r.Duration <= 0 {
		t.Errorf("kind %q, started %v, took %v", r.Kind, r.StartedAt, r.Duration)
	}
	if _, failed := r.FirstFailure(); failed == r.OK {
		t.Errorf("ok %t, but a required step failed: %t", r.OK, failed)
	}
	for _, s := range r.Steps {
		explained := s.Message != "" && s.Hint != "" && s.Code != ""
		silent := s.Message == "" && s.Hint == "" && s.Code == ""
		switch s.Status {
		case connectors.StepPassed:
			if !silent || s.HTTPStatus == 0 || s.Latency <= 0 || !strings.HasPrefix(s.Endpoint, endpoint) {
				t.Errorf("%+v", s)
			}
		case connectors.StepSkipped:
			if !silent || s.HTTPStatus != 0 || s.Latency != 0 || s.Endpoint != "" {
				t.Errorf("%+v", s)
			}
		default:
			if !explained || !strings.HasPrefix(s.Endpoint, endpoint) {
				t.Errorf("%+v", s)
			}
		}
		if strings.Contains(s.Message+s.Endpoint+s.Hint, apiKey) {
			t.Errorf("the key is shown: %+v", s)
		}
	}
}

// Summary returns the report in lines: whether all is well, and each step with its
// status and code.
func Summary(r connectors.Report) string {
	lines := []string{fmt.Sprintf("ok %t", r.OK)}
	for _, s := range r.Steps {
		lines = append(lines, strings.TrimSpace(s.Name+" "+string(s.Status)+" "+string(s.Code)))
	}
	return strings.Join(lines, "\n")
}

// Expected is the Summary of a check of the steps. All pass except those given as
// pairs of name and outcome. If a name is given twice, the last outcome counts.
func Expected(ok bool, steps []string, outcomes ...string) string {
	other := map[string]string{}
	for i := 0; i < len(outcomes); i += 2 {
		other[outcomes[i]] = outcomes[i+1]
	}
	lines := []string{fmt.Sprintf("ok %t", ok)}
	for _, name := range steps {
		outcome, given := other[name]
		if !given {
			outcome = string(connectors.StepPassed)
		}
		lines = append(lines, name+" "+outcome)
	}
	return strings.Join(lines, "\n")
}
