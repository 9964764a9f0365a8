package activity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
)

// File is an uploaded file with a trader's trades.
type File struct {
	ID         uuid.UUID       `bun:"id"`
	TraderID   uuid.UUID       `bun:"trader_id"`
	Name       string          `bun:"name"`       // as named by the sender; may be empty
	MediaType  string          `bun:"media_type"` // detected from the content
	SHA256     []byte          `bun:"sha256"`     // of the original bytes
	Bytes      int64           `bun:"bytes"`
	Options    json.RawMessage `bun:"options"` // options of the sender, a JSON object
	Reader     int             `bun:"reader"`  // version of the code that read it
	Report     json.RawMessage `bun:"report"`  // the report of reading it, a JSON object
	Trades     int64           `bun:"trades"`
	UploadedBy string          `bun:"uploaded_by"` // Change.By of the newest upload that was read
	CreatedAt  time.Time       `bun:"created_at"`
	UpdatedAt  time.Time       `bun:"updated_at"` // when it was last read
}

// FileColumns selects a File from a row f of activity_files.
const FileColumns = `f.id, f.trader_id, f.name, f.media_type, f.sha256, f.bytes, f.options, f.reader, f.report, f.trades, f.uploaded_by, f.created_at, f.updated_at`

// auditFields returns the audit log's view of a file. It omits the file's name, which may be a
// person's.
func (f File) auditFields() store.AuditFields {
	return store.AuditFields{"trader_id": f.TraderID, "sha256": fmt.Sprintf("%x", f.SHA256), "bytes": f.Bytes, "trades": f.Trades, "name": store.MaskSet(f.Name != "")}
}

// FileAccount is an account whose trades are in a file.
type FileAccount struct {
	Login          string // empty if the file does not name it
	Platform       string // Platform of the account. May be empty.
	Currency       string // Currency of the account. May be empty.
	InitialBalance record.Decimal
}

// Trades are the trades of a file. There may be a million of them, so that they come one by one.
type Trades interface {
	Len() int
	// Each calls f with every trade until f fails. The trade is only valid until the next one.
	Each(ctx context.Context, f func(*record.Trade) error) error
}

// NewFile is a file to keep, with its original bytes and what was read from it.
type NewFile struct {
	TraderID  uuid.UUID
	Name      string
	MediaType string
	SHA256    [sha256.Size]byte
	Bytes     int64
	Content   io.Reader // yields Bytes bytes
	Options   json.RawMessage
	Reader    int
	Report    json.RawMessage
	Accounts  []FileAccount
	Trades    Trades
	// Account returns the index in Accounts for each trade.
	Account func(t *record.Trade) int
}

// KeptFile is a file as stored.
type KeptFile struct {
	File
	// Known reports that the same file, read with the same options by the same code, was already
	// there, and nothing was changed.
	Known bool
	// Added reports that the trader did not have the file before.
	Added bool
}

// MaxActivityFiles limits the files of one trader, because all are read together.
const MaxActivityFiles = 100

// ErrTooManyFiles means that the trader has the maximum of files already. It is an ErrConflict.
var ErrTooManyFiles = fmt.Errorf("%w: the trader has %d activity files", store.ErrConflict, MaxActivityFiles)

// activityLocks is the class of advisory locks on a trader's files.
const activityLocks = 0x61637466 // "actf"

// KeepFile stores a file of a trader with what was read from it. The same bytes for the same trader
// are one file: if it is there and was read in the same way, nothing changes. If it was read in
// another way, its trades are replaced, and it keeps its id and those of its accounts. It returns
// ErrNotFound if the organization has no such trader, directory.ErrErased, ErrTooManyFiles if the trader has too many
// files, and ErrLegalHold if trades would be replaced that an interview under legal hold rests on.
func KeepFile(ctx context.Context, db *store.DB, c store.Change, n NewFile) (k KeptFile, err error) {
	defer store.WrapError(&err, "keep activity file of trader %s", n.TraderID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (k KeptFile, err error) {
		if k, err = KeepFileIn(ctx, tx, c, n); err != nil || k.Added {
			return k, err
		}
		// From now on the file is the trader's, also if it was uploaded for an interview.
		_, err = tx.NewRaw(`UPDATE interview_files AS x SET owned = false FROM interviews AS i WHERE i.id = x.interview_id AND i.trader_id = ? AND x.sha256 = ? AND x.owned`,
			n.TraderID, n.SHA256[:]).Exec(ctx)
		return k, err
	})
}

// KeepFileIn is like KeepFile in the given transaction.
func KeepFileIn(ctx context.Context, tx *store.Tx, c store.Change, n NewFile) (k KeptFile, err error) {
	before, err := lockActivityFile(ctx, tx, c.OrganizationID, n)
	if err != nil {
		return k, err
	}
	if before != nil && n.isReadAs(*before) {
		return KeptFile{File: *before, Known: true}, nil
	}
	if before != nil {
		if err := notHeld(ctx, tx, n.TraderID, before.ID); err != nil {
			return k, err
		}
	}
	k.Added = before == nil
	if k.File, err = writeActivityFile(ctx, tx, c, n, before); err != nil {
		return k, err
	}
	if err := tx.View(func(conn *pgx.Conn) error { return n.writeContents(ctx, conn, c.OrganizationID, k.ID, before != nil) }); err != nil {
		return k, err
	}
	tx.Emit(activityFileEvent(k.File))
	var was store.AuditFields
	if before != nil {
		was = before.auditFields()
	}
	tx.Audit(action.ActivityFileKept, k.ID, was, k.auditFields())
	return k, nil
}

// isReadAs reports whether the file was read in the same way as n.
func (n NewFile) isReadAs(f File) bool {
	return f.Reader == n.Reader && SameJSON(f.Options, n.Options)
}

// SameJSON reports whether two JSON texts have the same meaning. The database reformats the JSON
// that it stores.
func SameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// lockActivityFile prevents the trader from being merged into another or erased, and others from adding files
// of the trader, until the transaction ends. It returns the file with the same bytes, or nil if
// there is none.
func lockActivityFile(ctx context.Context, tx bun.IDB, orgID uuid.UUID, n NewFile) (*File, error) {
	if _, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(?, hashtext(?))`, activityLocks, n.TraderID.String()).Exec(ctx); err != nil {
		return nil, err
	}
	if _, err := directory.LockTrader(ctx, tx, orgID, n.TraderID, "FOR KEY SHARE"); err != nil {
		return nil, err
	}
	var files []File
	err := tx.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.trader_id = ? AND f.sha256 = ?`, n.TraderID, n.SHA256[:]).Scan(ctx, &files)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 1:
		return &files[0], nil
	}
	var count int
	if err := tx.NewRaw(`SELECT count(*) FROM activity_files WHERE trader_id = ?`, n.TraderID).Scan(ctx, &count); err != nil {
		return nil, err
	}
	if count >= MaxActivityFiles {
		return nil, ErrTooManyFiles
	}
	return nil, nil
}

// writeActivityFile writes the file's row, replacing an earlier one.
func writeActivityFile(ctx context.Context, tx bun.IDB, c store.Change, n NewFile, before *File) (f File, err error) {
	id := store.NewID()
	if before != nil {
		id = before.ID
	}
	err = tx.NewRaw(`INSERT INTO activity_files AS f (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, media_type = excluded.media_type, options = excluded.options, reader = excluded.reader,
    report = excluded.report, trades = excluded.trades, uploaded_by = excluded.uploaded_by, updated_at = now()
RETURNING `+FileColumns,
		id, c.OrganizationID, n.TraderID, n.SHA256[:], n.Bytes, n.Name, n.MediaType, string(n.Options), n.Reader, string(n.Report), n.Trades.Len(), c.By).Scan(ctx, &f)
	return f, err
}

// RefuseFile records that a file of a trader could not be read, and emits an event. code is the
// code of the problem that the sender received. It returns ErrNotFound if the organization has no
// such trader.
func RefuseFile(ctx context.Context, db *store.DB, c store.Change, traderID uuid.UUID, code string) (err error) {
	defer store.WrapError(&err, "refuse activity file of trader %s", traderID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (struct{}, error) {
		var trader uuid.UUID
		err := tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND organization_id = ?`, traderID, c.OrganizationID).Scan(ctx, &trader)
		if err != nil {
			return struct{}{}, err
		}
		tx.Emit(event.Event{Kind: event.ActivityFileFailed, Data: event.ActivityFileFailure{TraderID: traderID, Code: code, Path: directory.TradersPath + traderID.String()}})
		tx.Audit(action.ActivityFileRefused, traderID, nil, store.AuditFields{"code": code})
		return struct{}{}, nil
	})
	return err
}

// DeleteFile deletes a file of a trader with everything that was read from it. It returns
// ErrNotFound if the organization's trader has no such file, and ErrLegalHold if an interview that
// it belongs to is under legal hold.
func DeleteFile(ctx context.Context, db *store.DB, c store.Change, traderID, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "delete activity file %s of trader %s", id, traderID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (struct{}, error) {
		if err := notHeld(ctx, tx, traderID, id); err != nil {
			return struct{}{}, err
		}
		var f File
		err := tx.NewRaw(`DELETE FROM activity_files AS f WHERE f.id = ? AND f.trader_id = ? AND f.organization_id = ? RETURNING `+FileColumns,
			id, traderID, c.OrganizationID).Scan(ctx, &f)
		if err != nil {
			return struct{}{}, err
		}
		if _, err := tx.NewRaw(`DELETE FROM activity_trades WHERE file_id = ?`, id).Exec(ctx); err != nil {
			return struct{}{}, err
		}
		tx.Audit(action.ActivityFileDeleted, id, f.auditFields(), nil)
		return struct{}{}, nil
	})
	return err
}

// notHeld returns ErrLegalHold if an interview of the trader with the file is under legal hold, and
// prevents a legal hold on such interviews until the transaction ends. Interviews are locked before
// their files.
func notHeld(ctx context.Context, tx bun.IDB, traderID, file uuid.UUID) error {
	var held []bool
	err := tx.NewRaw(`SELECT i.hold_at IS NOT NULL FROM interviews AS i JOIN interview_files AS x ON x.interview_id = i.id
    JOIN activity_files AS f ON f.trader_id = i.trader_id AND f.sha256 = x.sha256 WHERE i.trader_id = ? AND f.id = ? ORDER BY i.id FOR SHARE OF i`,
		traderID, file).Scan(ctx, &held)
	if err == nil && slices.Contains(held, true) {
		return store.ErrLegalHold
	}
	return err
}

// ListFiles lists the files of a trader, the newest upload first. It returns ErrNotFound if the
// organization has no such trader.
func ListFiles(ctx context.Context, reader store.Reader, orgID, traderID uuid.UUID) (files []File, err error) {
	defer store.WrapError(&err, "list activity files of trader %s", traderID)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		files = []File{}
		if _, err := directory.FindOwner(ctx, tx, orgID, traderID); err != nil {
			return err
		}
		return tx.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.organization_id = ? AND f.trader_id = ?
ORDER BY f.created_at DESC, f.id DESC`, orgID, traderID).Scan(ctx, &files)
	})
	return files, err
}

// ReadFile returns a file of a trader. It returns ErrNotFound if the organization's trader has no
// such file.
func ReadFile(ctx context.Context, db *store.DB, orgID, traderID, id uuid.UUID) (f File, err error) {
	defer store.WrapError(&err, "read activity file %s of trader %s", id, traderID)
	err = db.Bun.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.id = ? AND f.trader_id = ? AND f.organization_id = ?`,
		id, traderID, orgID).Scan(ctx, &f)
	return f, err
}

// FindFile returns the file of a trader with these bytes. It returns ErrNotFound if the
// organization's trader has no such file.
func FindFile(ctx context.Context, db *store.DB, orgID, traderID uuid.UUID, sum [sha256.Size]byte) (f File, err error) {
	defer store.WrapError(&err, "find activity file of trader %s", traderID)
	err = db.Bun.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.sha256 = ? AND f.trader_id = ? AND f.organization_id = ?`,
		sum[:], traderID, orgID).Scan(ctx, &f)
	return f, err
}

// ReadFileContent writes the original bytes of a file. It returns ErrNotFound if the organization's
// trader has no such file, also if it is deleted meanwhile. Each piece is a query of its own, so that
// a slow reader holds no connection.
func ReadFileContent(ctx context.Context, db *store.DB, orgID, traderID, id uuid.UUID, w io.Writer) (err error) {
	defer store.WrapError(&err, "read content of activity file %s of trader %s", id, traderID)
	size := int64(1) // unknown before the first piece; empty files are never stored
	for number, read := 0, int64(0); read < size; number++ {
		var body []byte
		err := db.Bun.NewRaw(`SELECT f.bytes, p.body FROM activity_files AS f JOIN activity_file_pieces AS p ON p.file_id = f.id
WHERE f.id = ? AND f.trader_id = ? AND f.organization_id = ? AND p.number = ?`, id, traderID, orgID, number).Scan(ctx, &size, &body)
		if err != nil {
			return err
		}
		if _, err := w.Write(body); err != nil {
			return err
		}
		read += int64(len(body))
	}
	return nil
}

// activityFileEvent returns the event about an activity file that was read.
func activityFileEvent(f File) event.Event {
	return event.Event{Kind: event.ActivityFileProcessed, Data: event.ActivityFile{
		FileID: f.ID, TraderID: f.TraderID, Trades: f.Trades, Path: directory.TradersPath + f.TraderID.String() + "/activity-files/" + f.ID.String(),
	}}
}
