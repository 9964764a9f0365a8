package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
)

// NewTrader is a trader to add by hand.
type NewTrader struct {
	FullName   string
	Email      *string
	ExternalID *string
	Country    *string
	Phone      *string
	Tags       []string
}

// TraderPatch is a change of a trader. A nil field remains unchanged. A pointer to nil clears a
// field; on a synced trader it removes the value that a person has set.
type TraderPatch struct {
	FullName   **string // the name of a trader added by hand cannot be cleared
	Email      **string
	ExternalID **string
	Country    **string
	Phone      **string
	Tags       *[]string // a nil list is null, an empty one is a list
	Status     *string   // one of TraderStatuses
	// If, unless nil, is called with the trader as it is before the change: first with a snapshot,
	// and again while nobody else can change the trader and the notes. The accounts, payouts and
	// sums are still those of the snapshot then. An error of either call refuses the change and is
	// returned.
	If func(TraderDetail) error
}

// errNameless refuses to clear the name of a trader added by hand.
var errNameless = errors.New("a trader made by hand must have a name")

// errExternalIDTaken is detected before the id is written, because the server logs the values of a
// violation.
var errExternalIDTaken = fmt.Errorf("%w: another trader made by hand has the external id", store.ErrConflict)

// CreateTrader adds a trader to the organization's directory. If exactly one synced trader has the
// same email, and the same external id if one is given, they are the same trader: the given values
// are stored as overrides of what the platform sends, and the synced trader is returned, no longer
// archived if it was. CreateTrader returns ErrConflict if another trader added by hand has the
// external id.
func CreateTrader(ctx context.Context, db *store.DB, c store.Change, n NewTrader) (t Trader, err error) {
	defer store.WrapError(&err, "create trader for organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (t Trader, err error) {
		if n.Email != nil || n.ExternalID != nil {
			if err := LockEmails(ctx, tx, c.OrganizationID); err != nil {
				return t, err
			}
		}
		return InsertTrader(ctx, tx, c.OrganizationID, n, false)
	})
}

// InsertTrader adds a trader. A lock must prevent others from writing the email and the external
// id, if there are any. interviewOnly reports that an interview creates the trader.
func InsertTrader(ctx context.Context, tx *store.Tx, orgID uuid.UUID, n NewTrader, interviewOnly bool) (t Trader, err error) {
	id := store.NewID()
	first, last := nameParts(n.FullName)
	result, err := tx.NewRaw(`INSERT INTO traders (id, organization_id, source, full_name, first_name, last_name, email, external_id, country, phone, tags, interview_only)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, id, orgID, SourceManual, n.FullName, first, last, n.Email, n.ExternalID, n.Country, n.Phone, store.TextArray(n.Tags), interviewOnly).Exec(ctx)
	if err != nil {
		return t, err
	}
	if store.CountAffected(result) == 0 {
		return t, errExternalIDTaken
	}
	synced, err := syncedTwin(ctx, tx, orgID, id)
	if err != nil {
		return t, err
	}
	if synced != uuid.Nil {
		return takeUpTrader(ctx, tx, orgID, synced, id)
	}
	if t, err = selectTrader(ctx, tx, orgID, id); err != nil {
		return t, err
	}
	tx.Emit(traderEvent(event.TraderCreated, t, uuid.Nil))
	tx.Audit(action.TraderCreated, id, nil, t.auditFields())
	return t, nil
}

// takeUpTrader merges a trader that has just been created into the matching synced one, and returns
// the latter.
func takeUpTrader(ctx context.Context, tx *store.Tx, orgID, synced, made uuid.UUID) (t Trader, err error) {
	before, err := selectTrader(ctx, tx, orgID, synced)
	if err != nil {
		return t, err
	}
	if err := takeUp(ctx, runOn(tx), synced, made); err != nil {
		return t, err
	}
	if t, err = selectTrader(ctx, tx, orgID, synced); err != nil {
		return t, err
	}
	tx.Emit(traderEvent(event.TraderUpdated, t, uuid.Nil))
	return t, auditMerge(tx, synced, made, before, t)
}

// auditMerge records that two rows of one trader have become one.
func auditMerge(tx *store.Tx, id, gone uuid.UUID, before, after Trader) error {
	was, is := before.auditFields(), after.auditFields()
	names, err := store.ListChangedFields(was, is)
	if err != nil {
		return err
	}
	was, is = was.Pick(names), is.Pick(names)
	is["merged_id"] = gone
	tx.Audit(action.TraderMerged, id, was, is)
	return nil
}

// UpdateTrader changes a trader. A value set on a synced trader is stored as an override, even if
// it is equal to what the platform sends. If the email or the external id changes and the trader
// turns out to be another one of the directory (see CreateTrader; the match works from either
// side), the two become one under this id. An empty patch changes nothing. It returns ErrErased,
// and ErrConflict if another trader added by hand has the external id.
//
// The result is the changed trader, with the accounts, payouts and sums of a snapshot taken shortly
// before: adding up trades takes long, and other changes of emails would wait for it. They are read
// again only if the change makes them another trader's.
func UpdateTrader(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, p TraderPatch) (d TraderDetail, err error) {
	defer store.WrapError(&err, "update trader %s", id)
	var of Owner
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		d, of, err = ReadTraderIn(ctx, tx, c.OrganizationID, id)
		return err
	})
	if err == nil && p.If != nil {
		err = p.If(d)
	}
	if err != nil {
		return TraderDetail{}, err
	}
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (TraderDetail, error) {
		merged, err := updateTrader(ctx, tx, c.OrganizationID, id, p, &d, &of)
		if err != nil {
			return TraderDetail{}, err
		}
		if err := rereadTrader(ctx, tx, c.OrganizationID, id, &d, &of); err != nil {
			return d, err
		}
		if len(p.memberNames()) > 0 {
			tx.Emit(traderEvent(event.TraderUpdated, d.Trader, merged))
		}
		return d, nil
	})
}

// memberNames lists the members that the patch changes.
func (p TraderPatch) memberNames() (names []string) {
	for _, m := range []struct {
		name string
		set  bool
	}{
		{"full_name", p.FullName != nil},
		{"email", p.Email != nil},
		{"external_id", p.ExternalID != nil},
		{"country", p.Country != nil},
		{"phone", p.Phone != nil},
		{"tags", p.Tags != nil},
		{"status", p.Status != nil},
	} {
		if m.set {
			names = append(names, m.name)
		}
	}
	return names
}

// updateTrader changes a trader, which was d and belonged to the owner in the snapshot. It returns
// the id of a row that was merged into the trader's, or zero if there is none.
func updateTrader(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, p TraderPatch, d *TraderDetail, of *Owner) (merged uuid.UUID, err error) {
	matching := p.Email != nil || p.ExternalID != nil
	if matching {
		if err := LockEmails(ctx, tx, orgID); err != nil {
			return merged, err
		}
	}
	before, err := LockTrader(ctx, tx, orgID, id, "FOR UPDATE")
	if err != nil {
		return merged, err
	}
	manual := before.IntegrationID == nil
	if p.If != nil {
		if err := rereadTrader(ctx, tx, orgID, id, d, of); err != nil {
			return merged, err
		}
		if err := p.If(*d); err != nil {
			return merged, err
		}
	}
	if len(p.memberNames()) == 0 {
		return merged, nil
	}
	t, err := selectTrader(ctx, tx, orgID, id)
	if err != nil {
		return merged, err
	}
	if err := applyTraderPatch(ctx, tx, id, manual, p); err != nil {
		return merged, err
	}
	if t, err = auditTraderPatch(ctx, tx, orgID, t, p); err != nil || !matching {
		return merged, err
	}
	if merged, err = matchTrader(ctx, tx, orgID, id, manual); err != nil || merged == uuid.Nil {
		return merged, err
	}
	after, err := selectTrader(ctx, tx, orgID, id)
	if err != nil {
		return merged, err
	}
	return merged, auditMerge(tx, id, merged, t, after)
}

// auditTraderPatch records what the patch has changed of the trader, and returns the trader as it
// is now.
func auditTraderPatch(ctx context.Context, tx *store.Tx, orgID uuid.UUID, before Trader, p TraderPatch) (after Trader, err error) {
	if after, err = selectTrader(ctx, tx, orgID, before.ID); err != nil {
		return after, err
	}
	names := p.memberNames()
	tx.Audit(action.TraderUpdated, before.ID, before.auditFields().Pick(names), after.auditFields().Pick(names))
	return after, nil
}

// applyTraderPatch writes the patch: into the columns of a trader added by hand, and into the
// overrides of a synced one.
func applyTraderPatch(ctx context.Context, tx bun.IDB, id uuid.UUID, manual bool, p TraderPatch) error {
	var (
		sets []string
		args []any
	)
	set := func(column string, value any) {
		sets, args = append(sets, column+" = ?"), append(args, value)
	}
	prefix := "override_"
	if manual {
		prefix = ""
	}
	for _, field := range []struct {
		name  string
		value **string
	}{
		{"full_name", p.FullName},
		{"email", p.Email},
		{"external_id", p.ExternalID},
		{"country", p.Country},
		{"phone", p.Phone},
	} {
		if field.value != nil {
			set(prefix+field.name, *field.value)
		}
	}
	if p.FullName != nil && manual {
		if *p.FullName == nil {
			return errNameless
		}
		first, last := nameParts(**p.FullName)
		set("first_name", first)
		set("last_name", last)
	}
	if p.Tags != nil {
		if *p.Tags == nil && !manual {
			set("override_tags", nil)
		} else {
			set(prefix+"tags", store.TextArray(*p.Tags))
		}
	}
	if p.Status != nil {
		set("status", *p.Status)
	}
	if len(sets) == 0 {
		return nil
	}
	free := ""
	args = append(args, id)
	if manual && p.ExternalID != nil && *p.ExternalID != nil {
		free = ` AND NOT EXISTS (SELECT FROM traders AS o WHERE o.organization_id = t.organization_id AND o.integration_id IS NULL AND o.external_id = ? AND o.id <> t.id)`
		args = append(args, **p.ExternalID)
	}
	result, err := tx.NewRaw(`UPDATE traders AS t SET `+strings.Join(sets, ", ")+`, interview_only = false, updated_at = now() WHERE id = ?`+free, args...).Exec(ctx)
	if err == nil && store.CountAffected(result) == 0 {
		err = errExternalIDTaken // the row is locked, so it exists
	}
	return err
}

// traderEvent returns an event about a trader. merged is the id of a row that was merged into the
// trader's, or zero if there is none.
func traderEvent(kind event.Kind, t Trader, merged uuid.UUID) event.Event {
	return NewTraderEvent(kind, event.Trader{
		TraderID: t.ID, IntegrationID: t.IntegrationID, ExternalID: t.ExternalID, Source: t.Source, Status: t.Status,
	}, merged)
}
