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
)

const (
	removeEvery = 5 * time.Second
	surveyEvery = 15 * time.Second
	batch       = 20 // removals that are claimed at a time
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

// Run removes blobs until ctx ends.
func (rm *Remover) Run(ctx context.Context) error {
	due, survey := time.NewTicker(rm.Every), time.NewTicker(surveyEvery)
	defer due.Stop()
	defer survey.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
			rm.removeDue(ctx)
		case <-survey.C:
			rm.refreshGauges(ctx)
		}
	}
}

// removeDue removes what is due.
func (rm *Remover) removeDue(ctx context.Context) {
	for ctx.Err() == nil {
		list, err := removals.ClaimDue(ctx, rm.Store, batch)
		if err != nil {
			if ctx.Err() == nil {
				rm.Log.WarnContext(ctx, "removals of blobs not claimed, will be retried", "error", err)
			}
			return
		}
		for _, r := range list {
			rm.removeBlobs(ctx, r)
		}
		if len(list) < batch {
			return
		}
	}
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
	case ctx.Err() != nil, errors.Is(err, removals.ErrStillUsed): // due again by itself
	default:
		log.WarnContext(ctx, "blobs not removed, will be retried", "error", err)
		if err := removals.Postpone(ctx, rm.Store, r, err); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "removal of blobs not postponed", "error", err)
		}
	}
}

// refreshGauges refreshes the gauges. Every process reports the same figures.
func (rm *Remover) refreshGauges(ctx context.Context) {
	count, oldest, err := removals.Count(ctx, rm.Store)
	if err != nil {
		if ctx.Err() == nil {
			rm.Log.WarnContext(ctx, "removals of blobs not counted, will be retried", "error", err)
		}
		return
	}
	rm.waiting.Set(float64(count))
	rm.oldest.Set(oldest.Seconds())
}
