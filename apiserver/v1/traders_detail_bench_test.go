package v1_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/assayhq/assay/store/storetest"
)

// The data of the benchmark's trader.
const (
	benchDetailTrades   = 100_000
	benchDetailAccounts = 10
)

// BenchmarkTraderDetail compares GET /v1/traders/{id} of a trader with 100,000
// trades in ten accounts with a bare handler, as BenchmarkListTraders does.
func BenchmarkTraderDetail(tb *testing.B) {
	b := setup(tb)
	id := seedTrader(tb, b)
	read := func(ctx context.Context, pool *pgxpool.Pool, organization uuid.UUID) (d any, err error) {
		err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			d, err = readBareDetail(ctx, tx, organization, id)
			return err
		})
		return d, err
	}
	b.compare(tb, "/v1/traders/"+id.String(), read)
}

// seedTrader creates the trader and another one with as many trades.
func seedTrader(tb *testing.B, b *testAPI) (id uuid.UUID) {
	tb.Helper()
	i := storetest.Integration(tb, b.db, b.org.ID, b.platformURL)
	conn := storetest.Conn(tb, b.databaseURL)
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO traders (id, organization_id, integration_id, source, external_id, first_name, last_name, full_name, email, metadata, content_hash)
SELECT gen_random_uuid(), '%s', '%s', 'custom_api', 'T-' || n, 'First', 'Last', 'First Last', 'trader' || n || '@mail.example', '{"score": 12}', ''
FROM generate_series(1, 2) AS n`, b.org.ID, i.ID),
		fmt.Sprintf(`INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, platform, login, program, phase, status, currency,
    initial_balance, balance, equity, started_at, metadata, content_hash)
SELECT gen_random_uuid(), '%s', '%s', 'A-' || n, 'T-' || 1 + n / %d, 'mt5', n::text, 'Two-step 100k', 'funded', 'active', (ARRAY['USD', 'EUR'])[1 + n %% 2],
    100000, 101250.40, 101198.15, now(), '{"server": "live-2"}', ''
FROM generate_series(0, 2 * %[3]d - 1) AS n`, b.org.ID, i.ID, benchDetailAccounts),
		fmt.Sprintf(`INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price,
    stop_loss, take_profit, commission, swap, profit, platform_updated_at, content_hash)
SELECT '%s', 'A-' || n %% (2 * %d), 't-' || n, 'EURUSD', 'buy', 1.5, at, CASE WHEN n %% 100 > 0 THEN at + interval '1 hour' END, 1.08123, 1.08223,
    1.07, 1.09, -3.5, 0, n %% 500 - 200.25, at, '\x00'
FROM generate_series(1, 2 * %d) AS n, LATERAL (SELECT now() - n * interval '1 minute' AS at) AS times`, i.ID, benchDetailAccounts, benchDetailTrades),
		fmt.Sprintf(`INSERT INTO payouts (id, organization_id, integration_id, external_id, trader_external_id, account_external_id, status, amount, currency,
    requested_at, paid_at, content_hash)
SELECT gen_random_uuid(), '%s', '%s', 'P-' || n, 'T-1', 'A-1', 'paid', 800, 'USD', now(), now(), '' FROM generate_series(1, 10) AS n`, b.org.ID, i.ID),
		`VACUUM ANALYZE trades, accounts, traders, payouts`,
	} {
		_, err := conn.Exec(context.Background(), statement)
		check(tb, err)
	}
	check(tb, conn.QueryRow(context.Background(), `SELECT id FROM traders WHERE external_id = 'T-1'`).Scan(&id))
	return id
}

// bareDetail is what the bare handler returns.
type bareDetail struct {
	bareTrader
	Overrides  []string        `json:"overrides"`
	Accounts   []bareAccount   `json:"accounts"`
	Payouts    []barePayout    `json:"payouts"`
	Notes      []bareNote      `json:"notes"`
	Interviews []bareInterview `json:"interviews"`
	Sums       []bareSum       `json:"sums"`
	Paid       []barePaid      `json:"paid"`
}

type bareAccount struct {
	ID                uuid.UUID       `json:"id"`
	ExternalID        string          `json:"external_id"`
	Platform          *string         `json:"platform"`
	Login             *string         `json:"login"`
	Program           *string         `json:"program"`
	Phase             *string         `json:"phase"`
	Status            *string         `json:"status"`
	Currency          *string         `json:"currency"`
	InitialBalance    pgtype.Numeric  `json:"initial_balance"`
	Balance           pgtype.Numeric  `json:"balance"`
	Equity            pgtype.Numeric  `json:"equity"`
	StartedAt         *time.Time      `json:"started_at"`
	Metadata          json.RawMessage `json:"metadata"`
	PlatformUpdatedAt *time.Time      `json:"platform_updated_at"`
}

type barePayout struct {
	ID                uuid.UUID       `json:"id"`
	ExternalID        string          `json:"external_id"`
	AccountID         *uuid.UUID      `json:"account_id"`
	AccountExternalID *string         `json:"account_external_id"`
	Status            *string         `json:"status"`
	Amount            pgtype.Numeric  `json:"amount"`
	Currency          *string         `json:"currency"`
	RequestedAt       *time.Time      `json:"requested_at"`
	PaidAt            *time.Time      `json:"paid_at"`
	Metadata          json.RawMessage `json:"metadata"`
}

type bareNote struct {
	ID         uuid.UUID `json:"id"`
	Body       string    `json:"body"`
	AuthorName string    `json:"author_name"`
	CreatedAt  time.Time `json:"created_at"`
}

type bareInterview struct {
	ID        uuid.UUID `json:"id"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
}

type bareSum struct {
	Currency string     `json:"currency"`
	Open     int64      `json:"open"`
	Closed   int64      `json:"closed"`
	Profit   *string    `json:"profit"`
	First    *time.Time `json:"first"`
	Last     *time.Time `json:"last"`
}

type barePaid struct {
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

// The statements of the bare handler of a trader, which are those of the store.
const (
	bareOwner   = `SELECT integration_id, external_id FROM traders WHERE id = $1 AND organization_id = $2`
	bareProfile = `SELECT t.id, t.source,
    (SELECT i.id FROM integrations AS i WHERE i.id = t.integration_id AND i.deleted_at IS NULL) AS integration_id,
    coalesce(t.override_external_id, t.external_id), t.first_name, t.last_name, coalesce(t.override_full_name, t.full_name),
    coalesce(t.override_email, t.email), coalesce(t.override_country, t.country), coalesce(t.override_phone, t.phone), t.kyc_status, t.status,
    coalesce(t.override_tags, t.tags), t.registered_at, t.metadata, t.platform_updated_at, t.missing_since,
    array_remove(ARRAY[CASE WHEN t.override_full_name IS NOT NULL THEN 'full_name' END, CASE WHEN t.override_email IS NOT NULL THEN 'email' END,
        CASE WHEN t.override_external_id IS NOT NULL THEN 'external_id' END, CASE WHEN t.override_country IS NOT NULL THEN 'country' END,
        CASE WHEN t.override_phone IS NOT NULL THEN 'phone' END, CASE WHEN t.override_tags IS NOT NULL THEN 'tags' END], NULL),
    t.created_at, t.updated_at
FROM traders AS t WHERE t.id = $1 AND t.organization_id = $2`
	bareNotes      = `SELECT id, body, author_name, created_at FROM trader_notes WHERE trader_id = $1 ORDER BY created_at DESC, id DESC`
	bareInterviews = `SELECT id, status, created_at FROM interviews WHERE trader_id = $1 ORDER BY created_at DESC, id DESC LIMIT 200`
	bareAccounts   = `SELECT id, external_id, platform, login, program, phase, status, currency, initial_balance, balance, equity,
    started_at, metadata, platform_updated_at
FROM accounts WHERE integration_id = $1 AND trader_external_id = $2 ORDER BY started_at DESC NULLS LAST, external_id`
	barePayouts = `SELECT p.id, p.external_id, a.id, p.account_external_id, p.status, p.amount, p.currency, p.requested_at, p.paid_at, p.metadata
FROM payouts AS p LEFT JOIN accounts AS a ON a.integration_id = p.integration_id AND a.external_id = p.account_external_id
WHERE p.integration_id = $1 AND p.trader_external_id = $2 ORDER BY p.requested_at DESC NULLS LAST, p.external_id`
	bareSums = `SELECT coalesce(a.currency, ''), sum(x.open)::bigint, sum(x.closed)::bigint, trim_scale(sum(x.profit))::text, min(x.first), max(x.last)
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE t.close_time IS NULL) AS open, count(t.close_time) AS closed,
        sum(t.profit) FILTER (WHERE t.close_time IS NOT NULL) AS profit, min(t.open_time) AS first, max(t.open_time) AS last
    FROM (SELECT t.open_time, t.close_time, t.profit FROM trades AS t
        WHERE t.integration_id = a.integration_id AND t.account_external_id = a.external_id AND t.updated_at > '-infinity'
        ORDER BY t.open_time DESC NULLS LAST, t.id DESC) AS t
) AS x
WHERE a.integration_id = $1 AND a.trader_external_id = $2 GROUP BY 1 ORDER BY 1`
	barePaidOut = `SELECT coalesce(currency, ''), trim_scale(sum(amount))::text FROM payouts
WHERE integration_id = $1 AND trader_external_id = $2 AND status = 'paid' AND amount IS NOT NULL GROUP BY 1 ORDER BY 1`
)

// readBareDetail runs only the store's statements.
func readBareDetail(ctx context.Context, tx pgx.Tx, organization, id uuid.UUID) (d bareDetail, err error) {
	var (
		integration *uuid.UUID
		externalID  *string
		t           = &d.bareTrader
	)
	if err := tx.QueryRow(ctx, bareOwner, id, organization).Scan(&integration, &externalID); err != nil {
		return d, err
	}
	err = tx.QueryRow(ctx, bareProfile, id, organization).Scan(&t.ID, &t.Source, &t.IntegrationID, &t.ExternalID, &t.FirstName, &t.LastName, &t.FullName,
		&t.Email, &t.Country, &t.Phone, &t.KYCStatus, &t.Status, &t.Tags, &t.RegisteredAt, &t.Metadata, &t.PlatformUpdatedAt, &t.MissingSince, &d.Overrides,
		&t.CreatedAt, &t.UpdatedAt)
	if err != nil {
		return d, err
	}
	if d.Notes, err = bareRows[bareNote](ctx, tx, bareNotes, id); err != nil {
		return d, err
	}
	if d.Interviews, err = bareRows[bareInterview](ctx, tx, bareInterviews, id); err != nil {
		return d, err
	}
	if d.Accounts, err = bareRows[bareAccount](ctx, tx, bareAccounts, integration, externalID); err != nil {
		return d, err
	}
	if d.Payouts, err = bareRows[barePayout](ctx, tx, barePayouts, integration, externalID); err != nil {
		return d, err
	}
	if d.Sums, err = bareRows[bareSum](ctx, tx, bareSums, integration, externalID); err != nil {
		return d, err
	}
	d.Paid, err = bareRows[barePaid](ctx, tx, barePaidOut, integration, externalID)
	return d, err
}

// bareRows reads rows into the members of T in their order.
func bareRows[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
