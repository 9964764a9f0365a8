package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// trial is a database that exists for the duration of a simulation.
type trial struct {
	name         string
	admin, url   string
	store        *store.DB
	organization uuid.UUID
}

// newTrial creates a database on the server that the URL names, with all tables.
func newTrial(ctx context.Context, admin string) (*trial, error) {
	u, err := url.Parse(admin)
	if err != nil {
		return nil, err
	}
	t := &trial{name: "assay_simulate_" + strings.ToLower(rand.Text()[:12]), admin: admin}
	u.Path = "/" + t.name
	t.url = u.String()
	if err := t.execStatement(ctx, "CREATE DATABASE "+pgx.Identifier{t.name}.Sanitize()); err != nil {
		return nil, fmt.Errorf("make a throwaway database: %w", err)
	}
	if err := t.open(ctx); err != nil {
		return nil, errors.Join(err, t.dropDatabase(ctx))
	}
	return t, nil
}

// open makes the tables and connects to them.
func (t *trial) open(ctx context.Context) error {
	if err := store.Migrate(ctx, seal.NewSecret(t.url), func(int64, string) {}); err != nil {
		return err
	}
	text, err := seal.NewKeyring()
	if err != nil {
		return err
	}
	keyring, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		return err
	}
	t.store, err = store.Open(ctx, store.Options{URL: seal.NewSecret(t.url), MaxConnections: 4, Keyring: keyring, ApplicationName: "contracttest simulate"})
	return err
}

// execStatement runs a statement on the database that the operator named.
func (t *trial) execStatement(ctx context.Context, text string) error {
	conn, err := pgx.Connect(ctx, t.admin)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, text)
	return errors.Join(err, conn.Close(ctx))
}

// dropDatabase removes the database, even after an interruption.
func (t *trial) dropDatabase(ctx context.Context) error {
	if t.store != nil {
		t.store.Close()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := t.execStatement(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{t.name}.Sanitize()+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop the throwaway database %s: %w", t.name, err)
	}
	return nil
}

// filledColumns returns the columns that a platform fills, by table.
func filledColumns() map[string][]string {
	return map[string][]string{
		"traders":  {"email", "first_name", "last_name", "country", "phone", "registered_at", "kyc_status", "tags", "metadata"},
		"accounts": {"platform", "login", "program", "phase", "status", "currency", "initial_balance", "balance", "equity", "started_at", "metadata"},
		"trades":   {"volume", "close_time", "open_price", "close_price", "stop_loss", "take_profit", "commission", "swap", "profit"},
		"payouts":  {"account_external_id", "amount", "currency", "requested_at", "paid_at"},
	}
}

// countColumns reads how many rows a table has, how many of them have a value in each column, and
// which share of the time up to now the rows span.
func (t *trial) countColumns(ctx context.Context, table string) (rows int64, counts []int64, share float64, err error) {
	conn, err := pgx.Connect(ctx, t.url)
	if err != nil {
		return 0, nil, 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	columns := filledColumns()[table]
	var query strings.Builder
	query.WriteString(`SELECT count(*), coalesce(extract(epoch FROM max(platform_updated_at) - min(platform_updated_at)) /
    nullif(extract(epoch FROM now() - min(platform_updated_at)), 0), 0)::float8`)
	counts = make([]int64, len(columns))
	into := []any{&rows, &share}
	for i, column := range columns {
		value := pgx.Identifier{column}.Sanitize()
		if column == "tags" {
			value = "nullif(" + value + ", '{}')"
		}
		query.WriteString(", count(" + value + ")")
		into = append(into, &counts[i])
	}
	query.WriteString(" FROM " + pgx.Identifier{table}.Sanitize())
	err = conn.QueryRow(ctx, query.String()).Scan(into...)
	return rows, counts, share, err
}
