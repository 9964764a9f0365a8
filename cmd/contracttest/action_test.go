package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The test runs the step of the GitHub Action as a runner would, against platforms that keep the
// contract and platforms that do not.
func TestAction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../contracttest/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct {
			Required bool
			Default  *string
		}
		Runs struct {
			Using string
			Steps []struct {
				ID    string
				Shell string
				Run   string
				Env   map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil || action.Runs.Using != "composite" {
		t.Fatalf("%v, %+v", err, action.Runs)
	}
	step := -1
	for i, s := range action.Runs.Steps {
		if s.ID == "check" {
			step = i
		}
	}
	if step < 0 {
		t.Fatal("no step has the id check")
	}
	tool, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, fault, verdict string
		code                 int
	}{
		{"conformant", "chunked", "conformant", 0},
		{"violations", "health-not-ok", "violations", 1},
		{"nobody there", "", "untested", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var faults []string
			if tt.fault != "" {
				faults = append(faults, tt.fault)
			}
			s, flags := target(t, faults...)
			if tt.code == 3 {
				s.URL = refuseConnections(t)
			}
			dir := t.TempDir()
			inputs := map[string]string{"url": s.URL, "api-key": s.Key, "profile": "live-check", "ca-file": flags[5], "reports": filepath.Join(dir, "reports")}
			cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", action.Runs.Steps[step].Run)
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+filepath.Dir(tool), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"))
			for name, value := range action.Runs.Steps[step].Env {
				input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
				given, ok := inputs[input]
				if declared, known := action.Inputs[input]; !known {
					t.Fatalf("%s comes from the input %q, which is not declared", name, input)
				} else if !ok && declared.Default != nil {
					given = *declared.Default
				}
				cmd.Env = append(cmd.Env, name+"="+given)
			}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != tt.code {
				t.Errorf("%v\n%s", err, out)
			}
			for name, want := range map[string]string{"output": "verdict=" + tt.verdict, "summary": "## Customer platform contract", "reports/junit.xml": "<testsuites", "reports/report.html": "<!DOCTYPE html>"} {
				got, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil || !strings.Contains(string(got), want) || strings.Contains(string(got), s.Key) {
					t.Errorf("%s: %v %.200s", name, err, got)
				}
			}
		})
	}
}
