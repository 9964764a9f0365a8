package syncing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Settings are the settings of an integration that a cycle needs.
type Settings struct {
	BaseURL      string
	APIKey       seal.Secret
	AccountScope *AccountScope
	// Unconfirmed reports that the platform must be compared with the stored records before
	// anything is written: see integrations.ConfirmPlatform.
	Unconfirmed bool
	Health      Health
	Streams     map[record.Stream]*Stream
	// Audit is the queued or running audit. It is nil if there is none.
	Audit *OpenAudit
}

// ReadSettings reads the settings of an integration for a cycle. It returns ErrFenced if the lease
// is no longer held, and seal.ErrUnknownKey if the keyring cannot open the credential.
func ReadSettings(ctx context.Context, db *store.DB, claim *Claim) (s Settings, err error) {
	defer store.WrapError(&err, "read settings of integration %s", claim.IntegrationID)
	var (
		sealed, scope, streams []byte
		audit                  []byte
		token                  int64
	)
	keys, err := db.Keyrings()
	if err != nil {
		return s, err
	}
	err = db.Pool.QueryRow(ctx, `SELECT i.base_url, i.api_key, i.account_scope, i.platform_unconfirmed, i.health_status, i.created_at, s.token,
    coalesce((SELECT json_object_agg(t.stream, json_build_object('watermark', t.watermark, 'run', t.run, 'last_cycle_id', t.last_cycle_id,
        'last_run_id', t.last_run_id, 'last_status', t.last_status, 'last_error', t.last_error, 'last_success_at', t.last_success_at, 'ask_again_at', t.ask_again_at))
        FROM sync_streams t WHERE t.integration_id = i.id), '{}'),
    EXISTS (SELECT FROM suppressions AS x WHERE x.integration_id = i.id),
    (SELECT json_build_object('id', a.id, 'trigger', a.trigger, 'started_at', a.started_at, 'sweep', a.sweep, 'resources', a.resources)
        FROM sync_audits a WHERE a.integration_id = i.id AND a.finished_at IS NULL)
FROM integrations i JOIN sync_state s ON s.integration_id = i.id
WHERE i.id = $1 AND i.deleted_at IS NULL`, store.Prepared(db, claim.IntegrationID)...).
		Scan(&s.BaseURL, &sealed, &scope, &s.Unconfirmed, &s.Health, &claim.ConnectedAt, &token, &streams, &claim.Suppressing, &audit)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, store.ErrFenced // deleted since the claim
	}
	if err != nil {
		return s, err
	}
	if token != claim.Token {
		return s, store.ErrFenced
	}
	if len(scope) > 0 {
		if err := json.Unmarshal(scope, &s.AccountScope); err != nil {
			return s, fmt.Errorf("account scope: %w", err)
		}
	}
	if len(audit) > 0 {
		if err := json.Unmarshal(audit, &s.Audit); err != nil {
			return s, fmt.Errorf("audit: %w", err)
		}
	}
	if s.Streams, err = decodeStreams(streams); err != nil {
		return s, err
	}
	s.APIKey, err = OpenAPIKey(keys, claim.OrganizationID, claim.IntegrationID, sealed)
	return s, err
}

// OpenAPIKey opens an integration's sealed credential.
func OpenAPIKey(keys store.Keyrings, organizationID, id uuid.UUID, sealed []byte) (seal.Secret, error) {
	plain, err := keys.Open(sealed, APIKeyBinding(organizationID, id))
	if err != nil {
		return seal.Secret{}, err
	}
	return seal.NewSecret(string(plain)), nil
}

// APIKeyBinding returns the binding that ties a sealed credential to its row.
func APIKeyBinding(organizationID, id uuid.UUID) seal.Binding {
	return seal.Binding{Table: "integrations", Column: "api_key", Row: id, Organization: organizationID}
}
