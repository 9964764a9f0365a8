package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want runFlags
	}{
		{"nothing", nil, runFlags{}},
		{"one", []string{"--fault", "status-500,endpoint=/trades"}, runFlags{faults: []string{"status-500,endpoint=/trades"}}},
		{"one of the partner platform", []string{"--partner-fault", "slow,delay=3s"}, runFlags{partnerFaults: []string{"slow,delay=3s"}}},
		{
			"several",
			[]string{"--fault", "slow", "--partner-fault=status-500", "--fault=payouts-404", "--partner-fault", "slow"},
			runFlags{faults: []string{"slow", "payouts-404"}, partnerFaults: []string{"status-500", "slow"}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseRun(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(runFlags{})); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
