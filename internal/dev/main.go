// Command dev runs assay on a developer's machine: `make run` starts the whole
// stack with platforms to read from, `make test` runs the tests with a
// database of their own. It finds or installs what they need, supervises every
// process and stops all of them in reverse order. No daemon imports it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/assayhq/assay/configs"
)

const usage = `usage: dev COMMAND [ARGUMENTS]

  run [FLAGS]      start everything and keep it running until Ctrl-C; see dev run --help
  test [ARGS]      go test -short with a database; ARGS go to go test
  test-all [ARGS]  go test -race of the quick tests, then go test of all modules in full
  bench [FLAGS]    measure every row of the target table; see dev bench -h
  chaos [FLAGS]    cause faults hundreds of times; see dev chaos -h
  attack [FLAGS]   run attacks against a deployment, one after another; see dev attack -h
  restore-drill    back up, lose and restore a deployment that works, step by step
  fuzz [-time D]   run every fuzz target for D (30s)
  release [FLAGS]  build archives and packages of a version; see dev release -h
  node SCRIPT      run a script with Node, which is installed when it is missing
  db [test|bench]  start that database, print its URL and wait for Ctrl-C

Variables: ASSAY_DATABASE_URL makes run use that database, and
ASSAY_TEST_DATABASE_URL makes the others use that server, instead of a
private Postgres under .data.
`

func main() {
	// Linux ends a child with the thread that started it, and the main thread
	// is the one that lives as long as the launcher.
	runtime.LockOSThread()
	err := dispatchCommand(os.Args[1:])
	if err != nil && !errors.Is(err, context.Canceled) {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			fmt.Fprintln(os.Stderr, newProgress(os.Stderr, os.Getenv).paint(red, "dev:")+" "+err.Error())
		}
	}
	os.Exit(exitCode(err))
}

// usages are what the commands print that are asked how to use them.
var usages = map[string]string{
	"run": runUsage, "bench": benchUsage, "release": releaseUsage, "chaos": chaosUsage, "attack": attackUsage,
	"test": `usage: make test ARGS='[GO TEST FLAGS] [PACKAGES]'

Runs the product's tests with a database of their own, as go test -short would
with the arguments, and says how long that took: make test ARGS='-run TestPage ./store/...'
Long tests are left out, and so are those in ./test unless they are named; ARGS=-short=false
runs the long ones too. make test-all runs everything.
`,
	"test-all": `usage: make test-all ARGS='[GO TEST FLAGS] [PACKAGES]'

Runs the tests of make test with -race, then every test of all modules in full, with a
database of their own. It finds or installs what they run: a browser, Node, Prometheus,
PgBouncer, ffmpeg, flite and pocketsphinx. With arguments it runs those tests only, in full
and with -race: make test-all ARGS='-run TestDashboard ./test/clients'
`,
	"restore-drill": `usage: make restore-drill

Starts a deployment, backs it up while it works, loses it, restores it into an empty
cluster, lets both processes continue, and compares the data. Takes about five minutes
and prints each step. ARGS are passed to go test: make restore-drill ARGS=-race
`,
	"fuzz": `usage: make fuzz FUZZTIME=30s

Runs every fuzz target for that long. Inputs that fail are kept in testdata/fuzz of
the package, and the ordinary tests run them from then on.
`,
}

// errUsage ends a command line that is wrong.
var errUsage = errors.New("ARGS=--help explains the target of make")

func dispatchCommand(args []string) error {
	if len(args) == 0 || args[0] == "help" || isHelp(args[0]) {
		fmt.Print(usage)
		return nil
	}
	if text, known := usages[args[0]]; known && slices.ContainsFunc(args[1:], isHelp) {
		fmt.Print(text)
		return nil
	}
	command, err := chooseCommand(args[0], args[1:])
	if err != nil {
		return err
	}
	l, err := newLauncher(args[0])
	if err != nil {
		return err
	}
	defer l.releaseFolder()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go l.watchSignals(ctx, cancel)
	return command(ctx, l)
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// chooseCommand returns the command of that name with its arguments.
func chooseCommand(name string, args []string) (func(context.Context, *launcher) error, error) {
	if name == "run" {
		flags, err := parseRun(args)
		return func(ctx context.Context, l *launcher) error { return run(ctx, l, flags) }, err
	}
	command, ok := map[string]func(context.Context, *launcher, []string) error{
		"test": testProduct, "test-all": testAll, "bench": runBench, "fuzz": runFuzz, "chaos": runChaos, "attack": runAttack, "restore-drill": restoreDrill, "db": serveDatabase, "node": runScript, "release": runRelease,
	}[name]
	if !ok {
		return nil, fmt.Errorf("unknown command %q: %w", name, errUsage)
	}
	return func(ctx context.Context, l *launcher) error { return command(ctx, l, args) }, nil
}

// exitCode passes the exit code of go test on.
func exitCode(err error) int {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, errUsage):
		return configs.ExitUsage
	case ok && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	return configs.ExitCode(err)
}

// serveDatabase starts a database for other programs.
func serveDatabase(ctx context.Context, l *launcher, args []string) (err error) {
	name := strings.Join(args, " ")
	if name == "" {
		name = "bench"
	}
	if _, ok := listDatabases()[name]; !ok {
		return fmt.Errorf("there is no database %q, only test and bench: %w", name, errUsage)
	}
	if err := l.openFolder(ctx, name); err != nil {
		return err
	}
	defer l.stopCluster(&err)
	cluster, err := l.startCluster(ctx, name)
	if err != nil {
		return err
	}
	fmt.Println(cluster.URL("postgres"))
	return l.sup.Wait(ctx)
}
