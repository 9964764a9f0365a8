package directory

import (
	"bytes"
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// A person may say that two traders are not the same person. Pages and changes of emails do not merge
// them afterwards.

// DismissDuplicate records that two traders are not the same person. If that is recorded already,
// nothing changes. It returns ErrNotFound if the organization lacks one of them, and ErrConflict if
// they are one trader.
func DismissDuplicate(ctx context.Context, db *store.DB, c store.Change, id, other uuid.UUID) (err error) {
	defer store.WrapError(&err, "dismiss trader %s as a duplicate of %s", other, id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, _, err := lockPair(ctx, tx, c.OrganizationID, id, other, "FOR NO KEY UPDATE"); err != nil {
			return none, err
		}
		first, second := sortPair(id, other)
		result, err := tx.NewRaw(`INSERT INTO distinct_traders (organization_id, trader_id, other_id, dismissed_by) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			c.OrganizationID, first, second, c.By).Exec(ctx)
		if err == nil && store.CountAffected(result) > 0 {
			tx.Audit(action.TraderDuplicateDismissed, id, nil, store.AuditFields{"other_id": other})
		}
		return none, err
	})
	return err
}

// RestoreDuplicate takes back that two traders are not the same person. If nobody has said that,
// nothing changes. It returns ErrNotFound if the organization lacks one of them, and ErrConflict if
// they are one trader.
func RestoreDuplicate(ctx context.Context, db *store.DB, c store.Change, id, other uuid.UUID) (err error) {
	defer store.WrapError(&err, "restore trader %s as a duplicate of %s", other, id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if _, _, err := lockPair(ctx, tx, c.OrganizationID, id, other, "FOR NO KEY UPDATE"); err != nil {
			return none, err
		}
		first, second := sortPair(id, other)
		result, err := tx.NewRaw(`DELETE FROM distinct_traders WHERE trader_id = ? AND other_id = ?`, first, second).Exec(ctx)
		if err == nil && store.CountAffected(result) > 0 {
			tx.Audit(action.TraderDuplicateRestored, id, store.AuditFields{"other_id": other}, nil)
		}
		return none, err
	})
	return err
}

// ForgetDismissals deletes what people have said about a trader and possible duplicates.
func ForgetDismissals(ctx context.Context, tx bun.IDB, id uuid.UUID) error {
	_, err := tx.NewRaw(`DELETE FROM distinct_traders WHERE trader_id = ?0 OR other_id = ?0`, id).Exec(ctx)
	return err
}

// lockPair locks two traders, always in the same order, and returns whose they are. It returns
// sql.ErrNoRows if the organization lacks one of them, ErrErased, and ErrConflict if they are one trader.
func lockPair(ctx context.Context, tx bun.IDB, orgID, id, other uuid.UUID, lock string) (one, two Owner, err error) {
	first, second := sortPair(id, other)
	owners := make(map[uuid.UUID]Owner)
	for _, trader := range []uuid.UUID{first, second} {
		o, err := LockTrader(ctx, tx, orgID, trader, lock)
		if err != nil {
			return one, two, err
		}
		owners[trader] = o
	}
	if id == other {
		return one, two, ErrSameTrader
	}
	return owners[id], owners[other], nil
}

// sortPair returns two ids in the order in which Postgres compares them.
func sortPair(a, b uuid.UUID) (first, second uuid.UUID) {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return a, b
}
