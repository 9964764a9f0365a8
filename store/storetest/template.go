package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/seal"
)

const (
	templatePrefix = "assay_template_"
	testPrefix     = "assay_test_"
	// templateLock is the advisory lock for making a template.
	templateLock = 0x61737361795f7470
	// abandoned is the age from which on no test can still use a test database.
	abandoned = 2 * time.Hour
)

// prepareTemplate returns the name of a database that has all migrations and does not permit
// connections, which makes copying it safe. Of several processes that need one, one makes it.
// prepareTemplate also drops what killed tests have left behind.
func prepareTemplate(ctx context.Context, server string) (name string, err error) {
	sum, err := schemaSum()
	if err != nil {
		return "", err
	}
	name = templatePrefix + sum
	err = onServer(ctx, server, func(conn *pgx.Conn) (err error) {
		ready, err := isReady(ctx, conn, name)
		if err != nil || ready {
			return err
		}
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(templateLock)); err != nil {
			return err
		}
		defer func() {
			_, unlocked := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, int64(templateLock))
			err = errors.Join(err, unlocked)
		}()
		if ready, err = isReady(ctx, conn, name); err != nil || ready {
			return err
		}
		if err := dropStale(ctx, conn); err != nil {
			return err
		}
		if err := MakeRoles(ctx, conn); err != nil {
			return err
		}
		return makeTemplate(ctx, conn, server, name)
	})
	return name, err
}

// rolePassword is the password of the users of the processes' roles. Their names are the roles'
// names followed by testUser.
const (
	rolePassword = "assay-test"
	testUser     = "_test"
)

// MakeRoles creates the processes' roles, each with a user, on a server that lacks them.
func MakeRoles(ctx context.Context, conn *pgx.Conn) error {
	for _, role := range []string{roles.APIServer, roles.Syncd} {
		_, err := conn.Exec(ctx, fmt.Sprintf(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%[1]s') THEN CREATE ROLE %[1]s; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%[1]s%[2]s') THEN CREATE ROLE %[1]s%[2]s LOGIN PASSWORD '%[3]s' IN ROLE %[1]s; END IF;
END $$`, role, testUser, rolePassword))
		if err != nil {
			return err
		}
	}
	return nil
}

// As returns the URL of a database of this package for a process's role (store/roles), for tests
// that start processes.
func As(t testing.TB, role, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role+testUser, rolePassword)
	return u.String()
}

// isReady reports whether the template exists and is finished. Forbidding connections is the last
// step of making it.
func isReady(ctx context.Context, conn *pgx.Conn, name string) (ready bool, err error) {
	err = conn.QueryRow(ctx, `SELECT NOT datallowconn FROM pg_database WHERE datname = $1`, name).Scan(&ready)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return ready, err
}

func makeTemplate(ctx context.Context, conn *pgx.Conn, server, name string) error {
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", "CREATE DATABASE " + name} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	database, err := withDatabase(server, name)
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx, seal.NewSecret(database), nil); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
	return err
}

// dropStale drops the databases of killed tests.
func dropStale(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, testPrefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		made, _, _ := strings.Cut(strings.TrimPrefix(name, testPrefix), "_")
		seconds, err := strconv.ParseInt(made, 10, 64)
		if err != nil || time.Since(time.Unix(seconds, 0)) < abandoned {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()); err != nil {
			return err
		}
	}
	return nil
}

// schemaSum returns a hash that identifies the schema: all that Migrate would apply.
func schemaSum() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(migrations.Files(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrations.Files(), path)
		fmt.Fprintf(h, "%s\n%s\n", path, content)
		return err
	})
	if err != nil {
		return "", err
	}
	fmt.Fprint(h, roles.Grants())
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
