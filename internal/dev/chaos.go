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
	"time"
)

const chaosUsage = `usage: make chaos ARGS='[FLAGS]'

Causes each fault of the table hundreds of times, and compares what assay has
stored and delivered with what the platform has. All faults take some hours; the
ordinary tests cause each fault a few times.

  -fault REGEXP   only these rows of the table
  -runs N         the number of runs of each fault
  -seed N         the seed of the first run (1), which determines its choices
  -time D         the duration of faults that have one instead of runs: the
                  transaction that is held open (15m), rolling restarts (10m)
  -base REVISION  the earlier version that is upgraded (the newest one that lacks
                  the latest change of the migrations)
`

// chaosRun is what the tests report of a run (syncd/chaostest, Outcome).
type chaosRun struct {
	Fault    string `json:"fault"`
	Test     string `json:"test"`
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`
	Failed   bool   `json:"failed"`
	TakeOver int64  `json:"take_over_ms"`
	Limit    int64  `json:"limit_ms"`
	Note     string `json:"note"`
}

// chaosRow is a row of the table.
type chaosRow struct {
	fault         string
	planned, runs int
	worst, limit  int64 // ms; worst is -1 without any
	late          int
	failed        []uint64
	note          string
}

// runChaos is `make chaos`.
func runChaos(ctx context.Context, l *launcher, args []string) error {
	settings, err := parseChaos(args)
	if err != nil {
		return err
	}
	return l.runReported(ctx, reportedTests{
		name: "chaos", doing: "causing faults",
		args:     []string{"-run", "^TestChaos", "-count=1", "-v", "-p", "1", "-parallel", "8", "-timeout", "48h", "./syncd/...", "./" + drillTests},
		env:      append(settings, "ASSAY_TEST_CHAOS=large"),
		report:   "ASSAY_TEST_CHAOS_REPORT",
		progress: chaosProgress, table: func(report string) (string, error) {
			rows, err := readChaos(report)
			return chaosTable(rows), err
		},
	})
}

// parseChaos returns the variables that pass the flags to the tests.
func parseChaos(args []string) (env []string, err error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() { fmt.Fprint(os.Stderr, chaosUsage) }
	fault, runs := flags.String("fault", "", ""), flags.Int("runs", 0, "")
	seed, lasts, base := flags.Int("seed", 1, ""), flags.Duration("time", 0, ""), flags.String("base", "", "")
	if err := flags.Parse(args); err != nil {
		return nil, errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 || *runs < 0 || *seed < 0 || *lasts < 0 {
		return nil, fmt.Errorf("chaos takes no %s: %w", strings.Join(args, " "), errUsage)
	}
	env = append(env, "ASSAY_TEST_CHAOS_FAULT="+*fault, "ASSAY_TEST_CHAOS_SEED="+strconv.Itoa(*seed))
	if *runs > 0 {
		env = append(env, "ASSAY_TEST_CHAOS_RUNS="+strconv.Itoa(*runs))
	}
	if *base != "" {
		env = append(env, "ASSAY_TEST_CHAOS_BASE="+*base)
	}
	if *lasts > 0 {
		env = append(env, "ASSAY_TEST_CHAOS_TIME="+lasts.String())
	}
	return env, nil
}

// chaosProgress says how far the runs of the latest fault have come.
func chaosProgress(report string) string {
	rows, err := readChaos(report)
	if err != nil || len(rows) == 0 {
		return "" // nothing has been reported yet
	}
	now := rows[len(rows)-1]
	return fmt.Sprintf("%s: %d of %d, %d failed, worst %s", now.fault, now.runs, now.planned, len(now.failed), formatMilliseconds(now.worst))
}

// readChaos reads what has been reported, by fault in the order of their first runs.
func readChaos(report string) ([]*chaosRow, error) {
	runs, err := readReport[chaosRun](report)
	if err != nil {
		return nil, err
	}
	var rows []*chaosRow
	byName := make(map[string]*chaosRow)
	for _, r := range runs {
		row := byName[r.Fault]
		if row == nil {
			row = &chaosRow{fault: r.Fault, worst: -1}
			byName[r.Fault], rows = row, append(rows, row)
		}
		row.addRun(r)
	}
	return rows, nil
}

// addRun counts a run.
func (row *chaosRow) addRun(r chaosRun) {
	row.runs++
	row.planned, row.limit, row.worst = r.Runs, r.Limit, max(row.worst, r.TakeOver)
	if r.Limit > 0 && r.TakeOver > r.Limit {
		row.late++
	}
	if r.Failed {
		row.failed = append(row.failed, r.Seed)
	}
	if r.Note != "" {
		row.note = r.Note
	}
}

// chaosTable is the table.
func chaosTable(rows []*chaosRow) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nfault\truns\tfailed\tworst take-over\tpromised\tlate\tseeds that failed, notes")
	failed := 0
	for _, r := range rows {
		promised, late := "-", "-"
		if r.limit > 0 {
			promised, late = formatMilliseconds(r.limit), strconv.Itoa(r.late)
		}
		rest := r.note
		if len(r.failed) > 0 {
			rest = strings.TrimSpace(fmt.Sprintf("seeds %v %s", r.failed[:min(len(r.failed), 10)], rest))
		}
		failed += len(r.failed)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", r.fault, r.runs, len(r.failed), formatMilliseconds(r.worst), promised, late, rest)
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&b, "\n%d runs failed. A seed gives its run again: make chaos ARGS='-fault \"NAME\" -seed N -runs 1'\n", failed)
	return b.String()
}

// formatMilliseconds returns a time of the table. A negative one means that there
// was none.
func formatMilliseconds(ms int64) string {
	if ms < 0 {
		return "-"
	}
	return (time.Duration(ms) * time.Millisecond).String()
}
