// Command apiserver serves assay's HTTP API. Any number of apiservers may run
// on one database.
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
)

const usage = `apiserver serves the HTTP API. Any number of apiservers may share one database.

Usage:
  apiserver [--config FILE]            serve until SIGTERM or SIGINT
  apiserver migrate [--config FILE]    bring the database's schema up to date
  apiserver bootstrap --organization NAME --email ADDRESS [--scopes LIST] [--config FILE]
                                       make an organization with its owner and first API key,
                                       and print {organization_id, user_id, password, api_key};
                                       LIST is separated by commas, without it the key holds every scope
  apiserver keyring new                print a new keyring, for the file that keyring_file names
  apiserver rekey [--dry-run] [--config FILE]
                                       move everything that is stored sealed to the keyring's primary key,
                                       while the daemons run; --dry-run only says what would be done
  apiserver audit verify [--organization ID [--expect HEAD]] [--config FILE]
                                       check the audit log and print each organization's head, NUMBER:HASH,
                                       or what was done to which row; HEAD is one that was noted before
  apiserver help

Every setting of the file can be given as an environment variable instead:
ASSAY_ and its path in capitals, such as ASSAY_DATABASE_URL.

Signals: SIGTERM and SIGINT let the requests under way end and stop, within 25
seconds; SIGHUP reads the log level and the keyring again.
Exit codes: 0 done, 1 failed (audit verify: tampered with), 2 wrong command line or configuration.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process around it.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := dispatch(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return configs.ExitOK
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "apiserver: %v\n\n%s", err, usage)
		return configs.ExitUsage
	}
	fmt.Fprintf(stderr, "apiserver: %v\n", err)
	return configs.ExitCode(err)
}

// errUsage marks a wrong command line.
var errUsage = errors.New("wrong command line")

// options are the flags of all commands. Which of them a command knows is its
// row in commands.
type options struct {
	config       string
	organization string
	email        string
	scopes       string
	expect       string
	dryRun       bool
}

// command is one of the things that apiserver does.
type command struct {
	flags func(*flag.FlagSet, *options)
	run   func(ctx context.Context, o options, stdout, stderr io.Writer) error
}

// commands lists the commands by name; the empty one serves.
func commands() map[string]command {
	config := func(f *flag.FlagSet, o *options) { f.StringVar(&o.config, "config", "", "") }
	return map[string]command{
		"":        {config, serve},
		"migrate": {config, migrate},
		"bootstrap": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.StringVar(&o.organization, "organization", "", "")
			f.StringVar(&o.email, "email", "", "")
			f.StringVar(&o.scopes, "scopes", "", "")
		}, bootstrap},
		"keyring new": {func(*flag.FlagSet, *options) {}, newKeyring},
		"rekey": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.BoolVar(&o.dryRun, "dry-run", false, "")
		}, rekey},
		"audit verify": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.StringVar(&o.organization, "organization", "", "")
			f.StringVar(&o.expect, "expect", "", "")
		}, verifyAudit},
	}
}

// dispatch runs the command that args name. Flags follow the command.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	name := ""
	for len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		if name != "" {
			name += " "
		}
		name, args = name+args[0], args[1:]
	}
	if name == "help" {
		fmt.Fprint(stdout, usage)
		return nil
	}
	c, ok := commands()[name]
	if !ok {
		return fmt.Errorf("%w: unknown command %q", errUsage, name)
	}
	var o options
	flags := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	c.flags(flags, &o)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	case flags.NArg() > 0:
		return fmt.Errorf("%w: unexpected argument %q", errUsage, flags.Arg(0))
	}
	return c.run(ctx, o, stdout, stderr)
}

// load reads the configuration and demands the settings that a command needs.
func load(o options, needed ...string) (configs.Config, error) {
	config, err := configs.Load(o.config, os.Environ())
	if err != nil {
		return config, err
	}
	return config, config.Require(needed...)
}
