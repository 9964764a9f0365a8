package store

import (
	"cmp"
	"context"
	"encoding/hex"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// ConfirmClaim notes that a reviewer has heard a claim's quote and says that it
// is what was said, and queues a new version of the report that knows it. It
// returns the job's id. ErrNotFound; ErrUnknownClaim when the newest report's
// claim_checks have no such id. Confirming twice is the same as once, and queues
// nothing: the zero id.
func (db *DB) ConfirmClaim(ctx context.Context, c Change, id uuid.UUID, claim string) (job uuid.UUID, err error) {
	defer wrap(&err, "confirm a claim of interview %s", id)
	return changeViewed(ctx, db, c, func(ctx context.Context, tx bun.Tx, view viewer) (job uuid.UUID, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return job, err
		}
		var known bool
		err = tx.NewRaw(`SELECT EXISTS (SELECT FROM interview_reports AS r, json_array_elements(CASE json_typeof(r.report->'claim_checks') WHEN 'array' THEN r.report->'claim_checks' ELSE '[]' END) AS k
WHERE r.interview_id = ? AND r.version = ? AND k->>'id' = ?)`, id, l.ReportVersion, claim).Scan(ctx, &known)
		if err != nil {
			return job, err
		}
		if !known {
			return job, ErrUnknownClaim
		}
		result, err := tx.NewRaw(`INSERT INTO interview_claims (interview_id, claim_id, confirmed_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, id, claim, c.By).Exec(ctx)
		if err != nil {
			return job, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return job, err
		}
		if job, err = db.queueReport(ctx, tx, view, l, false); err != nil {
			return job, err
		}
		return job, audit(ctx, AuditInterviewClaimConfirmed, id, nil, auditFields{"claim_id": claim, "job_id": job})
	})
}

// SetInterviewFile makes a file of the trader's, which has just been uploaded,
// the interview's, in the place of an earlier one. Once there is a report, it
// queues another. ErrNotFound; ErrInvalidState for an interview that ended
// without answers.
func (db *DB) SetInterviewFile(ctx context.Context, c Change, id uuid.UUID, f InterviewFile) (made InterviewFile, err error) {
	defer wrap(&err, "add an activity file to interview %s", id)
	return changeViewed(ctx, db, c, func(ctx context.Context, tx bun.Tx, view viewer) (made InterviewFile, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return made, err
		}
		switch l.Status {
		case InterviewDeclined, InterviewExpired, InterviewIncomplete:
			return made, ErrInvalidState
		}
		if err := removeFile(ctx, tx, id); err != nil {
			return made, err
		}
		err = tx.NewRaw(`INSERT INTO interview_files (interview_id, file_id, name, media_type, bytes, rows, sha256, uploaded_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING `+fileColumns, id, f.FileID, f.Name, f.MediaType, f.Bytes, f.Rows, f.SHA256, c.By).Scan(ctx, &made)
		if err != nil {
			return made, err
		}
		if l.submitted() {
			_, err = db.queueReport(ctx, tx, view, l, true)
		}
		return made, cmp.Or(err, audit(ctx, AuditInterviewFileUploaded, id, nil, auditFields{"sha256": hex.EncodeToString(f.SHA256), "bytes": f.Bytes, "rows": f.Rows}))
	})
}

// removeFile takes the activity file away, if there is one.
func removeFile(ctx context.Context, tx bun.Tx, id uuid.UUID) error {
	_, err := tx.NewRaw(`DELETE FROM interview_files WHERE interview_id = ?`, id).Exec(ctx)
	return err
}
