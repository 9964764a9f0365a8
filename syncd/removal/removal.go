// Package removal removes blobs that no longer belong to anything: the recordings of
// interviews that were deleted or have expired.
//
// The database notes which blobs must be removed in the same transaction that
// deletes their rows, so that none is forgotten. A Remover repeats a removal until
// the store of blobs confirms it, however long that takes.
package removal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/work"
)

const (
	removeEvery  = 5 * time.Second
	slots        = 4 // removals at a time, because a store of blobs takes its time to answer
	lease        = time.Minute
	releaseLimit = 5 * time.Second
)

// Config is what a Remover needs. All fields but Every are required.
type Config struct {
	Store      *store.DB
	Blobs      *blob.Bucket
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Every      time.Duration // between two polls; default 5 s
}

// Remover removes blobs.
type Remover struct {
	Config
	removed prometheus.Counter
	waiting prometheus.Gauge
	oldest  prometheus.Gauge
}

// New returns a remover. It registers its metrics.
func New(c Config) *Remover {
	if c.Every == 0 {
		c.Every = removeEvery
	}
	metric := promauto.With(c.Registerer)
	return &Remover{
		Config:  c,
		removed: metric.NewCounter(prometheus.CounterOpts{Name: "assay_blob_removals_total", Help: "Removals of blobs that were confirmed."}),
		waiting: metric.NewGauge(prometheus.GaugeOpts{Name: "assay_blob_removals_waiting", Help: "Removals of blobs that are not confirmed yet."}),
		oldest:  metric.NewGauge(prometheus.GaugeOpts{Name: "assay_blob_removal_oldest_age_seconds", Help: "Age of the oldest unconfirmed removal of blobs."}),
	}
}

// Kind returns the remover as a kind of work for the process.
func (rm *Remover) Kind() work.Kind {
	return work.Kind{Name: "removals", Slots: slots, Pause: rm.Every, Claim: rm.claimDue, Survey: rm.surveyBacklog}
}

// claimDue claims due removals.
func (rm *Remover) claimDue(ctx context.Context, limit int) (tasks []work.Task, err error) {
	list, err := removals.ClaimDue(ctx, rm.Store, limit, lease)
	for _, r := range list {
		tasks = append(tasks, func(ctx context.Context, _ func()) {
			held, release := work.Hold(ctx, lease, func(ctx context.Context) error { return removals.Extend(ctx, rm.Store, r, lease) })
			defer release()
			rm.removeBlobs(held, r)
		})
	}
	return tasks, err
}

// removeBlobs removes the blobs of one removal.
func (rm *Remover) removeBlobs(ctx context.Context, r removals.Removal) {
	var err error
	if !r.BlobsGone {
		err = rm.Blobs.DeletePrefix(ctx, r.Prefix)
	}
	if err == nil {
		err = removals.Finish(ctx, rm.Store, r)
	}
	log := rm.Log.With("organization_id", r.OrganizationID, "prefix", r.Prefix, "attempt", r.Attempts)
	switch {
	case err == nil:
		rm.removed.Inc()
		log.InfoContext(ctx, "blobs removed")
	case errors.Is(err, removals.ErrStillUsed): // due again by itself
	case ctx.Err() != nil:
		rm.release(ctx, r)
	default:
		log.WarnContext(ctx, "blobs not removed, will be retried", "error", err)
		if err := removals.Postpone(ctx, rm.Store, r, err); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "removal of blobs not postponed", "error", err)
		}
	}
}

// release makes a removal due at once for other processes, because this one stops.
func (rm *Remover) release(ctx context.Context, r removals.Removal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	if err := removals.Extend(ctx, rm.Store, r, 0); err != nil && !errors.Is(err, store.ErrFenced) {
		rm.Log.WarnContext(ctx, "removal of blobs not released, its lease will expire", "error", err)
	}
}

// surveyBacklog counts due removals and refreshes the gauges of those that wait.
func (rm *Remover) surveyBacklog(ctx context.Context) (due int64, oldest time.Duration, err error) {
	count, oldest, err := removals.Count(ctx, rm.Store)
	if err != nil {
		return 0, 0, err
	}
	rm.waiting.Set(float64(count))
	rm.oldest.Set(oldest.Seconds())
	return removals.CountDue(ctx, rm.Store)
}
