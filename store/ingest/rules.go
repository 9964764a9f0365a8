package ingest

import (
	"bytes"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory/column"
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
	// ruleTraderReplaced is broken if a trader's id seems to have been given to another person: see
	// findReplaced.
	ruleTraderReplaced = "trader_replaced"
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

// findReplaced finds the changed traders of the page that may be other people than before, because the
// platform has given an id again: the name and the email are both others, and so is the time of
// registration, or an audit had missed the trader. What is unknown in either version is no other value.
// A person who marries and changes the email in one go keeps the time of registration.
func (w *pageWriter[R]) findReplaced(ctx context.Context, c changes) error {
	if !w.t.sourced || len(c.updated) == 0 {
		return nil
	}
	args := []any{w.p.Claim.IntegrationID}
	var keys []string
	for _, n := range c.updated {
		keys = append(keys, w.keyOf(n))
	}
	args = append(args, keys)
	for _, name := range []string{"full_name", "email", "registered_at"} {
		at := slices.IndexFunc(w.t.Content, func(c column.Column[R]) bool { return c.Name == name })
		all := w.columnTexts(w.t.Content[at])
		texts := make([]string, len(c.updated))
		for i, n := range c.updated {
			texts[i] = all[n]
		}
		args = append(args, texts)
	}
	rows, err := w.db.Pool.Query(ctx, `SELECT u.key FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS u(key, name, email, registered, n)
CROSS JOIN LATERAL (
    SELECT t.full_name, t.email, t.registered_at, t.missing_since FROM traders AS t WHERE t.integration_id = $1 AND t.external_id = u.key OFFSET 0
) AS s
WHERE lower(s.full_name) <> lower(nullif(u.name, '')) AND lower(s.email) <> lower(nullif(u.email, ''))
    AND (s.registered_at <> nullif(u.registered, '')::timestamptz OR s.missing_since IS NOT NULL)
ORDER BY u.n`, store.Prepared(w.db, args...)...)
	if err != nil {
		return err
	}
	w.replaced, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return err
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
