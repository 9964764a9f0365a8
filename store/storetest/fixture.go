package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// PlatformKey is the credential of the integrations that Integration makes.
const PlatformKey = "platform-key-of-the-test-ab12"

// Organization creates an organization with an owner and a key.
func Organization(t testing.TB, db *store.DB) access.Organization {
	t.Helper()
	name := "Test " + rand.Text()
	organization, _, _, err := access.Bootstrap(t.Context(), db, access.NewOrganization{
		OrganizationName: name, Email: "owner@example.com",
		Key: access.NewAPIKey{
			Name: "test", Prefix: "svc_live_test00", SecretHash: sha256.Sum256([]byte(name)),
			Scopes: []string{"integrations:read"}, CreatedByName: "test",
		},
	})
	if err != nil {
		t.Fatalf("make organization: %v", err)
	}
	return organization
}

// Integration connects a custom_api platform whose live check has passed. It is due at once.
func Integration(t testing.TB, db *store.DB, orgID uuid.UUID, baseURL string) integrations.Integration {
	t.Helper()
	made, err := integrations.Create(t.Context(), db, store.SystemChange(orgID), integrations.New{
		Kind: record.CustomAPI, Name: "Custom API", BaseURL: baseURL,
		APIKey: seal.NewSecret(PlatformKey), SyncIntervalSeconds: 300, Check: integrations.CheckOutcome{OK: true},
	})
	if err != nil {
		t.Fatalf("make integration: %v", err)
	}
	return made
}

// PostponeSlots moves all slots out of the next half of their interval. Slots depend on the
// integrations' ids, so a cycle would otherwise begin in the middle of one test in a few hundred.
func PostponeSlots(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `UPDATE sync_state SET phase_ms = ((extract(epoch FROM now()) * 1000)::bigint + period_ms / 2) % period_ms`)
	if err != nil {
		t.Fatalf("postpone slots: %v", err)
	}
}

// Records inserts new records into the database at the URL as if a cycle of the integration had
// read them, with its counters.
func Records(t testing.TB, databaseURL string, i integrations.Integration, b record.Batch) {
	t.Helper()
	conn := Conn(t, databaseURL)
	err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error { return insertRecords(t.Context(), tx, i, b) })
	if err != nil {
		t.Fatalf("insert records: %v", err)
	}
}

// Traders inserts new traders in the way of Records, each created a second after the previous one.
func Traders(t testing.TB, databaseURL string, i integrations.Integration, traders ...record.Trader) {
	t.Helper()
	Records(t, databaseURL, i, record.Batch{Traders: traders})
	conn := Conn(t, databaseURL)
	for n, tr := range traders {
		_, err := conn.Exec(t.Context(), `UPDATE traders SET created_at = now() + $3 * interval '1 second' WHERE integration_id = $1 AND external_id = $2`, i.ID, tr.ID, n)
		if err != nil {
			t.Fatalf("order traders: %v", err)
		}
	}
}

func insertRecords(ctx context.Context, tx pgx.Tx, i integrations.Integration, b record.Batch) error {
	batch := &pgx.Batch{}
	for _, r := range b.Traders {
		batch.Queue(`INSERT INTO traders (id, organization_id, integration_id, source, external_id, first_name, last_name, full_name, email,
    country, phone, kyc_status, tags, registered_at, metadata, platform_updated_at, unrecognized, content_hash)
VALUES ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), nullif($8, ''), nullif($9, ''), nullif($10, ''), nullif($11, ''), nullif($12, ''),
    coalesce($13::text[], '{}'), $14, nullif($15, '')::jsonb, $16, nullif($17, '')::jsonb, '')`,
			newID(), i.OrganizationID, i.ID, string(i.Kind), r.ID, r.FirstName, r.LastName, r.FullName(), r.Email,
			r.Country, r.Phone, r.KYCStatus, r.Tags, nullTime(r.RegisteredAt), r.Metadata, nullTime(r.UpdatedAt), r.Unrecognized)
	}
	for _, r := range b.Accounts {
		batch.Queue(`INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, partner_id, platform, login, program,
    phase, status, currency, initial_balance, balance, equity, started_at, metadata, platform_updated_at, unrecognized, content_hash)
VALUES ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''), nullif($8, ''), nullif($9, ''), nullif($10, ''), nullif($11, ''), nullif($12, ''),
    nullif($13, '')::numeric, nullif($14, '')::numeric, nullif($15, '')::numeric, $16, nullif($17, '')::jsonb, $18, nullif($19, '')::jsonb, '')`,
			newID(), i.OrganizationID, i.ID, r.ID, r.TraderID, r.PartnerID, r.Platform, r.Login, r.Program, r.Phase, r.Status, r.Currency,
			string(r.InitialBalance), string(r.Balance), string(r.Equity), nullTime(r.StartedAt), r.Metadata, nullTime(r.UpdatedAt), r.Unrecognized)
	}
	for _, r := range b.Trades {
		batch.Queue(`INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price,
    stop_loss, take_profit, commission, swap, profit, platform_updated_at, content_hash)
VALUES ($1, $2, $3, $4, $5, nullif($6, '')::numeric, $7, $8, nullif($9, '')::numeric, nullif($10, '')::numeric, nullif($11, '')::numeric,
    nullif($12, '')::numeric, nullif($13, '')::numeric, nullif($14, '')::numeric, nullif($15, '')::numeric, $16, '')`,
			i.ID, r.AccountID, r.ID, r.Symbol, string(r.Side), string(r.Volume), nullTime(r.OpenTime), nullTime(r.CloseTime), string(r.OpenPrice),
			string(r.ClosePrice), string(r.StopLoss), string(r.TakeProfit), string(r.Commission), string(r.Swap), string(r.Profit), nullTime(r.UpdatedAt))
	}
	for _, r := range b.Payouts {
		batch.Queue(`INSERT INTO payouts (id, organization_id, integration_id, external_id, trader_external_id, account_external_id, status, amount,
    currency, requested_at, paid_at, metadata, platform_updated_at, content_hash)
VALUES ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''), nullif($8, '')::numeric, nullif($9, ''), $10, $11, nullif($12, '')::jsonb, $13, '')`,
			newID(), i.OrganizationID, i.ID, r.ID, r.TraderID, r.AccountID, r.Status, string(r.Amount), r.Currency,
			nullTime(r.RequestedAt), nullTime(r.PaidAt), r.Metadata, nullTime(r.UpdatedAt))
	}
	batch.Queue(`UPDATE sync_state SET traders = traders + $2, accounts = accounts + $3, trades = trades + $4, payouts = payouts + $5
WHERE integration_id = $1`, i.ID, len(b.Traders), len(b.Accounts), len(b.Trades), len(b.Payouts))
	return tx.SendBatch(ctx, batch).Close()
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// nullTime returns the column's value of a time. The zero time is SQL null.
func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
