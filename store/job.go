package store

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// QueueDeliver is the queue of DeliveryJobs.
const QueueDeliver = "deliver"

// MaxJobAttempts bounds how often a job is begun. Processes that die in the
// middle of it are what uses attempts up: schedules are kept in our own rows.
const MaxJobAttempts = 25

// DeliveryJob asks for the due deliveries of a webhook endpoint to be made. An
// endpoint has one in force, whose token is that of its state; others do nothing.
type DeliveryJob struct {
	EndpointID uuid.UUID `json:"endpoint_id"`
	Token      int64     `json:"token"`
}

// Kind implements river.JobArgs.
func (DeliveryJob) Kind() string { return "webhook_deliveries" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DeliveryJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueDeliver, MaxAttempts: MaxJobAttempts}
}

// JobClient is a client of the job queue.
type JobClient = river.Client[pgx.Tx]

// quietDriver keeps the queue from NOTIFY, which takes a lock of the whole
// database at each commit that notifies; workers look for jobs by themselves.
type quietDriver struct{ *riverpgxv5.Driver }

// SupportsListenNotify implements riverdriver.Driver.
func (quietDriver) SupportsListenNotify() bool { return false }

// JobClient returns a client that works the queue's jobs through the pool.
func (db *DB) JobClient(c *river.Config) (*JobClient, error) {
	client, err := river.NewClient(quietDriver{riverpgxv5.New(db.Pool)}, c)
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return client, nil
}

// newJobInserter returns a client that adds jobs in the transactions of others.
func newJobInserter() (*JobClient, error) {
	var noPool *pgxpool.Pool
	return river.NewClient(quietDriver{riverpgxv5.New(noPool)}, &river.Config{Logger: slog.New(slog.DiscardHandler)})
}

// QueueState is how much waits in a queue.
type QueueState struct {
	Queue   string
	Backlog int64         // jobs that are due
	Oldest  time.Duration // since the oldest of them has been due
}

// SurveyQueues looks at the job queues that hold anything that is due.
func (db *DB) SurveyQueues(ctx context.Context) (queues []QueueState, err error) {
	defer WrapError(&err, "survey queues")
	rows, err := db.Pool.Query(ctx, `SELECT queue, count(*), extract(epoch FROM now() - min(scheduled_at))::float8
FROM river_job WHERE state = 'available' AND scheduled_at <= now() GROUP BY queue ORDER BY queue`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (q QueueState, err error) {
		var oldest float64
		err = row.Scan(&q.Queue, &q.Backlog, &oldest)
		q.Oldest = time.Duration(oldest * float64(time.Second))
		return q, err
	})
}
