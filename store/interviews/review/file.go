package review

import (
	"context"
	"encoding/hex"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/interviews"
)

// KeepFile is like activity.KeepFileIn for the trader of an interview, and makes the file the
// interview's, replacing an earlier one. If there is a report already, it queues another one.
// n.TraderID is ignored. It returns ErrNotFound, ErrInvalidState for an interview that ended
// without answers, ErrLegalHold if the interview is under a legal hold and has another file, or
// ErrTooManyFiles.
func KeepFile(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, n activity.NewFile) (k activity.KeptFile, err error) {
	defer store.WrapError(&err, "keep activity file of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (k activity.KeptFile, err error) {
		// The trader's files are locked before the interview, in the order of changes that only
		// concern files. The interview may belong to another trader by then.
		if err := tx.NewRaw(`SELECT trader_id FROM interviews WHERE id = ? AND organization_id = ?`, id, c.OrganizationID).Scan(ctx, &n.TraderID); err != nil {
			return k, err
		}
		if k, err = activity.KeepFileIn(ctx, tx, c, n); err != nil {
			return k, err
		}
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return k, err
		}
		switch l.Status {
		case interviews.Declined, interviews.Expired, interviews.Incomplete:
			return k, interviews.ErrInvalidState
		}
		var earlier, same bool
		err = tx.NewRaw(`SELECT count(*) > 0, coalesce(bool_or(sha256 = ?), false) FROM interview_files WHERE interview_id = ?`, n.SHA256[:], id).Scan(ctx, &earlier, &same)
		if err != nil || same && k.Known {
			return k, err
		}
		if !same {
			if l.Held && earlier {
				return k, store.ErrLegalHold
			}
			if err := interviews.RemoveFile(ctx, tx, id); err != nil {
				return k, err
			}
		}
		_, err = tx.NewRaw(`INSERT INTO interview_files (interview_id, sha256, owned, uploaded_by) VALUES (?, ?, ?, ?)
ON CONFLICT (interview_id) DO UPDATE SET uploaded_by = excluded.uploaded_by, uploaded_at = now()`, id, n.SHA256[:], k.Added, c.By).Exec(ctx)
		if err != nil {
			return k, err
		}
		if l.Status.IsSubmitted() && !l.Purged {
			if _, err := queueReport(ctx, tx, l); err != nil {
				return k, err
			}
		}
		tx.Audit(action.InterviewFileUploaded, id, nil, store.AuditFields{"sha256": hex.EncodeToString(n.SHA256[:]), "bytes": n.Bytes, "rows": n.Trades.Len()})
		return k, nil
	})
}

// ReadFile returns the activity file of an interview, as one of its trader's files. It returns
// ErrNotFound or ErrNoActivityFile.
func ReadFile(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (f activity.File, err error) {
	defer store.WrapError(&err, "find the activity file of interview %s", id)
	var found uuid.UUID
	if err := db.Bun.NewRaw(`SELECT id FROM interviews WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &found); err != nil {
		return f, err
	}
	err = db.Bun.NewRaw(`SELECT `+activity.FileColumns+` FROM interview_files AS x JOIN interviews AS i ON i.id = x.interview_id
JOIN activity_files AS f ON f.trader_id = i.trader_id AND f.sha256 = x.sha256 WHERE x.interview_id = ?`, id).Scan(ctx, &f)
	if store.IsNoRows(err) {
		err = ErrNoActivityFile
	}
	return f, err
}
