package main

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

func newInterviews() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List interviews", Args: invalid(cobra.NoArgs),
		RunE: withClient(func(c *cobra.Command, client *assay.Client, _ []string) error {
			params := &assay.ListInterviewsParams{
				Search: given[string](c, "search"), Status: given[string](c, "status"), Decision: given[string](c, "decision"), TraderID: given[string](c, "trader"),
			}
			return showList(c, client.AllInterviews(c.Context(), params), []any{"ID", "TRADER", "STATUS", "DECISION", "REFERENCE", "CREATED"}, func(i assay.Interview) []any {
				decision := ""
				if i.Decision != nil {
					decision = string(i.Decision.Value)
				}
				return []any{i.ID, i.Trader.FullName, i.Status, decision, i.Reference, i.CreatedAt}
			})
		}),
	}
	list.Flags().String("search", "", "part of the trader's name, email or the reference")
	list.Flags().String("status", "", "only interviews with one of these statuses, comma-separated")
	list.Flags().String("decision", "", "only interviews with one of these decisions, comma-separated")
	list.Flags().String("trader", "", "only interviews of the trader with this id")
	addLimit(list)
	open := &cobra.Command{
		Use: "open ID", Short: "Open an interview in the dashboard", Args: invalid(cobra.ExactArgs(1)),
		RunE: openInterview,
	}
	open.Flags().Bool("print", false, "print the address and open nothing")
	return group("interviews", "Create, list and open interviews", newInterviewCreate(), list, open)
}

func newInterviewCreate() *cobra.Command {
	c := &cobra.Command{
		Use: "create", Short: "Create an interview, and print the link for the trader", Args: invalid(cobra.NoArgs),
		Example: "  assay interviews create --trader 019a9f3c-7d10-7ca8-a106-2fb0db3622df\n  assay interviews create --name 'Zoe Miller' --email zoe@example.com",
		RunE:    withClient(createInterview),
	}
	c.Flags().String("trader", "", "the id of the trader")
	c.Flags().String("name", "", "the name of a trader who is not in the directory")
	c.Flags().String("email", "", "the email of that trader")
	c.Flags().String("reference", "", "your own reference")
	c.Flags().String("reason", "", "why the trader is interviewed")
	c.Flags().String("language", "", "the language of the interview, one of those that the server offers")
	c.Flags().Int32("window-hours", 0, "for how many hours the link is valid")
	c.MarkFlagsMutuallyExclusive("trader", "name")
	return c
}

func createInterview(c *cobra.Command, client *assay.Client, _ []string) error {
	body := assay.NewInterview{
		TraderID: given[string](c, "trader"), Reference: given[string](c, "reference"), Language: given[string](c, "language"),
		Reason: given[assay.InterviewReason](c, "reason"), WindowHours: givenNumber(c, "window-hours"),
	}
	switch name := given[string](c, "name"); {
	case name != nil:
		body.Trader = &assay.NewInterview_Trader{FullName: *name, Email: given[string](c, "email")}
	case body.TraderID == nil:
		return usageError{errors.New("--trader or --name is required")}
	}
	made, err := client.CreateInterview(c.Context(), body)
	if err != nil {
		return err
	}
	if err := show(c, made, []any{"Interview", made.Interview.ID}, []any{"Link", made.InviteURL}, []any{"Valid until", made.InviteExpiresAt}); err != nil || made.SecretAvailable {
		return err
	}
	return errors.New("the interview was created, but the answer with its link was lost: replace the link in the dashboard")
}

func openInterview(c *cobra.Command, args []string) error {
	_, stored, err := connect()
	if err != nil {
		return err
	}
	address := strings.TrimRight(stored.URL, "/") + "/interviews/" + url.PathEscape(args[0])
	fmt.Fprintln(c.OutOrStdout(), address)
	if only, _ := c.Flags().GetBool("print"); only {
		return nil
	}
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if err := exec.CommandContext(c.Context(), name, address).Run(); err != nil {
		return fmt.Errorf("no browser could be opened, open the address yourself: %w", err)
	}
	return nil
}
