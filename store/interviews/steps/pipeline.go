package steps

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// Pipeline changes the steps of one interview, whose row is locked.
type Pipeline struct {
	Tx *store.Tx
	ID uuid.UUID
}

// ReadSteps reads the steps.
func (p *Pipeline) ReadSteps(ctx context.Context) (map[Name]Step, error) {
	var list []Step
	err := p.Tx.NewRaw(`SELECT `+Columns+` FROM interview_steps WHERE interview_id = ?`, p.ID).Scan(ctx, &list)
	steps := make(map[Name]Step, len(list))
	for _, s := range list {
		steps[s.Step] = s
	}
	return steps, err
}

// QueueStep makes the step due at once as if it were new, regardless of its state. It fences a worker
// that has it.
func (p *Pipeline) QueueStep(ctx context.Context, name Name) error {
	return p.updateDue(ctx, name, 0, `, requested = false, attempts = 0, last_error = NULL, outage_since = NULL`)
}

// RequeueStep makes the step due again after a delay, with its attempts, its last error, and whether
// somebody has requested it. It fences a worker that has it.
func (p *Pipeline) RequeueStep(ctx context.Context, name Name, after time.Duration) error {
	return p.updateDue(ctx, name, after, ``)
}

func (p *Pipeline) updateDue(ctx context.Context, name Name, after time.Duration, further string) error {
	_, err := p.Tx.NewRaw(`UPDATE interview_steps SET status = 'queued', token = token + 1, job_at = now() + ?::interval, leased_until = NULL, finished_at = NULL,
    job_id = coalesce(job_id, ?)`+further+` WHERE interview_id = ? AND step = ?`, store.IntervalText(after), store.NewID(), p.ID, name).Exec(ctx)
	return err
}

// SkipStep ends a step whose data is deleted, unless it has failed. It fences a worker that has it.
func (p *Pipeline) SkipStep(ctx context.Context, name Name) error {
	_, err := p.Tx.NewRaw(skipSteps+` WHERE interview_id = ? AND step = ? AND status NOT IN ('failed', 'skipped')`, p.ID, name).Exec(ctx)
	return err
}

// SkipAll ends all steps of an interview whose data is deleted, also those that have failed, and
// deletes their errors.
func (p *Pipeline) SkipAll(ctx context.Context) error {
	_, err := p.Tx.NewRaw(skipSteps+`, last_error = NULL WHERE interview_id = ?`, p.ID).Exec(ctx)
	return err
}

const skipSteps = `UPDATE interview_steps SET status = 'skipped', token = token + 1, leased_until = NULL, job_at = NULL, job_id = NULL, requested = false, finished_at = now()`

// DropRequest forgets that somebody has requested the step, if it has not begun.
func (p *Pipeline) DropRequest(ctx context.Context, name Name) error {
	_, err := p.Tx.NewRaw(`UPDATE interview_steps SET requested = false, job_id = NULL WHERE interview_id = ? AND step = ? AND status = 'pending'`, p.ID, name).Exec(ctx)
	return err
}

// BeginReady begins the steps that can begin once the trader has submitted.
func (p *Pipeline) BeginReady(ctx context.Context) error {
	steps, err := p.ReadSteps(ctx)
	if err != nil {
		return err
	}
	for _, name := range []Name{Media, Activity} {
		if steps[name].Status == Pending {
			if err := p.QueueStep(ctx, name); err != nil {
				return err
			}
		}
	}
	media, transcript := steps[Media].Status, steps[Transcript].Status
	if transcript == Pending && media.IsOver() {
		if err := p.QueueStep(ctx, Transcript); err != nil {
			return err
		}
	}
	if steps[Subtitles].Status == Pending && media.IsOver() && transcript.IsOver() {
		if err := p.QueueStep(ctx, Subtitles); err != nil {
			return err
		}
	}
	if steps[Report].Status == Pending && transcript.IsOver() && steps[Activity].Status.IsOver() {
		if err := p.QueueStep(ctx, Report); err != nil {
			return err
		}
	}
	return nil
}

// ResetSteps makes steps wait for those before them, as if they had not been done, and fences their
// workers. A client that has requested one still waits for it.
func (p *Pipeline) ResetSteps(ctx context.Context, names ...Name) error {
	_, err := p.Tx.NewRaw(`UPDATE interview_steps SET status = 'pending', token = token + 1, job_at = NULL, leased_until = NULL, finished_at = NULL
WHERE interview_id = ? AND step IN (?)`, p.ID, bun.List(names)).Exec(ctx)
	return err
}

// RetryFailed restarts what has failed of recording and transcript, with everything that depends on
// them except the report, once none of it is being processed. kept reports that the trader has
// submitted and the recording exists, because a deleted one cannot be made again.
func (p *Pipeline) RetryFailed(ctx context.Context, kept bool) (steps map[Name]Step, err error) {
	if steps, err = p.ReadSteps(ctx); err != nil || !kept {
		return steps, err
	}
	chain := []Name{Media, Transcript, Subtitles}
	if steps[Media].Status != Failed {
		chain = chain[1:]
	}
	if steps[chain[0]].Status != Failed || slices.ContainsFunc(chain, func(s Name) bool { return !steps[s].Status.IsOver() }) {
		return steps, nil
	}
	if err := p.QueueStep(ctx, chain[0]); err != nil {
		return steps, err
	}
	if err := p.ResetSteps(ctx, chain[1:]...); err != nil {
		return steps, err
	}
	if steps[Report].Status == Queued { // it must include their results
		if err := p.ResetSteps(ctx, Report); err != nil {
			return steps, err
		}
	}
	return p.ReadSteps(ctx)
}

// RequestStep records that somebody requests the step, and begins it if possible. The id is that of
// the job that does it.
func (p *Pipeline) RequestStep(ctx context.Context, name Name, ready bool) (job uuid.UUID, err error) {
	steps, err := p.ReadSteps(ctx)
	if err != nil {
		return job, err
	}
	switch step := steps[name]; {
	case step.Status == Queued || step.Status == Pending && step.JobID != nil:
		return *step.JobID, nil
	case step.Status == Running || !ready:
		// A step that is being processed may have read data that has changed since, so it must run
		// once more.
		err = p.Tx.NewRaw(`UPDATE interview_steps SET job_id = CASE WHEN requested OR status <> 'running' THEN coalesce(job_id, ?0) ELSE ?0 END, requested = true,
    status = CASE status WHEN 'running' THEN status ELSE 'pending' END WHERE interview_id = ?1 AND step = ?2 RETURNING job_id`,
			store.NewID(), p.ID, name).Scan(ctx, &job)
		return job, err
	}
	if err := p.QueueStep(ctx, name); err != nil {
		return job, err
	}
	err = p.Tx.NewRaw(`SELECT job_id FROM interview_steps WHERE interview_id = ? AND step = ?`, p.ID, name).Scan(ctx, &job)
	return job, err
}

// Insert adds the steps. The first one is due at once if there is something to prepare.
func Insert(ctx context.Context, tx *store.Tx, id uuid.UUID, prepare bool) error {
	for _, step := range All() {
		status := Pending
		if step == Prepare {
			status = Skipped
		}
		if _, err := tx.NewRaw(`INSERT INTO interview_steps (interview_id, step, status) VALUES (?, ?, ?)`, id, step, status).Exec(ctx); err != nil {
			return err
		}
	}
	if !prepare {
		return nil
	}
	p := &Pipeline{Tx: tx, ID: id}
	return p.QueueStep(ctx, Prepare)
}
