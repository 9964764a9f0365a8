package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/contracttest/render"
)

// checkFlags holds the command line of check and replay.
type checkFlags struct {
	target
	profile   string
	only      list
	waivers   string
	rate      float64
	requests  int
	timeout   time.Duration
	quiet     bool
	listCases bool
	outputs   []output
	earlier   *contracttest.Report // of replay
}

// target says how a command reaches a customer's platform.
type target struct{ url, keyFile, caFile string }

// output is a format of the report and the file that it is written to.
type output struct {
	flag, what string
	write      func(io.Writer, *contracttest.Report) error
	path       string
}

func listOutputs() []output {
	return []output{
		{"json", "the whole report, as input for replay", render.JSON, ""},
		{"junit", "JUnit's XML", render.JUnit, ""},
		{"tap", "the Test Anything Protocol", render.TAP, ""},
		{"markdown", "Markdown, appended to the file, as $GITHUB_STEP_SUMMARY needs", render.Markdown, ""},
		{"html", "one page with every request and answer, without the key", render.HTML, ""},
		{"badge", "a badge as SVG", render.Badge, ""},
		{"badge-json", "the input for a shields.io endpoint badge", render.BadgeJSON, ""},
	}
}

const checkUsage = `Checks whether a platform follows the customer platform contract. For each broken
rule, it says what was seen, why it matters, how to fix it, and how to reproduce it.

Usage: contracttest check --url URL --key-file FILE [flags]

Flags:
`

const checkExamples = `
Examples:
  contracttest check --url https://api.firm.example/assay --key-file key --html report.html
        Half a minute, sixty to a hundred requests at five a second, and ten seconds of the sustained rate.
  contracttest check --url https://api.firm.example/assay --key-file key --profile live-check
        The seven steps that assay runs when the connection is saved.
  contracttest check --url https://localhost:8443 --ca-file ca.pem --key-file key --junit report.xml --waivers waivers.json
        In continuous integration; waivers.json is [{"case": "trades.history", "reason": "…", "expires": "2027-03-31"}].
  contracttest replay report.json --key-file key
        Only the cases that failed in an earlier report.
  contracttest check --list-cases
        Every case with its rule.

Exit codes: 0 conformant, 1 violations, 2 invalid command line, 3 the platform could not be tested, or a report could not be written.
`

const replayExamples = `
Example:
  contracttest replay report.json --key-file key

Exit codes: 0 conformant, 1 violations, 2 invalid command line, 3 the platform could not be tested again, or a report could not be written.
`

const replayUsage = `Repeats the cases that failed in an earlier report, with its address and profile.
If they depend on lists, such as those about records, the lists are read again.
If a case that failed cannot be checked now, the platform counts as untested.

Usage: contracttest replay REPORT.json --key-file FILE [flags]

Flags:
`

// maxRate is higher than any rate that a check needs, in requests a second.
const maxRate = 1000

// isRate reports whether a rate is a number between least and maxRate.
func isRate(rate, least float64) bool { return rate >= least && rate <= maxRate }

// defineFlags declares the flags that reach a platform.
func (t *target) defineFlags(set *flag.FlagSet) {
	set.StringVar(&t.url, "url", "", "base `URL` of the platform, with https and no trailing slash")
	set.StringVar(&t.keyFile, "key-file", "", "`FILE` that holds the API key; - is standard input")
	set.StringVar(&t.caFile, "ca-file", "", "`FILE` with certificate authorities (PEM) to trust instead of the system's")
}

// readKey reads the API key.
func (t *target) readKey() (string, error) {
	if t.keyFile == "" {
		return "", usagef("--key-file is required")
	}
	var text []byte
	var err error
	if t.keyFile == "-" {
		text, err = io.ReadAll(io.LimitReader(os.Stdin, 64<<10))
	} else {
		text, err = os.ReadFile(t.keyFile)
	}
	if err != nil {
		return "", usagef("--key-file: %v", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readRoots reads the certificate authorities. It returns nil for those of the system.
func (t *target) readRoots() (*x509.CertPool, error) {
	if t.caFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(t.caFile)
	if err != nil {
		return nil, usagef("--ca-file: %v", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usagef("--ca-file: %s holds no certificate", t.caFile)
	}
	return pool, nil
}

// parseCheck reads the command line of check, or of replay.
func parseCheck(name string, args []string, stdout io.Writer) (f *checkFlags, rest []string, err error) {
	f = &checkFlags{outputs: listOutputs()}
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.defineFlags(set)
	if name == "check" {
		set.StringVar(&f.profile, "profile", string(contracttest.Core), "`PROFILE`: live-check, core or full")
		set.Var(&f.only, "only", "`CASE` to report on, out of the profile's; repeatable")
		set.BoolVar(&f.listCases, "list-cases", false, "print every case with its rule and exit")
	}
	set.StringVar(&f.waivers, "waivers", "", "`FILE` with waivers: a JSON array of {case, reason, expires}")
	set.Float64Var(&f.rate, "requests-per-second", 5, "`RATE` of requests beside the sustained rate")
	set.IntVar(&f.requests, "max-requests", 0, "`NUMBER` of requests beside the sustained rate (default 30, 100 or 2000, by profile)")
	set.DurationVar(&f.timeout, "timeout", 0, "`DURATION` of the whole check at most (default 2m, 30m or 1h, by profile)")
	set.BoolVar(&f.quiet, "quiet", false, "show no progress")
	for i := range f.outputs {
		o := &f.outputs[i]
		set.StringVar(&o.path, o.flag, "", "`FILE` to write "+o.what)
	}
	if name == "replay" && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		rest, args = args[:1], args[1:]
	}
	err = set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, map[string]string{"check": checkUsage, "replay": replayUsage}[name])
		set.VisitAll(func(fl *flag.Flag) { printFlag(stdout, fl) })
		fmt.Fprint(stdout, map[string]string{"check": checkExamples, "replay": replayExamples}[name])
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, usageError{err}
	}
	rest = append(rest, set.Args()...)
	if !isRate(f.rate, 0.01) || f.requests < 0 || f.timeout < 0 {
		return nil, nil, usagef("--requests-per-second must be between 0.01 and %d, --max-requests and --timeout must not be negative", maxRate)
	}
	return f, rest, nil
}

// runCheck runs the kit and writes its reports.
func runCheck(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f, rest, err := parseCheck("check", args, stdout)
	if err != nil {
		return err
	}
	if f.listCases {
		for _, c := range contracttest.Cases() {
			fmt.Fprintf(stdout, "%-6s %-10s %-28s %s\n", c.Level, c.Profile, c.ID, c.Rule)
		}
		return nil
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	return f.run(ctx, stdout, stderr)
}

// runReplay runs the cases that failed in an earlier report.
func runReplay(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f, rest, err := parseCheck("replay", args, stdout)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usagef("expected one report: contracttest replay REPORT.json --key-file FILE")
	}
	file, err := os.Open(rest[0])
	if err != nil {
		return usageError{err}
	}
	defer file.Close()
	earlier, err := render.Read(file)
	if err != nil {
		return usagef("%s is not a report from contracttest check --json: %v", rest[0], err)
	}
	f.only, f.profile = earlier.Failures(), string(earlier.Profile)
	if f.url == "" {
		f.url = earlier.URL
	}
	if len(f.only) == 0 {
		fmt.Fprintln(stdout, "No cases failed in the report, so there is nothing to run again.")
		return nil
	}
	f.earlier = earlier
	return f.run(ctx, stdout, stderr)
}

// memory is what a check should get by with, for a platform of any size and in addition to the
// program itself. Above it, the garbage collector works harder.
const memory = 36 << 20

func (f *checkFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	debug.SetMemoryLimit(memory)
	o, err := f.kitOptions(stderr)
	if err != nil {
		return err
	}
	if err := f.checkWritable(); err != nil {
		return err
	}
	report, err := contracttest.Check(ctx, o)
	var usage *contracttest.UsageError
	if errors.As(err, &usage) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	err = errors.Join(render.Text(stdout, report), f.writeReports(report))
	if err != nil {
		fmt.Fprintf(stderr, "contracttest: %v\n", err)
	}
	open := f.openCases(report)
	if len(open) > 0 {
		fmt.Fprintf(stdout, "These cases failed before and could not be tested now: %s.\n", strings.Join(open, ", "))
	}
	switch {
	case report.Verdict == contracttest.Violations:
		return exit(exitError)
	case report.Verdict == contracttest.Untested, len(open) > 0, err != nil:
		return exit(exitUntested)
	}
	return nil
}

// openCases returns the cases of an earlier report that broke a MUST and are skipped in this one,
// except payout cases if payouts are no longer exposed.
func (f *checkFlags) openCases(report *contracttest.Report) (ids []string) {
	if f.earlier == nil {
		return nil
	}
	for i := range report.Results {
		r := &report.Results[i]
		if r.Status == contracttest.Skipped && r.Skip != contracttest.SkipHidden && r.Level == contracttest.Must && r.Profile != contracttest.LiveCheck {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// kitOptions returns the options of the kit.
func (f *checkFlags) kitOptions(stderr io.Writer) (o contracttest.Options, err error) {
	if f.url == "" {
		return o, usagef("--url is required")
	}
	if o.Key, err = f.readKey(); err != nil {
		return o, err
	}
	if o.RootCAs, err = f.readRoots(); err != nil {
		return o, err
	}
	if f.waivers != "" {
		if o.Waivers, err = readWaivers(f.waivers); err != nil {
			return o, err
		}
	}
	o.URL, o.Profile, o.Only, o.MaxRequests = f.url, contracttest.Profile(f.profile), f.only, f.requests
	o.Timing.Interval, o.Timing.Total = time.Duration(float64(time.Second)/f.rate), f.timeout
	if !f.quiet {
		o.Progress = showProgress(stderr)
	}
	return o, nil
}

// checkWritable checks that the reports can be written, before any request is sent.
func (f *checkFlags) checkWritable() error {
	for _, o := range f.outputs {
		if err := checkWritable(o.flag, o.path); err != nil {
			return err
		}
	}
	return nil
}

// checkWritable checks that the file that a flag names, if it names one, can be written.
func checkWritable(flag, path string) error {
	if path == "" {
		return nil
	}
	_, before := os.Stat(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, secret)
	if err != nil {
		return usagef("--%s: %v", flag, err)
	}
	_ = file.Close()
	if errors.Is(before, fs.ErrNotExist) {
		_ = os.Remove(path)
	}
	return nil
}

// readWaivers reads a file of waivers, strictly.
func readWaivers(path string) (waivers []contracttest.Waiver, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("--waivers: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&waivers); err != nil {
		return nil, usagef("--waivers: %s: %v", path, err)
	}
	return waivers, nil
}

// showProgress shows a line that is updated on a terminal, and elsewhere one line for each tenth
// of the cases.
func showProgress(w io.Writer) func(contracttest.Progress) {
	file, ok := w.(*os.File)
	terminal := false
	if ok {
		info, err := file.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	tenth := -1
	return func(p contracttest.Progress) {
		switch now := p.Done * 10 / max(p.Total, 1); {
		case terminal && p.Case == "":
			fmt.Fprint(w, "\r\x1b[K")
		case terminal:
			fmt.Fprintf(w, "\r\x1b[K%d/%d cases, %d requests: %s", p.Done, p.Total, p.Requests, p.Case)
		case now > tenth:
			tenth = now
			fmt.Fprintf(w, "%d/%d cases, %d requests\n", p.Done, p.Total, p.Requests)
		}
	}
}

// writeReports writes the report in all requested formats. It continues after an error.
func (f *checkFlags) writeReports(report *contracttest.Report) (err error) {
	for _, o := range f.outputs {
		if o.path == "" {
			continue
		}
		if failed := o.writeFile(report); failed != nil {
			err = errors.Join(err, fmt.Errorf("write --%s: %w", o.flag, failed))
		}
	}
	return err
}

// writeFile writes the report to the output's file.
func (o *output) writeFile(report *contracttest.Report) error {
	var b bytes.Buffer
	if err := o.write(&b, report); err != nil {
		return err
	}
	mode := os.O_TRUNC
	if o.flag == "markdown" {
		mode = os.O_APPEND
	}
	file, err := os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|mode, secret)
	if err != nil {
		return err
	}
	_, err = file.Write(b.Bytes())
	return errors.Join(err, file.Close())
}
