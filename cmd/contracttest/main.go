// Command contracttest helps to build a trading platform's side of assay's
// customer platform contract, and to try assay against platforms.
//
//	contracttest check     checks a platform against the contract
//	contracttest replay    runs the cases again that failed in an earlier report
//	contracttest simulate  reads a platform into a throwaway database, as assay would
//	contracttest serve     serves the reference platform, or another kind, over HTTPS
//
// Exit codes: 0 when all went well (a conformant platform, or a server that was
// stopped by SIGINT or SIGTERM), 1 when the platform breaks the contract or
// something failed, 2 when the command line is wrong, 3 when the platform could
// not be tested.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/assayhq/assay/internal/version"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	// exitUntested is for a platform that could not be reached or not be read completely.
	exitUntested = 3
)

// exit is an exit code whose reason has been reported already.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// command is one sub-command.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func listCommands() []command {
	return []command{
		{"check", "check a platform against the contract", runCheck},
		{"replay", "run the failed cases of an earlier report again", runReplay},
		{"simulate", "read a platform into a throwaway database, as assay would", runSimulate},
		{"serve", "serve the reference platform, or another kind, over HTTPS", runServe},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the sub-command that the arguments name and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		printUsage(stdout)
		return exitOK
	case "version", "-version", "--version":
		fmt.Fprintln(stdout, version.Line("contracttest"))
		return exitOK
	}
	for _, c := range listCommands() {
		if c.name == args[0] {
			return reportError(c.name, c.run(ctx, args[1:], stdout, stderr), stderr)
		}
	}
	fmt.Fprintf(stderr, "contracttest: unknown command %q\n\n", args[0])
	printUsage(stderr)
	return exitUsage
}

// reportError prints an error and chooses the exit code.
func reportError(name string, err error, stderr io.Writer) int {
	var wrong usageError
	var code exit
	switch {
	case errors.As(err, &code):
		return int(code)
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "contracttest %s: %v\nRun contracttest %s --help for the flags.\n", name, err, name)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "contracttest %s: interrupted: %v\n", name, err)
		return exitError
	default:
		fmt.Fprintf(stderr, "contracttest %s: %v\n", name, err)
		return exitError
	}
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "contracttest helps you build a platform that follows the customer platform contract.\n\nUsage: contracttest COMMAND [flags]\n\nCommands:\n")
	for _, c := range listCommands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nRun contracttest COMMAND --help for a command's flags, or contracttest version for the version.\n\nExit codes: 0 passed, 1 violations or failure, 2 invalid command line, 3 could not be tested.\n")
}
