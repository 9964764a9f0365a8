package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

func newExport() *cobra.Command {
	traders := &cobra.Command{
		Use: "traders", Short: "Export traders", Args: invalid(cobra.NoArgs),
		Example: "  assay export traders --status active --output traders.csv",
		PreRunE: refuseJSON,
		RunE: withClient(func(c *cobra.Command, client *assay.Client, _ []string) error {
			file, err := client.ExportTraders(c.Context(), &assay.ExportTradersParams{
				Search: given[string](c, "search"), Country: given[string](c, "country"), Tag: given[string](c, "tag"),
				Status: given[string](c, "status"), Source: given[assay.TraderSource](c, "source"),
			})
			if err != nil {
				return err
			}
			return saveFile(c, file)
		}),
	}
	traderFilter(traders)
	trades := &cobra.Command{
		Use: "trades TRADER", Short: "Export the trades of a trader", Args: invalid(cobra.ExactArgs(1)),
		Example: "  assay export trades 019a9f3c-7d10-7ca8-a106-2fb0db3622df --symbol EURUSD > trades.csv",
		PreRunE: refuseJSON,
		RunE: withClient(func(c *cobra.Command, client *assay.Client, args []string) error {
			file, err := client.ExportTrades(c.Context(), args[0], &assay.ExportTradesParams{
				Symbol: given[string](c, "symbol"), AccountID: given[string](c, "account"), State: given[assay.TradeState](c, "state"),
			})
			if err != nil {
				return err
			}
			return saveFile(c, file)
		}),
	}
	trades.Flags().String("symbol", "", "only trades of this symbol")
	trades.Flags().String("account", "", "only trades of the account with this id")
	trades.Flags().String("state", "", "only trades in this state: open or closed")
	offerValues(trades, "state", "open", "closed")
	for _, c := range []*cobra.Command{traders, trades} {
		c.Flags().StringP("output", "o", "", "the file to write; standard output without it")
		_ = c.MarkFlagFilename("output") // the flag exists
	}
	return group("export", "Export as CSV", traders, trades)
}

// refuseJSON refuses the flag that all commands have, because a program that asked for JSON could not read CSV.
func refuseJSON(c *cobra.Command, _ []string) error {
	if wantsJSON(c) {
		return usageError{errors.New("an export is CSV: leave --json out. assay traders list --limit 0 --json prints traders as JSON")}
	}
	return nil
}

// saveFile writes what the server sends to the file that the user names. A file that is not whole is
// removed.
func saveFile(c *cobra.Command, from *assay.File) error {
	defer from.Body.Close()
	path, _ := c.Flags().GetString("output")
	if path == "" {
		_, err := io.Copy(c.OutOrStdout(), from.Body)
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // it is about people
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: name another file, or remove it", path)
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(file, from.Body)
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("the export broke off, run it again: %w", err), os.Remove(path))
	}
	fmt.Fprintf(c.ErrOrStderr(), "Wrote %d bytes to %s.\n", n, path)
	return nil
}
