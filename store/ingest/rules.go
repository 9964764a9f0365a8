package ingest

import (
	"bytes"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// Rules of the contract that only a whole page, or its comparison with the stored rows, can reveal.
const (
	// ruleIDNotUnique is broken if a page holds different records with the same id: those of two
	// traders, or those that differ although their updated_at is the same.
	ruleIDNotUnique = "id_not_unique"
	// ruleOpenTradeNotShown is broken if a trade is first seen closed although it was open while
	// others were polled.
	ruleOpenTradeNotShown = "open_trade_not_shown"
)

// keyOf returns the key of the page's n-th row.
func (w *pageWriter[R]) keyOf(n int) string { return w.t.recordKey(&w.rows[n]) }

// newFindings makes a finding about some of the page's rows. It returns nil if there are none.
func (w *pageWriter[R]) newFindings(rule string, keys []string) []record.Finding {
	if len(keys) == 0 {
		return nil
	}
	return []record.Finding{{Rule: rule, Resource: w.t.resource, Count: len(keys), Samples: keys[:min(len(keys), record.MaxSamples)]}}
}

// findTwins finds different records that were sent with the same id.
func (w *pageWriter[R]) findTwins() []record.Finding {
	return w.newFindings(ruleIDNotUnique, w.twinKeys)
}

// areDifferent reports whether two records with one id are different records: they belong to two
// traders, or were last changed at the same time but are not equal.
func areDifferent[R any](t *table[R], a, b *R) bool {
	if t.traderID != nil && t.traderID(a) != t.traderID(b) {
		return true
	}
	at := t.updatedAt(a)
	return !at.IsZero() && at.Equal(t.updatedAt(b)) && !bytes.Equal(t.appendHashed(nil, a), t.appendHashed(nil, b))
}

// unseenOpen finds trades that a customer's platform has first shown closed, although they had been
// opened before the period that the run has requested, and so before the last complete read. It
// leaves out trades that were closed before the platform was connected, and those that went through
// quarantine.
func (w *pageWriter[R]) unseenOpen(c changes) []record.Finding {
	run := &w.p.Run
	if w.t.open == nil || w.p.Claim.Kind != record.CustomAPI || w.p.Sweep != nil || run.Mode == syncing.ModeBackfill || w.quarantining {
		return nil
	}
	var keys []string
	for _, n := range c.inserted {
		if opened, closed := w.t.period(&w.rows[n]); opened.Before(run.UpdatedSince) && closed.After(w.p.Claim.ConnectedAt) {
			keys = append(keys, w.keyOf(n))
		}
	}
	return w.newFindings(ruleOpenTradeNotShown, keys)
}

// findAmbiguous finds the new and changed records of the page that name their account by an id that
// may stand for several. Unchanged records were counted when they arrived.
func (w *pageWriter[R]) findAmbiguous(c changes) []record.Finding {
	if len(w.p.ambiguous) == 0 {
		return nil
	}
	var keys []string
	for _, n := range c.writtenRows() {
		if id, named := w.p.ambiguous[w.keyOf(n)]; named {
			keys = append(keys, id)
		}
	}
	return w.newFindings(ruleAmbiguousAccount, keys)
}
