package review

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/interviews"
)

// ConfirmClaim records that a reviewer has listened to a claim's quote and confirms it, and queues
// a new version of the report that includes the confirmation. It returns the job's id. It returns
// ErrNotFound, or ErrUnknownClaim if claim_checks of the newest report has no such id. Confirming
// again queues nothing and returns the zero id.
func ConfirmClaim(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, claim string) (job uuid.UUID, err error) {
	defer store.WrapError(&err, "confirm a statement of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (job uuid.UUID, err error) {
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return job, err
		}
		if strings.ContainsRune(claim, 0) || !utf8.ValidString(claim) { // the database contains no such text
			return job, ErrUnknownClaim
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
		if store.CountAffected(result) == 0 {
			return job, nil
		}
		if job, err = queueReport(ctx, tx, l); err != nil {
			return job, err
		}
		tx.Audit(action.InterviewClaimConfirmed, id, nil, store.AuditFields{"claim_id": claim, "job_id": job})
		return job, nil
	})
}
