package directory

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
)

// Note is an internal note on a trader.
type Note struct {
	ID         uuid.UUID `bun:"id"`
	Body       string    `bun:"body"`
	AuthorName string    `bun:"author_name"` // who wrote it: Change.By
	CreatedAt  time.Time `bun:"created_at"`
}

// maxNotes is the most notes on one trader, because all are read together.
const maxNotes = 1000

// readNotes reads the notes on a trader, newest first.
func readNotes(ctx context.Context, tx bun.IDB, traderID uuid.UUID) ([]Note, error) {
	notes := []Note{}
	err := tx.NewRaw(`SELECT id, body, author_name, created_at FROM trader_notes WHERE trader_id = ?
ORDER BY created_at DESC, id DESC`, traderID).Scan(ctx, &notes)
	return notes, err
}

// AddNote adds a note to a trader. It returns ErrNotFound if the organization has no such trader,
// ErrErased, and ErrConflict if the trader has a thousand notes.
func AddNote(ctx context.Context, db *store.DB, c store.Change, traderID uuid.UUID, body string) (n Note, err error) {
	defer store.WrapError(&err, "add note to trader %s", traderID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (n Note, err error) {
		// The lock prevents the trader from being merged into another meanwhile, and others from
		// adding notes that this one does not count.
		if _, err := LockTrader(ctx, tx, c.OrganizationID, traderID, "FOR NO KEY UPDATE"); err != nil {
			return n, err
		}
		var count int
		if err := tx.NewRaw(`SELECT count(*) FROM trader_notes WHERE trader_id = ?`, traderID).Scan(ctx, &count); err != nil {
			return n, err
		}
		if count >= maxNotes {
			return n, fmt.Errorf("%w: there are %d notes", store.ErrConflict, count)
		}
		err = tx.NewRaw(`INSERT INTO trader_notes (id, organization_id, trader_id, body, author_name) VALUES (?, ?, ?, ?, ?)
RETURNING id, body, author_name, created_at`, store.NewID(), c.OrganizationID, traderID, body, c.By).Scan(ctx, &n)
		if err != nil {
			return n, err
		}
		tx.Emit(noteEvent(traderID, n.ID))
		tx.Audit(action.TraderNoteAdded, traderID, nil, store.AuditFields{"note_id": n.ID})
		return n, nil
	})
}

// DeleteNote deletes a note. It returns ErrNotFound if the organization's trader has no such note.
func DeleteNote(ctx context.Context, db *store.DB, c store.Change, traderID, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "delete note %s of trader %s", id, traderID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (struct{}, error) {
		result, err := tx.NewRaw(`DELETE FROM trader_notes WHERE id = ? AND trader_id = ? AND organization_id = ?`, id, traderID, c.OrganizationID).Exec(ctx)
		if err != nil {
			return struct{}{}, err
		}
		if store.CountAffected(result) == 0 {
			return struct{}{}, sql.ErrNoRows
		}
		tx.Audit(action.TraderNoteDeleted, traderID, store.AuditFields{"note_id": id}, nil)
		return struct{}{}, nil
	})
	return err
}

// noteEvent returns an event about a note on a trader.
func noteEvent(traderID, noteID uuid.UUID) event.Event {
	return event.Event{Kind: event.TraderNoteAdded, Data: event.TraderNote{TraderID: traderID, NoteID: noteID, Path: TradersPath + traderID.String()}}
}
