// Command syncd does everything in assay that falls due: it polls platforms and merges what they
// send into the directory, sends webhooks, processes recordings, writes reports and removes what is
// over. Any number of syncds may run on one database.
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

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/internal/version"
)

const usage = `syncd does what falls due: it reads the platforms of all integrations, sends webhooks,
processes recordings, writes reports and deletes what is past its retention. Any number
of syncds may share one database.

Usage:
  syncd [--config FILE]                               run until SIGTERM or SIGINT
  syncd run-once --integration ID [--config FILE]     run one cycle now and report it
  syncd version
  syncd help

Every setting can also be an environment variable: ASSAY_ and its path in
capitals, such as ASSAY_DATABASE_URL.

Signals: on SIGTERM or SIGINT, syncd releases its work and stops within 25 seconds. A second
signal ends it immediately, and other processes take over when its leases expire.
SIGHUP reloads the log level and the keyring.
Exit codes: 0 success, 1 failure, 2 invalid command line or configuration.
`

func main() { os.Exit(run(os.Args[1:], leases{}, os.Stdout, os.Stderr)) }

// run is main without the process around it.
func run(args []string, l leases, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := runCommand(ctx, args, l, stdout, stderr)
	switch {
	case err == nil:
		return configs.ExitOK
	case errors.Is(err, errUsage):
		fmt.Fprint(stderr, boot.UsageError("syncd", err))
		return configs.ExitUsage
	}
	fmt.Fprintf(stderr, "syncd: %v\n", err)
	return configs.ExitCode(err)
}

// errUsage marks an invalid command line.
var errUsage = errors.New("invalid command line")

func runCommand(ctx context.Context, args []string, l leases, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("syncd", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {} // printed to stdout on request, otherwise named with the error
	file := flags.String("config", "", "")
	integration := flags.String("integration", "", "")
	showVersion := flags.Bool("version", false, "")
	err := flags.Parse(args)
	switch {
	case command == "help":
		fmt.Fprint(stdout, usage)
		return nil
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, boot.CommandHelp(usage, "syncd", command))
		return nil
	case command == "version", *showVersion:
		fmt.Fprintln(stdout, version.Line("syncd"))
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: unexpected argument %q", errUsage, flags.Arg(0))
	}
	config, err := configs.Load(*file, os.Environ())
	if err != nil {
		return err
	}
	switch {
	case command == "run-once" && *integration == "":
		return fmt.Errorf("%w: run-once needs --integration ID", errUsage)
	case command == "run-once":
		return runOnce(ctx, config, *file, *integration, stdout, stderr)
	case command != "":
		return fmt.Errorf("%w: unknown command %q", errUsage, command)
	case *integration != "":
		return fmt.Errorf("%w: --integration is only for run-once", errUsage)
	}
	return serve(ctx, config, *file, l, stderr)
}
