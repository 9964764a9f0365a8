package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// PageCommit is everything that one page of a stream changes. It is committed as a whole or not at
// all.
type PageCommit struct {
	Claim *syncing.Claim
	Batch record.Batch
	// Rejected records are quarantined. Valid versions end the quarantine of earlier ones.
	Rejected []record.Rejected
	// Findings of the page.
	Findings []record.Finding
	// Run is the state of the run after this page, except for what the page
	// writer counts: the numbers of inserted, updated, unchanged, stale and
	// quarantined records.
	Run syncing.OpenRun
	// More reports that further pages follow, so that the checkpoint matters even if the page is
	// without changes.
	More bool
	// Lease is how long the lease is extended.
	Lease time.Duration
	// Sweep is set for a page of an audit, whose Run is the sweep's. It is nil for a page of a
	// cycle.
	Sweep *SweepPage

	ambiguous map[string]string // ids of records that name their account by an id that may stand for several, by key
}

// PageOutcome is the result of WritePage.
type PageOutcome struct {
	Run         syncing.OpenRun   // PageCommit.Run with this page's counts added
	Page        syncing.RunTotals // this page's counts only
	Findings    []record.Finding  // broken rules that only the comparison with stored rows reveals
	Quarantined int64             // rows now in the integration's quarantine
	Sweep       *syncing.Sweep    // the sweep after the page; nil unless the page is part of an audit
}

// WritePage merges a page into the directory and commits it together with the run's checkpoint, the
// lease, counters, quarantine and findings. A record that is identical to the stored one writes
// nothing. An older version does not replace a newer one, except in an audit if the stored one is
// older than the overlap. ErrFenced means that the lease is no longer held and nothing was written.
func WritePage(ctx context.Context, db *store.DB, p PageCommit) (out PageOutcome, err error) {
	defer store.WrapError(&err, "write page of %s for integration %s", p.Run.Stream, p.Claim.IntegrationID)
	if err := nameAccounts(ctx, db, &p); err != nil {
		return PageOutcome{}, err
	}
	if err := leaveOut(ctx, db, &p); err != nil {
		return PageOutcome{}, err
	}
	switch p.Run.Stream.Resource() {
	case record.Traders:
		out, err = writeRecords(ctx, db, synced.traders, p, p.Batch.Traders)
	case record.Accounts:
		out, err = writeRecords(ctx, db, synced.accounts, p, p.Batch.Accounts)
	case record.Trades:
		out, err = writeRecords(ctx, db, synced.trades, p, p.Batch.Trades)
	case record.Payouts:
		out, err = writeRecords(ctx, db, synced.payouts, p, p.Batch.Payouts)
	default:
		err = fmt.Errorf("unknown stream %q", p.Run.Stream)
	}
	if err != nil {
		return PageOutcome{}, err
	}
	notePage(db, p, out.Page)
	return out, nil
}

// notePage announces the page to those who watch the integration or the directory. Of backfills and
// audits it announces the progress.
func notePage(db *store.DB, p PageCommit, page syncing.RunTotals) {
	changed := page.Inserted+page.Updated > 0
	if changed || page.Quarantined > 0 || p.Run.Mode == syncing.ModeBackfill || p.Sweep != nil {
		db.NoteChange(p.Claim.OrganizationID, store.TopicIntegrations, p.Claim.IntegrationID)
	}
	if changed {
		db.NoteChange(p.Claim.OrganizationID, store.TopicTraders, uuid.Nil)
	}
}

// writeRecords writes the records of a page, which are all of one type. Records that Postgres cannot
// store go to quarantine.
func writeRecords[R any](ctx context.Context, db *store.DB, t *table[R], p PageCommit, records []R) (PageOutcome, error) {
	w := newPageWriter(db, t, p, records)
	if err := w.checkQuarantine(ctx); err != nil {
		return PageOutcome{}, err
	}
	if err := w.findChangedIDs(ctx); err != nil {
		return PageOutcome{}, err
	}
	compare := w.mergePage
	if w.p.Sweep != nil {
		compare = w.repairPage
	}
	write := compare
	if w.p.Sweep == nil && w.p.Run.Mode == syncing.ModeBackfill && !w.p.Run.Replaying && len(w.rows) > 0 {
		write = w.loadPage
	}
	out, err := write(ctx)
	if !isUnstorable(err) {
		return out, err
	}
	// One record that Postgres cannot store must not prevent the others from being written.
	if err := w.rejectUnstorable(ctx); err != nil {
		return PageOutcome{}, err
	}
	return compare(ctx)
}

// loadPage writes a page of a first backfill by COPY. If some of its rows exist, the page and the
// rest of the run are written like ordinary pages.
func (w *pageWriter[R]) loadPage(ctx context.Context) (PageOutcome, error) {
	known, err := w.someKnown(ctx)
	if err != nil {
		return PageOutcome{}, err
	}
	if !known {
		out := w.pageOutcome(changes{inserted: allOf(len(w.rows))})
		atOnce := w.hasOnlyRecords() && out.Run.Listed && len(out.Findings) == 0
		if atOnce {
			err = w.loadAtOnce(ctx, &out)
		}
		if !atOnce || errors.Is(err, errTwins) {
			err = w.loadInSteps(ctx, &out)
		}
		if !store.HasState(err, store.StateUniqueViolation) {
			return out, err
		}
	}
	w.p.Run.Replaying = true
	return w.mergePage(ctx)
}

// someKnown reports whether one of the rows exists, for resources whose ids may identify a person:
// the server logs the id of a violation. For trades, which are most of the records, the violation
// itself is awaited.
func (w *pageWriter[R]) someKnown(ctx context.Context) (known bool, err error) {
	if !w.t.owned {
		return false, nil
	}
	err = w.db.Pool.QueryRow(ctx, w.t.knownSQL, store.Prepared(w.db, w.p.Claim.IntegrationID, w.recordKeys())...).Scan(&known)
	return known, err
}

// pageWriter writes one page.
type pageWriter[R any] struct {
	db           *store.DB
	t            *table[R]
	p            PageCommit
	rows         []R                  // sorted by key, only the newest version of each
	twinKeys     []string             // of records that were sent twice with differences
	hashes       [][]byte             // of each row's content; nil before computeHashes
	quarantining bool                 // a record of the page is in quarantine, or will be
	named        []string             // ids by which trades or payouts name accounts and whose meaning the page changes
	subscribed   bool                 // somebody subscribes to events that the page may emit
	events       []event.Event        // to be emitted
	merged       map[string]uuid.UUID // rows merged into another row, by that row's key
	replaced     []string             // keys of traders that may be other people than before: see findReplaced
}

func newPageWriter[R any](db *store.DB, t *table[R], p PageCommit, records []R) *pageWriter[R] {
	rows, twins := newestOfEach(t, records)
	return &pageWriter[R]{db: db, t: t, p: p, rows: rows, twinKeys: twins}
}

// computeHashes computes the rows' hashes.
func (w *pageWriter[R]) computeHashes() {
	if w.hashes != nil {
		return
	}
	w.hashes = make([][]byte, len(w.rows))
	sums := make([]byte, 0, hashBytes*len(w.rows))
	var line []byte
	for i := range w.rows {
		line = w.t.appendHashed(line[:0], &w.rows[i])
		sum := rowHash(line)
		sums = append(sums, sum[:]...)
		w.hashes[i] = sums[len(sums)-hashBytes:]
	}
}

// appendHashed appends the hashed columns of a row, in COPY's text format.
func (t *table[R]) appendHashed(dst []byte, r *R) []byte {
	if t.asHashed != nil {
		r = t.asHashed(r)
	}
	return appendValues(dst, t.Content, r)
}

// appendValues appends columns of a row in COPY's text format.
func appendValues[R any](dst []byte, columns []column.Column[R], r *R) []byte {
	for _, c := range columns {
		dst = append(column.AppendCopyValue(dst, c, r), '\t')
	}
	return dst
}

// newestOfEach sorts the records by key, which prevents overlapping writers from deadlocking, and
// drops all but the newest version of each, because one statement cannot write a row twice. Of
// equally old versions the later one on the page wins, but a closed one takes precedence over an
// open one. twins are the keys of those that cannot be versions of one record: see areDifferent.
func newestOfEach[R any](t *table[R], records []R) (rows []R, twins []string) {
	order := make([]int, len(records))
	keys := make([]string, len(records))
	for i := range records {
		order[i], keys[i] = i, t.recordKey(&records[i])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if keys[a] != keys[b] {
			if keys[a] < keys[b] {
				return -1
			}
			return 1
		}
		if at := t.updatedAt(&records[a]).Compare(t.updatedAt(&records[b])); at != 0 || t.open == nil {
			return at
		}
		return boolToInt(t.open(&records[b])) - boolToInt(t.open(&records[a]))
	})
	rows = make([]R, 0, len(records))
	for i, n := range order {
		if i+1 < len(order) && keys[order[i+1]] == keys[n] {
			if areDifferent(t, &records[n], &records[order[i+1]]) {
				twins = append(twins, keys[n])
			}
			continue
		}
		rows = append(rows, records[n])
	}
	return rows, twins
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// loadInSteps writes a page of new rows by COPY, and what follows from them, in a transaction of several
// round trips. It fails with a unique violation if one of the rows exists.
func (w *pageWriter[R]) loadInSteps(ctx context.Context, out *PageOutcome) error {
	return w.commitPage(ctx, out, func(tx pgx.Tx) error {
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, newCopyReader(w), w.t.copySQL); err != nil {
			return err
		}
		return w.applyConsequences(ctx, tx, out, allOf(len(w.rows)))
	})
}

// hasOnlyRecords reports whether the page consists only of records.
func (w *pageWriter[R]) hasOnlyRecords() bool {
	return !w.quarantining && len(w.p.Findings) == 0 && len(w.named) == 0
}

// loadAtOnce sends the fence and the rows in one message, which is one transaction and one round
// trip. If the lease is no longer held, the fence fails on purpose, by a division by zero, before
// COPY begins. errTwins means that the rows must be compared with those added by hand and nothing
// was written.
func (w *pageWriter[R]) loadAtOnce(ctx context.Context, out *PageOutcome) error {
	state, err := syncing.EncodeRun(&out.Run)
	if err != nil {
		return err
	}
	return w.db.Pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		conn := c.Conn().PgConn()
		// A doubled quote is the only special sequence in a literal if the server follows the
		// standard.
		if conn.ParameterStatus("standard_conforming_strings") != "on" {
			return errors.New("the server must have standard_conforming_strings on")
		}
		fence, err := w.loadFence(ctx, c.Conn(), *state, out.Page.Inserted)
		if err != nil {
			return err
		}
		_, err = conn.CopyFrom(ctx, newCopyReader(w), fence+w.twinGuard()+w.t.copySQL)
		switch {
		case store.HasState(err, store.StateDivisionByZero):
			return store.ErrFenced
		case store.HasState(err, store.StateNegativeRoot):
			return errTwins
		}
		return err
	})
}

// loadFence returns the text of the fence of loadAtOnce. If the connection permits, it is a
// prepared statement, whose preparation delays the first page on a connection.
func (w *pageWriter[R]) loadFence(ctx context.Context, conn *pgx.Conn, state string, inserted int64) (string, error) {
	literals := []string{
		"'" + strings.ReplaceAll(state, "'", "''") + "'", strconv.FormatInt(w.p.Lease.Microseconds(), 10), strconv.FormatInt(inserted, 10),
		"'" + w.p.Claim.IntegrationID.String() + "'", strconv.FormatInt(w.p.Claim.Token, 10),
	}
	if w.db.IsPooled() {
		var pairs []string
		for i, literal := range literals {
			pairs = append(pairs, fmt.Sprintf("$%d", i+1), literal)
		}
		return strings.NewReplacer(pairs...).Replace(w.t.loadFenceSQL) + "; ", nil
	}
	name := "load_" + w.t.name
	_, err := conn.Prepare(ctx, name, w.t.loadFenceSQL)
	return "EXECUTE " + name + " (" + strings.Join(literals, ", ") + "); ", err
}

// mergePage compares the page with what is stored and writes what differs.
func (w *pageWriter[R]) mergePage(ctx context.Context) (PageOutcome, error) {
	quiet := w.hasOnlyRecords()
	found, err := w.compareRows(ctx, w.p.More && quiet)
	if err != nil {
		return PageOutcome{}, err
	}
	if !found.isEmpty() {
		if err := w.findSubscribers(ctx); err != nil {
			return PageOutcome{}, err
		}
		if err := w.findReplaced(ctx, found); err != nil {
			return PageOutcome{}, err
		}
	}
	out := w.pageOutcome(found)
	if quiet && found.isEmpty() && len(out.Findings) == 0 && (!w.p.More || found.committed) {
		return out, nil
	}
	if found.isEmpty() && !w.quarantining && !w.p.More && len(w.named) == 0 {
		return out, w.noteFindings(ctx, out.Findings)
	}
	if quiet && !w.subscribed && out.Run.Listed && !w.t.sourced && len(out.Findings) == 0 && !found.isEmpty() {
		return out, w.upsertAtOnce(ctx, &out, found.writtenRows())
	}
	return out, w.commitWritten(ctx, &out, found.writtenRows())
}

// commitWritten commits the page with the chosen rows.
func (w *pageWriter[R]) commitWritten(ctx context.Context, out *PageOutcome, chosen []int) error {
	return w.commitPage(ctx, out, func(tx pgx.Tx) error {
		return w.gatherEvents(ctx, tx, chosen, func() error {
			if err := w.upsertRows(ctx, tx, chosen); err != nil {
				return err
			}
			return w.applyConsequences(ctx, tx, out, chosen)
		})
	})
}

// applyConsequences writes what follows from the written rows.
func (w *pageWriter[R]) applyConsequences(ctx context.Context, tx pgx.Tx, out *PageOutcome, written []int) error {
	if err := w.mergeManual(ctx, tx, out, written); err != nil {
		return err
	}
	return w.moveNamed(ctx, tx)
}

// pageOutcome adds the counts of the changes to the run's state.
func (w *pageWriter[R]) pageOutcome(c changes) PageOutcome {
	page := syncing.RunTotals{
		Inserted: int64(len(c.inserted)), Updated: int64(len(c.updated)), Stale: int64(len(c.stale)),
		Quarantined: int64(len(w.p.Rejected)),
	}
	page.Unchanged = int64(len(w.rows)) - page.Inserted - page.Updated - page.Stale
	run := w.p.Run
	run.Inserted += page.Inserted
	run.Updated += page.Updated
	run.Unchanged += page.Unchanged
	run.Stale += page.Stale
	run.Quarantined += page.Quarantined
	findings := slices.Concat(w.p.Findings, w.findTwins(), w.unseenOpen(c), w.findAmbiguous(c), w.newFindings(ruleTraderReplaced, w.replaced), c.findingsOf(w.t.resource, w.keyOf))
	return PageOutcome{Run: run, Page: page, Findings: findings, Quarantined: w.p.Claim.Quarantined}
}

// commitPage runs the page's transaction. The fence with checkpoint, lease and counters comes
// first, then the rows, then quarantine and findings, and finally the events.
func (w *pageWriter[R]) commitPage(ctx context.Context, out *PageOutcome, write func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, w.db.Pool, func(tx pgx.Tx) error {
		w.events = nil // of an attempt that was rolled back
		if err := w.saveProgress(ctx, tx, out); err != nil {
			return err
		}
		if err := w.shareDirectory(ctx, tx); err != nil {
			return err
		}
		if err := write(tx); err != nil {
			return err
		}
		if err := w.updateQuarantine(ctx, tx, out); err != nil {
			return err
		}
		fresh := out.Page.Inserted+out.Page.Updated+out.Page.Quarantined > 0
		opened, err := openedFindings(ctx, w.db, tx, w.p.Claim, out.Findings, fresh)
		if err != nil {
			return err
		}
		return w.db.PostEvents(ctx, tx, w.p.Claim.OrganizationID, uuid.Nil, append(w.events, opened...))
	})
}

// saveProgress locks the integration's row, which proves that the lease is still held, and saves
// what the page changes in it. The first change of a run inserts its row in sync_runs.
func (w *pageWriter[R]) saveProgress(ctx context.Context, tx pgx.Tx, out *PageOutcome) error {
	if w.p.Sweep != nil {
		return w.fenceSweep(ctx, tx, out)
	}
	list := !out.Run.Listed
	out.Run.Listed = true
	state, err := syncing.EncodeRun(&out.Run)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `UPDATE sync_state SET run = $3::jsonb, claimable_at = now() + $4::interval, `+w.t.counter+` = `+w.t.counter+` + $5
WHERE integration_id = $1 AND token = $2`, store.Prepared(w.db, w.p.Claim.IntegrationID, w.p.Claim.Token, state, w.p.Lease, out.Page.Inserted)...)
	switch {
	case err != nil:
		return err
	case tag.RowsAffected() == 0:
		return store.ErrFenced
	case list:
		return syncing.InsertRun(ctx, tx, w.p.Claim.IntegrationID, &out.Run)
	}
	return nil
}

// upsertRows writes the chosen rows.
func (w *pageWriter[R]) upsertRows(ctx context.Context, tx pgx.Tx, chosen []int) error {
	if len(chosen) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, w.t.upsertSQL, store.Prepared(w.db, append([]any{w.p.Claim.IntegrationID}, w.upsertArguments(chosen)...)...)...)
	return err
}

// upsertAtOnce writes the chosen rows together with the fence.
func (w *pageWriter[R]) upsertAtOnce(ctx context.Context, out *PageOutcome, chosen []int) error {
	state, err := syncing.EncodeRun(&out.Run)
	if err != nil {
		return err
	}
	args := []any{w.p.Claim.IntegrationID, w.p.Claim.Token, state, w.p.Lease, out.Page.Inserted}
	var held bool
	err = w.db.Pool.QueryRow(ctx, w.t.fencedSQL, store.Prepared(w.db, append(args, w.upsertArguments(chosen)...)...)...).Scan(&held)
	if err == nil && !held {
		err = store.ErrFenced
	}
	return err
}

// upsertArguments returns the arguments of the upsert statement, except the integration.
func (w *pageWriter[R]) upsertArguments(chosen []int) []any {
	w.computeHashes()
	var args []any
	if w.t.owned {
		args = append(args, w.p.Claim.OrganizationID)
	}
	if w.t.sourced {
		args = append(args, string(w.p.Claim.Kind))
	}
	for _, c := range slices.Concat(w.t.Key, w.t.Beside, w.t.Content) {
		args = append(args, arrayLiteral(c, w.rows, chosen))
	}
	args = append(args, hexLiteral(w.hashes, chosen))
	if w.t.owned {
		args = append(args, idLiteral(len(chosen)))
	}
	return args
}
