package main

import (
	"context"
	"fmt"
	"io"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store"
)

// migrateDatabase updates the database's schema. If several processes run it at the same time,
// one does the work.
func migrateDatabase(ctx context.Context, o options, _, stderr io.Writer) error {
	config, err := loadConfig(o, "database.url")
	if err != nil {
		return err
	}
	err = store.Migrate(ctx, config.Database.DirectURL, func(version int64, name string) {
		fmt.Fprintf(stderr, "applied migration %d %s\n", version, name)
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, "the schema is up to date")
	return warnOfLog(ctx, config, stderr)
}

// warnOfLog warns if the database server's log would contain names and emails.
func warnOfLog(ctx context.Context, config configs.Config, stderr io.Writer) error {
	db, err := store.Open(ctx, store.Options{URL: config.Database.DirectURL, MaxConnections: 1, ApplicationName: "migrate"})
	if err != nil {
		return err
	}
	defer db.Close()
	warnings, err := db.LogWarnings(ctx)
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		fmt.Fprintf(stderr, "warning: %s (docs/security.md)\n", warning)
	}
	return nil
}
