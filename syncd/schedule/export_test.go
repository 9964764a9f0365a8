package schedule

import "context"

// KeepHouse does the housekeeping that is due.
func (s *Scheduler) KeepHouse(ctx context.Context) { s.keepHouse(ctx) }
