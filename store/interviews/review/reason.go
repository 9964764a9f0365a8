package review

import (
	"context"

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

var reasonsColumn = store.ListColumn[Reason]{Table: "organizations", Column: "decision_reasons"}

// ReadReasons returns the organization's reasons in their order.
func ReadReasons(ctx context.Context, db *store.DB, orgID uuid.UUID) ([]Reason, error) {
	return reasonsColumn.ReadList(ctx, db, orgID)
}

// ReplaceReasons replaces the organization's reasons. permit, which may be nil, refuses the change
// by returning an error about the current ones. Equal reasons change nothing.
func ReplaceReasons(ctx context.Context, db *store.DB, c store.Change, reasons []Reason, permit func([]Reason) error) (err error) {
	defer store.WrapError(&err, "replace reasons of organization %s", c.OrganizationID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		before, changed, err := reasonsColumn.ReplaceList(ctx, tx, c.OrganizationID, reasons, permit)
		if changed {
			tx.Audit(action.ReasonsReplaced, c.OrganizationID, store.AuditFields{"reasons": len(before)}, store.AuditFields{"reasons": len(reasons)})
		}
		return none, err
	})
	return err
}
