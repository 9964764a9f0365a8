package main

import (
	"strings"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

func newTraders() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List traders", Args: invalid(cobra.NoArgs),
		Example: "  assay traders list --search smith\n  assay traders list --tag vip --json",
		RunE: withClient(func(c *cobra.Command, client *assay.Client, _ []string) error {
			params := &assay.ListTradersParams{
				Search: given[string](c, "search"), Country: given[string](c, "country"), Tag: given[string](c, "tag"),
				Status: given[string](c, "status"), Source: given[assay.TraderSource](c, "source"),
			}
			return showList(c, client.AllTraders(c.Context(), params), []any{"ID", "NAME", "EMAIL", "COUNTRY", "STATUS", "SOURCE"}, func(t assay.Trader) []any {
				return []any{t.ID, t.FullName, t.Email, t.Country, t.Status, t.Source}
			})
		}),
	}
	traderFilter(list)
	addLimit(list)
	show := &cobra.Command{
		Use: "show ID", Short: "Show a trader with accounts and interviews", Args: invalid(cobra.ExactArgs(1)),
		RunE: withClient(showTrader),
	}
	return group("traders", "Find and show traders", list, show)
}

// traderFilter adds the flags by which lists and exports of traders are filtered.
func traderFilter(c *cobra.Command) {
	c.Flags().String("search", "", "part of the name, email or external id")
	c.Flags().String("country", "", "only traders from this country")
	c.Flags().String("tag", "", "only traders with this tag")
	c.Flags().String("status", "", "only traders with one of these statuses, comma-separated")
	c.Flags().String("source", "", "only traders from this source: custom_api, partner_platform or manual")
	offerValues(c, "source", "custom_api", "partner_platform", "manual")
}

// addLimit adds the flag for the most that a list shows.
func addLimit(c *cobra.Command) {
	c.Flags().Uint("limit", 100, "show at most this many, or all with 0")
}

func showTrader(c *cobra.Command, client *assay.Client, args []string) error {
	t, err := client.GetTrader(c.Context(), args[0])
	if err != nil {
		return err
	}
	lines := [][]any{
		{"Name", t.FullName},
		{"ID", t.ID},
		{"External id", t.ExternalID},
		{"Email", t.Email},
		{"Phone", t.Phone},
		{"Country", t.Country},
		{"Status", t.Status},
		{"Source", t.Source},
		{"Tags", strings.Join(t.Tags, ", ")},
		{"Registered", t.RegisteredAt},
		{"Trades", t.Stats.ClosedTrades + t.Stats.OpenTrades},
		{"Last trade", t.Stats.LastTradeAt},
	}
	for _, a := range t.Accounts {
		lines = append(lines, []any{"Account", strings.Join([]string{a.ExternalID, format(a.Platform), format(a.Status), format(a.Currency)}, "  ")})
	}
	for _, i := range t.Interviews {
		lines = append(lines, []any{"Interview", i.ID + "  " + format(i.Status)})
	}
	return show(c, t, lines...)
}
