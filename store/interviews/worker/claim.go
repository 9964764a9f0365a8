package worker

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// Tries is how often a step is tried before it is given up. Attempts that met an outage do not count.
const Tries = 5

// How steps wait for the end of an outage.
const (
	// maxOutage is how long a step waits before it is given up after all. An evening, a night and the
	// working day on which somebody sees the alert fit into two days, and reviewers should not wait for
	// longer to learn that there is no recording.
	maxOutage = 48 * time.Hour
	// minOutageDelay and maxOutageDelay limit the time to the next attempt, which is otherwise as long as
	// the outage so far. The longest one is how late a step may notice that the outage is over, and how
	// often ffmpeg encodes for a disk that is still full.
	minOutageDelay = time.Minute
	maxOutageDelay = 15 * time.Minute
)

// retryDelay is how long a step waits before it is tried again.
func retryDelay(attempts int) time.Duration {
	delays := []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour}
	return delays[min(max(attempts, 1), len(delays))-1]
}

// Claim is a worker's claim to a step.
type Claim struct {
	InterviewID    uuid.UUID         `bun:"interview_id"`
	Step           steps.Name        `bun:"step"`
	Token          int64             `bun:"token"`
	OrganizationID uuid.UUID         `bun:"organization_id"`
	Run            int64             `bun:"run"`
	Attempts       int               `bun:"attempts"`       // this one included
	Status         interviews.Status `bun:"status"`         // the interview's
	ReportVersion  int               `bun:"report_version"` // of the newest report, in the same way
	Revived        bool              `bun:"revived"`        // the previous worker let its lease expire
	ClaimedAt      time.Time         `bun:"claimed_at"`     // on the database's clock
	OutageSince    *time.Time        `bun:"outage_since"`   // first of the attempts without a break that met an outage; nil if the last one did not
	asked          time.Time         // when ClaimedAt was asked for, on the process's clock
}

// Now returns the time on the database's clock, which is right even if the process's clock is wrong
// or jumps.
func (c Claim) Now() time.Time { return c.ClaimedAt.Add(time.Since(c.asked)).UTC() }

// NextMediaVersion returns the version of the media that the claim's worker makes. It differs for
// each claim, so that the media of two workers is never mixed.
func (c Claim) NextMediaVersion() int { return int(c.Run) }

// isDue is an SQL condition for a step that may be claimed: its time has come, and no worker has
// it under a valid lease. The time of a step with nothing to do is null.
const isDue = `job_at <= now() AND (leased_until IS NULL OR leased_until <= now())`

// Selection selects steps.
type Selection struct {
	Steps []steps.Name
	// Written selects only steps of interviews without a recording: all answers are in writing.
	Written bool
}

// writeWhere writes the SQL condition for the selected steps. It has one parameter, the names.
func (s Selection) writeWhere() string {
	if !s.Written {
		return `step IN (?)`
	}
	return `step IN (?) AND NOT EXISTS (SELECT FROM interview_takes AS t
    WHERE t.interview_id = interview_steps.interview_id AND t.mode <> 'text' AND t.status = 'sealed')`
}

// ClaimDue claims up to limit of the selected due steps for as long as the lease, those that have
// waited longest first. Concurrent callers never get the same one.
func ClaimDue(ctx context.Context, db *store.DB, s Selection, limit int, lease time.Duration) (claims []Claim, err error) {
	defer store.WrapError(&err, "claim steps of interviews")
	return claimWhere(ctx, db, lease, s.writeWhere()+` AND `+isDue+` ORDER BY job_at LIMIT ?`, bun.List(s.Steps), limit)
}

// ClaimOne claims one step in the way of ClaimDue. It returns ErrFenced if the step is not due:
// another worker has it, it waits for others, or the interview was deleted.
func ClaimOne(ctx context.Context, db *store.DB, interviewID uuid.UUID, name steps.Name, lease time.Duration) (c Claim, err error) {
	defer store.WrapError(&err, "claim step %s of interview %s", name, interviewID)
	claims, err := claimWhere(ctx, db, lease, `interview_id = ? AND step = ? AND `+isDue, interviewID, name)
	if err != nil || len(claims) == 0 {
		return c, cmp.Or(err, store.ErrFenced)
	}
	return claims[0], nil
}

// claimWhere claims the steps that the condition selects.
func claimWhere(ctx context.Context, db *store.DB, lease time.Duration, due string, args ...any) (claims []Claim, err error) {
	asked := time.Now()
	err = db.Bun.NewRaw(`WITH due AS (
    SELECT interview_id, step, leased_until IS NOT NULL AS revived FROM interview_steps WHERE `+due+` FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE interview_steps AS s SET status = 'running', run = run + 1, attempts = attempts + 1, leased_until = now() + ?::interval, started_at = now()
FROM due JOIN interviews AS i ON i.id = due.interview_id
WHERE s.interview_id = due.interview_id AND s.step = due.step
RETURNING s.interview_id, s.step, s.token, i.organization_id, s.run, s.attempts, i.status, i.report_version, due.revived, s.started_at AS claimed_at, s.outage_since`,
		append(args, store.IntervalText(lease))...).Scan(ctx, &claims)
	for n := range claims {
		claims[n].asked = asked
		db.NoteChange(claims[n].OrganizationID, store.TopicInterviews, claims[n].InterviewID)
	}
	return claims, err
}

// CountDue returns how many of the selected steps wait for a worker, and how long the oldest of
// them has been due, which is 0 if there is none.
func CountDue(ctx context.Context, db *store.DB, s Selection) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count due steps of interviews")
	var seconds float64
	err = db.Bun.NewRaw(`SELECT count(*), coalesce(extract(epoch FROM now() - min(greatest(job_at, leased_until))), 0)::float8 FROM interview_steps WHERE `+s.writeWhere()+` AND `+isDue,
		bun.List(s.Steps)).Scan(ctx, &count, &seconds)
	return count, time.Duration(seconds * float64(time.Second)), err
}

// CountOutages returns how many of the selected steps wait for the end of an outage.
func CountOutages(ctx context.Context, db *store.DB, s Selection) (count int64, err error) {
	defer store.WrapError(&err, "count steps of interviews in an outage")
	err = db.Bun.NewRaw(`SELECT count(*) FROM interview_steps WHERE `+s.writeWhere()+` AND job_at IS NOT NULL AND outage_since IS NOT NULL`, bun.List(s.Steps)).Scan(ctx, &count)
	return count, err
}

// Heartbeat extends the claim's lease. It returns ErrFenced if the claim has lost the step, for
// example because the interview was deleted.
func Heartbeat(ctx context.Context, db *store.DB, c Claim, lease time.Duration) (err error) {
	defer store.WrapError(&err, "hold step %s of interview %s", c.Step, c.InterviewID)
	result, err := db.Bun.NewRaw(`UPDATE interview_steps SET leased_until = now() + ?::interval
WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`, store.IntervalText(lease), c.InterviewID, c.Step, c.Token, c.Run).Exec(ctx)
	if err != nil {
		return err
	}
	if store.CountAffected(result) == 0 {
		return store.ErrFenced
	}
	return nil
}

// finishStep ends the claim's step with the result of write, and advances the pipeline. It returns
// ErrFenced if the claim has lost the step.
func finishStep(ctx context.Context, db *store.DB, c Claim, status steps.Status, write func(ctx context.Context, tx *store.Tx, l interviews.Locked) error) (err error) {
	defer store.WrapError(&err, "finish step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, c.InterviewID)
		if store.IsNoRows(err) {
			return none, store.ErrFenced
		}
		if err != nil {
			return none, err
		}
		tx.TouchInterview(c.InterviewID)
		again, err := endStep(ctx, tx, c, status)
		if err != nil {
			return none, err
		}
		if write != nil {
			if err := write(ctx, tx, l); err != nil {
				return none, err
			}
		}
		p := &steps.Pipeline{Tx: tx, ID: c.InterviewID}
		if again { // an earlier step may be running
			err = p.ResetSteps(ctx, c.Step)
		}
		if err == nil && l.Status.IsSubmitted() {
			err = p.BeginReady(ctx)
		}
		return none, err
	})
	return err
}

// endStep ends the claim's step, and reports whether it is requested once more.
func endStep(ctx context.Context, tx bun.IDB, c Claim, status steps.Status) (again bool, err error) {
	err = tx.NewRaw(`UPDATE interview_steps SET status = ?, finished_at = now(), job_at = NULL, leased_until = NULL, outage_since = NULL,
    job_id = CASE WHEN requested THEN job_id END, last_error = CASE WHEN ? THEN NULL ELSE last_error END
WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running' RETURNING requested`,
		status, status != steps.Failed, c.InterviewID, c.Step, c.Token, c.Run).Scan(ctx, &again)
	if store.IsNoRows(err) {
		return false, store.ErrFenced
	}
	return again, err
}

// Skip ends the claim's step because there is nothing to do.
func Skip(ctx context.Context, db *store.DB, c Claim) error {
	return finishStep(ctx, db, c, steps.Skipped, nil)
}

// Fail records that the claim's step failed, with a readable text. It is tried again later
// unless the error is permanent or it has been tried Tries times. In those cases the step has
// failed, and the pipeline continues without it. An interview whose first report fails has failed.
func Fail(ctx context.Context, db *store.DB, c Claim, cause error, permanent bool) error {
	if !permanent && c.Attempts < Tries {
		return retryStep(ctx, db, c, `last_error = ?, outage_since = NULL`, []any{store.ErrorText(cause)}, retryDelay(c.Attempts))
	}
	return finishStep(ctx, db, c, steps.Failed, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		err := noteError(ctx, tx, c, cause)
		if err != nil || c.Step != steps.Report || l.Status != interviews.Processing {
			return err
		}
		moved, err := interviews.ChangeStatus(ctx, tx, c.InterviewID, interviews.Processing, `status = 'failed'`)
		if err != nil || !moved {
			return err
		}
		return interviews.Emit(ctx, tx, event.InterviewFailed, c.InterviewID)
	})
}

// noteError writes why the claim's step has failed.
func noteError(ctx context.Context, tx bun.IDB, c Claim, cause error) error {
	_, err := tx.NewRaw(`UPDATE interview_steps SET last_error = ? WHERE interview_id = ? AND step = ?`, store.ErrorText(cause), c.InterviewID, c.Step).Exec(ctx)
	return err
}

// IsOutageTooLong reports whether the claim's step has waited for so long that it is given up if its
// attempt meets the outage again.
func (c Claim) IsOutageTooLong() bool {
	return c.OutageSince != nil && c.ClaimedAt.Sub(*c.OutageSince) >= maxOutage
}

// Postpone records that the claim's step met an outage: a disk, the blob store or the database does not
// work, which says nothing about the interview. The attempt does not count. The step is tried again
// until it works, or fails in the way of Fail when the outage has lasted for too long.
func Postpone(ctx context.Context, db *store.DB, c Claim, cause error) error {
	if c.IsOutageTooLong() {
		return Fail(ctx, db, c, cause, true)
	}
	var delay time.Duration
	if c.OutageSince != nil {
		delay = c.Now().Sub(*c.OutageSince)
	}
	return retryStep(ctx, db, c, `last_error = ?, attempts = greatest(attempts - 1, 0), outage_since = coalesce(outage_since, now())`, []any{store.ErrorText(cause)},
		min(max(delay, minOutageDelay), maxOutageDelay))
}

// retryStep writes the columns of the claim's step, which is postponed.
func retryStep(ctx context.Context, db *store.DB, c Claim, set string, values []any, delay time.Duration) (err error) {
	defer store.WrapError(&err, "put off step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		result, err := tx.NewRaw(`UPDATE interview_steps SET `+set+` WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`,
			append(values, c.InterviewID, c.Step, c.Token, c.Run)...).Exec(ctx)
		if err != nil {
			return none, err
		}
		if store.CountAffected(result) == 0 {
			return none, store.ErrFenced
		}
		tx.TouchInterview(c.InterviewID)
		p := &steps.Pipeline{Tx: tx, ID: c.InterviewID}
		return none, p.RequeueStep(ctx, c.Step, delay)
	})
	return err
}

// maxDeaths is how often a worker may die on a step.
const maxDeaths = 2 * Tries

// errDied is the reason for giving up a step on which every worker died.
var errDied = errors.New("each process that worked on it stopped midway")

// GiveUpDeadly fails the claim's step if every worker so far has died on it, and reports whether it
// did.
func GiveUpDeadly(ctx context.Context, db *store.DB, c Claim) (gaveUp bool, err error) {
	if !c.Revived || c.Attempts <= maxDeaths {
		return false, nil
	}
	return true, Fail(ctx, db, c, errDied, true)
}

// Release releases the claim's step as if it had not begun, because the process stops. It
// returns ErrFenced if the claim has lost the step.
func Release(ctx context.Context, db *store.DB, c Claim) (err error) {
	defer store.WrapError(&err, "give back step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		result, err := tx.NewRaw(`UPDATE interview_steps SET attempts = greatest(attempts - 1, 0) WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`,
			c.InterviewID, c.Step, c.Token, c.Run).Exec(ctx)
		if err != nil {
			return none, err
		}
		if store.CountAffected(result) == 0 {
			return none, store.ErrFenced
		}
		p := &steps.Pipeline{Tx: tx, ID: c.InterviewID}
		return none, p.RequeueStep(ctx, c.Step, 0)
	})
	return err
}
