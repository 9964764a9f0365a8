package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const benchUsage = `usage: make bench ARGS='[FLAGS]', or make bench ARGS='[GO TEST FLAGS] PACKAGES'

Measures every row of the target table against a durable database and ends with
the table. All rows take 40 minutes on two processors, more than half of that for
the largest counts. -short takes a few minutes: its small counts show how each row
is measured rather than what the machine can do. With packages (./store), all
arguments are passed to go test, and there is no table.

  -short        small counts everywhere
  -row REGEXP   only the rows of the table with these names
  -count N      measure everything N times (1); the table has the medians
  -claim D      how long 100,000 integrations are claimed (10m; -short 10s)
  -backfill N   how many trades are backfilled (10000000; -short 50000)
  -stored N     how many trades are in the store (20000000; -short 200000)

What go test prints is kept in .data/bench/bench.txt for benchstat, and that of the
run before in bench.before.txt.
`

// benchPlan is a command line of make bench.
type benchPlan struct {
	rows  *regexp.Regexp
	short bool
	count int
	env   []string // environment of the benchmarks
}

// runBench is `make bench`.
func runBench(ctx context.Context, l *launcher, args []string) error {
	if namesPackages(args) {
		return l.withDatabase(ctx, "bench", func(env []string) error {
			return l.goTest(ctx, env, append([]string{"-run", "^$", "-bench", ".", "-benchmem", "-timeout", "6h"}, args...), os.Stdout)
		})
	}
	plan, err := parseBench(args)
	if err != nil {
		return err
	}
	steps := plan.neededSteps()
	if len(steps) == 0 {
		return fmt.Errorf("no row is called %s: %w", plan.rows, errUsage)
	}
	return l.withDatabase(ctx, "bench", func(env []string) error {
		kept := filepath.Join(l.dir, "bench.txt")
		if err := os.Rename(kept, filepath.Join(l.dir, "bench.before.txt")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		file, err := os.Create(kept)
		if err != nil {
			return err
		}
		defer file.Close()
		var failed []error
		for i, s := range steps {
			l.say("%s of %s (%d of %d)", s.bench, s.pkg, i+1, len(steps))
			if err := l.benchStep(ctx, append(env, plan.env...), plan.testArguments(s), file); err != nil {
				failed = append(failed, fmt.Errorf("%s of %s: %w", s.bench, s.pkg, err))
			}
			if ctx.Err() != nil {
				break
			}
		}
		text, err := os.ReadFile(kept)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		fmt.Print(benchTable(plan.chosenRows(), readBench(string(text))))
		l.say("what go test printed is in %s", kept)
		return errors.Join(failed...)
	})
}

// namesPackages reports whether the arguments are for go test.
func namesPackages(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "." || strings.HasPrefix(a, "./") })
}

// parseBench reads the flags.
func parseBench(args []string) (p benchPlan, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() { fmt.Fprint(os.Stderr, benchUsage) }
	row, claim := flags.String("row", "", ""), flags.Duration("claim", 0, "")
	backfill, stored := flags.Int("backfill", 0, ""), flags.Int("stored", 0, "")
	flags.BoolVar(&p.short, "short", false, "")
	flags.IntVar(&p.count, "count", 1, "")
	if err := flags.Parse(args); err != nil {
		return p, errors.Join(err, errUsage)
	}
	if flags.NArg() > 0 || p.count < 1 || *claim < 0 || *backfill < 0 || *stored < 0 {
		return p, fmt.Errorf("bench takes no %s: %w", strings.Join(args, " "), errUsage)
	}
	if p.rows, err = regexp.Compile("(?i)" + *row); err != nil {
		return p, errors.Join(err, errUsage)
	}
	if *claim > 0 {
		p.env = append(p.env, "ASSAY_TEST_BENCH_CLAIM="+claim.String())
	}
	if *backfill > 0 {
		p.env = append(p.env, "ASSAY_TEST_BENCH_BACKFILL="+strconv.Itoa(*backfill))
	}
	if *stored > 0 {
		p.env = append(p.env, "ASSAY_TEST_BENCH_STORED="+strconv.Itoa(*stored))
	}
	return p, nil
}

// chosenRows returns the rows that are asked for.
func (p benchPlan) chosenRows() (rows []benchRow) {
	for _, r := range benchRows() {
		if p.rows.MatchString(r.what) {
			rows = append(rows, r)
		}
	}
	return rows
}

// neededSteps returns the benchmarks that the rows need.
func (p benchPlan) neededSteps() (steps []benchStep) {
	rows := p.chosenRows()
	for _, s := range benchSteps() {
		if slices.ContainsFunc(rows, func(r benchRow) bool { return r.of.pkg == s.pkg && s.runsBenchmark(r.of.name) }) {
			steps = append(steps, s)
		}
	}
	return steps
}

// testArguments returns the arguments of go test.
func (p benchPlan) testArguments(s benchStep) []string {
	times := s.times
	if p.short && s.shortTimes != "" {
		times = s.shortTimes
	}
	args := []string{"-run", "^$", "-bench", "^" + s.bench + "$", "-benchtime", times, "-count", strconv.Itoa(p.count), "-v", "-timeout", "12h"}
	if s.oneCPU {
		args = append(args, "-cpu", "1")
	}
	if p.short {
		args = append(args, "-short")
	}
	return append(args, s.pkg)
}

// benchStep runs go test once. Its output goes to the file and the terminal.
func (l *launcher) benchStep(ctx context.Context, env, args []string, file io.Writer) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.MultiWriter(file, os.Stdout), read)
		copied <- err
	}()
	began := time.Now()
	err = l.goTest(ctx, env, args, write)
	err = errors.Join(err, write.Close(), <-copied, read.Close())
	l.say("took %s", time.Since(began).Round(time.Second))
	return err
}
