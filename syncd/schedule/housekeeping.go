package schedule

import (
	"context"
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
)

// addHousekeeping adds the jobs that run alongside syncing. A job is claimed when its loop comes
// to it and its period is over, so that it runs up to one tick later. What may take long is in a
// loop of its own.
func (s *Scheduler) addHousekeeping(add func(time.Duration, func(context.Context))) {
	add(time.Minute, s.refreshGauges)
	add(30*time.Second, s.keepHouse)
	add(time.Minute, s.pruneRows)
	add(interviewTick, s.tendInterviews)
	add(silentTick, s.endSilent)
}

// Processes that were frozen in the middle of a page are searched for every
// silentTick. No statement takes silentLimit, because the server ends it before
// that.
const (
	silentTick  = 10 * time.Second
	silentLimit = 45 * time.Second
)

// endSilent ends the sessions of processes that were frozen in the middle of a
// page.
func (s *Scheduler) endSilent(ctx context.Context) {
	s.runIfDue(ctx, "end_silent", silentTick, func(ctx context.Context) error {
		n, err := s.Store.EndSilent(ctx, silentLimit)
		if n > 0 {
			s.Log.WarnContext(ctx, "ended database sessions whose process stopped in the middle of a statement", "sessions", n)
		}
		return err
	})
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

// keepHouse runs the short jobs that only one process may run at a time, each when the store says
// that it is due.
func (s *Scheduler) keepHouse(ctx context.Context) {
	s.runIfDue(ctx, "open_audits", auditTick, func(ctx context.Context) error {
		n, err := audits.OpenNightly(ctx, s.Store, s.Audit)
		if n > 0 {
			s.Log.InfoContext(ctx, "nightly audits started", "audits", n)
		}
		return err
	})
	s.runIfDue(ctx, "move_arrivals", 30*time.Second, func(ctx context.Context) error {
		_, err := directory.MoveArrivals(ctx, s.Store)
		return err
	})
	s.runIfDue(ctx, "tell_expiring_keys", time.Minute, func(ctx context.Context) error {
		_, err := access.EmitExpiringKeys(ctx, s.Store)
		return err
	})
}

// pruneRows deletes what has been kept long enough. It may take minutes.
func (s *Scheduler) pruneRows(ctx context.Context) {
	kept := time.Duration(s.HistoryDays) * 24 * time.Hour
	prune := func(what string, period time.Duration, remove func(context.Context, *store.DB) (int64, error)) {
		s.runIfDue(ctx, "prune_"+what, period, func(ctx context.Context) error {
			rows, err := remove(ctx, s.Store)
			if rows > 0 {
				s.Log.InfoContext(ctx, "old rows pruned", "of", what, "rows", rows)
			}
			return err
		})
	}
	prune("history", time.Hour, func(ctx context.Context, db *store.DB) (int64, error) { return history.Prune(ctx, db, kept) })
	prune("attempts", time.Hour, idempotency.Prune)
	prune("sessions", 20*time.Minute, access.PruneSessions)
	prune("webhooks", time.Hour, webhooks.Prune)
	s.runIfDue(ctx, "forget_rate_windows", time.Hour, func(ctx context.Context) error {
		_, err := access.ForgetIdleWindows(ctx, s.Store)
		return err
	})
	s.tendDue(ctx, "purge_uploads", interviewPurge, privacy.PurgeUploads)
	s.tendDue(ctx, "purge_media", interviewPurge, privacy.PurgeMedia)
	s.tendDue(ctx, "purge_records", interviewPurge, privacy.PurgeRecords)
}

// auditTick is how often the process searches for integrations whose nightly audit
// is due.
const auditTick = 5 * time.Minute

// How often the process searches for interviews with due work.
const (
	interviewTick  = 10 * time.Second
	interviewPurge = time.Hour
)

// tendInterviews does what is due on interviews: it expires invites and ends the time to answer.
// Each is done only once, even if several processes search. That only one process searches at a
// time just saves work.
func (s *Scheduler) tendInterviews(ctx context.Context) {
	s.tendDue(ctx, "expire", interviewTick, invite.Expire)
	s.tendDue(ctx, "close", interviewTick, answering.CloseOverdue)
}

// tendDue runs a housekeeping job that changes interviews if it is due.
func (s *Scheduler) tendDue(ctx context.Context, what string, period time.Duration, tend func(context.Context, *store.DB) (int, error)) {
	s.runIfDue(ctx, "interviews_"+what, period, func(ctx context.Context) error {
		n, err := tend(ctx, s.Store)
		if n > 0 {
			s.Log.InfoContext(ctx, "interviews maintained", "what", what, "interviews", n)
		}
		return err
	})
}

// runIfDue runs a housekeeping job if it is due and no other process has it.
func (s *Scheduler) runIfDue(ctx context.Context, job string, period time.Duration, run func(context.Context) error) {
	mine, err := s.Store.ClaimHousekeeping(ctx, job, s.Owner, period)
	if err == nil && mine {
		err = run(ctx)
	}
	if err != nil && ctx.Err() == nil && !store.Transient(err) {
		s.Log.ErrorContext(ctx, "housekeeping failed", "job", job, "error", err)
	}
}
