package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/distro"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// testTimeout bounds the tests of a package. Those in browsers take minutes, and
// longer on a busy machine.
const testTimeout = "40m"

// The packages of each module in the form that go test expects: the product, the published
// clients, the kit for customers, and the tests that need more than these. The kit's module
// requires no other, so that those of its tests that do are in test as well.
const (
	product  = "./..."
	clients  = "./client/go/..."
	kit      = "./contracttest/..."
	kitTests = "./test/contracttest/..."
	outside  = "./test/..."
)

// quickPackages returns the packages whose tests make test runs.
func quickPackages() []string { return []string{product, clients, kit, kitTests} }

// The folders whose tests need more programs than Postgres.
const (
	clientTests  = "test/clients"
	opsTests     = "test/ops"
	drillTests   = "test/drill"
	releaseTests = "test/release"
)

// testDatabase names the variable with the database server on which tests may make
// databases.
const testDatabase = "ASSAY_TEST_DATABASE_URL"

// testProduct is `make test`: the product's tests that need little time and no
// outside program but Postgres, or those that the arguments name. go test repeats
// the results of packages that have not changed since they passed: the database's
// URL is the same each time.
func testProduct(ctx context.Context, l *launcher, args []string) error {
	return l.reportDuration(func() error {
		return l.runTests(ctx, withPackages(append([]string{"-short", "-timeout", testTimeout}, args...), quickPackages()...))
	})
}

// testAll is `make test-all`: the tests of all modules. Each of them runs in full without the race
// detector, which makes a sweep or a browser several times slower, and those of make test run
// with it as well. Tests that the arguments name run in full with it.
func testAll(ctx context.Context, l *launcher, args []string) error {
	return l.reportDuration(func() error {
		var err error
		for _, run := range allRuns(args) {
			err = errors.Join(err, l.runTests(ctx, run))
		}
		return err
	})
}

// allRuns returns the arguments of each go test that test-all runs.
func allRuns(args []string) [][]string {
	raced := append([]string{"-race", "-timeout", testTimeout}, args...)
	if len(namedPackages(args)) > 0 {
		return [][]string{raced}
	}
	return [][]string{
		withPackages(append([]string{"-short"}, raced...), quickPackages()...),
		withPackages(append([]string{"-timeout", testTimeout}, args...), product, clients, kit, outside),
	}
}

// reportDuration reports at the end which tests failed and how long do took.
func (l *launcher) reportDuration(do func() error) error {
	began := time.Now()
	err := do()
	l.repeatFailures()
	l.say("took %s", time.Since(began).Round(time.Second))
	return err
}

// runTests runs go test with a database and with what the packages need.
func (l *launcher) runTests(ctx context.Context, args []string) error {
	return l.withDatabase(ctx, "test", func(env []string) error {
		if isRaced(args) {
			if err := l.ensureCompiler(ctx); err != nil {
				return err
			}
			env = append(env, "CGO_ENABLED=1")
		}
		env, err := l.ensurePrograms(ctx, env, args)
		if err != nil {
			return err
		}
		if !isShortened(args) {
			// These tests run programs of which go test does not know when they change.
			args = append([]string{"-count=1"}, args...)
		}
		l.say("go test %s (the first time builds everything: minutes)", strings.Join(args, " "))
		if os.Getenv("CI") != "" && isReportable(args) {
			return l.goTestReported(ctx, env, args)
		}
		return l.goTest(ctx, env, args, os.Stdout)
	})
}

// ensurePrograms finds or installs the programs that the tests run, and returns the
// environment in which tests find them. With -short, tests whose program is missing
// are skipped.
func (l *launcher) ensurePrograms(ctx context.Context, env, args []string) ([]string, error) {
	if namesPackage(args, clientTests) {
		if err := l.ensureClients(ctx); err != nil {
			return nil, err
		}
	}
	if !isShortened(args) || namesPackage(args, clientTests) || namesPackage(args, drillTests) {
		if err := l.ensureRecordings(ctx); err != nil {
			return nil, err
		}
	}
	if !isShortened(args) && namesPackage(args, releaseTests) {
		var err error
		if env, err = l.ensureDebian(ctx, env); err != nil {
			return nil, err
		}
	}
	if !namesPackage(args, opsTests) {
		return env, nil
	}
	if err := l.ensurePooler(ctx); err != nil {
		return nil, err
	}
	folder, err := l.ensurePrometheus(ctx)
	return withPath(env, folder), err
}

// restoreDrill is `make restore-drill`.
func restoreDrill(ctx context.Context, l *launcher, args []string) error {
	return l.withDatabase(ctx, "test", func(env []string) error {
		if err := l.ensureRecordings(ctx); err != nil {
			return err
		}
		return l.goTest(ctx, env, append([]string{"-run", "^TestRestoreDrill$", "-count=1", "-v", "./" + drillTests}, args...), os.Stdout)
	})
}

// runFuzz is `make fuzz`.
func runFuzz(ctx context.Context, l *launcher, args []string) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	each := flags.Duration("time", 30*time.Second, "time for each target")
	if err := flags.Parse(args); err != nil {
		return errors.Join(err, errUsage)
	}
	return l.withDatabase(ctx, "test", func(env []string) error {
		l.say("looking for fuzz targets")
		listed, err := l.fuzzTargets(ctx, env)
		if err != nil {
			return err
		}
		for i, t := range listed {
			l.say("fuzzing %s in %s for %s (%d of %d)", t.name, t.pkg, *each, i+1, len(listed))
			// The time does not cover the minimizing of what is found.
			args := []string{"-run", "^$", "-fuzz", "^" + t.name + "$", "-fuzztime", each.String(), "-fuzzminimizetime", "10s", t.pkg}
			if err := l.goTest(ctx, env, args, os.Stdout); err != nil {
				return fmt.Errorf("%s in %s: %w", t.name, t.pkg, err)
			}
		}
		return nil
	})
}

type target struct{ pkg, name string }

// fuzzTargets lists the fuzz targets of all packages.
func (l *launcher) fuzzTargets(ctx context.Context, env []string) ([]target, error) {
	list, err := os.CreateTemp(l.dir, "targets-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(list.Name())
	defer list.Close()
	if err := l.goTest(ctx, env, []string{"-list", "^Fuzz", product, clients, kit, outside}, list); err != nil {
		content, _ := os.ReadFile(list.Name()) // shown as far as it can be read
		return nil, fmt.Errorf("%w\n%s", err, content)
	}
	content, err := os.ReadFile(list.Name())
	if err != nil {
		return nil, err
	}
	return parseTargets(string(content)), nil
}

// parseTargets reads the output of go test -list: the names of a package's
// targets, then a line with the package.
func parseTargets(output string) []target {
	var all []target
	var names []string
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, name := range names {
				all = append(all, target{fields[1], name})
			}
			names = nil
		}
	}
	return all
}

// withDatabase calls do with the environment of the tests while the cluster
// runs, or with the server that the variable names.
func (l *launcher) withDatabase(ctx context.Context, name string, do func(env []string) error) (err error) {
	if err := l.openFolder(ctx, name); err != nil {
		return err
	}
	defer l.stopCluster(&err)
	url := os.Getenv(testDatabase)
	if url == "" {
		l.say("starting Postgres")
		cluster, err := l.startCluster(ctx, name)
		if err != nil {
			return err
		}
		url = cluster.URL("postgres")
	}
	return do(testEnviron(os.Environ(), url))
}

// testEnviron returns the environment of the tests. It contains no other ASSAY_
// variable of the developer's.
func testEnviron(environ []string, url string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "ASSAY_") && !strings.HasPrefix(entry, "ASSAY_TEST_") || strings.HasPrefix(entry, testDatabase+"=")
	})
	return append(env, testDatabase+"="+url)
}

// withPackages adds the patterns of packages to the arguments of go test, unless
// they name packages.
func withPackages(args []string, patterns ...string) []string {
	if len(namedPackages(args)) > 0 {
		return args
	}
	return slices.Insert(slices.Clone(args), len(flagsOf(args)), patterns...)
}

// flagsOf cuts off the arguments after -args, which are for the tests.
func flagsOf(args []string) []string {
	if end := slices.IndexFunc(args, func(a string) bool { return a == "-args" || a == "--args" }); end >= 0 {
		return args[:end]
	}
	return args
}

// namedPackages returns the packages that the arguments of go test name.
func namedPackages(args []string) (named []string) {
	for _, a := range flagsOf(args) {
		if a == "." || strings.HasPrefix(a, "./") {
			named = append(named, a)
		}
	}
	return named
}

// namesPackage reports whether the arguments of go test name the package in the folder,
// which is one of the module in test.
func namesPackage(args []string, folder string) bool {
	return slices.ContainsFunc(namedPackages(args), func(a string) bool {
		a = strings.TrimPrefix(a, "./")
		parent, all := strings.CutSuffix(a, "...")
		if !all {
			return strings.TrimSuffix(a, "/") == folder
		}
		return parent != "" && strings.HasPrefix(folder+"/", parent)
	})
}

// isRaced and isShortened report what the last such argument of go test says.
func isRaced(args []string) bool     { return isFlagSet(args, "race") }
func isShortened(args []string) bool { return isFlagSet(args, "short") }

// isFlagSet reports whether a boolean flag is set by the last argument that names it.
func isFlagSet(args []string, flag string) (on bool) {
	for _, a := range flagsOf(args) {
		name, value, valued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if strings.HasPrefix(a, "-") && name == flag {
			set, err := strconv.ParseBool(value)
			on = !valued || set && err == nil
		}
	}
	return on
}

// goTest runs go test to its end, or until the launcher is stopped.
func (l *launcher) goTest(ctx context.Context, env, args []string, stdout *os.File) error {
	path, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	spec := proc.Spec{Name: "go", Path: path, Args: append([]string{"test"}, args...), Env: env, Grace: 10 * time.Second}
	return l.sup.RunTo(ctx, spec, stdout, os.Stderr)
}

// isReportable reports whether the output of go test with the arguments should be
// that of ordinary tests.
func isReportable(args []string) bool {
	return !slices.ContainsFunc(flagsOf(args), func(a string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		return strings.HasPrefix(a, "-") && slices.Contains([]string{"v", "json", "bench", "fuzz", "list"}, strings.TrimPrefix(name, "test."))
	})
}

// goTestReported is goTest with the slowest tests of each package in its output. It adds the tests
// that fail to l.failures.
func (l *launcher) goTestReported(ctx context.Context, env, args []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	reported := make(chan error, 1)
	go func() {
		failures, err := reportTests(r, os.Stdout)
		l.failures = append(l.failures, failures...)
		_, _ = io.Copy(io.Discard, r) // the tests must not wait for a reader that has failed
		reported <- err
	}()
	err = l.goTest(ctx, env, append([]string{"-json"}, args...), w)
	_ = w.Close() // the reader sees the end
	err = errors.Join(err, <-reported)
	_ = r.Close()
	return err
}

// ensureCompiler finds or installs the C compiler that -race needs.
func (l *launcher) ensureCompiler(ctx context.Context) error {
	if runtime.GOOS != "linux" || canCompileC(ctx) {
		return nil
	}
	need := distro.Need{What: "a C compiler with its headers (for -race)", Deb: []string{"build-essential"}}
	if err := distro.Install(ctx, l.sup, need, l.say); err != nil {
		return err
	}
	if !canCompileC(ctx) {
		return errors.New("the C compiler that go env CC names does not work, and -race needs it")
	}
	return nil
}

// canCompileC reports whether Go's C compiler works and finds its headers.
func canCompileC(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "go", "env", "CC").Output()
	if err != nil {
		return false
	}
	words := strings.Fields(string(out))
	if len(words) == 0 {
		return false
	}
	check := exec.CommandContext(ctx, words[0], append(words[1:], "-fsyntax-only", "-x", "c", "-")...)
	check.Stdin = bytes.NewBufferString("#include <stdlib.h>\n")
	return check.Run() == nil
}
