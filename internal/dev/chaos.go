package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const chaosUsage = `usage: make chaos ARGS='[FLAGS]'

Brings each fault of the table about by the thousand, and compares what assay has
stored and delivered with the truth each time. All of it takes some hours; the
ordinary tests bring each fault about a few times.

  -fault REGEXP   these rows of the table alone
  -runs N         so many runs of each fault
  -seed N         the first run's seed (1); what a run chooses comes from its seed
  -time D         how long the faults last that have a time in the place of runs:
                  the transaction that is held open (15m), rolling restarts (10m)
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
	return l.withDatabase(ctx, "test", func(env []string) error {
		if err := l.ensureRecordings(ctx); err != nil {
			return err
		}
		report, logs := filepath.Join(l.dir, "chaos.jsonl"), filepath.Join(l.dir, "chaos.log")
		if err := os.Remove(report); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		log, err := os.Create(logs)
		if err != nil {
			return err
		}
		defer log.Close()
		l.say("bringing faults about; what the tests say goes to %s", logs)
		watching, stop := context.WithCancel(ctx)
		seen := make(chan struct{})
		go func() {
			defer close(seen)
			l.watchChaos(watching, report)
		}()
		args := []string{"-run", "^TestChaos", "-count=1", "-v", "-p", "1", "-parallel", "8", "-timeout", "48h", "./syncd/..."}
		ran := l.goTest(ctx, append(append(env, settings...), "ASSAY_TEST_CHAOS=large", "ASSAY_TEST_CHAOS_REPORT="+report), args, log)
		stop()
		<-seen
		rows, err := readChaos(report)
		if err != nil {
			return errors.Join(ran, err)
		}
		fmt.Print(chaosTable(rows))
		if ran != nil {
			l.say("what failed says why in %s", logs)
		}
		return ran
	})
}

// parseChaos returns the variables that pass the flags to the tests.
func parseChaos(args []string) (env []string, err error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() { fmt.Fprint(os.Stderr, chaosUsage) }
	fault, runs := flags.String("fault", "", ""), flags.Int("runs", 0, "")
	seed, lasts := flags.Int("seed", 1, ""), flags.Duration("time", 0, "")
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
	if *lasts > 0 {
		env = append(env, "ASSAY_TEST_CHAOS_TIME="+lasts.String())
	}
	return env, nil
}

// chaosEvery is how often progress is polled.
const chaosEvery = 15 * time.Second

// watchChaos says how far the runs have come, until ctx ends.
func (l *launcher) watchChaos(ctx context.Context, report string) {
	tick := time.NewTicker(chaosEvery)
	defer tick.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		rows, err := readChaos(report)
		if err != nil || len(rows) == 0 {
			continue // nothing has been reported yet
		}
		now := rows[len(rows)-1]
		text := fmt.Sprintf("%s: %d of %d, %d failed, worst %s", now.fault, now.runs, now.planned, len(now.failed), formatMilliseconds(now.worst))
		if text != said {
			l.say("%s", text)
			said = text
		}
	}
}

// readChaos reads what has been reported, by fault in the order of their first runs.
func readChaos(report string) ([]*chaosRow, error) {
	text, err := os.ReadFile(report)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var rows []*chaosRow
	byName := make(map[string]*chaosRow)
	for line := range strings.Lines(string(text)) {
		var r chaosRun
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", report, err)
		}
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
