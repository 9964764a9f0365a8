package interviews

import (
	"cmp"
	"context"

	"github.com/assayhq/assay/store"
)

// ReleaseStep releases the claim's step as if it had not begun, because the process stops. It
// returns ErrFenced if the claim has lost the step.
func ReleaseStep(ctx context.Context, db *store.DB, c StepClaim) (err error) {
	defer store.WrapError(&err, "give back step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		result, err := tx.NewRaw(`UPDATE interview_steps SET attempts = greatest(attempts - 1, 0) WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`,
			c.InterviewID, c.Step, c.Token, c.Run).Exec(ctx)
		if err != nil {
			return none, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return none, cmp.Or(err, store.ErrFenced)
		}
		p := &pipeline{tx: tx, id: c.InterviewID}
		return none, p.queueStep(ctx, c.Step, 0, false)
	})
	return err
}
