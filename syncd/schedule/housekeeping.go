package schedule

import (
	"context"
	"log/slog"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/idempotency"
	"github.com/assayhq/assay/store/interviews/answering"
	"github.com/assayhq/assay/store/interviews/invite"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/store/work"
)

// jobPause is how often due jobs are searched for.
const jobPause = 5 * time.Second

// How often jobs are done.
const (
	auditPeriod     = 5 * time.Minute // search for integrations whose nightly audit is due
	arrivalPeriod   = 30 * time.Second
	expiringPeriod  = time.Minute
	interviewPeriod = 10 * time.Second // search for interviews whose time is over
	sessionPeriod   = 20 * time.Minute
	prunePeriod     = time.Hour
	surveyPeriod    = time.Minute
)

// Processes that were frozen in the middle of a page are searched for every
// silentPeriod. No statement takes silentLimit, because the server ends it before
// that.
const (
	silentPeriod = 10 * time.Second
	silentLimit  = 45 * time.Second
)

// shortJobs returns the jobs that take no time.
func (s *Scheduler) shortJobs() []work.Job {
	return []work.Job{
		newJob(s, "open_audits", auditPeriod, slog.LevelInfo, func(ctx context.Context, db *store.DB) (int64, error) { return audits.OpenNightly(ctx, db, s.Audit) }),
		newJob(s, "move_arrivals", arrivalPeriod, slog.LevelDebug, directory.MoveArrivals),
		newJob(s, "tell_expiring_keys", expiringPeriod, slog.LevelInfo, access.EmitExpiringKeys),
		newJob(s, "interviews_expire", interviewPeriod, slog.LevelInfo, invite.Expire),
		newJob(s, "interviews_close", interviewPeriod, slog.LevelInfo, answering.CloseOverdue),
		newJob(s, "end_silent", silentPeriod, slog.LevelWarn, func(ctx context.Context, db *store.DB) (int, error) { return db.EndSilent(ctx, silentLimit) }),
	}
}

// longJobs returns the jobs that delete what has been kept long enough, which may take minutes.
func (s *Scheduler) longJobs() []work.Job {
	kept := time.Duration(s.HistoryDays) * 24 * time.Hour
	return []work.Job{
		newJob(s, "prune_history", prunePeriod, slog.LevelInfo, func(ctx context.Context, db *store.DB) (int64, error) { return history.Prune(ctx, db, kept) }),
		newJob(s, "prune_attempts", prunePeriod, slog.LevelInfo, idempotency.Prune),
		newJob(s, "prune_sessions", sessionPeriod, slog.LevelInfo, access.PruneSessions),
		newJob(s, "prune_webhooks", prunePeriod, slog.LevelInfo, webhooks.Prune),
		newJob(s, "forget_rate_windows", prunePeriod, slog.LevelDebug, access.ForgetIdleWindows),
		newJob(s, "interviews_purge_uploads", prunePeriod, slog.LevelInfo, privacy.PurgeUploads),
		newJob(s, "interviews_purge_media", prunePeriod, slog.LevelInfo, privacy.PurgeMedia),
		newJob(s, "interviews_purge_records", prunePeriod, slog.LevelInfo, privacy.PurgeRecords),
	}
}

// newJob returns a job that logs how much it has done, with the level.
func newJob[N int | int64](s *Scheduler, name string, period time.Duration, level slog.Level, run func(context.Context, *store.DB) (N, error)) work.Job {
	return work.Job{Name: name, Period: period, Run: func(ctx context.Context) error {
		n, err := run(ctx, s.Store)
		if n > 0 {
			s.Log.Log(ctx, level, "housekeeping done", "job", name, "count", n)
		}
		return err
	}}
}

// Run refreshes the gauges that describe all integrations until ctx ends.
func (s *Scheduler) Run(ctx context.Context) error {
	tick := time.NewTicker(surveyPeriod)
	defer tick.Stop()
	for {
		s.refreshGauges(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// refreshGauges refreshes the gauges that describe all integrations. Every
// process reports the same figures, and dashboards take the maximum.
func (s *Scheduler) refreshGauges(ctx context.Context) {
	list, err := integrations.ReadSurveys(ctx, s.Store)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "survey failed, will be retried", "error", err)
		}
		return
	}
	s.metrics.integrations.Reset()
	s.metrics.age.Reset()
	s.metrics.polled.Reset()
	s.metrics.stale.Reset()
	for _, g := range list {
		s.metrics.integrations.WithLabelValues(string(g.Kind), string(g.Health)).Set(float64(g.Count))
	}
	for _, a := range list.Ages() {
		s.metrics.age.WithLabelValues(string(a.Kind), "0.5").Set(a.Median.Seconds())
		s.metrics.age.WithLabelValues(string(a.Kind), "0.99").Set(a.P99.Seconds())
		s.metrics.polled.WithLabelValues(string(a.Kind)).Set(float64(a.Polled))
		s.metrics.stale.WithLabelValues(string(a.Kind)).Set(float64(a.Stale))
	}
	completeness, err := integrations.ReadCompleteness(ctx, s.Store)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "survey of completeness failed, will be retried", "error", err)
		}
		return
	}
	s.metrics.completeness.Reset()
	for _, c := range completeness {
		s.metrics.completeness.WithLabelValues(string(c.Kind), string(c.Resource), "lowest").Set(c.Lowest)
		s.metrics.completeness.WithLabelValues(string(c.Kind), string(c.Resource), "mean").Set(c.Mean)
	}
}
