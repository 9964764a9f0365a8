package store

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// ListColumn names a column that holds a short list as JSON, which is read and replaced as a whole.
type ListColumn[T any] struct{ Table, Column string }

// ReadList returns the list of the row with the id, in its order.
func (l ListColumn[T]) ReadList(ctx context.Context, db *DB, id uuid.UUID) (list []T, err error) {
	defer WrapError(&err, "read %s of %s %s", l.Column, l.Table, id)
	return l.queryList(ctx, db.Bun, `SELECT ? FROM ? WHERE id = ?`, id)
}

// ReplaceList replaces the list of the row with the id, which stays locked, and returns the list
// before. permit, which may be nil, refuses the change by returning an error about that list. If
// both lists are equal, changed is false and nothing is written.
func (l ListColumn[T]) ReplaceList(ctx context.Context, tx *Tx, id uuid.UUID, list []T, permit func([]T) error) (before []T, changed bool, err error) {
	before, err = l.queryList(ctx, tx, `SELECT ? FROM ? WHERE id = ? FOR NO KEY UPDATE`, id)
	if err == nil && permit != nil {
		err = permit(before)
	}
	if err != nil || reflect.DeepEqual(before, list) {
		return before, false, err
	}
	body, err := json.Marshal(list)
	if err != nil {
		return before, false, err
	}
	_, err = tx.NewRaw(`UPDATE ? SET ? = ?::jsonb WHERE id = ?`, bun.Ident(l.Table), bun.Ident(l.Column), string(body), id).Exec(ctx)
	return before, err == nil, err
}

func (l ListColumn[T]) queryList(ctx context.Context, db bun.IDB, query string, id uuid.UUID) (list []T, err error) {
	var text string
	if err := db.NewRaw(query, bun.Ident(l.Column), bun.Ident(l.Table), id).Scan(ctx, &text); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(text), &list)
	return list, err
}
