package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAttackFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want []string // nil when refused
	}{
		{"none", nil, []string{"ASSAY_TEST_ATTACK=full", "ASSAY_TEST_ATTACK_NAME=", "ASSAY_TEST_ATTACK_SEED=1"}},
		{
			"all",
			[]string{"-short", "-attack", "smuggling", "-seed", "17"},
			[]string{"ASSAY_TEST_ATTACK=short", "ASSAY_TEST_ATTACK_NAME=smuggling", "ASSAY_TEST_ATTACK_SEED=17"},
		},
		{"an argument", []string{"smuggling"}, nil},
		{"a negative seed", []string{"-seed", "-1"}, nil},
		{"an unknown flag", []string{"-attacks", "smuggling"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseAttack(tt.args)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.want == nil) || err != nil && !errors.Is(err, errUsage) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAttackTable(t *testing.T) {
	t.Parallel()
	var got []string
	for line := range strings.Lines(attackTable([]attackRow{
		{Attack: "bombs", Size: 3, Unit: "files", Holds: "refused", Seen: "9 MiB"},
		{Attack: "rebinding", Size: 2, Unit: "names", Holds: "nothing called", Seen: "1 call", Failed: true},
		{Attack: "names", Size: 1, Unit: "names", Holds: "nothing called", Skipped: true},
	})) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"", "attack size must hold result seen", "bombs 3 files refused pass 9 MiB", "rebinding 2 names nothing called FAIL 1 call",
		"names 1 names nothing called left out", "", `1 of 3 attacks failed. One alone: make attack ARGS='-attack "NAME"'`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
