// Command assay works with assay's API: traders, integrations, interviews, webhooks and exports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	assay "github.com/assayhq/assay/client/go"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3 // there is no key, or the server refused it
)

func main() { os.Exit(runCommand(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// runCommand is main without the process's own state.
func runCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if isInterrupted(ctx, err) {
		err = errInterrupted
	}
	// cobra has no types for commands that do not exist and for flags that exclude each other.
	given := regexp.MustCompile(`^if any flags in the group .*; \[(.*)\] were all set$`).FindStringSubmatch(err.Error())
	switch {
	case given != nil:
		err = usageError{fmt.Errorf("--%s exclude each other", strings.ReplaceAll(given[1], " ", " and --"))}
	case strings.HasPrefix(err.Error(), "unknown command "):
		err = usageError{err}
	}
	fmt.Fprintf(stderr, "assay: %s\n", strings.TrimPrefix(explainError(err).Error(), "assay: ")) // the client's errors begin so, too
	return exitCode(err)
}

// isInterrupted reports whether a command ended with the error because of a signal.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

var (
	// errInterrupted means that a signal ended a command that was not done.
	errInterrupted = errors.New("interrupted")
	// errFailed means that the command has already said what failed.
	errFailed = errors.New("the check did not pass")
	// errNoKey means that nobody has signed in.
	errNoKey = errors.New("no server and key are known: run assay login, or set ASSAY_URL and ASSAY_API_KEY")
	// errOtherServer means that the only key is for another server.
	errOtherServer = errors.New("ASSAY_URL is not the server that you signed in to: set ASSAY_API_KEY, too")
)

// usageError is an invalid command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	if _, usage := errors.AsType[usageError](err); usage {
		return exitUsage
	}
	if p, ok := errors.AsType[*assay.Problem](err); ok && (p.Status == 401 || p.Status == 403) || errors.Is(err, errNoKey) || errors.Is(err, errOtherServer) {
		return exitRefused
	}
	return exitFailed
}

// explainError adds what to do about an error.
func explainError(err error) error {
	if _, usage := errors.AsType[usageError](err); usage {
		return fmt.Errorf("%w\nAdd --help to see how the command is used.", err) //nolint:revive,staticcheck // a sentence for people
	}
	p, refused := errors.AsType[*assay.Problem](err)
	switch {
	case !refused:
		return err
	case p.Code == "insufficient_scope" && p.RequiredScope != nil:
		return fmt.Errorf("the key lacks the scope %s: sign in with another one with assay login", *p.RequiredScope)
	case p.Status == 401:
		return fmt.Errorf("the server refused the key: sign in with a valid one with assay login (%s)", p.Detail)
	case p.Status == 404 && p.Type != "":
		return errors.New("there is nothing with this id: the list commands show the ids")
	case p.Type != "":
		return fmt.Errorf("%w\nSee %s", err, p.Type)
	}
	return err
}
