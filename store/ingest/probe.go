package ingest

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
	"github.com/assayhq/assay/store/syncing"
)

// changes describes how a page differs from the stored rows, by indexes into the page's rows.
type changes struct {
	inserted, updated, stale []int
	// These are subsets of updated: changed although updated_at is the same; closed under the same
	// condition; open although the stored trade is closed; found again after an audit had not found
	// it.
	sameTime, closedSilently, reopened, returned []int
	// older is a subset of stale, or in an audit of updated: rows with an updated_at before the
	// stored one.
	older     []int
	committed bool // the run's state is already saved
}

func (c changes) isEmpty() bool { return len(c.inserted)+len(c.updated) == 0 }

// writtenRows lists the rows to write.
func (c changes) writtenRows() []int { return append(append([]int(nil), c.inserted...), c.updated...) }

func allOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// compareRows compares the page with the stored rows. If commit is set and nothing differs, it
// saves the run's state in the same statement.
func (w *pageWriter[R]) compareRows(ctx context.Context, commit bool) (changes, error) {
	var c changes
	if len(w.rows) == 0 {
		return c, nil
	}
	args, err := w.probeArguments(commit)
	if err != nil {
		return c, err
	}
	var (
		ordinals []int64
		classes  string
		commits  int64
	)
	err = w.db.Pool.QueryRow(ctx, w.t.probeSQL, store.Prepared(w.db, args...)...).Scan(&ordinals, &classes, &commits, nil)
	if err != nil {
		return c, err
	}
	for i, n := range ordinals {
		c.addRow(classes[i], int(n)-1, w.p.Sweep != nil)
	}
	c.committed = commits > 0
	if commit && len(ordinals) == 0 && !c.committed {
		return c, store.ErrFenced
	}
	return c, nil
}

// probeArguments are the arguments of the probe statement.
func (w *pageWriter[R]) probeArguments(commit bool) ([]any, error) {
	w.computeHashes()
	run := w.pageOutcome(changes{}).Run
	state, err := syncing.EncodeRun(&run)
	if err != nil {
		return nil, err
	}
	args := []any{w.p.Claim.IntegrationID, w.p.Claim.Token, state, w.p.Lease, commit, w.hashes, w.updateTimes(), w.p.Sweep.settledBefore()}
	if w.t.open != nil {
		args = append(args, w.openStates())
	}
	for _, k := range w.t.Key {
		args = append(args, w.columnTexts(k))
	}
	return args, nil
}

// addRow adds a row to its class, as named by the probe statement. Only an audit replaces a newer
// version by an older one.
func (c *changes) addRow(class byte, n int, audit bool) {
	switch class {
	case 'i':
		c.inserted = append(c.inserted, n)
		return
	case 's':
		c.stale = append(c.stale, n)
		return
	case 'o':
		c.older = append(c.older, n)
		if !audit {
			c.stale = append(c.stale, n)
			return
		}
	case 'm':
		c.returned = append(c.returned, n)
	case 'e':
		c.sameTime = append(c.sameTime, n)
	case 'c':
		c.closedSilently = append(c.closedSilently, n)
	case 'r':
		c.reopened = append(c.reopened, n)
	}
	c.updated = append(c.updated, n)
}

// findingsOf returns the broken rules that the comparison revealed.
func (c changes) findingsOf(resource record.Resource, key func(int) string) []record.Finding {
	var list []record.Finding
	add := func(rule string, rows []int) {
		if len(rows) == 0 {
			return
		}
		f := record.Finding{Rule: rule, Resource: resource, Count: len(rows)}
		for _, n := range rows[:min(len(rows), record.MaxSamples)] {
			f.Samples = append(f.Samples, key(n))
		}
		list = append(list, f)
	}
	add("changed_without_updated_at", c.sameTime)
	add("closed_without_updated_at", c.closedSilently)
	add("trade_reopened", c.reopened)
	add("updated_at_went_back", c.older)
	return list
}

func (w *pageWriter[R]) updateTimes() []*time.Time {
	times := make([]*time.Time, len(w.rows))
	for i := range w.rows {
		if at := w.t.updatedAt(&w.rows[i]); !at.IsZero() {
			times[i] = &at
		}
	}
	return times
}

func (w *pageWriter[R]) openStates() []bool {
	opens := make([]bool, len(w.rows))
	for i := range w.rows {
		opens[i] = w.t.open(&w.rows[i])
	}
	return opens
}

func (w *pageWriter[R]) columnTexts(c column.Column[R]) []string {
	texts := make([]string, len(w.rows))
	var value []byte
	for i := range w.rows {
		value, _ = c.Text(value[:0], &w.rows[i])
		texts[i] = string(value)
	}
	return texts
}

// hexLiteral returns a text[] literal of bytea values.
func hexLiteral(hashes [][]byte, chosen []int) string {
	out := []byte{'{'}
	for i, n := range chosen {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"\\x`...)
		out = append(hex.AppendEncode(out, hashes[n]), '"')
	}
	return string(append(out, '}'))
}

// idLiteral returns a text[] literal of n new ids.
func idLiteral(n int) string {
	out := []byte{'{'}
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, store.NewID().String()...)
	}
	return string(append(out, '}'))
}
