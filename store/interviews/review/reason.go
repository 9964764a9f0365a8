package review

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/interviews"
)

// Reason is a text that people can begin the reason for a decision with.
type Reason struct {
	Decision *interviews.Decision `json:"decision"` // that it is for; nil for every decision
	Text     string               `json:"text"`
}

// reasonsRow is the organization's reasons as they are stored.
type reasonsRow struct {
	Reasons json.RawMessage `bun:"decision_reasons"`
}

const reasonsQuery = `SELECT decision_reasons FROM organizations WHERE id = ?`

func (r reasonsRow) decode() (reasons []Reason, err error) {
	err = json.Unmarshal(r.Reasons, &reasons)
	return reasons, err
}

// ReadReasons returns the organization's reasons in their order.
func ReadReasons(ctx context.Context, db *store.DB, orgID uuid.UUID) (reasons []Reason, err error) {
	defer store.WrapError(&err, "read reasons of organization %s", orgID)
	var row reasonsRow
	if err := db.Bun.NewRaw(reasonsQuery, orgID).Scan(ctx, &row); err != nil {
		return nil, err
	}
	return row.decode()
}

// ReplaceReasons replaces the organization's reasons. permit, which may be nil, refuses the change
// by returning an error about the current ones.
func ReplaceReasons(ctx context.Context, db *store.DB, c store.Change, reasons []Reason, permit func([]Reason) error) (err error) {
	defer store.WrapError(&err, "replace reasons of organization %s", c.OrganizationID)
	body, err := json.Marshal(reasons)
	if err != nil {
		return err
	}
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		var row reasonsRow
		if err := tx.NewRaw(reasonsQuery+` FOR NO KEY UPDATE`, c.OrganizationID).Scan(ctx, &row); err != nil {
			return none, err
		}
		before, err := row.decode()
		if err != nil {
			return none, err
		}
		if permit != nil {
			if err := permit(before); err != nil {
				return none, err
			}
		}
		if _, err := tx.NewRaw(`UPDATE organizations SET decision_reasons = ?::jsonb WHERE id = ?`, string(body), c.OrganizationID).Exec(ctx); err != nil {
			return none, err
		}
		tx.Audit(action.ReasonsReplaced, c.OrganizationID, store.AuditFields{"reasons": len(before)}, store.AuditFields{"reasons": len(reasons)})
		return none, nil
	})
	return err
}
