package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// How many tests of a package are named with their times, and how long such a test
// takes at least.
const (
	slowestTests = 10
	slowTest     = time.Second
)

// testEvent is a line of what go test -json prints.
type testEvent struct {
	Action  string
	Package string
	Test    string  // empty for what is about the package
	Output  string  // with the end of the line
	Elapsed float64 // seconds, of what has ended
}

// packageReport is what is known of a package whose tests run.
type packageReport struct {
	lines []testLine
	times []testTime               // of tests that are no part of another one
	parts map[string]time.Duration // of each test's parts, added up: a test does not count those that run at a time
}

type testLine struct{ test, text string }

type testTime struct {
	test    string
	elapsed time.Duration
}

// reportTests reads the events of go test -json and writes what go test prints
// without it, and under each package its slowest tests.
func reportTests(events io.Reader, w io.Writer) error {
	running := make(map[string]*packageReport)
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := reportTest(running, line, w); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// reportTest takes in one line, and writes about a package that has ended.
func reportTest(running map[string]*packageReport, line []byte, w io.Writer) error {
	var e testEvent
	if json.Unmarshal(line, &e) != nil {
		_, err := w.Write(line) // not from go test
		return err
	}
	if e.Action == "build-output" {
		_, err := io.WriteString(w, e.Output)
		return err
	}
	p := running[e.Package]
	if p == nil {
		p = &packageReport{parts: make(map[string]time.Duration)}
		running[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.lines = append(p.lines, testLine{e.Test, e.Output})
	case "pass", "fail", "skip":
		if e.Test != "" {
			p.endTest(e)
			return nil
		}
		delete(running, e.Package)
		return p.writeRest(w, e.Action == "fail")
	}
	return nil
}

// endTest takes in the end of a test.
func (p *packageReport) endTest(e testEvent) {
	took := time.Duration(e.Elapsed * float64(time.Second))
	switch name, part, _ := strings.Cut(e.Test, "/"); {
	case part == "":
		p.times = append(p.times, testTime{name, max(took, p.parts[name])})
	case !strings.Contains(part, "/"):
		p.parts[name] += took
	}
	if e.Action != "fail" {
		p.lines = slices.DeleteFunc(p.lines, func(l testLine) bool { return l.test == e.Test })
	}
}

// writeRest writes what is left of a package that has ended: the output of tests that
// failed or did not end, and the package's own.
func (p *packageReport) writeRest(w io.Writer, failed bool) error {
	var b strings.Builder
	for _, l := range p.lines {
		switch {
		case strings.HasPrefix(l.text, "=== "): // which test runs
		case l.test == "" && !failed && !isVerdict(l.text): // what a package prints that passes is not shown
		default:
			b.WriteString(l.text)
		}
	}
	slices.SortStableFunc(p.times, func(a, b testTime) int { return cmp.Compare(b.elapsed, a.elapsed) })
	for _, t := range p.times[:min(len(p.times), slowestTests)] {
		if t.elapsed >= slowTest {
			fmt.Fprintf(&b, "      %8.1fs  %s\n", t.elapsed.Seconds(), t.test)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// isVerdict reports whether a line says how the tests of a package ended.
func isVerdict(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "FAIL\t")
}
