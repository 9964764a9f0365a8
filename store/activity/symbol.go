package activity

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// SymbolMapping says which instrument a platform's symbol is a name of.
type SymbolMapping struct {
	Symbol     string `json:"symbol"`
	Instrument string `json:"instrument"`
}

// mappingsRow is the organization's mappings as they are stored.
type mappingsRow struct {
	Mappings json.RawMessage `bun:"symbol_mappings"`
}

const mappingsQuery = `SELECT symbol_mappings FROM organizations WHERE id = ?`

func (r mappingsRow) decodeMappings() (mappings []SymbolMapping, err error) {
	err = json.Unmarshal(r.Mappings, &mappings)
	return mappings, err
}

// ReadSymbolMappings returns the organization's symbol mappings in their order.
func ReadSymbolMappings(ctx context.Context, db *store.DB, orgID uuid.UUID) (mappings []SymbolMapping, err error) {
	defer store.WrapError(&err, "read symbol mappings of organization %s", orgID)
	var row mappingsRow
	if err := db.Bun.NewRaw(mappingsQuery, orgID).Scan(ctx, &row); err != nil {
		return nil, err
	}
	return row.decodeMappings()
}

// ReplaceSymbolMappings replaces the organization's symbol mappings. permit, which may be nil,
// refuses the change by returning an error about the current ones. Equal mappings change nothing.
func ReplaceSymbolMappings(ctx context.Context, db *store.DB, c store.Change, mappings []SymbolMapping, permit func([]SymbolMapping) error) (err error) {
	defer store.WrapError(&err, "replace symbol mappings of organization %s", c.OrganizationID)
	body, err := json.Marshal(mappings)
	if err != nil {
		return err
	}
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		var row mappingsRow
		if err := tx.NewRaw(mappingsQuery+` FOR NO KEY UPDATE`, c.OrganizationID).Scan(ctx, &row); err != nil {
			return none, err
		}
		before, err := row.decodeMappings()
		if err != nil {
			return none, err
		}
		if permit != nil {
			if err := permit(before); err != nil {
				return none, err
			}
		}
		if slices.Equal(before, mappings) {
			return none, nil
		}
		if _, err := tx.NewRaw(`UPDATE organizations SET symbol_mappings = ?::jsonb WHERE id = ?`, string(body), c.OrganizationID).Exec(ctx); err != nil {
			return none, err
		}
		tx.Audit(action.SymbolsReplaced, c.OrganizationID, store.AuditFields{"mappings": len(before)}, store.AuditFields{"mappings": len(mappings)})
		return none, nil
	})
	return err
}
