package boot_test

import (
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/boot"
)

func TestCommandHelp(t *testing.T) {
	t.Parallel()
	const usage = "baker bakes.\n\nUsage:\n  baker [--oven FILE]   bake\n  baker dough add --flour KIND\n                        add flour\n  baker dough rest      wait\n  baker dough\n\nExit codes: 0.\n"
	for _, tc := range []struct{ name, command, want string }{
		{"a command", "dough add", "  baker dough add --flour KIND\n                        add flour\n"},
		{"the last words of a group", "dough rest", "  baker dough rest      wait\n"},
		{"a group", "dough", "  baker dough add --flour KIND\n                        add flour\n  baker dough rest      wait\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := boot.CommandHelp(usage, "baker", tc.command); !strings.HasPrefix(got, "Usage:\n"+tc.want+"\n") {
				t.Errorf("got\n%s", got)
			}
		})
	}
	for _, whole := range []string{"", "cake"} {
		if got := boot.CommandHelp(usage, "baker", whole); got != usage {
			t.Errorf("the help of %q is\n%s", whole, got)
		}
	}
}
