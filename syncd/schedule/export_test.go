package schedule

import "context"

// KeepHouse does the short housekeeping that is due.
func (s *Scheduler) KeepHouse(ctx context.Context) { s.keepHouse(ctx) }

// Prune deletes what has been kept long enough, if that is due.
func (s *Scheduler) Prune(ctx context.Context) { s.pruneRows(ctx) }

// TendInterviews does the work on interviews that is due.
func (s *Scheduler) TendInterviews(ctx context.Context) { s.tendInterviews(ctx) }

// Survey refreshes the gauges that describe all integrations.
func (s *Scheduler) Survey(ctx context.Context) { s.refreshGauges(ctx) }
