package access

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// View is a list that a person comes back to: its filters, order and columns under a name.
type View struct {
	List  string `json:"list"`
	Name  string `json:"name"`
	Query string `json:"query"` // of the page's address, without a question mark
}

var viewsColumn = store.ListColumn[View]{Table: "people", Column: "views"}

// ReadViews returns the views that the person has saved, in their order.
func ReadViews(ctx context.Context, db *store.DB, person uuid.UUID) ([]View, error) {
	return viewsColumn.ReadList(ctx, db, person)
}

// ReplaceViews replaces the views of the person who makes the change. permit, which may be nil,
// refuses the change by returning an error about the current ones. The audit log has no entry,
// because views change nothing for others.
func ReplaceViews(ctx context.Context, db *store.DB, c store.Change, views []View, permit func([]View) error) (err error) {
	defer store.WrapError(&err, "replace views of person %s", c.PersonID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		_, _, err = viewsColumn.ReplaceList(ctx, tx, c.PersonID, views, permit)
		return none, err
	})
	return err
}
