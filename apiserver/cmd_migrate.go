package main

import (
	"context"
	"fmt"
	"io"

	"github.com/assayhq/assay/store"
)

// migrate brings the database's schema up to date. Several may run at once:
// one does the work.
func migrate(ctx context.Context, o options, _, stderr io.Writer) error {
	config, err := load(o, "database.url")
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
	return nil
}
