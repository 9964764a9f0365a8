package store

import (
	"fmt"
	"log/slog"

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
