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
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
)

// File is a statement of trades that was uploaded for a trader.
type File struct {
	ID         uuid.UUID       `bun:"id"`
	TraderID   uuid.UUID       `bun:"trader_id"`
	Name       string          `bun:"name"`       // as the sender calls it; may be empty
	MediaType  string          `bun:"media_type"` // by content
	SHA256     []byte          `bun:"sha256"`     // of the bytes as they came
	Bytes      int64           `bun:"bytes"`
	Options    json.RawMessage `bun:"options"` // what the sender said of it: a JSON object
	Reader     int             `bun:"reader"`  // version of the code that has read it
	Report     json.RawMessage `bun:"report"`  // what reading it told: a JSON object
	Trades     int64           `bun:"trades"`
	UploadedBy string          `bun:"uploaded_by"` // Change.By of the newest upload that was read
	CreatedAt  time.Time       `bun:"created_at"`
	UpdatedAt  time.Time       `bun:"updated_at"` // when it was read last
}

// FileColumns selects a File from a row f of activity_files.
const FileColumns = `f.id, f.trader_id, f.name, f.media_type, f.sha256, f.bytes, f.options, f.reader, f.report, f.trades, f.uploaded_by, f.created_at, f.updated_at`

// auditFields returns what the audit log holds of a file. It holds nothing of the
// file's name, because that may be a person's.
func (f File) auditFields() store.AuditFields {
	return store.AuditFields{"trader_id": f.TraderID, "sha256": fmt.Sprintf("%x", f.SHA256), "bytes": f.Bytes, "trades": f.Trades, "name": store.MaskSet(f.Name != "")}
}

// FileAccount is an account that a file has trades of.
type FileAccount struct {
	Login          string // empty: the file does not tell
	Platform       string // may be empty
	Currency       string // may be empty
	InitialBalance record.Decimal
}

// NewFile is a file to keep, as it came and as it was read.
type NewFile struct {
	TraderID  uuid.UUID
	Name      string
	MediaType string
	SHA256    [sha256.Size]byte
	Bytes     int64
	Content   io.Reader // Bytes bytes
	Options   json.RawMessage
	Reader    int
	Report    json.RawMessage
	Accounts  []FileAccount
	Trades    []record.Trade
	// Account tells the index in Accounts of each trade.
	Account func(t *record.Trade) int
}

// KeptFile is a file as it is kept now.
type KeptFile struct {
	File
	// Known says that the file was there already, read with the same options by
	// the same code: nothing was changed.
	Known bool
}

// MaxActivityFiles bounds the files of one trader, which are all read together.
const MaxActivityFiles = 100

// ErrTooManyFiles says that the trader has as many files as a trader may have. It
// is an ErrConflict.
var ErrTooManyFiles = fmt.Errorf("%w: the trader has %d activity files", store.ErrConflict, MaxActivityFiles)

// activityLocks is the class of advisory locks on a trader's files.
const activityLocks = 0x61637466 // "actf"

// KeepFile keeps a file of a trader with what was read from it. The same
// bytes for the same trader are one file: when it is there, read in the same way,
// nothing changes; when it was read in another way, its trades are replaced and
// it keeps its id and those of its accounts. ErrNotFound when the organization
// has no such trader, ErrTooManyFiles when he has too many files.
func KeepFile(ctx context.Context, db *store.DB, c store.Change, n NewFile) (k KeptFile, err error) {
	defer store.WrapError(&err, "keep activity file of trader %s", n.TraderID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (KeptFile, error) {
		return KeepFileIn(ctx, tx, c, n)
	})
}

// KeepFileIn is KeepFile in a transaction that is under way.
func KeepFileIn(ctx context.Context, tx *store.Tx, c store.Change, n NewFile) (k KeptFile, err error) {
	before, err := lockActivityFile(ctx, tx, c.OrganizationID, n)
	if err != nil {
		return k, err
	}
	if before != nil && n.isReadAs(*before) {
		return KeptFile{*before, true}, nil
	}
	if k.File, err = writeActivityFile(ctx, tx, c, n, before); err != nil {
		return k, err
	}
	if err := tx.View(func(tx pgx.Tx) error { return n.writeContents(ctx, tx, c.OrganizationID, k.ID, before != nil) }); err != nil {
		return k, err
	}
	tx.Emit(activityFileEvent(k.File))
	var was store.AuditFields
	if before != nil {
		was = before.auditFields()
	}
	tx.Audit(store.AuditActivityFileKept, k.ID, was, k.auditFields())
	return k, nil
}

// isReadAs reports whether the file was read just as n was.
func (n NewFile) isReadAs(f File) bool {
	return f.Reader == n.Reader && SameJSON(f.Options, n.Options)
}

// SameJSON reports whether two texts of JSON mean the same; the database writes
// one that it keeps in a way of its own.
func SameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	left, errLeft := json.Marshal(x)
	right, errRight := json.Marshal(y)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// lockActivityFile keeps the trader from being merged into another, and others
// from adding files of his, until the transaction ends. It returns the file of
// the same bytes; nil when there is none.
func lockActivityFile(ctx context.Context, tx bun.IDB, orgID uuid.UUID, n NewFile) (*File, error) {
	if _, err := tx.NewRaw(`SELECT pg_advisory_xact_lock(?, hashtext(?))`, activityLocks, n.TraderID.String()).Exec(ctx); err != nil {
		return nil, err
	}
	var trader uuid.UUID
	err := tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND organization_id = ? FOR KEY SHARE`, n.TraderID, orgID).Scan(ctx, &trader)
	if err != nil {
		return nil, err
	}
	var files []File
	err = tx.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.trader_id = ? AND f.sha256 = ?`, n.TraderID, n.SHA256[:]).Scan(ctx, &files)
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

// writeActivityFile writes the file's row, in the place of the one before.
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
		id, c.OrganizationID, n.TraderID, n.SHA256[:], n.Bytes, n.Name, n.MediaType, string(n.Options), n.Reader, string(n.Report), len(n.Trades), c.By).Scan(ctx, &f)
	return f, err
}

// RefuseFile notes that a file of a trader could not be read, and tells
// of it. code is that of the problem that the sender was told. ErrNotFound when
// the organization has no such trader.
func RefuseFile(ctx context.Context, db *store.DB, c store.Change, traderID uuid.UUID, code string) (err error) {
	defer store.WrapError(&err, "refuse activity file of trader %s", traderID)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (struct{}, error) {
		var trader uuid.UUID
		err := tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND organization_id = ?`, traderID, c.OrganizationID).Scan(ctx, &trader)
		if err != nil {
			return struct{}{}, err
		}
		tx.Emit(event.Event{Kind: event.ActivityFileFailed, Data: event.ActivityFileFailure{TraderID: traderID, Code: code, Path: directory.TradersPath + traderID.String()}})
		tx.Audit(store.AuditActivityFileRefused, traderID, nil, store.AuditFields{"code": code})
		return struct{}{}, nil
	})
	return err
}

// DeleteFile deletes a file of a trader with all that was read from it.
// ErrNotFound when the organization's trader has no such file, ErrLegalHold while
// an interview is held that it belongs to.
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
		tx.Audit(store.AuditActivityFileDeleted, id, f.auditFields(), nil)
		return struct{}{}, nil
	})
	return err
}

// notHeld refuses with ErrLegalHold while an interview of the trader is held that
// has the file, and keeps those that have it from being held until the transaction
// ends. Interviews are locked before their files.
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

// ListFiles lists the files of a trader, the one uploaded last first.
// ErrNotFound when the organization has no such trader.
func ListFiles(ctx context.Context, db *store.DB, orgID, traderID uuid.UUID) (files []File, err error) {
	defer store.WrapError(&err, "list activity files of trader %s", traderID)
	err = db.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		files = []File{}
		if _, err := directory.FindOwner(ctx, tx, orgID, traderID); err != nil {
			return err
		}
		return tx.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.organization_id = ? AND f.trader_id = ?
ORDER BY f.created_at DESC, f.id DESC`, orgID, traderID).Scan(ctx, &files)
	})
	return files, err
}

// ReadFile returns a file of a trader. ErrNotFound when the organization's
// trader has no such file.
func ReadFile(ctx context.Context, db *store.DB, orgID, traderID, id uuid.UUID) (f File, err error) {
	defer store.WrapError(&err, "read activity file %s of trader %s", id, traderID)
	err = db.Bun.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.id = ? AND f.trader_id = ? AND f.organization_id = ?`,
		id, traderID, orgID).Scan(ctx, &f)
	return f, err
}

// FindFile returns the file of a trader with these bytes. ErrNotFound
// when the organization's trader has no such file.
func FindFile(ctx context.Context, db *store.DB, orgID, traderID uuid.UUID, sum [sha256.Size]byte) (f File, err error) {
	defer store.WrapError(&err, "find activity file of trader %s", traderID)
	err = db.Bun.NewRaw(`SELECT `+FileColumns+` FROM activity_files AS f WHERE f.sha256 = ? AND f.trader_id = ? AND f.organization_id = ?`,
		sum[:], traderID, orgID).Scan(ctx, &f)
	return f, err
}

// ReadFileContent writes the bytes of a file as they came. ErrNotFound when
// the organization's trader has no such file.
func ReadFileContent(ctx context.Context, db *store.DB, orgID, traderID, id uuid.UUID, w io.Writer) (err error) {
	defer store.WrapError(&err, "read content of activity file %s of trader %s", id, traderID)
	rows, err := db.Pool.Query(ctx, `SELECT p.body FROM activity_files AS f JOIN activity_file_pieces AS p ON p.file_id = f.id
WHERE f.id = $1 AND f.trader_id = $2 AND f.organization_id = $3 ORDER BY p.number`, id, traderID, orgID)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := false
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return err
		}
		found = true
		if _, err := w.Write(body); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil || found {
		return err
	}
	return pgx.ErrNoRows // an empty file is never kept
}

// activityFileEvent tells of an activity file that was read.
func activityFileEvent(f File) event.Event {
	return event.Event{Kind: event.ActivityFileProcessed, Data: event.ActivityFile{
		FileID: f.ID, TraderID: f.TraderID, Trades: f.Trades, Path: directory.TradersPath + f.TraderID.String() + "/activity-files/" + f.ID.String(),
	}}
}
