package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/seal"
)

// minServer is the oldest version of Postgres that has what the migrations use.
const minServer = 15

// Limits of migrations under load.
const (
	// migrateWait is how many seconds one process waits for another that is
	// migrating.
	migrateWait = 600
	// lockAttempts is how often a migration is tried whose tables are in use. Migrations give up
	// waiting for a lock after two seconds, so that they never delay the statements that queue
	// behind them.
	lockAttempts = 10
	// grantLock is the advisory lock under which roles are given their rights. It is an arbitrary
	// number that is used for nothing else.
	grantLock = 0x61737361795f726f
)

// ownerAdvice says as whom migrations run.
const ownerAdvice = "run it as the owner of the tables; in an empty database, as a user who may create tables (docs/security.md, Database roles)"

// Migrate updates the schema, and grants the processes' roles their rights. If several processes
// call it at once, one does the work while the others wait. It may be killed at any point: the next
// call continues from there. progress, unless nil, is called after each migration that this process
// applied.
func Migrate(ctx context.Context, url seal.Secret, progress func(version int64, name string)) (err error) {
	defer WrapError(&err, "migrate database")
	defer addAdvice(&err, ownerAdvice)
	if progress == nil {
		progress = func(int64, string) {}
	}
	config, err := directConfig(url, Options{ApplicationName: "migrate", StatementTimeout: -1})
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkServer(ctx, db); err != nil {
		return err
	}
	if err := checkOwner(ctx, db); err != nil {
		return err
	}
	if err := migrateTables(ctx, db, progress); err != nil {
		return err
	}
	return grantRoles(ctx, config)
}

// checkServer returns an error if the server is older than the migrations need, or if the database's
// encoding cannot hold every name that a platform sends.
func checkServer(ctx context.Context, db *sql.DB) error {
	var (
		number            int
		version, encoding string
	)
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
current_setting('server_encoding')`).Scan(&number, &version, &encoding)
	if err != nil {
		return err
	}
	return checkSettings(number, version, encoding)
}

func checkSettings(number int, version, encoding string) error {
	switch {
	case number < minServer*10_000:
		return fmt.Errorf("the server is Postgres %s: use version %d or newer", version, minServer)
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create it with ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	return nil
}

// checkOwner returns an error if the tables exist and belong to somebody else. Without it, a user
// who owns nothing would be told that there is nothing to do, although it has granted nothing.
func checkOwner(ctx context.Context, db *sql.DB) error {
	var owner, user string
	err := db.QueryRowContext(ctx, `SELECT pg_get_userbyid(relowner), current_user FROM pg_class
WHERE oid = to_regclass('goose_db_version') AND NOT pg_has_role(relowner, 'USAGE')`).Scan(&owner, &user)
	switch {
	case IsNoRows(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("the tables belong to %s, not to %s: %s", owner, user, ownerAdvice)
}

// grantRoles grants the processes' roles their rights, if both roles exist. Concurrent callers wait
// for each other.
func grantRoles(ctx context.Context, config *pgx.ConnConfig) (err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var found int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM pg_roles WHERE rolname IN ($1, $2)`, roles.APIServer, roles.Syncd).Scan(&found); err != nil || found < 2 {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(grantLock)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, roles.Grants()); err != nil {
			return fmt.Errorf("grant to %s and %s: %w", roles.APIServer, roles.Syncd, err)
		}
		return nil
	})
}

// migrateTables applies the migrations.
func migrateTables(ctx context.Context, db *sql.DB, progress func(int64, string)) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, migrateWait))
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files(),
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	for {
		result, err := upByOne(ctx, provider)
		switch {
		case errors.Is(err, goose.ErrNoNextVersion):
			return nil
		case err != nil:
			return err
		}
		progress(result.Source.Version, result.Source.Path)
	}
}

// upByOne applies the next migration, and retries if its tables were in use.
func upByOne(ctx context.Context, provider *goose.Provider) (*goose.MigrationResult, error) {
	for attempt := 1; ; attempt++ {
		result, err := provider.UpByOne(ctx)
		if !HasState(err, stateLockTimeout) || attempt == lockAttempts {
			return result, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(attempt) * time.Second):
		}
	}
}
