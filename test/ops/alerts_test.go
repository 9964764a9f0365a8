package ops_test

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ruleFile is a file of Prometheus's rules.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

type rule struct {
	Record      string
	Alert       string
	Expr        string
	For         string
	Labels      map[string]string
	Annotations map[string]string
}

// alerts lists all alerts.
func alerts(t *testing.T) (list []rule) {
	t.Helper()
	var file ruleFile
	readYAML(t, &file, "configs", "prometheus", "alerts.yml")
	for _, g := range file.Groups {
		list = append(list, g.Rules...)
	}
	if len(list) == 0 {
		t.Fatal("there are no alerts")
	}
	return list
}

// TestPrometheusConfig has Prometheus's own tool check the files, and run the cases of the alerts.
// It takes long because the cases of the alerts cover days of samples.
func TestPrometheusConfig(t *testing.T) {
	t.Parallel()
	promtool := program(t, "promtool")
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = filepath.Join(root, "configs", "prometheus")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestAlertsHaveCases: for each alert there is a case in which it fires, and one
// in which it does not.
func TestAlertsHaveCases(t *testing.T) {
	t.Parallel()
	var file struct {
		RuleFiles          []string `yaml:"rule_files"`
		EvaluationInterval string   `yaml:"evaluation_interval"`
		Tests              []struct {
			Name          string
			Interval      string
			InputSeries   []map[string]string `yaml:"input_series"`
			AlertRuleTest []struct {
				EvalTime  string `yaml:"eval_time"`
				Alertname string
				ExpAlerts []struct {
					Labels      map[string]string `yaml:"exp_labels"`
					Annotations map[string]string `yaml:"exp_annotations"`
				} `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	readYAML(t, &file, "configs", "prometheus", "alerts_test.yml")
	met := make(map[string]bool)
	for _, test := range file.Tests {
		for _, c := range test.AlertRuleTest {
			met[fmt.Sprintf("%s %t", c.Alertname, len(c.ExpAlerts) > 0)] = true
		}
	}
	want := make(map[string]bool)
	for _, a := range alerts(t) {
		want[a.Alert+" true"], want[a.Alert+" false"] = true, true
	}
	if diff := cmp.Diff(want, met); diff != "" {
		t.Errorf("cases of alerts, with whether it fires (-want +got):\n%s", diff)
	}
}

// runbooks is where alerts and panels link to.
const runbooks = "https://github.com/assayhq/assay/blob/main/docs/runbooks.md#"

var heading = regexp.MustCompile(`(?m)^## (\w+)$`)

// TestAlertsHaveRunbooks: each alert says how urgent it is, and links to its
// section of the runbooks, which has no others.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	text := string(read(t, "docs", "runbooks.md"))
	sections := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		sections[m[1]] = true
	}
	names := make(map[string]bool)
	for _, a := range alerts(t) {
		names[a.Alert] = true
		if got, want := a.Annotations["runbook_url"], runbooks+strings.ToLower(a.Alert); got != want {
			t.Errorf("%s links to %s, want %s", a.Alert, got, want)
		}
		if a.Annotations["summary"] == "" {
			t.Errorf("%s has no summary", a.Alert)
		}
		if !slices.Contains([]string{"page", "ticket"}, a.Labels["severity"]) {
			t.Errorf("%s has the severity %q, want page or ticket", a.Alert, a.Labels["severity"])
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Keys(sections))); diff != "" {
		t.Errorf("sections of the runbooks (-want +got):\n%s", diff)
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		found := false
		for name := range sections {
			found = found || strings.ToLower(name) == m[1]
		}
		if !found {
			t.Errorf("a link goes to #%s, which is no section", m[1])
		}
	}
}

// TestAlertsAreStaged: for each alert there is an incident in which a test waits
// until it fires.
func TestAlertsAreStaged(t *testing.T) {
	t.Parallel()
	tests := string(read(t, "test", "ops", "live_test.go")) + string(read(t, "test", "ops", "slow_test.go"))
	for _, a := range alerts(t) {
		if !strings.Contains(tests, `"`+a.Alert+`"`) {
			t.Errorf("%s is not staged", a.Alert)
		}
	}
}
