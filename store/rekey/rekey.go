// Package rekey moves stored secrets to another key of the keyring.
package rekey

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/seal"
)

// Limits of Run.
const (
	// batchSize is how many rows are locked at a time, for a few milliseconds.
	batchSize = 50
	// Rows that others have locked are skipped, and retried later.
	retryAfter = 20 * time.Millisecond
	patience   = time.Minute
)

// errRowLocked means that a row was locked for too long. No transaction of assay holds a lock for
// that time.
var errRowLocked = errors.New("another transaction has locked the row for a minute: run the command again when it has ended")

// Options holds the options of Run.
type Options struct {
	// DryRun reports what Run would do, without changing anything.
	DryRun bool
	// Progress is called after each batch with the number of processed values, out of those that
	// were not sealed with the primary key at the beginning. It may be nil.
	Progress func(done, total int64)
	// Failed is called with each value that could not be moved. Required.
	Failed func(Failure)
}

// Failure is a sealed value that could not be moved to another key.
type Failure struct {
	Column         string   // for example integrations.api_key
	Key            []string // the row's primary key
	OrganizationID uuid.UUID
	Err            error // seal.ErrUnknownKey, seal.ErrTampered, or an error that says that the row was locked
}

// Count is the number of a column's values that are sealed with a key.
type Count struct {
	Column string
	KeyID  string // empty if they are not sealed values
	Values int64
}

// Report is what Run has done, or in a dry run would do.
type Report struct {
	Before, After []Count // ordered; equal in a dry run
	Moved, Failed int64
}

// Run moves all stored sealed values to the keyring's primary key, in small batches and
// concurrently with normal operation: nobody waits longer than a batch takes, a value that is
// replaced meanwhile is left alone, and processes that have both keys can read the values
// throughout. Run may be stopped at any point: the next call continues with the rest. A value
// that cannot be opened is passed to Failed and remains unchanged.
//
// Each organization with moved values gets a row in its audit log, in the transaction that moves
// the first of them.
func Run(ctx context.Context, db *store.DB, o Options) (report Report, err error) {
	defer store.WrapError(&err, "re-key")
	keyring, err := db.Keyring()
	if err != nil {
		return report, err
	}
	r := &mover{db: db, o: o, keyring: keyring, noted: make(map[uuid.UUID]bool)}
	if r.report.Before, err = countSealed(ctx, db); err != nil {
		return report, err
	}
	r.report.After = r.report.Before
	for _, c := range r.report.Before {
		if c.KeyID != keyring.Primary() {
			r.total += c.Values
		}
	}
	for _, c := range sealedColumns() {
		if err := r.moveColumn(ctx, c); err != nil {
			return r.report, fmt.Errorf("%s: %w", c.qualifiedName(), err)
		}
	}
	if !o.DryRun {
		r.report.After, err = countSealed(ctx, db)
	}
	return r.report, err
}

// countSealed counts the sealed values by column and key, in the order of the registry and of the
// keys' ids.
func countSealed(ctx context.Context, db *store.DB) (counts []Count, err error) {
	defer store.WrapError(&err, "count sealed values")
	for _, c := range sealedColumns() {
		var rows []struct {
			Head   []byte `bun:"head"`
			Values int64  `bun:"values"`
		}
		err := db.Bun.NewRaw(fmt.Sprintf(`SELECT CASE WHEN octet_length(%[1]s) < 2 THEN %[1]s ELSE substring(%[1]s FROM 1 FOR 2 + get_byte(%[1]s, 1)) END AS head,
    count(*) AS values FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY 1`, c.column, c.table)).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		byKey := make(map[string]int64)
		for _, row := range rows {
			id, err := seal.KeyID(row.Head)
			if err != nil {
				id = ""
			}
			byKey[id] += row.Values
		}
		first := len(counts)
		for id, n := range byKey {
			counts = append(counts, Count{c.qualifiedName(), id, n})
		}
		slices.SortFunc(counts[first:], func(a, b Count) int { return strings.Compare(a.KeyID, b.KeyID) })
	}
	return counts, nil
}

// mover moves the values in one call of Run.
type mover struct {
	db      *store.DB
	o       Options
	keyring *seal.Keyring
	noted   map[uuid.UUID]bool // organizations that have the row in their audit log
	total   int64
	report  Report
}

// moveColumn moves the values of one column.
func (r *mover) moveColumn(ctx context.Context, c sealedColumn) error {
	var (
		after  []string
		locked [][]string
	)
	for {
		keys, err := r.nextKeys(ctx, c, after)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return r.retryLocked(ctx, c, locked)
		}
		left, err := r.moveRows(ctx, c, keys)
		if err != nil {
			return err
		}
		locked = append(locked, left...)
		after = keys[len(keys)-1]
		if r.o.Progress != nil {
			r.o.Progress(r.report.Moved+r.report.Failed, r.total)
		}
	}
}

// retryLocked moves values whose rows were locked, until none is left.
func (r *mover) retryLocked(ctx context.Context, c sealedColumn, keys [][]string) error {
	for began := time.Now(); len(keys) > 0; {
		if time.Since(began) > patience {
			for _, key := range keys {
				r.reportFailure(c, key, uuid.Nil, errRowLocked)
			}
			return nil
		}
		if err := waitFor(ctx, retryAfter); err != nil {
			return err
		}
		// Some rows have been replaced or deleted by now.
		var err error
		if keys, err = r.stillThere(ctx, c, keys); err != nil {
			return err
		}
		if keys, err = r.moveRows(ctx, c, keys); err != nil {
			return err
		}
	}
	return nil
}

// unmovedCondition returns the condition on rows t whose value is not sealed with the primary key.
// The first bytes of a value tell.
func (r *mover) unmovedCondition(c sealedColumn) (condition string, args []any) {
	prefix := seal.Prefix(r.keyring.Primary())
	return fmt.Sprintf(`t.%[1]s IS NOT NULL AND substring(t.%[1]s FROM 1 FOR ?) <> ?`, c.column), []any{len(prefix), prefix}
}

// nextKeys returns the primary keys of the next rows to move, or none if all have been moved.
func (r *mover) nextKeys(ctx context.Context, c sealedColumn, after []string) ([][]string, error) {
	condition, args := r.unmovedCondition(c)
	names := c.joinKey(func(_ int, k keyColumn) string { return "t." + k.name })
	if after != nil {
		condition += fmt.Sprintf(` AND (%s) > (%s)`, names, c.joinKey(func(_ int, k keyColumn) string { return "?::" + k.typ }))
		for _, part := range after {
			args = append(args, part)
		}
	}
	return r.readKeys(ctx, c, fmt.Sprintf(`%s ORDER BY %s LIMIT ?`, condition, names), append(args, batchSize))
}

// stillThere returns those of the keys whose rows still have to be moved.
func (r *mover) stillThere(ctx context.Context, c sealedColumn, keys [][]string) ([][]string, error) {
	condition, args := r.unmovedCondition(c)
	among, list := c.amongCondition(keys)
	return r.readKeys(ctx, c, condition+" AND "+among, append(args, list...))
}

// readKeys reads the primary keys of the rows t that meet the condition.
func (r *mover) readKeys(ctx context.Context, c sealedColumn, condition string, args []any) (keys [][]string, err error) {
	var rows []struct {
		Key []string `bun:"key,type:json"`
	}
	err = r.db.Bun.NewRaw(fmt.Sprintf(`SELECT json_build_array(%s) AS key FROM %s AS t WHERE %s`, c.keyTexts(), c.table, condition), args...).Scan(ctx, &rows)
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	return keys, err
}

// keyTexts returns an expression for the primary key of a row t as a list of texts. It is read as
// JSON, because Bun mistakes some elements of a text array for bytes.
func (c sealedColumn) keyTexts() string {
	return c.joinKey(func(_ int, k keyColumn) string { return "t." + k.name + "::text" })
}

// amongCondition returns the condition on rows t that their primary keys are among the given ones.
func (c sealedColumn) amongCondition(keys [][]string) (condition string, args []any) {
	names := c.joinKey(func(_ int, k keyColumn) string { return "t." + k.name })
	lists, args := c.keyArrays(keys)
	return fmt.Sprintf(`(%s) IN (SELECT * FROM unnest(%s))`, names, lists), args
}

// keyArrays returns the primary keys as one array for each of their columns.
func (c sealedColumn) keyArrays(keys [][]string) (expression string, args []any) {
	expression = c.joinKey(func(i int, k keyColumn) string {
		parts := make([]string, len(keys))
		for n, key := range keys {
			parts[n] = key[i]
		}
		args = append(args, store.Array(parts))
		return fmt.Sprintf(`?::text[]::%s[]`, k.typ)
	})
	return expression, args
}

// sealedRow is a row with a sealed value.
type sealedRow struct {
	Key            []string  `bun:"key,type:json"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	Value          []byte    `bun:"value"`
}

// moveRows re-wraps the values of the rows that are not locked, and returns the keys of the others.
func (r *mover) moveRows(ctx context.Context, c sealedColumn, keys [][]string) (left [][]string, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows, moved []sealedRow
	noted := make(map[uuid.UUID]bool)
	err = r.db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if rows, err = r.lockRows(ctx, tx, c, keys); err != nil {
			return err
		}
		moved = r.rewrapRows(c, rows)
		if r.o.DryRun || len(moved) == 0 {
			return nil
		}
		if err := replaceValues(ctx, tx, c, moved); err != nil {
			return err
		}
		return r.recordRun(ctx, tx, moved, noted)
	})
	if err != nil {
		return nil, err
	}
	r.report.Moved += int64(len(moved))
	for id := range noted {
		r.noted[id] = true
	}
	for _, key := range keys {
		if !slices.ContainsFunc(rows, func(row sealedRow) bool { return slices.Equal(row.Key, key) }) {
			left = append(left, key)
		}
	}
	return left, nil
}

// lockRows reads and locks the rows to move, except those that are locked already.
func (r *mover) lockRows(ctx context.Context, tx bun.IDB, c sealedColumn, keys [][]string) (rows []sealedRow, err error) {
	condition, args := r.unmovedCondition(c)
	among, list := c.amongCondition(keys)
	query := fmt.Sprintf(`SELECT json_build_array(%s) AS key, t.organization_id, t.%s AS value FROM %s AS t WHERE %s AND %s`, c.keyTexts(), c.column, c.table, condition, among)
	if !r.o.DryRun {
		query += ` FOR NO KEY UPDATE OF t SKIP LOCKED`
	}
	err = tx.NewRaw(query, append(args, list...)...).Scan(ctx, &rows)
	return rows, err
}

// rewrapRows returns the rows with their values sealed with the primary key, without the rows whose
// value cannot be opened.
func (r *mover) rewrapRows(c sealedColumn, rows []sealedRow) (moved []sealedRow) {
	for _, row := range rows {
		binding, err := c.bindingOf(row.Key, row.OrganizationID)
		if err == nil {
			row.Value, _, err = r.keyring.Rewrap(row.Value, binding)
		}
		if err != nil {
			r.reportFailure(c, row.Key, row.OrganizationID, err)
			continue
		}
		moved = append(moved, row)
	}
	return moved
}

func (r *mover) reportFailure(c sealedColumn, key []string, orgID uuid.UUID, err error) {
	r.report.Failed++
	r.o.Failed(Failure{Column: c.qualifiedName(), Key: key, OrganizationID: orgID, Err: err})
}

// replaceValues writes the values of rows that are locked.
func replaceValues(ctx context.Context, tx bun.IDB, c sealedColumn, rows []sealedRow) error {
	keys, values := make([][]string, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		keys[i], values[i] = row.Key, `\x`+hex.EncodeToString(row.Value)
	}
	lists, args := c.keyArrays(keys)
	names := c.joinKey(func(_ int, k keyColumn) string { return k.name })
	same := strings.ReplaceAll(c.joinKey(func(_ int, k keyColumn) string { return "t." + k.name + " = v." + k.name }), ", ", " AND ")
	_, err := tx.NewRaw(fmt.Sprintf(`UPDATE %s AS t SET %s = v.value FROM unnest(%s, ?::text[]::bytea[]) AS v(%s, value) WHERE %s`,
		c.table, c.column, lists, names, same), append(args, store.Array(values))...).Exec(ctx)
	return err
}

// recordRun writes a row into the audit log of each organization that has none of this run yet,
// and adds it to noted. The chains are always locked in the same order, so that two concurrent runs
// do not deadlock.
func (r *mover) recordRun(ctx context.Context, tx bun.IDB, rows []sealedRow, noted map[uuid.UUID]bool) error {
	var ids []uuid.UUID
	for _, row := range rows {
		if id := row.OrganizationID; !r.noted[id] && !noted[id] {
			noted[id] = true
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	for _, id := range ids {
		c := store.Change{OrganizationID: id, By: actorName}
		e := store.AuditEntry{Action: action.OrganizationRekeyed, Object: id, After: store.AuditFields{"primary": r.keyring.Primary()}}
		if err := store.WriteAudit(ctx, tx, c, e); err != nil {
			return err
		}
	}
	return nil
}

// actorName is the actor's name when values are moved to another key.
const actorName = "apiserver rekey"

func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
