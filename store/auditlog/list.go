package auditlog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/keyset"
)

// Filter narrows the audit log. A zero field does not filter.
type Filter struct {
	Action     action.Kind
	ObjectKind string
	ObjectID   *uuid.UUID
	ActorKind  store.ActorKind
	ActorID    *uuid.UUID
	From       *time.Time // inclusive
	To         *time.Time // exclusive
	Sort       string     // one of Sorts
}

// whereSQL returns the condition on rows a of the organization's log.
func (f Filter) whereSQL(orgID uuid.UUID) (condition string, args []any) {
	condition, args = `a.organization_id = ?`, []any{orgID}
	add := func(set bool, clause string, value any) {
		if set {
			condition, args = condition+" AND "+clause, append(args, value)
		}
	}
	add(f.Action != "", `a.action = ?`, f.Action)
	add(f.Action != "", `a.object_kind = ?`, f.Action.ObjectKind()) // enables the index
	add(f.ObjectKind != "", `a.object_kind = ?`, f.ObjectKind)
	add(f.ObjectID != nil, `a.object_id = ?`, f.ObjectID)
	add(f.ActorKind != "", `a.actor_kind = ?`, f.ActorKind)
	add(f.ActorID != nil, `a.actor_id = ?`, f.ActorID)
	add(f.From != nil, `a.at >= ?`, f.From)
	add(f.To != nil, `a.at < ?`, f.To)
	return condition, args
}

// recordColumns are the columns of a store.AuditRecord.
const recordColumns = `a.organization_id, a.number, a.encoding, a.at, a.actor_kind, a.actor_id, a.actor_name, a.action, a.object_kind, a.object_id,
    a.request_id, a.client_address, a.before, a.after, a.previous, a.hash`

// Sorts are the orders of the log, of which the default shows the newest first. An index has both.
func Sorts() keyset.Sorts[store.AuditRecord] {
	return keyset.Sorts[store.AuditRecord]{Columns: []keyset.SortColumn[store.AuditRecord]{
		{Name: "number", Column: keyset.Column{SQL: "a.number", Type: keyset.Number, Descending: true}, Value: func(r store.AuditRecord) any { return r.Number }},
	}}
}

// Each calls visit for all rows of the organization's audit log that match the filter, in its order.
// See store.EachRow.
func Each(ctx context.Context, db *store.DB, orgID uuid.UUID, f Filter, visit func(store.AuditRecord) error) error {
	read := func(p store.Page) ([]store.AuditRecord, int, error) { return List(ctx, db, orgID, f, p) }
	return store.EachRow(Sorts().Order(f.Sort), read, Sorts().PositionIn(f.Sort), visit)
}

// List lists rows of the organization's audit log in the order of the filter, with the number of all
// rows that match it.
func List(ctx context.Context, db *store.DB, orgID uuid.UUID, f Filter, p store.Page) (rows []store.AuditRecord, total int, err error) {
	defer store.WrapError(&err, "list audit log of organization %s", orgID)
	rows = []store.AuditRecord{}
	condition, args := f.whereSQL(orgID)
	order := Sorts().Order(f.Sort)
	after, afterArgs, err := order.After(p.After)
	if err != nil {
		return nil, 0, err
	}
	err = db.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		total, err = p.CountRows(ctx, tx, `SELECT count(*) FROM audit_log AS a WHERE `+condition, args...)
		if err != nil || p.Offset() >= int64(total) {
			return err
		}
		return tx.NewRaw(`SELECT `+recordColumns+` FROM audit_log AS a WHERE `+condition+` AND `+after+order.SQL()+` LIMIT ? OFFSET ?`,
			append(append(args, afterArgs...), p.MaxRows(), p.Offset())...).Scan(ctx, &rows)
	})
	return rows, total, err
}
