package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Note is an internal note on a trader.
type Note struct {
	ID         uuid.UUID `bun:"id"`
	Body       string    `bun:"body"`
	AuthorName string    `bun:"author_name"` // who wrote it: Change.By
	CreatedAt  time.Time `bun:"created_at"`
}

// maxNotes bounds the notes on one trader, which are all read together.
const maxNotes = 1000

// readNotes reads the notes on a trader, those written last first.
func readNotes(ctx context.Context, tx bun.IDB, traderID uuid.UUID) ([]Note, error) {
	notes := []Note{}
	err := tx.NewRaw(`SELECT id, body, author_name, created_at FROM trader_notes WHERE trader_id = ?
ORDER BY created_at DESC, id DESC`, traderID).Scan(ctx, &notes)
	return notes, err
}

// AddNote adds a note to a trader. ErrNotFound when the organization has no
// such trader, ErrConflict when the trader has a thousand notes.
func (db *DB) AddNote(ctx context.Context, c Change, traderID uuid.UUID, body string) (n Note, err error) {
	defer WrapError(&err, "add note to trader %s", traderID)
	return MakeChange(ctx, db, c, func(ctx context.Context, tx *Tx) (n Note, err error) {
		// The lock keeps the trader from being merged into another meanwhile,
		// and others from adding notes that this one does not count.
		var locked uuid.UUID
		err = tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND organization_id = ? FOR NO KEY UPDATE`, traderID, c.OrganizationID).Scan(ctx, &locked)
		if err != nil {
			return n, err
		}
		var count int
		if err := tx.NewRaw(`SELECT count(*) FROM trader_notes WHERE trader_id = ?`, traderID).Scan(ctx, &count); err != nil {
			return n, err
		}
		if count >= maxNotes {
			return n, fmt.Errorf("%w: there are %d notes", ErrConflict, count)
		}
		err = tx.NewRaw(`INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) VALUES (?, ?, ?, ?, ?)
RETURNING id, body, author_name, created_at`, NewID(), c.OrganizationID, traderID, body, c.By).Scan(ctx, &n)
		if err != nil {
			return n, err
		}
		tx.Emit(noteEvent(traderID, n.ID))
		tx.Audit(AuditTraderNoteAdded, traderID, nil, AuditFields{"note_id": n.ID})
		return n, nil
	})
}

// DeleteNote deletes a note. ErrNotFound when the organization's trader has no
// such note.
func (db *DB) DeleteNote(ctx context.Context, c Change, traderID, id uuid.UUID) (err error) {
	defer WrapError(&err, "delete note %s of trader %s", id, traderID)
	_, err = MakeChange(ctx, db, c, func(ctx context.Context, tx *Tx) (struct{}, error) {
		result, err := tx.NewRaw(`DELETE FROM trader_notes WHERE id = ? AND trader_id = ? AND organization_id = ?`, id, traderID, c.OrganizationID).Exec(ctx)
		if err != nil {
			return struct{}{}, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return struct{}{}, cmp.Or(err, sql.ErrNoRows)
		}
		tx.Audit(AuditTraderNoteDeleted, traderID, AuditFields{"note_id": id}, nil)
		return struct{}{}, nil
	})
	return err
}
