package work

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// Job is work that falls due by the clock, and not because a row asks for it. One process at a time
// does it, once in a period.
type Job struct {
	Name   string
	Period time.Duration
	Run    func(ctx context.Context) error
}

// Jobs makes kinds of work of jobs. All fields are required.
type Jobs struct {
	Store *store.DB
	Log   *slog.Logger
	Owner string // names the process, and must be unique
}

// Kind returns jobs as a kind of work. A job is claimed for its period, and is due again when the
// period is over: a job that takes longer extends it. A job that fails waits for its next period.
func (j Jobs) Kind(name string, slots int, pause time.Duration, list []Job) Kind {
	return Kind{Name: name, Slots: slots, Pause: pause, Claim: func(ctx context.Context, limit int) ([]Task, error) { return j.claimDue(ctx, list, limit) }}
}

// claimJobsSQL adds the rows of new jobs, claimed. Rows are locked in one order, so that two
// processes do not deadlock.
const claimJobsSQL = `INSERT INTO housekeeping AS h (job, due_at, owner) SELECT job, now() + period, $1 FROM (
    SELECT j.job, j.period FROM unnest($2::text[], $3::interval[]) AS j (job, period) LEFT JOIN housekeeping AS h USING (job)
    WHERE h.due_at IS NULL OR h.due_at <= now() ORDER BY h.due_at NULLS FIRST LIMIT $4
) AS due ORDER BY job
ON CONFLICT (job) DO UPDATE SET due_at = excluded.due_at, owner = excluded.owner WHERE h.due_at <= now() RETURNING job`

// claimDue claims due jobs, those that have been due longest first.
func (j Jobs) claimDue(ctx context.Context, list []Job, limit int) (tasks []Task, err error) {
	defer store.WrapError(&err, "claim housekeeping")
	names, periods, byName := make([]string, len(list)), make([]time.Duration, len(list)), make(map[string]Job)
	for i, job := range list {
		names[i], periods[i], byName[job.Name] = job.Name, job.Period, job
	}
	rows, err := j.Store.Pool.Query(ctx, claimJobsSQL, store.Prepared(j.Store, j.Owner, names, periods, limit)...)
	if err != nil {
		return nil, err
	}
	claimed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range claimed {
		tasks = append(tasks, func(ctx context.Context, _ func()) { j.run(ctx, byName[name]) })
	}
	return tasks, err
}

// run does a job and extends its lease meanwhile.
func (j Jobs) run(ctx context.Context, job Job) {
	held, release := Hold(ctx, job.Period, func(ctx context.Context) error { return j.extend(ctx, job, job.Period) })
	defer release()
	err := job.Run(held)
	if err != nil && ctx.Err() != nil { // the process stops, and another one does the job at once
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit/2)
		defer cancel()
		err = j.extend(after, job, 0)
	}
	if err != nil && !errors.Is(context.Cause(held), store.ErrFenced) && !store.Transient(err) {
		j.Log.ErrorContext(ctx, "housekeeping failed", "job", job.Name, "error", err)
	}
}

// extend makes the job due after a time. It returns ErrFenced if another process has it.
func (j Jobs) extend(ctx context.Context, job Job, after time.Duration) error {
	tag, err := j.Store.Pool.Exec(ctx, `UPDATE housekeeping SET due_at = now() + $3::interval WHERE job = $1 AND owner = $2`, store.Prepared(j.Store, job.Name, j.Owner, after)...)
	if err == nil && tag.RowsAffected() == 0 {
		return store.ErrFenced
	}
	return err
}
