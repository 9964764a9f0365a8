package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

func newWebhooksList() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List webhook endpoints", Args: invalid(cobra.NoArgs),
		RunE: withClient(func(c *cobra.Command, client *assay.Client, _ []string) error {
			return showList(c, client.AllWebhooks(c.Context(), nil), []any{"ID", "KIND", "URL", "EVENTS", "ACTIVE", "PAUSED"}, func(e assay.WebhookEndpoint) []any {
				return []any{e.ID, e.Kind, e.URL, strings.Join(e.Events, ", "), e.IsActive, e.PausedAt != nil}
			})
		}),
	}
	addLimit(c)
	return c
}

func newWebhooksCreate() *cobra.Command {
	c := &cobra.Command{
		Use: "create --url URL", Short: "Create a webhook endpoint, and print its signing secret", Args: invalid(cobra.NoArgs),
		Example: "  assay webhooks create --url https://hooks.example.com/assay --events 'trader.*,payout.status_changed'\n" +
			"  assay webhooks create --kind slack --url https://hooks.slack.com/services/T000/B000/XXXX --events 'integration.*' --filter data.health_status=blocked",
		RunE: withClient(createWebhook),
	}
	addEndpointFlags(c)
	c.Flags().String("kind", "", "what is sent: standard, slack or teams; standard by default")
	offerValues(c, "kind", "standard", "slack", "teams")
	return c
}

func newWebhooksUpdate() *cobra.Command {
	c := &cobra.Command{
		Use: "update ID", Short: "Change a webhook endpoint", Args: invalid(cobra.ExactArgs(1)),
		Example: "  assay webhooks update 019a9f3c-7d10-7ca8-a106-2fb0db3622df --disable\n" +
			"  assay webhooks update 019a9f3c-7d10-7ca8-a106-2fb0db3622df --filter data.status=restricted --filter data.status=archived",
		RunE: withClient(updateWebhook),
	}
	addEndpointFlags(c)
	c.Flags().Bool("no-headers", false, "remove all headers")
	c.Flags().Bool("no-filters", false, "remove all filters")
	c.Flags().Bool("enable", false, "send events again")
	c.Flags().Bool("disable", false, "send no events, and skip those that wait")
	c.Flags().Bool("pause", false, "let events wait")
	c.Flags().Bool("resume", false, "send the events that wait, in order")
	c.MarkFlagsMutuallyExclusive("header", "no-headers")
	c.MarkFlagsMutuallyExclusive("filter", "no-filters")
	c.MarkFlagsMutuallyExclusive("enable", "disable")
	c.MarkFlagsMutuallyExclusive("pause", "resume", "disable")
	return c
}

// addEndpointFlags adds the flags that creating and changing an endpoint have in common.
func addEndpointFlags(c *cobra.Command) {
	c.Flags().String("url", "", "where to send events")
	c.Flags().StringSlice("events", nil, "which events to send, such as trader.*; all by default")
	c.Flags().StringArray("header", nil, "a header to add, such as 'X-Tenant: 7'; repeat it for more, they replace all earlier ones")
	c.Flags().StringArray("filter", nil, "send only events with this member, such as data.status=active; repeat it for other values or members, they replace all earlier ones")
}

func createWebhook(c *cobra.Command, client *assay.Client, _ []string) error {
	url := given[string](c, "url")
	if url == nil {
		return usageError{errors.New("--url is required: where to send events")}
	}
	headers, err := readHeaderFlags(c)
	if err != nil {
		return err
	}
	filters, err := readFilterFlags(c)
	if err != nil {
		return err
	}
	body := assay.NewWebhookEndpoint{
		URL: *url, Kind: given[assay.WebhookKind](c, "kind"), Headers: headers, Filters: filters,
		Events: eventFlags(c),
	}
	if body.Events == nil {
		body.Events = []assay.EventPattern{"*"}
	}
	made, err := client.CreateWebhook(c.Context(), body)
	if err != nil {
		return err
	}
	if err := show(c, made, []any{"Endpoint", made.ID}, []any{"Secret", made.Secret}); err != nil || made.SecretAvailable {
		return err
	}
	return errors.New("the endpoint was created, but the answer with its secret was lost: rotate the secret in the dashboard")
}

func updateWebhook(c *cobra.Command, client *assay.Client, args []string) error {
	headers, err := readHeaderFlags(c)
	if err != nil {
		return err
	}
	filters, err := readFilterFlags(c)
	if err != nil {
		return err
	}
	body := assay.WebhookEndpointPatch{URL: given[string](c, "url"), Headers: headers, Filters: filters, Events: eventFlags(c)}
	if none, _ := c.Flags().GetBool("no-headers"); none {
		body.Headers = []assay.NewWebhookHeader{}
	}
	if none, _ := c.Flags().GetBool("no-filters"); none {
		body.Filters = []assay.NewWebhookFilter{}
	}
	enable, _ := c.Flags().GetBool("enable")
	if disable, _ := c.Flags().GetBool("disable"); enable || disable {
		body.IsActive = &enable
	}
	pause, _ := c.Flags().GetBool("pause")
	if resume, _ := c.Flags().GetBool("resume"); pause || resume {
		body.Paused = &pause
	}
	changed, err := client.UpdateWebhook(c.Context(), args[0], body)
	if err != nil {
		return err
	}
	return show(c, changed, endpointLines(changed)...)
}

// endpointLines describes an endpoint.
func endpointLines(e *assay.WebhookEndpoint) [][]any {
	lines := [][]any{{"Endpoint", e.ID}, {"Kind", e.Kind}, {"URL", e.URL}, {"Events", strings.Join(e.Events, ", ")}, {"Active", e.IsActive}}
	if e.PausedAt != nil {
		lines = append(lines, []any{"Paused since", e.PausedAt})
	}
	for _, f := range e.Filters {
		lines = append(lines, []any{"Filter", f.Member + "=" + strings.Join(f.Values, " or ")})
	}
	for _, h := range e.Headers {
		lines = append(lines, []any{"Header", h.Name})
	}
	return lines
}

// eventFlags returns the events of the command line, or nil if there are none.
func eventFlags(c *cobra.Command) (events []assay.EventPattern) {
	texts, _ := c.Flags().GetStringSlice("events")
	for _, text := range texts {
		events = append(events, assay.EventPattern(text))
	}
	return events
}

// readHeaderFlags reads the headers of the command line.
func readHeaderFlags(c *cobra.Command) (headers []assay.NewWebhookHeader, err error) {
	texts, _ := c.Flags().GetStringArray("header")
	for _, text := range texts {
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, usageError{fmt.Errorf("--header: %q must have the form 'Name: value'", text)}
		}
		headers = append(headers, assay.NewWebhookHeader{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return headers, nil
}

// readFilterFlags reads the filters of the command line. The values of a member are alternatives.
func readFilterFlags(c *cobra.Command) (filters []assay.NewWebhookFilter, err error) {
	texts, _ := c.Flags().GetStringArray("filter")
	var members []string
	values := make(map[string][]string)
	for _, text := range texts {
		member, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("--filter: %q must have the form data.status=active", text)}
		}
		if !slices.Contains(members, member) {
			members = append(members, member)
		}
		values[member] = append(values[member], value)
	}
	for _, member := range members {
		filters = append(filters, assay.NewWebhookFilter{Member: member, Values: values[member]})
	}
	return filters, nil
}
