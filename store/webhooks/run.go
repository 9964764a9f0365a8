package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/seal"
)

// Run is the right to make an endpoint's deliveries, until its lease expires and another process
// takes it.
type Run struct {
	EndpointID     uuid.UUID
	OrganizationID uuid.UUID
	Number         int64     // fences earlier runs
	Target         *Target   // as it was when the run began
	Failures       int       // failed attempts since the last success
	Slow           bool      // the last attempt took long
	Now            time.Time // database time of the claim
	Revived        bool      // the previous process let its lease expire
	DueAt          time.Time // since when it has been due
	HeldUntil      time.Time // until when it was last held, failed or was slow, or when a hold ends; zero if never
}

// IsHindered reports whether the endpoint fails or is slow, so that it must not delay others.
func (r *Run) IsHindered() bool { return r.Failures > 0 || r.Slow }

// Target is the destination of an endpoint's deliveries, which may be changed at any time.
type Target struct {
	Kind     EndpointKind
	URL      string
	IsActive bool
	// Secrets sign, newest first. They are empty if they or the headers cannot be opened: see
	// SecretErr.
	Secrets   []seal.Secret
	Headers   []Header // that the owner adds
	SecretErr error
	// Asked reports that somebody has requested an attempt that has not been made yet, at a
	// delivery that the reader does not know.
	Asked bool

	changed time.Time
	era     int64
}

// Same reports whether the endpoint has not been changed in between.
func (t *Target) Same(other *Target) bool {
	return t.changed.Equal(other.changed) && t.era == other.era
}

// targetColumns are the columns that queryTarget reads, from an endpoint e and its state s.
const targetColumns = `e.organization_id, e.kind, e.url, s.is_active, e.secret, CASE WHEN e.previous_until > now() THEN e.previous_secret END, e.headers, e.updated_at, s.era`

// askedBeside, followed by an array of ids, is the condition that somebody has requested an attempt
// that has not been made yet, at a delivery that is none of these. The delivery's endpoint has the
// state s. Times could not replace ids: a request carries the time at which it was written, but
// becomes visible later, when its transaction commits. The order is that of the index of requested
// attempts: without it, a plan that was made while few deliveries were pending reads all of them.
const askedBeside = `EXISTS (SELECT FROM (SELECT d.id FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id AND d.status = 'pending' AND d.trigger <> 'schedule' AND NOT (` + givenUp + `)
        ORDER BY d.next_attempt_at, d.sequence OFFSET 0) AS d WHERE d.id <> ALL `

// queryTarget runs a statement that returns targetColumns of an endpoint, and scans what follows
// them into rest.
func queryTarget(ctx context.Context, db *store.DB, id uuid.UUID, statement string, args []any, rest ...any) (orgID uuid.UUID, t *Target, err error) {
	keys, noKeys := db.Keyrings()
	orgID, t, err = scanTarget(db.Pool.QueryRow(ctx, statement, store.Prepared(db, args...)...), keys, noKeys, &id, rest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return orgID, nil, store.ErrFenced
	}
	return orgID, t, err
}

// scanTarget scans targetColumns of the endpoint with the id, and what follows them into rest,
// which may set the id. The keyrings must be obtained before the row is read, because they may be
// replaced at any time. noKeys is set if there are none.
func scanTarget(row pgx.Row, keys store.Keyrings, noKeys error, id *uuid.UUID, rest ...any) (orgID uuid.UUID, t *Target, err error) {
	t = new(Target)
	var secret, previous, headers []byte
	if err := row.Scan(append([]any{&orgID, &t.Kind, &t.URL, &t.IsActive, &secret, &previous, &headers, &t.changed, &t.era}, rest...)...); err != nil {
		return orgID, nil, err
	}
	if t.SecretErr = noKeys; noKeys == nil {
		t.Headers, t.SecretErr = openHeaders(keys, orgID, *id, headers)
	}
	if t.SecretErr == nil {
		t.Secrets, t.SecretErr = openSecrets(keys, orgID, *id, secret, previous)
	}
	return orgID, t, nil
}

// Room is how many endpoints a process has room for.
type Room struct {
	Places   int // for any endpoint
	Hindered int // the part of them for endpoints that fail or are slow
	// Full and HinderedFull are organizations that use up their share of the process: of all
	// places, and of those for endpoints that fail or are slow.
	Full, HinderedFull []uuid.UUID
}

// Conditions on a state s and its endpoint e.
const (
	claimable   = `s.job_at <= now() AND (s.leased_until IS NULL OR s.leased_until <= now())` // it is due, and no process has it
	hindered    = `(s.failures > 0 OR s.slow)`
	claimedFrom = `SELECT s.endpoint_id, s.job_at, s.leased_until IS NOT NULL AS revived
    FROM webhook_states AS s JOIN webhook_endpoints AS e ON e.id = s.endpoint_id WHERE ` + claimable
)

// ClaimDeliveries claims due endpoints, as many as there is room for, those that have been due
// longest first. Concurrent callers never get the same one.
func ClaimDeliveries(ctx context.Context, db *store.DB, room Room, lease time.Duration) (runs []Run, err error) {
	defer store.WrapError(&err, "claim deliveries")
	return claimDeliveries(ctx, db, lease, `sound AS (
    `+claimedFrom+` AND NOT `+hindered+` AND e.organization_id <> ALL ($2::uuid[])
    ORDER BY s.job_at LIMIT $3 FOR NO KEY UPDATE OF s SKIP LOCKED
), hindered AS (
    `+claimedFrom+` AND `+hindered+` AND e.organization_id <> ALL ($2::uuid[]) AND e.organization_id <> ALL ($4::uuid[])
    ORDER BY s.job_at LIMIT $5 FOR NO KEY UPDATE OF s SKIP LOCKED
), due AS (
    SELECT * FROM sound UNION ALL SELECT * FROM hindered ORDER BY job_at LIMIT $3
)`, append([]uuid.UUID{}, room.Full...), room.Places, append([]uuid.UUID{}, room.HinderedFull...), room.Hindered)
}

// ClaimEndpoint claims one due endpoint. It returns ErrFenced if it is not due, or another process
// has it.
func ClaimEndpoint(ctx context.Context, db *store.DB, id uuid.UUID, lease time.Duration) (r Run, err error) {
	defer store.WrapError(&err, "claim deliveries of webhook endpoint %s", id)
	runs, err := claimDeliveries(ctx, db, lease, `due AS (
    `+claimedFrom+` AND s.endpoint_id = $2 FOR NO KEY UPDATE OF s SKIP LOCKED
)`, id)
	if err == nil && len(runs) == 0 {
		err = store.ErrFenced
	}
	if err != nil {
		return r, err
	}
	return runs[0], nil
}

// claimDeliveries claims the endpoints of the query due, which is SQL for WITH with arguments from
// $2 on.
func claimDeliveries(ctx context.Context, db *store.DB, lease time.Duration, due string, args ...any) (runs []Run, err error) {
	keys, noKeys := db.Keyrings()
	rows, err := db.Pool.Query(ctx, `WITH `+due+`
UPDATE webhook_states AS s SET run = s.run + 1, leased_until = now() + $1::interval
FROM due JOIN webhook_endpoints AS e ON e.id = due.endpoint_id WHERE s.endpoint_id = due.endpoint_id
RETURNING `+targetColumns+`, s.endpoint_id, s.run, s.failures, s.slow, now(), due.revived, due.job_at, s.held_until`, store.Prepared(db, append([]any{lease}, args...)...)...)
	if err != nil {
		return nil, err
	}
	runs, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Run, err error) {
		var held *time.Time
		r.OrganizationID, r.Target, err = scanTarget(row, keys, noKeys, &r.EndpointID, &r.EndpointID, &r.Number, &r.Failures, &r.Slow, &r.Now, &r.Revived, &r.DueAt, &held)
		r.HeldUntil = store.Deref(held)
		return r, err
	})
	slices.SortFunc(runs, func(a, b Run) int { return a.DueAt.Compare(b.DueAt) }) // RETURNING has no order
	return runs, err
}

// UnclaimDeliveries returns a claimed endpoint as it was, due since the same time. It does nothing
// if another process has it by now.
func UnclaimDeliveries(ctx context.Context, db *store.DB, run *Run) (err error) {
	defer store.WrapError(&err, "unclaim deliveries of webhook endpoint %s", run.EndpointID)
	_, err = db.Pool.Exec(ctx, `UPDATE webhook_states SET leased_until = NULL WHERE endpoint_id = $1 AND run = $2`, store.Prepared(db, run.EndpointID, run.Number)...)
	return err
}

// CountDueEndpoints returns how many endpoints wait for a process, and how long the oldest one that
// neither fails nor is slow has been due, which is 0 if there is none. Those that fail or are slow
// wait for each other by design.
func CountDueEndpoints(ctx context.Context, db *store.DB) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count due webhook endpoints")
	var seconds float64
	err = db.Bun.NewRaw(`SELECT count(*), coalesce(extract(epoch FROM now() - min(greatest(s.job_at, s.leased_until)) FILTER (WHERE NOT `+hindered+`)), 0)::float8
FROM webhook_states AS s WHERE `+claimable).Scan(ctx, &count, &seconds)
	return count, time.Duration(seconds * float64(time.Second)), err
}

// ReadTarget reads the current target of a run's deliveries, and whether somebody has requested an
// attempt at another delivery than the known ones. It returns ErrFenced like RecordAttempts.
func ReadTarget(ctx context.Context, db *store.DB, run *Run, known []uuid.UUID) (t *Target, err error) {
	defer store.WrapError(&err, "read target of webhook endpoint %s", run.EndpointID)
	var asked bool
	_, t, err = queryTarget(ctx, db, run.EndpointID, `SELECT `+targetColumns+`, `+askedBeside+`($3::uuid[])) FROM webhook_states AS s JOIN webhook_endpoints AS e ON e.id = s.endpoint_id
WHERE s.endpoint_id = $1 AND s.run = $2`, []any{run.EndpointID, run.Number, append([]uuid.UUID{}, known...)}, &asked)
	if err == nil {
		t.Asked = asked
	}
	return t, err
}

// IntegrationName returns the name of an integration, also of one that has been disconnected. It is empty if there is
// none with the id.
func IntegrationName(ctx context.Context, db *store.DB, id uuid.UUID) (name string, err error) {
	defer store.WrapError(&err, "read name of integration %s", id)
	err = db.Pool.QueryRow(ctx, `SELECT coalesce((SELECT name FROM integrations WHERE id = $1), '')`, store.Prepared(db, id)...).Scan(&name)
	return name, err
}

// openSecrets opens an endpoint's signing secrets. It leaves out a previous one that cannot be
// opened, because receivers should know the current one.
func openSecrets(keys store.Keyrings, orgID, id uuid.UUID, secret, previous []byte) ([]seal.Secret, error) {
	plain, err := keys.Open(secret, secretBinding(secretColumn, orgID, id))
	if err != nil {
		return nil, err
	}
	secrets := []seal.Secret{seal.NewSecret(string(plain))}
	if previous != nil {
		if plain, err := keys.Open(previous, secretBinding(previousSecretColumn, orgID, id)); err == nil {
			secrets = append(secrets, seal.NewSecret(string(plain)))
		}
	}
	return secrets, nil
}

// DueDelivery is a delivery whose attempt is due.
type DueDelivery struct {
	ID         uuid.UUID
	EventID    uuid.UUID
	EventType  event.Kind
	OccurredAt time.Time
	Sequence   int64
	Data       []byte // nil once it has been deleted
	Attempts   int    // made so far
	Scheduled  int    // number of the schedule's attempts so far
	Trigger    AttemptTrigger
	CreatedAt  time.Time
}

// DueDeliveries is the pending work of an endpoint.
type DueDeliveries struct {
	Due []DueDelivery // requested ones first, then those that have waited longest
	// Next is how long the first of the others waits. It is negative if there is none.
	Next    time.Duration
	Version int64 // of the endpoint's state, for RecordAttempts
	// GivenUp reports that deliveries wait to be skipped (SkipDeliveries).
	GivenUp bool
}

// dueAt is when a pending delivery d is due, with its endpoint's state s: not during a pause that
// the receiver or somebody here has asked for, unless somebody has requested the delivery.
const dueAt = `greatest(d.next_attempt_at, CASE WHEN d.trigger = 'schedule' THEN s.held_until END)`

// dueSQL reads up to $2 pending deliveries of an endpoint, or one row without a delivery if there
// is none. Requested deliveries, which are always due, come first.
const dueSQL = `SELECT s.version, s.era > 0 AND EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id AND ` + givenUp + `),
    d.id, d.event_id, d.event_type, v.occurred_at, d.sequence, v.data::text, d.attempts, d.scheduled, d.trigger, d.created_at,
    greatest(` + dueAt + ` - clock_timestamp(), interval '0')
FROM webhook_states AS s LEFT JOIN LATERAL (
    (SELECT * FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id AND d.status = 'pending' AND d.trigger <> 'schedule' AND NOT (` + givenUp + `)
        ORDER BY d.next_attempt_at, d.sequence LIMIT $2)
    UNION ALL
    (SELECT * FROM webhook_deliveries AS d WHERE d.endpoint_id = s.endpoint_id AND d.status = 'pending' AND d.trigger = 'schedule' AND d.era = s.era
        ORDER BY d.next_attempt_at, d.sequence LIMIT $2)
) AS d ON true LEFT JOIN webhook_events AS v ON v.id = d.event_id
WHERE s.endpoint_id = $1 ORDER BY d.trigger = 'schedule', d.next_attempt_at, d.sequence LIMIT $2`

// ReadDue reads up to limit due deliveries.
func ReadDue(ctx context.Context, db *store.DB, endpointID uuid.UUID, limit int) (due DueDeliveries, err error) {
	defer store.WrapError(&err, "read due deliveries of webhook endpoint %s", endpointID)
	rows, err := db.Pool.Query(ctx, dueSQL, store.Prepared(db, endpointID, limit)...)
	if err != nil {
		return due, err
	}
	defer rows.Close()
	due.Next = -time.Second
	for rows.Next() {
		var (
			id, eventID        *uuid.UUID
			kind, trigger      *string
			at, created        *time.Time
			sequence           *int64
			attempts, finished *int
			wait               *time.Duration
			d                  DueDelivery
		)
		if err := rows.Scan(&due.Version, &due.GivenUp, &id, &eventID, &kind, &at, &sequence, &d.Data, &attempts, &finished, &trigger, &created, &wait); err != nil {
			return due, err
		}
		switch {
		case id == nil:
		case *wait > 0:
			if due.Next < 0 {
				due.Next = *wait
			}
		default:
			d.ID, d.EventID, d.EventType, d.OccurredAt, d.Sequence = *id, store.Deref(eventID), event.Kind(*kind), store.Deref(at), *sequence
			d.Attempts, d.Scheduled, d.Trigger, d.CreatedAt = *attempts, *finished, AttemptTrigger(*trigger), *created
			due.Due = append(due.Due, d)
		}
	}
	if len(due.Due) == limit {
		due.Next = 0
	}
	return due, rows.Err()
}

// SkipDeliveries skips some of the deliveries that were waiting when the endpoint was switched off,
// and returns how many. It leaves locked rows, because a retry takes them out of these. They are
// collected in an array, because a planner that takes the table for empty would run a subquery again
// for each delivery, and skip more than the limit.
func SkipDeliveries(ctx context.Context, db *store.DB, run *Run) (skipped int64, err error) {
	defer store.WrapError(&err, "skip deliveries of webhook endpoint %s", run.EndpointID)
	tag, err := db.Pool.Exec(ctx, `UPDATE webhook_deliveries AS d SET next_attempt_at = NULL, status = CASE WHEN `+succeededBefore+` THEN 'succeeded' ELSE 'skipped' END WHERE d.id = ANY (ARRAY(
    SELECT d.id FROM webhook_deliveries AS d
    WHERE d.endpoint_id = $1 AND d.status = 'pending' AND d.trigger <> 'test' AND d.era < (SELECT era FROM webhook_states WHERE endpoint_id = $1 AND run = $2)
    LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED))`, store.Prepared(db, run.EndpointID, run.Number, store.PruneBatch)...)
	if tag.RowsAffected() > 0 {
		db.NoteChange(run.OrganizationID, store.TopicWebhooks, run.EndpointID)
	}
	return tag.RowsAffected(), err
}

// ReleaseDeliveries releases the endpoint although there is more to do, which is due after a while,
// or as soon as an event wakes the endpoint. It does nothing if another process has the endpoint by
// now.
func ReleaseDeliveries(ctx context.Context, db *store.DB, run *Run, after time.Duration) (err error) {
	defer store.WrapError(&err, "release deliveries of webhook endpoint %s", run.EndpointID)
	_, err = db.Pool.Exec(ctx, `UPDATE webhook_states SET leased_until = NULL, job_at = now() + $3::interval WHERE endpoint_id = $1 AND run = $2`,
		store.Prepared(db, run.EndpointID, run.Number, after)...)
	return err
}

// HoldDeliveries releases the endpoint like ReleaseDeliveries, but events do not wake it, and only
// manually requested deliveries are sent to it for a while.
func HoldDeliveries(ctx context.Context, db *store.DB, run *Run, hold time.Duration) (err error) {
	defer store.WrapError(&err, "hold deliveries of webhook endpoint %s", run.EndpointID)
	_, err = db.Pool.Exec(ctx, `UPDATE webhook_states SET leased_until = NULL, job_at = now() + $3::interval, held_until = greatest(held_until, now() + $3)
WHERE endpoint_id = $1 AND run = $2`, store.Prepared(db, run.EndpointID, run.Number, hold)...)
	return err
}
