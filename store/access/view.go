package access

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// View is a list that a person comes back to: its filters, order and columns under a name.
type View struct {
	List  string `json:"list"`
	Name  string `json:"name"`
	Query string `json:"query"` // of the page's address, without a question mark
}

const viewsQuery = `SELECT views FROM people WHERE id = ?`

// viewsRow is the views of a person as they are stored.
type viewsRow struct {
	Views json.RawMessage `bun:"views"`
}

func (r viewsRow) decode() (views []View, err error) {
	err = json.Unmarshal(r.Views, &views)
	return views, err
}

// ReadViews returns the views that the person has saved, in their order.
func ReadViews(ctx context.Context, db *store.DB, person uuid.UUID) (views []View, err error) {
	defer store.WrapError(&err, "read views of person %s", person)
	var row viewsRow
	if err := db.Bun.NewRaw(viewsQuery, person).Scan(ctx, &row); err != nil {
		return nil, err
	}
	return row.decode()
}

// ReplaceViews replaces the views of the person who makes the change. permit, which may be nil,
// refuses the change by returning an error about the current ones. The audit log has no entry,
// because views change nothing for others.
func ReplaceViews(ctx context.Context, db *store.DB, c store.Change, views []View, permit func([]View) error) (err error) {
	defer store.WrapError(&err, "replace views of person %s", c.PersonID)
	body, err := json.Marshal(views)
	if err != nil {
		return err
	}
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		var row viewsRow
		if err := tx.NewRaw(viewsQuery+` FOR NO KEY UPDATE`, c.PersonID).Scan(ctx, &row); err != nil {
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
		_, err = tx.NewRaw(`UPDATE people SET views = ?::jsonb WHERE id = ?`, string(body), c.PersonID).Exec(ctx)
		return none, err
	})
	return err
}
