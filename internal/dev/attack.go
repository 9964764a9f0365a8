package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

const attackUsage = `usage: make attack ARGS='[FLAGS]'

Starts Postgres, apiserver and syncd, runs one attack after another, and ends with
a table of what must hold and what was seen. All attacks take some minutes at full
size; the ordinary tests run small ones.

  -short          small sizes, as in the ordinary tests
  -attack REGEXP  only these rows of the table
  -seed N         the seed that determines the attacks' choices (1)
`

// attackRow is what the tests report of an attack (test/attack, row), and a row of
// the table.
type attackRow struct {
	Attack  string `json:"attack"`
	Size    int    `json:"size"`
	Unit    string `json:"unit"`
	Holds   string `json:"holds"`
	Seen    string `json:"seen"`
	Failed  bool   `json:"failed"`
	Skipped bool   `json:"skipped"`
	Elapsed int64  `json:"elapsed_ms"`
}

// runAttack is `make attack`.
func runAttack(ctx context.Context, l *launcher, args []string) error {
	settings, err := parseAttack(args)
	if err != nil {
		return err
	}
	return l.runReported(ctx, reportedTests{
		name: "attack", doing: "attacking a deployment",
		args:     []string{"-run", "^TestAttack$", "-count=1", "-v", "-timeout", "4h", "./test/attack"},
		env:      settings,
		report:   "ASSAY_TEST_ATTACK_REPORT",
		progress: attackProgress, table: func(report string) (string, error) {
			rows, err := readReport[attackRow](report)
			return attackTable(rows), err
		},
	})
}

// parseAttack returns the variables that pass the flags to the tests.
func parseAttack(args []string) (env []string, err error) {
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() { fmt.Fprint(os.Stderr, attackUsage) }
	short, attack, seed := flags.Bool("short", false, ""), flags.String("attack", "", ""), flags.Uint64("seed", 1, "")
	if err := flags.Parse(args); err != nil {
		return nil, errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("attack takes no %s: %w", strings.Join(args, " "), errUsage)
	}
	scale := "full"
	if *short {
		scale = "short"
	}
	return []string{"ASSAY_TEST_ATTACK=" + scale, "ASSAY_TEST_ATTACK_NAME=" + *attack, "ASSAY_TEST_ATTACK_SEED=" + strconv.FormatUint(*seed, 10)}, nil
}

// attackProgress says which attack has ended last.
func attackProgress(report string) string {
	rows, err := readReport[attackRow](report)
	if err != nil || len(rows) == 0 {
		return "" // nothing has been reported yet
	}
	now := rows[len(rows)-1]
	return fmt.Sprintf("%s: %s", now.Attack, now.outcome())
}

func (r attackRow) outcome() string {
	switch {
	case r.Failed:
		return "FAIL"
	case r.Skipped:
		return "left out"
	}
	return "pass"
}

// attackTable is the table.
func attackTable(rows []attackRow) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nattack\tsize\tmust hold\tresult\tseen")
	failed := 0
	for _, r := range rows {
		if r.Failed {
			failed++
		}
		fmt.Fprintf(w, "%s\t%d %s\t%s\t%s\t%s\n", r.Attack, r.Size, r.Unit, r.Holds, r.outcome(), r.Seen)
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&b, "\n%d of %d attacks failed. One alone: make attack ARGS='-attack \"NAME\"'\n", failed, len(rows))
	return b.String()
}
