package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// How many tests of a package are named with their times, how long such a test takes at least, and
// how long one takes that has the reason in its comment.
const (
	slowestTests = 10
	slowTest     = time.Second
	reasonedTest = 5 * time.Second
)

// modulePath is the path of the module in the repository's root.
const modulePath = "github.com/assayhq/assay"

// reasonOfTest begins the sentence with the reason.
const reasonOfTest = "It takes long because"

// How much of a test that failed is repeated at the end: as many of its first messages as of its
// last ones, each cut to its first line and to this many bytes. The last ones say why a test stopped
// that logs what it does.
const (
	failureMessages = 8
	failureBytes    = 1000
)

// testFailure is a test that failed, or a package that failed without one.
type testFailure struct {
	pkg, test string
	messages  []string
}

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

// reportTests reads the events of go test -json, writes what go test prints without it
// and under each package its slowest tests, and returns the tests that failed.
func reportTests(events io.Reader, w io.Writer) ([]testFailure, error) {
	var failures []testFailure
	running := make(map[string]*packageReport)
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			failed, err := reportTest(running, line, w)
			failures = append(failures, failed...)
			if err != nil {
				return failures, err
			}
		}
		if err == io.EOF {
			return failures, nil
		}
		if err != nil {
			return failures, err
		}
	}
}

// reportTest takes in one line. Of a package that has ended it writes what is left to say, and
// returns the tests that failed.
func reportTest(running map[string]*packageReport, line []byte, w io.Writer) ([]testFailure, error) {
	var e testEvent
	if json.Unmarshal(line, &e) != nil {
		_, err := w.Write(line) // not from go test
		return nil, err
	}
	if e.Action == "build-output" {
		_, err := io.WriteString(w, e.Output)
		return nil, err
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
			return nil, nil
		}
		delete(running, e.Package)
		failed := e.Action == "fail"
		return p.listFailures(e.Package, failed), p.writeRest(w, e.Package, failed)
	}
	return nil, nil
}

// listFailures returns the tests of a package whose output is left, which are those that failed or
// did not end, with the first and last of their messages. A package that fails without such a test is
// one that was not built, or that ended by itself.
func (p *packageReport) listFailures(pkg string, failed bool) []testFailure {
	if !failed {
		return nil
	}
	var all []testFailure
	for _, l := range p.lines {
		text := strings.TrimSpace(l.text)
		if l.test == "" || strings.HasPrefix(text, "=== ") {
			continue
		}
		i := slices.IndexFunc(all, func(f testFailure) bool { return f.test == l.test })
		if i < 0 {
			i = len(all)
			all = append(all, testFailure{pkg: pkg, test: l.test})
		}
		if !isMessage(l.text) {
			continue
		}
		f := &all[i]
		if len(f.messages) == failureMessages {
			f.messages = slices.Delete(f.messages, failureMessages/2, failureMessages/2+1)
		}
		f.messages = append(f.messages, text[:min(len(text), failureBytes)])
	}
	// A test that failed only because a part of it did has nothing to say itself.
	all = slices.DeleteFunc(all, func(f testFailure) bool {
		return len(f.messages) == 0 && slices.ContainsFunc(all, func(part testFailure) bool { return strings.HasPrefix(part.test, f.test+"/") })
	})
	if len(all) == 0 {
		return []testFailure{{pkg: pkg}}
	}
	return all
}

// messageOfTest is the first line of what a test says: the file, the line and the text.
var messageOfTest = regexp.MustCompile(`^\s+[\w.-]+\.go:\d+: `)

// isMessage reports whether a line of a test's output begins a message, or a failure of the program.
func isMessage(line string) bool {
	return messageOfTest.MatchString(line) || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "WARNING: DATA RACE")
}

// repeatFailures says at the end which tests failed and what they said: in a long output, and in
// the end of one that a service keeps, nobody finds it otherwise.
func (l *launcher) repeatFailures() {
	for _, f := range l.failures {
		l.say("failed: %s %s", f.pkg, f.test)
		for _, message := range f.messages {
			l.say("    %s", message)
		}
	}
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
func (p *packageReport) writeRest(w io.Writer, pkg string, failed bool) error {
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
		if t.elapsed < slowTest {
			break
		}
		fmt.Fprintf(&b, "      %8.1fs  %s%s\n", t.elapsed.Seconds(), t.test, missingReason(pkg, t))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// missingReason returns what to say of a slow test whose comment has no reason. It fails nothing,
// because a busy machine makes any test slow.
func missingReason(pkg string, t testTime) string {
	folder, within := strings.CutPrefix(pkg, modulePath+"/")
	if t.elapsed < reasonedTest || !within || hasReason(folder, t.test) {
		return ""
	}
	return `  (its comment lacks "` + reasonOfTest + ` ...")`
}

// hasReason reports whether the comment of a test of a package has the reason for its time. A test
// that is not found needs none.
func hasReason(folder, test string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is valid
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // go test has said so
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == test {
				return strings.Contains(strings.Join(strings.Fields(f.Doc.Text()), " "), reasonOfTest)
			}
		}
	}
	return true
}

// isVerdict reports whether a line says how the tests of a package ended.
func isVerdict(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "FAIL\t")
}
