package directory

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// A synced trader and one added by hand are the same if their emails, case-folded by Postgres, are
// equal, the latter has no external id or the same one, and nobody has said that they are not the same
// person. They become one row if neither has another such twin. Pages of traders search for twins of
// the traders that they have written, changes by people for twins of the one trader.

// EmailLocks is the space of the advisory locks under which the directory's emails change. Pages
// share a lock, and people's changes take it exclusively. Otherwise two twins that arrive from
// either side at the same moment would not see each other.
const EmailLocks = 0x64697265

// LockEmails waits until nobody else writes emails of the organization's
// traders. It comes before the lock of any trader.
func LockEmails(ctx context.Context, tx bun.IDB, orgID uuid.UUID) error {
	_, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(?, ?)`, EmailLocks, store.OrganizationLock(orgID)).Exec(ctx)
	return err
}

// MayMatch returns the condition, apart from the emails, for a match between a row m added by hand and
// a synced row: no other external id, and nobody has said that they are not the same person.
func MayMatch(synced string) string {
	return fmt.Sprintf(`(m.external_id IS NULL OR m.external_id IN (%[1]s.external_id, %[1]s.override_external_id))
    AND NOT EXISTS (SELECT FROM distinct_traders AS d WHERE d.trader_id = least(m.id, %[1]s.id) AND d.other_id = greatest(m.id, %[1]s.id))`, synced)
}

// twin is another row that may be the same trader.
type twin struct {
	ID            uuid.UUID  `bun:"id"`
	IntegrationID *uuid.UUID `bun:"integration_id"` // of the synced trader of the two
	ExternalID    string     `bun:"external_id"`    // of the synced trader of the two
}

// maxTwins is the most twins that are read. Two are too many for a match already; further ones are
// samples of the finding.
const maxTwins = record.MaxSamples

// syncedTwins finds the synced traders that match the one added by hand.
func syncedTwins(ctx context.Context, tx bun.IDB, orgID, manual uuid.UUID) (list []twin, err error) {
	err = tx.NewRaw(`SELECT s.id, s.integration_id, s.external_id FROM traders AS m
JOIN traders AS s ON s.organization_id = m.organization_id AND s.integration_id IS NOT NULL
    AND lower(coalesce(s.override_email, s.email)) = lower(m.email) AND `+MayMatch("s")+`
WHERE m.id = ? AND m.organization_id = ? ORDER BY s.id LIMIT ?`, manual, orgID, maxTwins).Scan(ctx, &list)
	return list, err
}

// manualTwins finds the traders added by hand that match the synced one.
func manualTwins(ctx context.Context, tx bun.IDB, orgID, synced uuid.UUID) (list []twin, err error) {
	err = tx.NewRaw(`SELECT m.id, s.integration_id, s.external_id FROM traders AS s
JOIN traders AS m ON m.organization_id = s.organization_id AND m.integration_id IS NULL
    AND lower(m.email) = lower(coalesce(s.override_email, s.email)) AND `+MayMatch("s")+`
WHERE s.id = ? AND s.organization_id = ? ORDER BY m.id LIMIT ?`, synced, orgID, maxTwins).Scan(ctx, &list)
	return list, err
}

// syncedTwin returns the only synced trader that matches the one added by hand. It returns the zero
// id if there is none or there are several. The latter is recorded as a finding.
func syncedTwin(ctx context.Context, tx *store.Tx, orgID, manual uuid.UUID) (uuid.UUID, error) {
	synced, err := syncedTwins(ctx, tx, orgID, manual)
	if err != nil || len(synced) == 0 {
		return uuid.Nil, err
	}
	if len(synced) == 1 {
		rivals, err := manualTwins(ctx, tx, orgID, synced[0].ID)
		if err != nil || len(rivals) == 1 {
			return synced[0].ID, err
		}
	}
	return uuid.Nil, noteAmbiguity(ctx, tx, synced)
}

// matchTrader merges a trader whose email has changed with its twin, if each is the other's only
// one. The trader keeps its id. matchTrader returns the id of the twin's deleted row, or the zero
// id if there is none.
func matchTrader(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, manual bool) (gone uuid.UUID, err error) {
	if manual {
		synced, err := syncedTwin(ctx, tx, orgID, id)
		if err != nil || synced == uuid.Nil {
			return uuid.Nil, err
		}
		return synced, ReplaceSynced(ctx, runOn(tx), id, synced)
	}
	made, err := manualTwins(ctx, tx, orgID, id)
	switch {
	case err != nil, len(made) == 0:
		return uuid.Nil, err
	case len(made) > 1:
		return uuid.Nil, noteAmbiguity(ctx, tx, made[:1])
	}
	// The trader must also be the other's only twin.
	synced, err := syncedTwin(ctx, tx, orgID, made[0].ID)
	if err != nil || synced == uuid.Nil {
		return uuid.Nil, err
	}
	return made[0].ID, takeIn(ctx, runOn(tx), synced, made[0].ID)
}

// MarkMatchedByEmail records that an interview was assigned to a trader by email, and counts the
// broken rule if platforms have several traders with that email.
func MarkMatchedByEmail(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, email string) error {
	_, err := tx.NewRaw(`UPDATE traders SET matched_at = now() WHERE id = ? AND matched_at IS NULL`, id).Exec(ctx)
	if err != nil {
		return err
	}
	var synced []twin
	err = tx.NewRaw(`SELECT s.id, s.integration_id, s.external_id FROM traders AS s
WHERE s.organization_id = ? AND s.integration_id IS NOT NULL AND lower(coalesce(s.override_email, s.email)) = lower(?) ORDER BY s.id LIMIT ?`,
		orgID, email, maxTwins).Scan(ctx, &synced)
	if err != nil || len(synced) < 2 {
		return err
	}
	return noteAmbiguity(ctx, tx, synced)
}

// noteAmbiguity counts the broken rule for each integration with traders whose emails are not
// unique.
func noteAmbiguity(ctx context.Context, tx *store.Tx, list []twin) error {
	keys := make(map[uuid.UUID][]string)
	for _, t := range list {
		keys[*t.IntegrationID] = append(keys[*t.IntegrationID], t.ExternalID)
	}
	for id, samples := range keys {
		if err := NoteRule(ctx, tx, id, record.Traders, RuleAmbiguousEmail, samples); err != nil {
			return fmt.Errorf("note the ambiguous email: %w", err)
		}
	}
	return nil
}

// NoteRule counts a rule that an integration's data breaks, outside of pages, and emits an event if
// the rule was not broken before.
func NoteRule(ctx context.Context, tx *store.Tx, integration uuid.UUID, resource record.Resource, rule string, samples []string) error {
	var opened []int64
	err := tx.NewRaw(`WITH noted AS (INSERT INTO findings AS f (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at)
SELECT i.id, ?, ?, ?, ?, now(), now() FROM integrations AS i WHERE i.id = ? AND i.deleted_at IS NULL
ON CONFLICT (integration_id, resource, rule) DO UPDATE SET count = f.count + EXCLUDED.count, samples = EXCLUDED.samples, last_seen_at = now()
RETURNING f.count, f.xmax = 0 AS new) SELECT count FROM noted WHERE new`,
		string(resource), rule, len(samples), store.TextArray(samples), integration).Scan(ctx, &opened)
	if err != nil {
		return err
	}
	for _, count := range opened {
		tx.Emit(FindingEvent(integration, string(resource), rule, count))
	}
	return nil
}

// RuleAmbiguousEmail is broken if a trader may be one of several others.
const RuleAmbiguousEmail = "ambiguous_email"
