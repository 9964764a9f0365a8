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
	"slices"
	"strings"
	"syscall"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/internal/version"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process's own state.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := runCommand(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return configs.ExitOK
	case errors.Is(err, errUnchecked):
		fmt.Fprintf(stderr, "apiserver: %v\n", err)
		return exitUnchecked
	case errors.Is(err, errUsage):
		fmt.Fprint(stderr, boot.UsageError("apiserver", err))
		return configs.ExitUsage
	}
	fmt.Fprintf(stderr, "apiserver: %v\n", err)
	return configs.ExitCode(err)
}

// errUsage marks an invalid command line.
var errUsage = errors.New("invalid command line")

// options holds the flags of all commands. The table of commands lists which flags each command
// accepts.
type options struct {
	config       string
	organization string
	email        string
	scopes       string
	name         string
	role         string
	noPassword   bool
	expect       string
	dryRun       bool
}

// command is a command of apiserver.
type command struct {
	flags func(*flag.FlagSet, *options)
	run   func(ctx context.Context, o options, stdout, stderr io.Writer) error
}

// commandsByName returns the commands by name. The command with the empty name serves.
func commandsByName() map[string]command {
	config := func(f *flag.FlagSet, o *options) { f.StringVar(&o.config, "config", "", "") }
	user := func(names ...string) func(*flag.FlagSet, *options) {
		return func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.StringVar(&o.organization, "organization", "", "")
			userFlags(f, o, names)
		}
	}
	return map[string]command{
		"":        {config, serveAPI},
		"migrate": {config, migrateDatabase},
		"bootstrap": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.StringVar(&o.organization, "organization", "", "")
			f.StringVar(&o.email, "email", "", "")
			f.StringVar(&o.scopes, "scopes", "", "")
		}, bootstrapOrganization},
		"user list":         {user(), userCommand(checkNothing, listUsers)},
		"user add":          {user("email", "role", "name", "no-password"), userCommand(checkNewUser, addUser)},
		"user set-role":     {user("email", "role"), userCommand(checkUserRole, setUserRole)},
		"user set-password": {user("email"), userCommand(checkUserEmail, setUserPassword)},
		"user remove":       {user("email"), userCommand(checkUserEmail, removeUser)},
		"keyring new":       {func(*flag.FlagSet, *options) {}, newKeyring},
		"rekey": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.BoolVar(&o.dryRun, "dry-run", false, "")
		}, rekeyDatabase},
		"audit verify": {func(f *flag.FlagSet, o *options) {
			config(f, o)
			f.StringVar(&o.organization, "organization", "", "")
			f.StringVar(&o.expect, "expect", "", "")
		}, verifyAudit},
	}
}

// runCommand runs the command that args name. Flags follow the command.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	name := ""
	for len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		if name != "" {
			name += " "
		}
		name, args = name+args[0], args[1:]
	}
	switch {
	case name == "help", strings.HasPrefix(name, "help "):
		fmt.Fprint(stdout, boot.CommandHelp(usage, "apiserver", strings.TrimPrefix(strings.TrimPrefix(name, "help"), " ")))
		return nil
	case name == "version", name == "" && len(args) == 1 && strings.TrimLeft(args[0], "-") == "version":
		fmt.Fprintln(stdout, version.Line("apiserver"))
		return nil
	}
	c, ok := commandsByName()[name]
	if !ok && len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, boot.CommandHelp(usage, "apiserver", name)) // of a group
		return nil
	}
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
		fmt.Fprint(stdout, boot.CommandHelp(usage, "apiserver", name))
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	case flags.NArg() > 0:
		return fmt.Errorf("%w: unexpected argument %q", errUsage, flags.Arg(0))
	}
	return c.run(ctx, o, stdout, stderr)
}

// loadConfig reads the configuration and requires the settings that a command needs.
func loadConfig(o options, needed ...string) (configs.Config, error) {
	config, err := configs.Load(o.config, os.Environ())
	if err != nil {
		return config, err
	}
	return config, config.Require(needed...)
}
