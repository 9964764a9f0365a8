// Package chaostest lets tests inject a fault again and again, each time with
// another seed: a few times among the ordinary tests, and by the thousand under
// `make chaos`, which collects the outcomes in a table. No binary links it.
//
// Everything that a run chooses comes from its seed: the world, the fault, and the
// request of the platform or call of a receiver at which it happens. A seed does
// not choose how processes are scheduled between these points.
package chaostest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Variables by which `make chaos` sets the scale; none of them is set in the
// ordinary tests.
const (
	// scaleVariable selects each fault's large number of runs if it is "large".
	scaleVariable = "ASSAY_TEST_CHAOS"
	// runsVariable overrides the number of runs of every fault.
	runsVariable = "ASSAY_TEST_CHAOS_RUNS"
	// seedVariable is the seed of the first run; default 1.
	seedVariable = "ASSAY_TEST_CHAOS_SEED"
	// faultVariable is a regular expression. Faults that do not match it are left
	// out.
	faultVariable = "ASSAY_TEST_CHAOS_FAULT"
	// timeVariable is how long faults last that run for a time and not for a number
	// of runs.
	timeVariable = "ASSAY_TEST_CHAOS_TIME"
	// reportVariable is the file that gets a line of JSON, an Outcome, for each run.
	reportVariable = "ASSAY_TEST_CHAOS_REPORT"
)

// Fault is a row of the table.
type Fault struct {
	Name  string        // in the table, and for faultVariable
	Small int           // runs among the ordinary tests
	Large int           // runs under make chaos
	Width int           // runs at a time; default 1
	Timed bool          // one run, of Time
	Limit time.Duration // within which another process continues; 0 means that nothing is promised
}

// outcome is the result of a run.
type outcome struct {
	Fault     string `json:"fault"`
	Test      string `json:"test"` // the test's name without its package's folder
	Seed      uint64 `json:"seed"`
	Runs      int    `json:"runs"` // planned of this fault
	Failed    bool   `json:"failed"`
	TakeOver  int64  `json:"take_over_ms"` // the longest of the run; -1 when nothing was taken over
	Limit     int64  `json:"limit_ms"`     // 0 means that nothing is promised
	Note      string `json:"note"`
	ElapsedMS int64  `json:"elapsed_ms"`
}

// Run is one run of a fault.
type Run struct {
	*rand.Rand
	Seed uint64

	mu       sync.Mutex
	takeOver time.Duration
	note     string
}

// TookOver notes how long it took until another process continued.
func (r *Run) TookOver(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.takeOver = max(r.takeOver, d)
}

// Note adds a figure to the table, such as "p99 12 ms".
func (r *Run) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note = fmt.Sprintf(format, args...)
}

// Between returns a number from low to high, both included.
func (r *Run) Between(low, high int) int { return low + r.IntN(high-low+1) }

// Large reports whether the large number of runs is wanted.
func Large() bool { return os.Getenv(scaleVariable) == "large" }

// Time returns how long a fault lasts that runs for a time.
func Time(t testing.TB, small, large time.Duration) time.Duration {
	t.Helper()
	if text := os.Getenv(timeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", timeVariable, err)
		}
		return d
	}
	if Large() {
		return large
	}
	return small
}

// Each injects the fault and calls do to judge each run. Call it once in a test.
func (f Fault) Each(t *testing.T, do func(t *testing.T, r *Run)) {
	t.Helper()
	if only := os.Getenv(faultVariable); only != "" && !regexp.MustCompile(only).MatchString(f.Name) {
		t.Skipf("%s leaves %q out", faultVariable, f.Name)
	}
	first, runs := uint64(numberFromEnv(t, seedVariable, 1)), f.Small
	if Large() {
		runs = f.Large
	} else {
		t.Parallel() // a few runs are ordinary tests
	}
	if !f.Timed {
		runs = numberFromEnv(t, runsVariable, runs)
	}
	places := make(chan struct{}, max(f.Width, 1))
	for n := range runs {
		seed := first + uint64(n)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			if f.Width > 1 {
				t.Parallel()
			}
			places <- struct{}{}
			defer func() { <-places }()
			r := &Run{Rand: rand.New(rand.NewPCG(seed, 0)), Seed: seed, takeOver: -1} //nolint:gosec // a seed must give the same run
			began := time.Now()
			t.Cleanup(func() { f.writeReport(t, r, runs, time.Since(began)) })
			t.Logf("fault %q, seed %d: make chaos ARGS='-fault \"%s\" -seed %d -runs 1'", f.Name, seed, regexp.QuoteMeta(f.Name), seed)
			do(t, r)
		})
	}
}

// reporting guards the report among the runs of a process. Lines of several
// processes do not mix, because they are short.
var reporting sync.Mutex

// writeReport writes the line of the run.
func (f Fault) writeReport(t *testing.T, r *Run, runs int, elapsed time.Duration) {
	t.Helper()
	path := os.Getenv(reportVariable)
	if path == "" {
		return
	}
	o := outcome{
		Fault: f.Name, Test: t.Name(), Seed: r.Seed, Runs: runs, Failed: t.Failed() && !t.Skipped(), TakeOver: -1, Limit: f.Limit.Milliseconds(),
		Note: r.note, ElapsedMS: elapsed.Milliseconds(),
	}
	if r.takeOver >= 0 {
		o.TakeOver = r.takeOver.Milliseconds()
	}
	if t.Skipped() {
		o.Note = cmp.Or(o.Note, "left out")
	}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	reporting.Lock()
	defer reporting.Unlock()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
}

// numberFromEnv returns the number in the variable.
func numberFromEnv(t testing.TB, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q, want a number", variable, text)
	}
	return n
}
