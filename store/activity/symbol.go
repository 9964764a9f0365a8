package activity

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// SymbolMapping says which instrument a platform's symbol is a name of.
type SymbolMapping struct {
	Symbol     string `json:"symbol"`
	Instrument string `json:"instrument"`
}

var mappingsColumn = store.ListColumn[SymbolMapping]{Table: "organizations", Column: "symbol_mappings"}

// ReadSymbolMappings returns the organization's symbol mappings in their order.
func ReadSymbolMappings(ctx context.Context, db *store.DB, orgID uuid.UUID) ([]SymbolMapping, error) {
	return mappingsColumn.ReadList(ctx, db, orgID)
}

// ReplaceSymbolMappings replaces the organization's symbol mappings. permit, which may be nil,
// refuses the change by returning an error about the current ones. Equal mappings change nothing.
func ReplaceSymbolMappings(ctx context.Context, db *store.DB, c store.Change, mappings []SymbolMapping, permit func([]SymbolMapping) error) (err error) {
	defer store.WrapError(&err, "replace symbol mappings of organization %s", c.OrganizationID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		before, changed, err := mappingsColumn.ReplaceList(ctx, tx, c.OrganizationID, mappings, permit)
		if changed {
			tx.Audit(action.SymbolsReplaced, c.OrganizationID, store.AuditFields{"mappings": len(before)}, store.AuditFields{"mappings": len(mappings)})
		}
		return none, err
	})
	return err
}
