package directory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
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

// ReplaceSynced replaces a synced row, which is deleted, by a row added by hand. From then on pages
// find it by the platform's id. The row added by hand survives because people and other systems
// have received its id.
func ReplaceSynced(ctx context.Context, run runner, manual, synced uuid.UUID) error {
	var sets []string
	columns := TraderColumns()
	content := ColumnNames(slices.Concat(columns.Content, columns.Beside))
	for _, column := range append(content, "integration_id", "source", "external_id", "content_hash", "missing_since", "override_external_id") {
		sets = append(sets, fmt.Sprintf("%[1]s = g.%[1]s", column))
	}
	for _, field := range writtenFields() {
		sets = append(sets, fmt.Sprintf("override_%[1]s = CASE WHEN %[2]s THEN t.%[1]s ELSE g.override_%[1]s END", field, differsSQL("t."+field, "g."+field)))
	}
	sets = append(sets, unitedTags("t.tags", "g"), mergedStatus)
	return mergeRows(ctx, run, manual, synced, sets)
}

// takeIn merges a row added by hand, which is deleted, into a synced one.
func takeIn(ctx context.Context, run runner, synced, manual uuid.UUID) error {
	var sets []string
	for _, field := range writtenFields() {
		sets = append(sets, fmt.Sprintf("override_%[1]s = CASE WHEN t.override_%[1]s IS NULL AND %[2]s THEN g.%[1]s ELSE t.override_%[1]s END",
			field, differsSQL("g."+field, "t."+field)))
	}
	return mergeRows(ctx, run, synced, manual, append(sets, unitedTags("g.tags", "t"), mergedStatus))
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
	err := run(ctx, fmt.Sprintf(`WITH gone AS (DELETE FROM traders WHERE id = '%s' RETURNING *)
UPDATE traders AS t SET %s, interview_only = false, matched_at = now(), updated_at = now() FROM gone AS g WHERE t.id = '%s'`, gone, strings.Join(sets, ", "), survivor))
	if err != nil {
		return fmt.Errorf("merge trader %s into %s: %w", gone, survivor, err)
	}
	for _, table := range []string{"trader_notes", "interviews"} {
		if err := run(ctx, fmt.Sprintf(`UPDATE %s SET trader_id = '%s' WHERE trader_id = '%s'`, table, survivor, gone)); err != nil {
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

const mergedStatus = `status = CASE WHEN t.status = 'active' AND g.status <> 'archived' THEN g.status ELSE t.status END`

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
	return fmt.Sprintf(`override_tags = CASE WHEN %[1]s <@ %[2]s THEN %[3]s.override_tags
    ELSE (%[2]s || ARRAY(SELECT u.tag FROM unnest(%[1]s) WITH ORDINALITY AS u(tag, n) WHERE u.tag <> ALL (%[2]s) ORDER BY u.n))[1:%[4]d] END`, written, shown, synced, maxUnitedTags)
}
