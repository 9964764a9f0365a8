package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

func newIntegrations() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List integrations", Args: invalid(cobra.NoArgs),
		RunE: withClient(func(c *cobra.Command, client *assay.Client, _ []string) error {
			return showList(c, client.AllIntegrations(c.Context(), nil), []any{"ID", "NAME", "HEALTH", "TRADERS", "LAST SUCCESS", "NEXT SYNC"}, func(i assay.Integration) []any {
				return []any{i.ID, i.Name, i.HealthStatus, i.Counters.Traders, i.LastSuccessAt, i.NextSyncAt}
			})
		}),
	}
	list.Flags().Uint("limit", 100, "show at most this many, or all with 0")
	test := &cobra.Command{
		Use: "test ID", Short: "Check that a platform can be read, step by step", Args: invalid(cobra.ExactArgs(1)),
		RunE: withClient(func(c *cobra.Command, client *assay.Client, args []string) error {
			report, err := client.TestIntegration(c.Context(), args[0])
			if err != nil {
				return err
			}
			return showReport(c, *report, report)
		}),
	}
	runs := &cobra.Command{
		Use: "runs ID", Short: "List the latest runs of an integration", Args: invalid(cobra.ExactArgs(1)),
		RunE: withClient(func(c *cobra.Command, client *assay.Client, args []string) error {
			header := []any{"STARTED", "ENDED", "RESOURCE", "MODE", "STATUS", "SEEN", "WRITTEN", "QUARANTINED", "ERROR"}
			return showList(c, client.AllSyncRuns(c.Context(), args[0], nil), header, runCells)
		}),
	}
	runs.Flags().Uint("limit", 20, "show at most this many, or all with 0")
	return group("integrations", "Connect, check and watch platforms", list, newIntegrationConnect(), test, runs, newIntegrationTail())
}

func newIntegrationConnect() *cobra.Command {
	c := &cobra.Command{
		Use: "connect --url URL", Short: "Connect a platform", Args: invalid(cobra.NoArgs),
		Long:    "connect asks for the platform's API key, checks that the platform can be read, and connects it. Without a\nterminal, it reads the key from standard input.",
		Example: "  assay integrations connect --url https://api.broker.example --name 'Main desk' < platform-key",
		RunE:    withClient(connectIntegration),
	}
	c.Flags().String("kind", string(assay.IntegrationKindCustomAPI), "custom_api or partner_platform")
	offerValues(c, "kind", "custom_api", "partner_platform")
	c.Flags().String("url", "", "the base URL of the platform's API")
	c.Flags().String("name", "", "the name in lists")
	c.Flags().Int32("interval", 0, "seconds between syncs")
	return c
}

func connectIntegration(c *cobra.Command, client *assay.Client, _ []string) error {
	kind, _ := c.Flags().GetString("kind")
	url, _ := c.Flags().GetString("url")
	if url == "" {
		return usageError{errors.New("--url is required: the base URL of the platform's API")}
	}
	key, err := readSecret(c, "API key of the platform: ")
	if err != nil {
		return err
	}
	made, err := client.CreateIntegration(c.Context(), assay.NewIntegration{
		Kind: assay.IntegrationKind(kind), BaseURL: url, APIKey: key,
		Name: given[string](c, "name"), SyncIntervalSeconds: givenNumber(c, "interval"),
	})
	if err != nil {
		return err
	}
	return showReport(c, made.Report, made, []any{"Integration", made.ID, made.Name})
}

// showReport prints the steps of a check, below lines that belong before them. A check that did not
// pass is an error.
func showReport(c *cobra.Command, report assay.ConnectionReport, value any, lines ...[]any) error {
	for _, s := range report.Steps {
		lines = append(lines, []any{s.Status, s.Name, explainStep(s)})
	}
	if err := show(c, value, lines...); err != nil {
		return err
	}
	if !report.Ok {
		return errFailed
	}
	return nil
}

// explainStep says what was seen in a step, and what to do about it.
func explainStep(s assay.ConnectionStep) string {
	switch {
	case s.Message == nil && s.Hint == nil:
		return ""
	case s.Hint == nil:
		return *s.Message
	case s.Message == nil:
		return *s.Hint
	}
	return strings.TrimSuffix(*s.Message, ".") + ". " + *s.Hint
}

func runCells(r assay.SyncRun) []any {
	failure := ""
	if r.Error != nil {
		failure = r.Error.Message
	}
	return []any{r.StartedAt, r.FinishedAt, r.Resource, r.Mode, r.Status, r.RecordsSeen, r.RecordsUpserted, r.RecordsQuarantined, failure}
}

func newIntegrationTail() *cobra.Command {
	c := &cobra.Command{
		Use: "tail ID", Short: "Print each run of an integration when it ends, until Ctrl-C", Args: invalid(cobra.ExactArgs(1)),
		RunE: untilInterrupted(tailRuns),
	}
	c.Flags().Int("count", 0, "end after this many runs; 0 means never")
	return c
}

// tailRuns prints runs that end while it runs.
func tailRuns(c *cobra.Command, client *assay.Client, args []string) error {
	count, _ := c.Flags().GetInt("count")
	printed := map[string]int64{}
	first, shown := true, 0
	for _, err := range watch(c.Context(), client, "integrations") {
		if err != nil {
			return err
		}
		ended, err := endedRuns(c, client, args[0], printed)
		if err != nil {
			if !first && reportOutage(c, err) {
				continue
			}
			return err
		}
		for _, r := range ended {
			printed[r.ID] = 1 + r.Repeats
			if first { // they had ended before
				continue
			}
			if err := printRun(c, r); err != nil {
				return err
			}
			if shown++; shown == count {
				return nil
			}
		}
		first = false
	}
	return nil
}

func printRun(c *cobra.Command, r assay.SyncRun) error {
	return show(c, r, runCells(r)[1:])
}

// endedRuns returns the latest runs that have ended and were not printed, the oldest first. printed says how
// many runs of each id were: those that find nothing new share one.
func endedRuns(c *cobra.Command, client *assay.Client, id string, printed map[string]int64) ([]assay.SyncRun, error) {
	page, err := client.ListSyncRuns(c.Context(), id, &assay.ListSyncRunsParams{Limit: new(int32(100))})
	if err != nil {
		return nil, err
	}
	var ended []assay.SyncRun
	for i := len(page.Data) - 1; i >= 0; i-- {
		if r := page.Data[i]; r.FinishedAt != nil && printed[r.ID] <= r.Repeats {
			ended = append(ended, r)
		}
	}
	return ended, nil
}
