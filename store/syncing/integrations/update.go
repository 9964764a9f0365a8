package integrations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
)

// NeedsCheck reports whether the patch must be saved together with a live check with the new
// settings.
func (p Patch) NeedsCheck() bool {
	return p.BaseURL != nil || p.APIKey != nil || p.AccountScope != nil || p.IsActive != nil && *p.IsActive
}

// revokesLease reports whether the patch revokes the lease of a cycle that uses the old settings.
func (p Patch) revokesLease() bool { return p.NeedsCheck() || p.IsActive != nil }

// memberNames lists the members that the patch changes.
func (p Patch) memberNames() (names []string) {
	for _, m := range []struct {
		name string
		set  bool
	}{
		{"name", p.Name != nil},
		{"base_url", p.BaseURL != nil},
		{"api_key", p.APIKey != nil},
		{"account_scope", p.AccountScope != nil},
		{"sync_interval_seconds", p.SyncIntervalSeconds != nil},
		{"is_active", p.IsActive != nil},
	} {
		if m.set {
			names = append(names, m.name)
		}
	}
	return names
}

// Update changes settings of an integration, together with the result of the live check
// for a patch that NeedsCheck: polling continues at once if the check passed, and stops otherwise.
// It returns ErrConflict if the stored settings are no longer those with which the check was made:
// nothing is changed. A patch that switches the integration off stops polling until one switches it
// on. Another base URL makes all streams read everything again, another account scope those that it
// narrows. A new interval moves the slots. An empty patch changes nothing. Update
// returns ErrDifferentPlatform if the traders of the new settings are not those that the
// integration has brought. If there were none to compare, the first cycle compares them. It returns
// an *ExistsError if another integration reads the same platform with the same key.
func Update(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, p Patch) (i Integration, err error) {
	defer store.WrapError(&err, "update integration %s", id)
	if p.APIKey != nil {
		if _, err := db.Keyrings(); err != nil {
			return i, err
		}
	}
	if p.BaseURL != nil || p.APIKey != nil {
		c = c.WithLock(connectingLocks)
	}
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (i Integration, err error) {
		row, err := lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return i, err
		}
		before, err := readIfMatching(ctx, tx, c.OrganizationID, id, p.If)
		if err != nil {
			return i, err
		}
		if p.Check != nil && p.Check.SettingsVersion != before.SettingsVersion {
			return i, fmt.Errorf("%w: its settings were changed while the live check ran", store.ErrConflict)
		}
		if len(p.memberNames()) == 0 {
			return before, nil
		}
		moved, err := movedBy(ctx, db, tx, row, p)
		if err != nil {
			return i, err
		}
		if err := applyPatch(ctx, db, tx, row, p, moved); err != nil {
			return i, err
		}
		if i, err = readOne(ctx, tx, c.OrganizationID, id); err != nil {
			return i, err
		}
		was, is := before.auditFields(), i.auditFields()
		names, err := store.ListChangedFields(was, is, p.memberNames()...)
		if err != nil {
			return i, err
		}
		tx.Audit(action.IntegrationUpdated, id, was.Pick(names), is.Pick(names))
		return i, nil
	})
}

// lock reads an integration and prevents changes of it until the transaction ends. It
// locks the schedule's row first, in the order of cycles.
func lock(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (*storedRow, error) {
	var locked uuid.UUID
	err := tx.NewRaw(`SELECT integration_id FROM sync_state WHERE integration_id = ? AND organization_id = ? FOR UPDATE`, id, orgID).Scan(ctx, &locked)
	if err != nil {
		return nil, err
	}
	row := new(storedRow)
	err = tx.NewSelect().Model(row).Where("i.id = ?", id).Where("i.organization_id = ?", orgID).Where("i.deleted_at IS NULL").For("UPDATE").Scan(ctx)
	return row, err
}

// readIfMatching reads an integration that lock has locked, and calls the condition with
// it, if there is one.
func readIfMatching(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, condition func(Integration) error) (Integration, error) {
	i, err := readOne(ctx, tx, orgID, id)
	if err == nil && condition != nil {
		err = condition(i)
	}
	return i, err
}

// applyPatch writes the settings, and the resulting changes of the schedule.
func applyPatch(ctx context.Context, db *store.DB, tx *store.Tx, before *storedRow, p Patch, m relocation) error {
	update := tx.NewUpdate().Model(before).WherePK().Set("updated_at = now()")
	if p.revokesLease() {
		update.Set("settings_version = settings_version + 1")
	}
	if p.Name != nil {
		update.Set("name = ?", *p.Name)
	}
	if p.BaseURL != nil {
		update.Set("base_url = ?", *p.BaseURL)
	}
	if m.away {
		update.Set("platform_unconfirmed = ?", m.unconfirmed)
	}
	if p.APIKey != nil {
		keys, err := db.Keyrings()
		if err != nil {
			return err
		}
		sealed, err := keys.Seal([]byte(p.APIKey.Reveal()), syncing.APIKeyBinding(before.OrganizationID, before.ID))
		if err != nil {
			return err
		}
		update.Set("api_key = ?, api_key_preview = ?", sealed, p.APIKey.Preview())
	}
	if p.AccountScope != nil {
		scope, err := encodeScope(*p.AccountScope)
		if err != nil {
			return err
		}
		update.Set("account_scope = ?::jsonb", scope)
	}
	if p.SyncIntervalSeconds != nil {
		update.Set("sync_interval_seconds = ?", *p.SyncIntervalSeconds)
	}
	if p.IsActive != nil {
		update.Set("is_active = ?", *p.IsActive)
	}
	if _, err := update.Exec(ctx); err != nil {
		return err
	}
	if err := addTransition(ctx, tx, before.ID, "settings", "", "", "changed: "+strings.Join(p.memberNames(), ", ")); err != nil {
		return err
	}
	if err := patchSchedule(ctx, tx, before, p, m); err != nil {
		return err
	}
	return patchPolling(ctx, tx, before, p)
}

// encodeScope returns the column's value. Nil is SQL null.
func encodeScope(scope *syncing.AccountScope) (*string, error) {
	if scope == nil {
		return nil, nil //nolint:nilnil // null is the encoding of no scope
	}
	text, err := json.Marshal(scope)
	if err != nil {
		return nil, fmt.Errorf("encode account scope: %w", err)
	}
	s := string(text)
	return &s, nil
}

// patchSchedule adapts the schedule and the streams to the new settings. While it is unconfirmed
// that a new key leads to the same platform, the results of a running audit are worthless.
func patchSchedule(ctx context.Context, tx *store.Tx, before *storedRow, p Patch, m relocation) error {
	if p.SyncIntervalSeconds != nil && *p.SyncIntervalSeconds != before.SyncIntervalSeconds {
		if err := moveSlots(ctx, tx, before.ID, time.Duration(*p.SyncIntervalSeconds)*time.Second); err != nil {
			return err
		}
	}
	switch {
	case p.BaseURL != nil && *p.BaseURL != before.BaseURL:
		if err := errors.Join(restartStreams(ctx, tx, before.ID), audits.Interrupt(ctx, tx, before.ID)); err != nil {
			return err
		}
	case p.AccountScope != nil && !reflect.DeepEqual(*p.AccountScope, before.AccountScope):
		err := errors.Join(restartStreams(ctx, tx, before.ID, record.StreamAccounts, record.StreamPayouts), audits.Interrupt(ctx, tx, before.ID))
		if err != nil {
			return err
		}
	case m.unconfirmed:
		return audits.Interrupt(ctx, tx, before.ID)
	}
	return nil
}

// patchPolling records the live check of the new settings, and stops polling or lets it continue.
func patchPolling(ctx context.Context, tx *store.Tx, before *storedRow, p Patch) error {
	if !p.revokesLease() {
		return nil
	}
	s, err := readCheckState(ctx, tx, before.ID)
	if err != nil {
		return err
	}
	var (
		o      CheckOutcome
		health = s.Health
	)
	if p.Check != nil {
		o = p.Check.CheckOutcome
	}
	if p.NeedsCheck() {
		if health, err = noteCheck(ctx, tx, before.ID, s, o, true, "live check on a change of settings"); err != nil {
			return err
		}
	}
	switch {
	case !s.IsActive:
		return syncing.StopPolling(ctx, tx, before.ID, waitInactive)
	case !o.OK:
		return syncing.StopPolling(ctx, tx, before.ID, waitCheckFailed)
	}
	// The current cycle continues, but only with the new settings.
	if err := syncing.RevokeLease(ctx, tx, before.ID, waitCheckPassed); err != nil {
		return err
	}
	return makeClaimable(ctx, tx, before.ID, health)
}

// moveSlots moves the slots to the grid of a new interval. A cycle that is under way, or waits for
// another reason than its slot, continues unchanged.
func moveSlots(ctx context.Context, tx bun.IDB, id uuid.UUID, period time.Duration) error {
	_, err := tx.NewRaw(`UPDATE sync_state AS s SET phase_ms = p.phase_ms, period_ms = p.period_ms, slot_at = p.slot_at,
    claimable_at = CASE WHEN s.cycle_id IS NULL AND s.wait_reason IS NULL AND s.claimable_at <> 'infinity' THEN p.slot_at ELSE s.claimable_at END
FROM (SELECT s.phase_ms, s.period_ms, `+syncing.NextSlotSQL+` AS slot_at FROM (SELECT ?::bigint AS phase_ms, ?::bigint AS period_ms) AS s) AS p
WHERE s.integration_id = ?`, syncing.SlotPhase(id, period).Milliseconds(), period.Milliseconds(), id).Exec(ctx)
	return err
}

// restartStreams makes the named streams, or all if none is named, read everything again, and ends
// their open runs.
func restartStreams(ctx context.Context, tx bun.IDB, id uuid.UUID, streams ...record.Stream) error {
	if len(streams) == 0 {
		return restartAll(ctx, tx, id)
	}
	_, err := tx.NewRaw(`WITH ended AS (
    SELECT run->>'id' AS id FROM sync_state WHERE integration_id = ?0 AND run->>'stream' IN (?1)
    UNION ALL SELECT run->>'id' FROM sync_streams WHERE integration_id = ?0 AND stream IN (?1) AND run IS NOT NULL
), rows AS (
    UPDATE sync_runs SET status = ?2, finished_at = now() WHERE integration_id = ?0 AND status = ?3 AND id IN (SELECT id::uuid FROM ended)
), streams AS (
    UPDATE sync_streams SET watermark = NULL, run = NULL, last_cycle_id = NULL, last_run_id = NULL, ask_again_at = NULL
    WHERE integration_id = ?0 AND stream IN (?1)
)
UPDATE sync_state SET run = NULL WHERE integration_id = ?0 AND run->>'stream' IN (?1)`,
		id, bun.List(streams), syncing.RunInterrupted, syncing.RunRunning).Exec(ctx)
	return err
}

// restartAll discards the progress of all streams, and the current cycle.
func restartAll(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`WITH rows AS (
    UPDATE sync_runs SET status = ?1, finished_at = now() WHERE integration_id = ?0 AND status = ?2
), streams AS (
    DELETE FROM sync_streams WHERE integration_id = ?0
)
UPDATE sync_state SET run = NULL, cycle_id = NULL, cycle_trigger = NULL, cycle_started_at = NULL, throttling = NULL
WHERE integration_id = ?0`, id, syncing.RunInterrupted, syncing.RunRunning).Exec(ctx)
	return err
}
