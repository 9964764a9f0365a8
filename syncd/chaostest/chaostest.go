// Package chaostest lets tests bring a fault about again and again, each time
// with another seed: a few times among the ordinary tests, by the thousand under
// `make chaos`, which collects what came of it in a table. No binary links it.
//
// Everything that a run chooses comes from its seed: the world, what goes wrong,
// and at which request of the platform or call of a receiver. What a seed does
// not choose is how processes are scheduled between these points.
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
	// ScaleVariable: "large" takes each fault's large number of runs.
	ScaleVariable = "ASSAY_TEST_CHAOS"
	// RunsVariable is the number of runs of every fault instead.
	RunsVariable = "ASSAY_TEST_CHAOS_RUNS"
	// SeedVariable is the first run's seed; default 1.
	SeedVariable = "ASSAY_TEST_CHAOS_SEED"
	// FaultVariable is a regular expression: other faults are left out.
	FaultVariable = "ASSAY_TEST_CHAOS_FAULT"
	// TimeVariable is how long faults last that have no runs but a time.
	TimeVariable = "ASSAY_TEST_CHAOS_TIME"
	// ReportVariable is the file that gets a line of JSON, an Outcome, for each run.
	ReportVariable = "ASSAY_TEST_CHAOS_REPORT"
)

// Fault is a row of the table.
type Fault struct {
	Name  string        // in the table, and for FaultVariable
	Small int           // runs among the ordinary tests
	Large int           // runs under make chaos
	Width int           // runs at a time; default 1
	Timed bool          // one run, of Time
	Limit time.Duration // within which another process goes on; 0: nothing is promised
}

// Outcome is what came of a run.
type Outcome struct {
	Fault     string `json:"fault"`
	Test      string `json:"test"` // the test's name, with its package's folder left out
	Seed      uint64 `json:"seed"`
	Runs      int    `json:"runs"` // planned of this fault
	Failed    bool   `json:"failed"`
	TakeOver  int64  `json:"take_over_ms"` // the longest of the run; -1: nothing was taken over
	Limit     int64  `json:"limit_ms"`     // 0: nothing is promised
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

// TookOver notes how long it took until something went on.
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

// Between is a number from low to high, both included.
func (r *Run) Between(low, high int) int { return low + r.IntN(high-low+1) }

// Large reports whether the large number of runs is wanted.
func Large() bool { return os.Getenv(ScaleVariable) == "large" }

// Time is how long a fault lasts that has no runs but a time.
func Time(t testing.TB, small, large time.Duration) time.Duration {
	t.Helper()
	if text := os.Getenv(TimeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", TimeVariable, err)
		}
		return d
	}
	if Large() {
		return large
	}
	return small
}

// Each brings the fault about, and lets do judge each run. Call it once in a test.
func (f Fault) Each(t *testing.T, do func(t *testing.T, r *Run)) {
	t.Helper()
	if only := os.Getenv(FaultVariable); only != "" && !regexp.MustCompile(only).MatchString(f.Name) {
		t.Skipf("%s leaves %q out", FaultVariable, f.Name)
	}
	first, runs := uint64(numberFromEnv(t, SeedVariable, 1)), f.Small
	if Large() {
		runs = f.Large
	} else {
		t.Parallel() // a few runs are ordinary tests
	}
	if !f.Timed {
		runs = numberFromEnv(t, RunsVariable, runs)
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

// reporting guards the report among the runs of a process; lines of several
// processes do not mix, being short.
var reporting sync.Mutex

// writeReport writes the run's line.
func (f Fault) writeReport(t *testing.T, r *Run, runs int, elapsed time.Duration) {
	t.Helper()
	path := os.Getenv(ReportVariable)
	if path == "" {
		return
	}
	o := Outcome{
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

// numberFromEnv returns what the variable says.
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
