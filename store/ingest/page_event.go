package ingest

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// pageKinds lists the events that pages of a resource may emit, or nil if there are none.
func pageKinds(r record.Resource) []event.Kind {
	switch r {
	case record.Traders:
		return []event.Kind{event.TraderCreated, event.TraderUpdated}
	case record.Accounts:
		return []event.Kind{event.AccountStatusChanged}
	case record.Payouts:
		return []event.Kind{event.PayoutStatusChanged}
	}
	return nil
}

// findSubscribers finds out whether changed rows cause events. They do after the stream's first
// complete read if somebody subscribes to them. Most organizations have no endpoint, and their
// pages are written as if there were no events at all.
func (w *pageWriter[R]) findSubscribers(ctx context.Context) error {
	kinds := pageKinds(w.t.resource)
	if kinds == nil || w.p.Run.Mode == syncing.ModeBackfill {
		return nil
	}
	events := make([]event.Event, len(kinds))
	for i, kind := range kinds {
		events[i].Kind = kind
	}
	return w.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM webhook_endpoints WHERE organization_id = $1 AND deleted_at IS NULL AND events && $2::text[])`,
		store.Prepared(w.db, w.p.Claim.OrganizationID, store.ListPatterns(events))...).Scan(&w.subscribed)
}

// gatherEvents gathers the events of the rows that write writes.
func (w *pageWriter[R]) gatherEvents(ctx context.Context, tx pgx.Tx, written []int, write func() error) error {
	if !w.subscribed {
		return write()
	}
	keys := make([]string, len(written))
	for i, n := range written {
		keys[i] = w.t.recordKey(&w.rows[n])
	}
	if w.t.sourced {
		if err := write(); err != nil {
			return err
		}
		return w.emitTraders(ctx, tx, keys)
	}
	before, err := w.readStatuses(ctx, tx, keys)
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	return w.emitStatuses(ctx, tx, keys, before)
}

// emitTraders gathers the events of traders. Those that the page has inserted are as old as its
// transaction, unless they replaced one added by hand.
func (w *pageWriter[R]) emitTraders(ctx context.Context, tx pgx.Tx, keys []string) error {
	rows, err := tx.Query(ctx, `SELECT id, integration_id, external_id, coalesce(override_external_id, external_id), source, status, created_at = now() FROM traders
WHERE integration_id = $1 AND external_id = ANY ($2) ORDER BY created_at, id`, store.Prepared(w.db, w.p.Claim.IntegrationID, keys)...)
	if err != nil {
		return err
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Event, error) {
		var (
			t    event.Trader
			key  string
			made bool
		)
		err := row.Scan(&t.TraderID, &t.IntegrationID, &key, &t.ExternalID, &t.Source, &t.Status, &made)
		if made {
			return directory.NewTraderEvent(event.TraderCreated, t, uuid.Nil), err
		}
		return directory.NewTraderEvent(event.TraderUpdated, t, w.merged[key]), err
	})
	w.events = append(w.events, events...)
	return err
}

// readStatuses reads the status of the stored rows by the platform's id. The fence prevents others
// from changing it.
func (w *pageWriter[R]) readStatuses(ctx context.Context, tx pgx.Tx, keys []string) (map[string]*string, error) {
	rows, err := tx.Query(ctx, `SELECT external_id, status FROM `+w.t.name+` WHERE integration_id = $1 AND external_id = ANY ($2)`,
		store.Prepared(w.db, w.p.Claim.IntegrationID, keys)...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*string, len(keys))
	var (
		key    string
		status *string
	)
	_, err = pgx.ForEachRow(rows, []any{&key, &status}, func() error {
		found[key] = status
		return nil
	})
	return found, err
}

// emitStatuses gathers the events of accounts or payouts whose status has changed.
func (w *pageWriter[R]) emitStatuses(ctx context.Context, tx pgx.Tx, keys []string, before map[string]*string) error {
	account := "NULL"
	if w.t.resource == record.Payouts {
		account = "account_external_id"
	}
	rows, err := tx.Query(ctx, `SELECT id, external_id, trader_external_id, `+account+`, status FROM `+w.t.name+`
WHERE integration_id = $1 AND external_id = ANY ($2) ORDER BY id`, store.Prepared(w.db, w.p.Claim.IntegrationID, keys)...)
	if err != nil {
		return err
	}
	p := event.PayoutStatus{IntegrationID: w.p.Claim.IntegrationID}
	_, err = pgx.ForEachRow(rows, []any{&p.PayoutID, &p.ExternalID, &p.TraderExternalID, &p.AccountExternalID, &p.Status}, func() error {
		p.PreviousStatus = before[p.ExternalID]
		if store.Deref(p.Status) == store.Deref(p.PreviousStatus) {
			return nil
		}
		e := event.Event{Kind: event.PayoutStatusChanged, Data: p}
		if w.t.resource == record.Accounts {
			e = event.Event{Kind: event.AccountStatusChanged, Data: event.AccountStatus{
				AccountID: p.PayoutID, IntegrationID: p.IntegrationID, ExternalID: p.ExternalID, TraderExternalID: p.TraderExternalID,
				Status: p.Status, PreviousStatus: p.PreviousStatus,
			}}
		}
		w.events = append(w.events, e)
		return nil
	})
	return err
}

// openedFindings emits events about rules that were not broken before.
func openedFindings(ctx context.Context, db *store.DB, tx pgx.Tx, claim *syncing.Claim, findings []record.Finding, fresh bool) ([]event.Event, error) {
	opened, err := recordFindings(ctx, db, tx, claim.Lease, findings, fresh)
	events := make([]event.Event, len(opened))
	for i, f := range opened {
		events[i] = directory.FindingEvent(claim.IntegrationID, f.Resource, f.Rule, f.Count)
	}
	return events, err
}

// noteFindings records findings of a page that changed nothing.
func (w *pageWriter[R]) noteFindings(ctx context.Context, findings []record.Finding) error {
	return NoteFindings(ctx, w.db, w.p.Claim, findings)
}

// NoteFindings records findings without a page, each at most once an hour.
func NoteFindings(ctx context.Context, db *store.DB, claim *syncing.Claim, findings []record.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error { return postFindings(ctx, db, tx, claim, findings, false) })
}

// postFindings records findings and emits events about new ones.
func postFindings(ctx context.Context, db *store.DB, tx pgx.Tx, claim *syncing.Claim, findings []record.Finding, fresh bool) error {
	events, err := openedFindings(ctx, db, tx, claim, findings, fresh)
	if err != nil {
		return err
	}
	return db.PostEvents(ctx, tx, claim.OrganizationID, uuid.Nil, events)
}
