package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	assay "github.com/assayhq/assay/client/go"
)

func newLogin() *cobra.Command {
	c := &cobra.Command{
		Use:   "login --url URL",
		Short: "Store the server and your key, and check them",
		Long: `login asks for an API key, checks it with the server, and stores both in your configuration directory,
where only you can read them. Without a terminal, it reads the key from standard input.`,
		Example: "  assay login --url https://assay.example.com\n  assay login --url https://assay.example.com < key",
		Args:    invalid(cobra.NoArgs),
		RunE:    runLogin,
	}
	c.Flags().String("url", "", "the URL of the server")
	return c
}

func runLogin(c *cobra.Command, _ []string) error {
	entered := credentials{}
	if entered.URL, _ = c.Flags().GetString("url"); entered.URL == "" {
		return usageError{errors.New("--url is required, such as https://assay.example.com")}
	}
	if isUnprotected(entered.URL) {
		return usageError{fmt.Errorf("%s is not https, and others could read your key on its way", entered.URL)}
	}
	key, err := readSecret(c, "API key: ")
	if err != nil {
		return err
	}
	if entered.Key = key; key == "" {
		return usageError{errors.New("no key was entered: create one under Developers, API keys")}
	}
	client, err := newClient(entered)
	if err != nil {
		return err
	}
	if err := checkKey(c.Context(), client); err != nil {
		return explainPath(err, entered.URL)
	}
	path, err := entered.writeFile()
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	fmt.Fprintf(c.OutOrStdout(), "Signed in to %s. The key is stored in %s.\n", entered.URL, path)
	return nil
}

// checkKey calls what every key may call.
func checkKey(ctx context.Context, client *assay.Client) error {
	for _, err := range client.Changes(ctx) {
		return err
	}
	return ctx.Err()
}

// readSecret asks for a secret without showing it, or reads it from standard input.
func readSecret(c *cobra.Command, prompt string) (string, error) {
	if file, ok := c.InOrStdin().(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		secret, err := readHidden(c.Context(), file, c.ErrOrStderr(), prompt)
		return strings.TrimSpace(secret), err
	}
	line, err := bufio.NewReader(c.InOrStdin()).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// readHidden prompts for a line on a terminal without showing what is typed. The terminal stops showing it
// before the prompt appears, and is as it was when readHidden returns: if the context ends, the reading goes
// on to the end of the process and changes nothing.
func readHidden(ctx context.Context, terminal *os.File, prompts io.Writer, prompt string) (_ string, err error) {
	before, err := term.MakeRaw(int(terminal.Fd()))
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, term.Restore(int(terminal.Fd()), before)); err != nil {
			fmt.Fprintln(prompts) // no key ended the line
		}
	}()
	type entry struct {
		line string
		err  error
	}
	entered := make(chan entry, 1)
	go func() {
		line, err := term.NewTerminal(readWriter{terminal, prompts}, "").ReadPassword(prompt)
		entered <- entry{line, err}
	}()
	select {
	case e := <-entered:
		if errors.Is(e.err, io.EOF) { // Ctrl-C, Ctrl-D, or a terminal that was closed
			return "", errors.New("nothing was entered")
		}
		return e.line, e.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

type readWriter struct {
	io.Reader
	io.Writer
}
