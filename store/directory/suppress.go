package directory

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Erased people are recognized by a hash under the organization's own key, which is sealed, so that
// nobody who only has the table can try ids. Pages leave out the traders with these hashes, and the
// accounts, trades and payouts that name them.

// suppressionColumn is the column of an organization's key.
const suppressionColumn = "key"

// suppressionBinding ties a sealed key to its row.
func suppressionBinding(orgID uuid.UUID) seal.Binding {
	return seal.Binding{Table: "suppression_keys", Column: suppressionColumn, Row: orgID, Organization: orgID}
}

// suppressionKey returns the organization's key, and creates it if there is none.
func suppressionKey(ctx context.Context, db *store.DB, tx bun.IDB, orgID uuid.UUID) (key []byte, err error) {
	keys, err := db.Keyrings()
	if err != nil {
		return nil, err
	}
	key = make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	sealed, err := keys.Seal(key, suppressionBinding(orgID))
	if err != nil {
		return nil, err
	}
	_, err = tx.NewRaw(`INSERT INTO suppression_keys (organization_id, key) VALUES (?, ?) ON CONFLICT DO NOTHING`, orgID, sealed).Exec(ctx)
	if err != nil {
		return nil, err
	}
	if err := tx.NewRaw(`SELECT key FROM suppression_keys WHERE organization_id = ?`, orgID).Scan(ctx, &sealed); err != nil {
		return nil, err
	}
	return keys.Open(sealed, suppressionBinding(orgID))
}

// SecondIDs stands for the second ids of accounts (record.Account.PartnerID) among the resources whose ids are suppressed.
const SecondIDs record.Resource = "account_second_ids"

// identities stands for traders' ids together with their emails among the resources whose ids are suppressed.
const identities record.Resource = "trader_identities"

// identityOf returns the text that identifies a platform's trader across deployments of the platform, or an
// empty text if the id is all that is known.
func identityOf(externalID, email, fullName string) string {
	switch {
	case email != "":
		return externalID + "\x00email\x00" + strings.ToLower(email)
	case fullName != "":
		return externalID + "\x00name\x00" + strings.ToLower(fullName)
	}
	return ""
}

// FindErased returns the ids of those traders of the integration's platform who were erased. Equal ids prove nothing,
// so that their emails are compared, or their names if they have no email.
func FindErased(ctx context.Context, db *store.DB, idb bun.IDB, orgID, integration uuid.UUID, traders []record.Trader) (ids []string, err error) {
	s, err := OpenSuppressor(ctx, db, idb, orgID, integration)
	if store.IsNoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(traders))
	for i := range traders {
		texts[i] = identityOf(traders[i].ID, traders[i].Email, traders[i].FullName())
	}
	gone, err := s.FindSuppressed(ctx, idb, map[record.Resource][]string{identities: texts})
	if err != nil {
		return nil, err
	}
	for i := range traders {
		if gone(identities, texts[i]) {
			ids = append(ids, traders[i].ID)
		}
	}
	return ids, nil
}

// Suppressor recognizes the ids of erased people.
type Suppressor struct {
	key         []byte
	integration uuid.UUID
}

// hashID returns the hash under which a platform's id is stored.
func (s Suppressor) hashID(r record.Resource, externalID string) []byte {
	h := hmac.New(sha256.New, s.key)
	_, _ = h.Write(s.integration[:]) // never fails
	_, _ = h.Write([]byte(string(r) + "\x00" + externalID))
	return h.Sum(nil)
}

// AddIDs adds ids of the resource.
func (s Suppressor) AddIDs(ctx context.Context, tx bun.IDB, orgID uuid.UUID, r record.Resource, ids ...string) error {
	for _, id := range ids {
		_, err := tx.NewRaw(`INSERT INTO suppressions (integration_id, hash, organization_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, s.integration, s.hashID(r, id), orgID).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// FindSuppressed returns a function that reports which of the ids are suppressed.
func (s Suppressor) FindSuppressed(ctx context.Context, idb bun.IDB, names map[record.Resource][]string) (func(record.Resource, string) bool, error) {
	var hashes [][]byte
	for r, ids := range names {
		for _, id := range ids {
			hashes = append(hashes, s.hashID(r, id))
		}
	}
	var found [][]byte
	if len(hashes) > 0 {
		if err := idb.NewRaw(`SELECT hash FROM suppressions WHERE integration_id = ? AND hash IN (?)`, s.integration, bun.List(hashes)).Scan(ctx, &found); err != nil {
			return nil, err
		}
	}
	set := make(map[string]bool, len(found))
	for _, hash := range found {
		set[string(hash)] = true
	}
	return func(r record.Resource, id string) bool { return id != "" && set[string(s.hashID(r, id))] }, nil
}

// OpenSuppressor opens the organization's key. It returns sql.ErrNoRows if nobody has been erased.
func OpenSuppressor(ctx context.Context, db *store.DB, idb bun.IDB, orgID, integration uuid.UUID) (s Suppressor, err error) {
	keys, err := db.Keyrings()
	if err != nil {
		return s, err
	}
	var sealed []byte
	if err := idb.NewRaw(`SELECT key FROM suppression_keys WHERE organization_id = ?`, orgID).Scan(ctx, &sealed); err != nil {
		return s, err
	}
	s = Suppressor{integration: integration}
	s.key, err = keys.Open(sealed, suppressionBinding(orgID))
	return s, err
}

// EraseTrader deletes what is known of a trader whose row is locked and has the owner: what its platform has
// sent, notes, and what people have said about duplicates. The row stays, archived, so that its id remains valid,
// and no page of the platform brings the trader back.
func EraseTrader(ctx context.Context, db *store.DB, tx *store.Tx, orgID, id uuid.UUID, o Owner) error {
	if err := ForgetDismissals(ctx, tx, id); err != nil {
		return err
	}
	if o.Synced() {
		if err := eraseSynced(ctx, db, tx, orgID, *o.IntegrationID, *o.ExternalID); err != nil {
			return err
		}
	}
	if _, err := tx.NewRaw(`DELETE FROM trader_notes WHERE trader_id = ?`, id).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw(`UPDATE traders SET integration_id = NULL, source = '`+SourceManual+`', external_id = NULL, first_name = NULL, last_name = NULL, full_name = NULL, email = NULL,
    country = NULL, phone = NULL, kyc_status = NULL, status = '`+TraderArchived+`', tags = '{}', registered_at = NULL, metadata = NULL, unrecognized = NULL, platform_updated_at = NULL,
    missing_since = NULL, content_hash = NULL, override_full_name = NULL, override_email = NULL, override_external_id = NULL, override_country = NULL,
    override_phone = NULL, override_tags = NULL, interview_only = false, erased_at = coalesce(erased_at, now()), updated_at = now() WHERE id = ?`, id).Exec(ctx)
	return err
}

// eraseSynced deletes what a platform has sent about a trader, and prevents it from coming back.
func eraseSynced(ctx context.Context, db *store.DB, tx *store.Tx, orgID, integration uuid.UUID, externalID string) error {
	key, err := suppressionKey(ctx, db, tx, orgID)
	if err != nil {
		return err
	}
	var accounts, seconds []string
	err = tx.NewRaw(`SELECT external_id FROM accounts WHERE integration_id = ? AND trader_external_id = ? ORDER BY external_id`, integration, externalID).Scan(ctx, &accounts)
	if err != nil {
		return err
	}
	err = tx.NewRaw(`SELECT DISTINCT partner_id FROM accounts WHERE integration_id = ? AND trader_external_id = ? AND partner_id <> ''`, integration, externalID).Scan(ctx, &seconds)
	if err != nil {
		return err
	}
	s := Suppressor{key, integration}
	if err := s.AddIDs(ctx, tx, orgID, record.Traders, externalID); err != nil {
		return err
	}
	var email, name string // the platform's
	err = tx.NewRaw(`SELECT coalesce(email, ''), coalesce(full_name, '') FROM traders WHERE integration_id = ? AND external_id = ?`, integration, externalID).Scan(ctx, &email, &name)
	if err != nil {
		return err
	}
	if text := identityOf(externalID, email, name); text != "" {
		if err := s.AddIDs(ctx, tx, orgID, identities, text); err != nil {
			return err
		}
	}
	if err := s.AddIDs(ctx, tx, orgID, record.Accounts, accounts...); err != nil {
		return err
	}
	if err := s.AddIDs(ctx, tx, orgID, SecondIDs, seconds...); err != nil {
		return err
	}
	ids := erasedIDs{trader: externalID, accounts: accounts, seconds: seconds}
	err = tx.NewRaw(`SELECT external_id FROM payouts WHERE integration_id = ? AND (trader_external_id = ? OR account_external_id = ANY (?::text[]))`,
		integration, externalID, store.Array(accounts)).Scan(ctx, &ids.payouts)
	if err != nil {
		return err
	}
	if err := eraseQuarantined(ctx, tx, integration, ids); err != nil {
		return err
	}
	if err := eraseListed(ctx, tx, integration, ids); err != nil {
		return err
	}
	_, err = tx.NewRaw(`WITH p AS (DELETE FROM payouts WHERE integration_id = ?0 AND (trader_external_id = ?1 OR account_external_id = ANY (?2::text[])) RETURNING 1),
t AS (DELETE FROM trades WHERE integration_id = ?0 AND account_external_id = ANY (?2::text[]) RETURNING 1),
a AS (DELETE FROM accounts WHERE integration_id = ?0 AND trader_external_id = ?1 RETURNING 1)
UPDATE sync_state SET traders = greatest(traders - 1, 0), accounts = greatest(accounts - (SELECT count(*) FROM a), 0),
    trades = greatest(trades - (SELECT count(*) FROM t), 0), payouts = greatest(payouts - (SELECT count(*) FROM p), 0) WHERE integration_id = ?0`,
		integration, externalID, store.Array(accounts)).Exec(ctx)
	return err
}
