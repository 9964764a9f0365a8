package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// NewTrader is a trader made by hand.
type NewTrader struct {
	FullName   string
	Email      *string
	ExternalID *string
	Country    *string
	Phone      *string
	Tags       []string
}

// TraderPatch says what to change of a trader: nil leaves a field as it is. A
// pointer to nil clears it; on a synced trader it drops what a person has set.
type TraderPatch struct {
	FullName   **string // of a trader made by hand, the name cannot be cleared
	Email      **string
	ExternalID **string
	Country    **string
	Phone      **string
	Tags       *[]string // a nil list is null, an empty one is a list
	Status     *string   // one of TraderStatuses
	// If, when set, is shown the trader as it is before the change: at first as
	// of one moment, and again while nobody else can change trader and notes;
	// what belongs to the trader is then still that of the first time. An error
	// of either refuses the change and is returned.
	If func(TraderDetail) error
}

// errNameless refuses to clear the name of a trader made by hand.
var errNameless = errors.New("a trader made by hand must have a name")

// errExternalIDTaken is met before the id is written, because the server logs what
// a violation is about.
var errExternalIDTaken = fmt.Errorf("%w: another trader made by hand has the external id", store.ErrConflict)

// CreateTrader adds a trader to the organization's directory. When his email is
// that of exactly one synced trader, whose external id is the same if one is
// given, he is that trader: what is given lies beside what the platform sends,
// and the synced trader is returned, no longer archived if he was. ErrConflict
// when another trader made by hand has the external id.
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

// InsertTrader adds a trader whose email and external id, if there are any, nobody
// else can write now. interviewOnly says that an interview brings him.
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
	tx.Audit(store.AuditTraderCreated, id, nil, t.auditFields())
	return t, nil
}

// takeUpTrader adds a trader that has just been made to the synced one that he
// is, and returns that one.
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

// auditMerge notes that two rows of one trader have become one.
func auditMerge(tx *store.Tx, id, gone uuid.UUID, before, after Trader) error {
	was, is := before.auditFields(), after.auditFields()
	names, err := store.ListChangedFields(was, is)
	if err != nil {
		return err
	}
	was, is = was.Pick(names), is.Pick(names)
	is["merged_id"] = gone
	tx.Audit(store.AuditTraderMerged, id, was, is)
	return nil
}

// UpdateTrader changes a trader. A value set on a synced trader lies beside what
// the platform sends, even if it is the same. When the email or the external id
// changes, and the trader turns out to be another one of the directory (see
// CreateTrader; it works from either side), the two become one under this id.
// An empty patch changes nothing. ErrConflict when another trader made by hand
// has the external id.
//
// What is returned is the trader as changed, with the accounts, payouts and sums
// of one moment shortly before: adding up trades takes long, and people's changes
// of emails would wait for it. Only a change that makes them another's reads
// them anew.
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

// memberNames lists what the patch changes.
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

// updateTrader changes a trader who was d, of the owner, a moment ago. It returns
// the id of a row that has become part of the trader's; zero: none has.
func updateTrader(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID, p TraderPatch, d *TraderDetail, of *Owner) (merged uuid.UUID, err error) {
	matching := p.Email != nil || p.ExternalID != nil
	if matching {
		if err := LockEmails(ctx, tx, orgID); err != nil {
			return merged, err
		}
	}
	var before Owner
	err = tx.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ? FOR UPDATE`, id, orgID).Scan(ctx, &before)
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

// auditTraderPatch notes what the patch has changed of the trader, who is
// returned as he is now.
func auditTraderPatch(ctx context.Context, tx *store.Tx, orgID uuid.UUID, before Trader, p TraderPatch) (after Trader, err error) {
	if after, err = selectTrader(ctx, tx, orgID, before.ID); err != nil {
		return after, err
	}
	names := p.memberNames()
	tx.Audit(store.AuditTraderUpdated, before.ID, before.auditFields().Pick(names), after.auditFields().Pick(names))
	return after, nil
}

// applyTraderPatch writes the patch: on a trader made by hand into the columns
// themselves, on a synced one beside them.
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
		err = errExternalIDTaken // the row is locked, so it is there
	}
	return err
}

// traderEvent tells of a trader. merged is the id of a row that has become part
// of the trader's; zero: none has.
func traderEvent(kind event.Kind, t Trader, merged uuid.UUID) event.Event {
	return NewTraderEvent(kind, event.Trader{
		TraderID: t.ID, IntegrationID: t.IntegrationID, ExternalID: t.ExternalID, Source: t.Source, Status: t.Status,
	}, merged)
}
