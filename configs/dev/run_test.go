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
		want []string
	}{
		{"nothing", nil, nil},
		{"one", []string{"--fault", "status-500,endpoint=/trades"}, []string{"status-500,endpoint=/trades"}},
		{"several", []string{"--fault", "slow", "--fault=payouts-404"}, []string{"slow", "payouts-404"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseRun(tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
