package main

import (
	"context"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// openForCommand opens the database for a command that runs to completion, and checks the schema.
// Without a keyring nothing can be sealed or opened. The caller must close the database.
func openForCommand(ctx context.Context, config configs.Config, name string, keyring *seal.Keyring) (*store.DB, error) {
	db, err := store.Open(ctx, store.Options{
		URL: config.Database.URL, DirectURL: config.Database.DirectURL,
		Pooler: config.Database.Pooler == configs.PoolerTransaction, MaxConnections: 1, ApplicationName: name, Keyring: keyring,
	})
	if err != nil {
		return nil, err
	}
	if err := db.CheckSchema(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
