package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	assay "github.com/assayhq/assay/client/go"
)

// newRoot returns the command with everything below it.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Work with assay from a terminal",
		Long: `assay works with the traders, integrations, interviews and webhooks of your organization.

Sign in with a key first: assay login. The variables ASSAY_URL and ASSAY_API_KEY have precedence over
what login stored, so that scripts need no login. The stored key is not sent to another server, and no
key is sent without https, except to this machine.

Exit codes: 0 done, 1 failed, 2 invalid command line, 3 no key, or a key that the server refused.`,
		Version:       describeVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentFlags().Bool("json", false, "print JSON instead of a table")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{explainValue(err)} })
	root.AddCommand(newLogin(), newTraders(), newIntegrations(), newInterviews(), newWebhooks(), newExport())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion": // a shell that it does not know is refused, as what is unknown in any group is
			c.RunE = showHelp
		case "help":
			c.Run, c.RunE = nil, helpWith
		}
	}
	offerNoFiles(root)
	return root
}

// offerNoFiles makes shells complete the names of files only where a file is meant.
func offerNoFiles(c *cobra.Command) {
	for _, below := range c.Commands() {
		offerNoFiles(below)
	}
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, is := f.Annotations[cobra.BashCompFilenameExt]; !is {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions) // fails if the flag has its values
		}
	})
}

// offerValues makes shells complete the values of a flag.
func offerValues(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
}

// group returns a command that has others below it and does nothing itself.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: invalid(cobra.NoArgs), RunE: showHelp}
	c.AddCommand(commands...)
	return c
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// helpWith shows the help of the command that the arguments name, which must be one.
func helpWith(c *cobra.Command, args []string) error {
	named, rest, err := c.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], named.CommandPath())
	}
	if err != nil {
		return usageError{err}
	}
	return named.Help()
}

// invalid makes the errors of a check of arguments those of the command line.
func invalid(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		if strings.HasPrefix(err.Error(), "accepts ") { // says how many arguments, but not which
			err = fmt.Errorf("write the command as %s", c.UseLine())
		}
		return usageError{err}
	}
}

// explainValue explains the value of a flag that is not of its type, without the words of Go.
func explainValue(err error) error {
	value, invalid := errors.AsType[*pflag.InvalidValueError](err)
	if !invalid {
		return err
	}
	want := map[string]string{"uint": "a whole number from 0", "int": "a whole number", "int32": "a whole number", "bool": "true or false"}[value.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s must be %s, not %q", value.GetFlag().Name, want, value.GetValue())
}

// connect returns a client with the key that is in force. The stored key is sent to its own server alone.
func connect() (*assay.Client, credentials, error) {
	c, err := loadCredentials()
	if err != nil {
		return nil, c, err
	}
	stored, key := c.URL, os.Getenv("ASSAY_API_KEY")
	c.URL, c.Key = cmp.Or(os.Getenv("ASSAY_URL"), c.URL), cmp.Or(key, c.Key)
	switch {
	case c.URL == "" || c.Key == "":
		return nil, c, errNoKey
	case key == "" && !strings.EqualFold(strings.TrimRight(c.URL, "/"), strings.TrimRight(stored, "/")):
		return nil, c, errOtherServer
	case isUnprotected(c.URL):
		return nil, c, usageError{fmt.Errorf("ASSAY_URL %s is not https, and others could read your key on its way", c.URL)}
	}
	client, err := newClient(c)
	return client, c, err
}

// withClient is the RunE of commands that call the API.
func withClient(do func(*cobra.Command, *assay.Client, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		client, server, err := connect()
		if err != nil {
			return err
		}
		if err = do(c, client, args); len(args) > 0 || c.Flags().Changed("endpoint") {
			return err // a 404 may be about the id
		}
		return explainPath(err, server.URL)
	}
}

// untilInterrupted is withClient for commands that follow changes, which people end with Ctrl-C.
func untilInterrupted(do func(*cobra.Command, *assay.Client, []string) error) func(*cobra.Command, []string) error {
	return withClient(func(c *cobra.Command, client *assay.Client, args []string) error {
		if err := do(c, client, args); !isInterrupted(c.Context(), err) {
			return err
		}
		return nil
	})
}

// explainPath explains a 404 that is about no id: the URL of the server was given with a path, such as that of a page
// of the dashboard, or the server is older than the command.
func explainPath(err error, server string) error {
	p, refused := errors.AsType[*assay.Problem](err)
	u, invalid := url.Parse(server)
	switch {
	case !refused || p.Status != http.StatusNotFound || invalid != nil:
		return err
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("no API answers at %s: leave out the path of a page, as in %s://%s", server, u.Scheme, u.Host)
	case p.Code == "not_found":
		return fmt.Errorf("%s lacks what this command calls, because it is older than the command (%s): upgrade it, or use the command of its version", server, describeVersion())
	}
	return err
}

// given returns the value of a flag, or nil if it was not given.
func given[T ~string](c *cobra.Command, name string) *T {
	if !c.Flags().Changed(name) {
		return nil
	}
	value, _ := c.Flags().GetString(name) // the flag exists
	return new(T(value))
}

// givenNumber returns the value of a flag, or nil if it was not given.
func givenNumber(c *cobra.Command, name string) *int32 {
	if !c.Flags().Changed(name) {
		return nil
	}
	value, _ := c.Flags().GetInt32(name) // the flag exists
	return &value
}
