package directory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
	"github.com/assayhq/assay/store/event"
)

// Two rows of one trader become one. What a person wrote on either is kept: the surviving row's own
// values take precedence over the other's; tags are united, notes and interviews move over, and so
// does the status of the deleted row if the other's is active. The status archived does not move,
// because a trader whom somebody uses must not be hidden because of an archived duplicate. A value
// that only differs in case from the platform's is not stored as an override.

// runner runs a statement without arguments in the current transaction.
type runner func(ctx context.Context, statement string) error

// runOn runs statements in a Bun transaction.
func runOn(tx bun.IDB) runner {
	return func(ctx context.Context, statement string) error {
		_, err := tx.NewRaw(statement).Exec(ctx)
		return err
	}
}

// writtenFields are the texts of a trader that a person may set, except the external id, which
// identifies equal rows.
func writtenFields() []string { return []string{"full_name", "email", "country", "phone"} }

// Reasons for which MergeTraders and DismissDuplicate refuse. Each is an ErrConflict.
var (
	// ErrSameTrader means that a trader was named twice.
	ErrSameTrader = fmt.Errorf("%w: one trader was named twice", store.ErrConflict)
	// ErrBothSynced means that a platform would send the merged trader again.
	ErrBothSynced = fmt.Errorf("%w: both traders come from platforms", store.ErrConflict)
)

// MergeTraders merges another trader into the trader, because a person says that they are the same
// person. The trader keeps its id, and the other's id no longer exists. One of them must have been
// added by hand: the row that is left belongs to the platform of the other one, if that has come from
// one, so that pages find it. Of two that were added by hand, the trader's own values take precedence.
// The stricter status remains. It returns ErrNotFound, ErrErased, ErrSameTrader or ErrBothSynced.
func MergeTraders(ctx context.Context, db *store.DB, c store.Change, id, other uuid.UUID) (t Trader, err error) {
	defer store.WrapError(&err, "merge trader %s into %s", other, id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (t Trader, err error) {
		if err := LockEmails(ctx, tx, c.OrganizationID); err != nil {
			return t, err
		}
		one, two, err := lockPair(ctx, tx, c.OrganizationID, id, other, "FOR UPDATE")
		if err != nil {
			return t, err
		}
		if one.IntegrationID != nil && two.IntegrationID != nil {
			return t, ErrBothSynced
		}
		before, err := selectTrader(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return t, err
		}
		if err := mergeRows(ctx, runOn(tx), id, other, append(setsFor(one, two), stricterStatus)); err != nil {
			return t, err
		}
		if t, err = selectTrader(ctx, tx, c.OrganizationID, id); err != nil {
			return t, err
		}
		tx.Emit(traderEvent(event.TraderUpdated, t, other))
		return t, auditMerge(tx, id, other, before, t)
	})
}

// setsFor returns how the surviving row changes, which belongs to an owner, by the deleted row of
// another owner.
func setsFor(survivor, gone Owner) []string {
	switch {
	case survivor.IntegrationID != nil:
		return keptSyncedSets()
	case gone.IntegrationID != nil:
		return replacedSyncedSets()
	}
	return manualSets()
}

// ReplaceSynced replaces a synced row, which is deleted, by a row added by hand. From then on pages
// find it by the platform's id. The row added by hand survives because people and other systems
// have received its id.
func ReplaceSynced(ctx context.Context, run runner, manual, synced uuid.UUID) error {
	return mergeRows(ctx, run, manual, synced, append(replacedSyncedSets(), mergedStatus))
}

// replacedSyncedSets makes a row added by hand that of the platform, whose row is deleted.
func replacedSyncedSets() (sets []string) {
	columns := column.OfTraders()
	content := column.ListNames(slices.Concat(columns.Content, columns.Beside))
	for _, column := range append(content, "integration_id", "source", "external_id", "content_hash", "missing_since") {
		sets = append(sets, fmt.Sprintf("%[1]s = g.%[1]s", column))
	}
	for _, field := range writtenFields() {
		sets = append(sets, fmt.Sprintf("override_%[1]s = CASE WHEN %[2]s THEN t.%[1]s ELSE g.override_%[1]s END", field, differsSQL("t."+field, "g."+field)))
	}
	return append(sets, unitedTags("t.tags", "g"),
		`override_external_id = CASE WHEN t.external_id <> g.external_id THEN t.external_id ELSE g.override_external_id END`)
}

// takeIn merges a row added by hand, which is deleted, into a synced one.
func takeIn(ctx context.Context, run runner, synced, manual uuid.UUID) error {
	return mergeRows(ctx, run, synced, manual, append(keptSyncedSets(), mergedStatus))
}

// keptSyncedSets adds to a synced row what people wrote on the one added by hand.
func keptSyncedSets() (sets []string) {
	for _, field := range writtenFields() {
		sets = append(sets, fmt.Sprintf("override_%[1]s = CASE WHEN t.override_%[1]s IS NULL AND %[2]s THEN g.%[1]s ELSE t.override_%[1]s END",
			field, differsSQL("g."+field, "t."+field)))
	}
	return append(sets, unitedTags("g.tags", "t"),
		`override_external_id = coalesce(t.override_external_id, CASE WHEN g.external_id <> t.external_id THEN g.external_id END)`)
}

// manualSets adds to a row added by hand what it lacks and another one has.
func manualSets() (sets []string) {
	for _, column := range []string{"first_name", "last_name"} { // parts of the full name, from the same row
		sets = append(sets, fmt.Sprintf("%[1]s = CASE WHEN t.full_name IS NULL THEN g.%[1]s ELSE t.%[1]s END", column))
	}
	for _, column := range append(writtenFields(), "external_id") {
		sets = append(sets, fmt.Sprintf("%[1]s = coalesce(t.%[1]s, g.%[1]s)", column))
	}
	return append(sets, "tags = "+joinedTags("t.tags", "g.tags"))
}

// takeUp merges a row that has just been added by hand, which is deleted, into a synced one. The
// newly given values are the intended ones, and the trader is no longer archived.
func takeUp(ctx context.Context, run runner, synced, manual uuid.UUID) error {
	var sets []string
	for _, field := range writtenFields() {
		sets = append(sets, fmt.Sprintf("override_%[1]s = CASE WHEN %[2]s THEN g.%[1]s ELSE t.override_%[1]s END",
			field, differsSQL("g."+field, fmt.Sprintf("coalesce(t.override_%[1]s, t.%[1]s)", field))))
	}
	const visible = `status = CASE WHEN t.status = 'archived' THEN 'active' ELSE t.status END`
	return mergeRows(ctx, run, synced, manual, append(sets, unitedTags("g.tags", "t"), visible))
}

// mergeRows deletes the row gone, named g below, and changes the surviving one, named t below.
func mergeRows(ctx context.Context, run runner, survivor, gone uuid.UUID, sets []string) error {
	if err := mergeDismissals(ctx, run, survivor, gone); err != nil {
		return err
	}
	err := run(ctx, fmt.Sprintf(`WITH gone AS (DELETE FROM traders WHERE id = '%s' RETURNING *)
UPDATE traders AS t SET %s, interview_only = false, matched_at = now(), updated_at = now() FROM gone AS g WHERE t.id = '%s'`, gone, strings.Join(sets, ", "), survivor))
	if err != nil {
		return fmt.Errorf("merge trader %s into %s: %w", gone, survivor, err)
	}
	for _, of := range [][2]string{{"trader_notes", "trader_id"}, {"interviews", "trader_id"}, {"idempotency_keys", "subject"}} {
		if err := run(ctx, fmt.Sprintf(`UPDATE %s SET %[2]s = '%[3]s' WHERE %[2]s = '%[4]s'`, of[0], of[1], survivor, gone)); err != nil {
			return fmt.Errorf("merge trader %s into %s: %w", gone, survivor, err)
		}
	}
	return mergeActivityFiles(ctx, run, survivor, gone)
}

// mergeActivityFiles moves the files to the survivor. A file that both have becomes one.
func mergeActivityFiles(ctx context.Context, run runner, survivor, gone uuid.UUID) error {
	return run(ctx, fmt.Sprintf(`WITH twice AS (
    DELETE FROM activity_files AS f WHERE f.trader_id = '%[2]s'
        AND EXISTS (SELECT FROM activity_files AS s WHERE s.trader_id = '%[1]s' AND s.sha256 = f.sha256) RETURNING f.id
), trades AS (
    DELETE FROM activity_trades AS t USING twice WHERE t.file_id = twice.id
)
UPDATE activity_files AS f SET trader_id = '%[1]s' WHERE f.trader_id = '%[2]s' AND NOT EXISTS (SELECT FROM twice WHERE twice.id = f.id)`, survivor, gone))
}

// mergeDismissals makes those who are not the deleted row's person not the survivor's person either.
func mergeDismissals(ctx context.Context, run runner, survivor, gone uuid.UUID) error {
	return run(ctx, fmt.Sprintf(`WITH gone AS (
    DELETE FROM distinct_traders WHERE trader_id = '%[2]s' OR other_id = '%[2]s' RETURNING *
), others AS (
    SELECT *, CASE WHEN trader_id = '%[2]s' THEN other_id ELSE trader_id END AS other FROM gone
)
INSERT INTO distinct_traders (organization_id, trader_id, other_id, dismissed_by, dismissed_at)
SELECT organization_id, least(other, '%[1]s'), greatest(other, '%[1]s'), dismissed_by, dismissed_at FROM others WHERE other <> '%[1]s'
ON CONFLICT DO NOTHING`, survivor, gone))
}

// mergedStatus is the status if assay merges by itself.
const mergedStatus = `status = CASE WHEN t.status = 'active' AND g.status <> 'archived' THEN g.status ELSE t.status END`

// stricterStatus is the status if a person merges: nobody who was restricted or under review is
// released by that, and a trader whom somebody uses is not hidden.
const stricterStatus = `status = CASE WHEN 'restricted' IN (t.status, g.status) THEN 'restricted' WHEN 'under_review' IN (t.status, g.status) THEN 'under_review'
    WHEN 'active' IN (t.status, g.status) THEN 'active' ELSE t.status END`

// differsSQL returns an SQL condition that holds if a value was written that differs from the
// platform's.
func differsSQL(written, platform string) string {
	return fmt.Sprintf("%[1]s IS NOT NULL AND lower(%[1]s) IS DISTINCT FROM lower(%[2]s)", written, platform)
}

// maxUnitedTags is the most tags of one trader, enough for those of a platform and of one person.
// Further merges add as many as fit.
const maxUnitedTags = 150

// unitedTags adds written tags to those of the synced row, which come first. They remain the
// platform's as long as nothing is added.
func unitedTags(written, synced string) string {
	shown := fmt.Sprintf("coalesce(%[1]s.override_tags, %[1]s.tags)", synced)
	return fmt.Sprintf(`override_tags = CASE WHEN %[1]s <@ %[2]s THEN %[3]s.override_tags ELSE %[4]s END`, written, shown, synced, joinedTags(shown, written))
}

// joinedTags adds tags to others, which come first.
func joinedTags(first, added string) string {
	return fmt.Sprintf(`(%[1]s || ARRAY(SELECT u.tag FROM unnest(%[2]s) WITH ORDINALITY AS u(tag, n) WHERE u.tag <> ALL (%[1]s) ORDER BY u.n))[1:%[3]d]`,
		first, added, maxUnitedTags)
}
