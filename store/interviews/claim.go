package interviews

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// ConfirmClaim notes that a reviewer has heard a claim's quote and says that it
// is what was said, and queues a new version of the report that knows it. It
// returns the job's id. ErrNotFound; ErrUnknownClaim when the newest report's
// claim_checks have no such id. Confirming twice is the same as once, and queues
// nothing: the zero id.
func ConfirmClaim(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, claim string) (job uuid.UUID, err error) {
	defer store.WrapError(&err, "confirm a claim of interview %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (job uuid.UUID, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return job, err
		}
		if strings.ContainsRune(claim, 0) || !utf8.ValidString(claim) { // which no text of the database is
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
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return job, err
		}
		if job, err = queueReport(ctx, tx, l, false); err != nil {
			return job, err
		}
		tx.Audit(store.AuditInterviewClaimConfirmed, id, nil, store.AuditFields{"claim_id": claim, "job_id": job})
		return job, nil
	})
}
