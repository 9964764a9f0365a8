package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/assayhq/assay/store/syncing/integrations"
)

// checkIntegrations prints a line for each time that an integration's address was changed, or
// that it was deleted and connected again, before assay compared platforms: people of two
// platforms may have been merged there.
func checkIntegrations(ctx context.Context, o options, stdout, _ io.Writer) error {
	config, err := loadConfig(o, "database.url")
	if err != nil {
		return err
	}
	db, err := openForCommand(ctx, config, "apiserver integrations", nil)
	if err != nil {
		return err
	}
	defer db.Close()
	moves, err := integrations.ListMoves(ctx, db)
	if err != nil {
		return err
	}
	for _, m := range moves {
		what := "moved from " + m.From + " to " + m.To
		if m.From == m.To {
			what = "deleted and reconnected at " + m.To
		}
		fmt.Fprintf(stdout, "%s  %s  %q  %s  %s, by %s\n", m.OrganizationID, m.IntegrationID, m.Name, m.At.UTC().Format(time.RFC3339), what, m.By)
	}
	fmt.Fprintf(stdout, "%d to review\n", len(moves))
	return nil
}
