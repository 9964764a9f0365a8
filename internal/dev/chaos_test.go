package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChaosFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want []string // nil when refused
	}{
		{"none", nil, []string{"ASSAY_TEST_CHAOS_FAULT=", "ASSAY_TEST_CHAOS_SEED=1"}},
		{
			"all",
			[]string{"-fault", "kill", "-runs", "3", "-seed", "17", "-time", "90s", "-base", "v1.2.0"},
			[]string{"ASSAY_TEST_CHAOS_FAULT=kill", "ASSAY_TEST_CHAOS_SEED=17", "ASSAY_TEST_CHAOS_RUNS=3", "ASSAY_TEST_CHAOS_BASE=v1.2.0", "ASSAY_TEST_CHAOS_TIME=1m30s"},
		},
		{"an argument", []string{"kill"}, nil},
		{"fewer than no runs", []string{"-runs", "-1"}, nil},
		{"an unknown flag", []string{"-faults", "kill"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseChaos(tt.args)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.want == nil) || err != nil && !errors.Is(err, errUsage) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestChaosTable(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "chaos.jsonl")
	if rows, err := readChaos(report); err != nil || len(rows) > 0 {
		t.Fatalf("no report: %v, %v", rows, err)
	}
	text := `{"fault":"kill","seed":1,"runs":3,"take_over_ms":1200,"limit_ms":2000}
{"fault":"kill","seed":2,"runs":3,"failed":true,"take_over_ms":2500,"limit_ms":2000}
{"fault":"held","seed":1,"runs":1,"take_over_ms":-1,"note":"p50 1 ms"}
{"fault":"kill","seed":3,"runs":3,"take_over_ms":-1,"limit_ms":2000}
`
	if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := readChaos(report)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(chaosTable(rows)) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"", "fault runs failed worst take-over promised late seeds that failed, notes",
		"kill 3 1 2.5s 2s 1 seeds [2]", "held 1 0 - - - p50 1 ms", "",
		`1 runs failed. A seed gives its run again: make chaos ARGS='-fault "NAME" -seed N -runs 1'`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
