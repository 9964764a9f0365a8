package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// AttemptOutcome is a completed attempt with its consequences.
type AttemptOutcome struct {
	Attempt
	Status    DeliveryStatus // pending, succeeded, failed or skipped
	Scheduled int            // number of the schedule's attempts so far
	Wait      time.Duration  // until the next attempt of a pending delivery
	Slow      bool           // it took long
	Hold      time.Duration  // the pause that the receiver has asked for; 0 if none
	// Ours reports that the endpoint was not called, so that its health remains unchanged.
	Ours bool
}

// Progress is what a run reports about its work.
type Progress struct {
	Run *Run
	// Attempts are the completed attempts, in the order in which they ended.
	Attempts []AttemptOutcome
	Lease    time.Duration // from now on, unless the run ends
	// Finish ends the run, if the endpoint's state still has the Version, which means that nothing
	// was added that the run does not know.
	Finish  bool
	Version int64
	Next    time.Duration // until the next attempt of the endpoint; negative if none waits
	// Known are deliveries that somebody has requested and that the run knows. Others are reported.
	Known []uuid.UUID
}

// RecordedProgress is the result of RecordAttempts.
type RecordedProgress struct {
	Finished bool // the run has ended
	Health   EndpointHealth
	Target   *Target // its current state
}

// EndpointHealth is the health of an endpoint.
type EndpointHealth struct {
	Failures     int       // failed attempts since the last success
	FailingSince time.Time // zero if it is not failing
	Warnings     int       // number of events about it so far
	Now          time.Time
}

// progressSQL writes attempts and their consequences, under the run's number. failing is the state
// after the attempts: those that failed after the last success replace the stored count ($5) or add
// to it. When they end, or the endpoint is no longer slow, held_until is that moment: what was written
// before it has waited for its receiver.
//
// Deliveries are compared with an array of one id, because Postgres makes no hash for that. A plan
// from the first minutes of a deployment, when the table was small and without statistics, had read
// the entire table for each of these statements.
const progressSQL = `WITH known AS ( -- it is written again, because nobody knew whether it was
    SELECT EXISTS (SELECT FROM webhook_attempts WHERE delivery_id = ($10::uuid[])[1] AND number = ($11::int[])[1]) AS repeated
), own (finished, failures, failing_since, warnings, organization_id, kind, url, is_active, secret, previous, headers, changed, era, asked) AS (
    UPDATE webhook_states AS s SET
        failures = CASE WHEN known.repeated THEN s.failures WHEN $5::boolean THEN $6::int ELSE s.failures + $6 END,
        failing_since = CASE WHEN $6 = 0 AND $5 THEN NULL WHEN $5 THEN $7::timestamptz ELSE coalesce(s.failing_since, $7) END,
        warnings = CASE WHEN $5 THEN 0 ELSE s.warnings END,
        slow = coalesce($22::boolean, s.slow),
        held_until = CASE WHEN $23::interval > interval '0' THEN greatest(s.held_until, now() + $23)
            WHEN s.failures > 0 AND $5 OR s.slow AND NOT coalesce($22, true) THEN greatest(s.held_until, now()) ELSE s.held_until END,
        leased_until = CASE WHEN $4::boolean AND s.version = $8::bigint THEN NULL ELSE now() + $3::interval END,
        job_at = CASE WHEN $4 AND s.version = $8 THEN CASE WHEN $9::interval >= interval '0' THEN now() + $9::interval END ELSE s.job_at END
    FROM known, webhook_endpoints AS e WHERE s.endpoint_id = $1 AND s.run = $2 AND e.id = s.endpoint_id
    RETURNING s.version = $8 AND $4, s.failures, s.failing_since, s.warnings, ` + targetColumns + `, ` + askedBeside + `($24::uuid[]))
), attempts AS (
    INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms, http_status, error_code, response_body, truncated)
    SELECT u.id, u.number, u.trigger, u.started_at, u.latency_ms, nullif(u.http_status, 0), nullif(u.error_code, ''), nullif(u.body, ''), u.truncated
    FROM own, unnest($10::uuid[], $11::int[], $12::text[], $13::timestamptz[], $14::int[], $15::int[], $16::text[], $17::text[], $18::boolean[])
        AS u(id, number, trigger, started_at, latency_ms, http_status, error_code, body, truncated)
    ON CONFLICT (delivery_id, number) DO NOTHING
), deliveries AS (
    UPDATE webhook_deliveries AS d SET attempts = u.number,
        scheduled = CASE WHEN ` + askedMeanwhile + ` THEN d.scheduled ELSE u.scheduled END,
        trigger = CASE WHEN ` + askedMeanwhile + ` THEN d.trigger ELSE 'schedule' END,
        status = CASE WHEN u.status = 'succeeded' THEN u.status WHEN ` + askedMeanwhile + ` THEN d.status
            WHEN u.status <> 'pending' AND ` + succeededBefore + ` THEN 'succeeded' WHEN ` + skippedMeanwhile + ` THEN 'skipped' ELSE u.status END,
        next_attempt_at = CASE WHEN u.status = 'succeeded' THEN NULL WHEN ` + askedMeanwhile + ` THEN d.next_attempt_at
            WHEN u.status = 'pending' AND NOT (` + skippedMeanwhile + `) THEN clock_timestamp() + make_interval(secs => u.wait) END
    FROM own, unnest($10::uuid[], $11::int[], $19::text[], $20::int[], $21::float8[], $12::text[]) AS u(id, number, status, scheduled, wait, trigger)
    WHERE d.id = ANY (ARRAY[u.id]) AND d.attempts < u.number
)
SELECT organization_id, kind, url, is_active, secret, previous, headers, changed, era, asked, finished, failures, failing_since, warnings, now() FROM own`

// skippedMeanwhile is the condition on a delivery d, with the state own, that the endpoint was
// switched off while an attempt was under way.
const skippedMeanwhile = `(d.status = 'skipped' OR d.trigger <> 'test' AND d.era < own.era)`

// askedMeanwhile is the condition that somebody requested another attempt at the delivery d, after
// it was skipped, while the attempt u was under way. The requested attempt is still to be made,
// unless this one has succeeded.
const askedMeanwhile = `d.trigger = 'manual' AND u.trigger <> 'manual'`

// succeededBefore is the condition that a delivery d, which was requested again, had been received
// before. Another failure does not change that.
const succeededBefore = `d.trigger = 'manual' AND EXISTS (SELECT FROM webhook_attempts AS a WHERE a.delivery_id = d.id AND a.error_code IS NULL)`

// RecordAttempts writes the progress of a run. Progress that is already written changes nothing. It
// returns ErrFenced if another process has the endpoint by now, or if it was deleted: nothing was
// written.
func RecordAttempts(ctx context.Context, db *store.DB, p Progress) (r RecordedProgress, err error) {
	defer store.WrapError(&err, "record attempts for webhook endpoint %s", p.Run.EndpointID)
	var (
		asked bool
		since *time.Time
	)
	orgID, target, err := queryTarget(ctx, db, p.Run.EndpointID, progressSQL, p.queryArguments(),
		&asked, &r.Finished, &r.Health.Failures, &since, &r.Health.Warnings, &r.Health.Now)
	if err != nil {
		return r, err
	}
	if len(p.Attempts) > 0 {
		db.NoteChange(orgID, store.TopicWebhooks, p.Run.EndpointID)
	}
	r.Target = target
	r.Target.Asked, r.Health.FailingSince = asked, store.Deref(since)
	return r, nil
}

// queryArguments returns the arguments of progressSQL.
func (p *Progress) queryArguments() []any {
	n := len(p.Attempts)
	var (
		ids                                  = make([]uuid.UUID, n)
		numbers, latencies, codes, scheduled = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		triggers, errs, bodies, statuses     = make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		starts, cut, waits                   = make([]time.Time, n), make([]bool, n), make([]float64, n)
		reset                                bool
		failed                               int32
		first                                *time.Time
		slow                                 *bool
		hold                                 time.Duration
	)
	for i := range p.Attempts {
		a := &p.Attempts[i]
		ids[i], numbers[i], triggers[i], starts[i], latencies[i] = a.DeliveryID, int32(a.Number), string(a.Trigger), a.StartedAt, int32(a.LatencyMS)
		codes[i], errs[i], bodies[i], cut[i] = int32(store.Deref(a.HTTPStatus)), store.Deref(a.ErrorCode), store.Deref(a.ResponseBody), a.Truncated
		statuses[i], scheduled[i], waits[i] = string(a.Status), int32(a.Scheduled), a.Wait.Seconds()
		if a.Ours {
			continue
		}
		slow, hold = &a.Slow, max(hold, a.Hold)
		switch {
		case a.Status == DeliverySucceeded:
			reset, failed, first = true, 0, nil
		case a.ErrorCode != nil:
			if failed++; first == nil {
				first = &a.StartedAt
			}
		}
	}
	return []any{
		p.Run.EndpointID, p.Run.Number, p.Lease, p.Finish, reset, failed, first, p.Version, p.Next,
		ids, numbers, triggers, starts, latencies, codes, errs, bodies, cut, statuses, scheduled, waits, slow, hold, append([]uuid.UUID{}, p.Known...), // an empty array, not null
	}
}
