package schedule

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store/work"
)

// Work does all that is due until ctx ends, as a process does.
func (s *Scheduler) Work(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { _ = s.Run(ctx) }) // ends with ctx
	return work.New(work.Config{Registerer: prometheus.NewRegistry(), Log: s.Log, Kinds: s.Kinds()}).Run(ctx)
}

// KeepHouse does the short housekeeping that is due.
func (s *Scheduler) KeepHouse(ctx context.Context) error { return workOff(ctx, s.Kinds()[1]) }

// Prune deletes what has been kept long enough, if that is due.
func (s *Scheduler) Prune(ctx context.Context) error { return workOff(ctx, s.Kinds()[2]) }

// workOff does what is due of a kind.
func workOff(ctx context.Context, k work.Kind) error {
	tasks, err := k.Claim(ctx, 100)
	for _, task := range tasks {
		task(ctx, func() {})
	}
	return err
}

// Survey refreshes the gauges that describe all integrations.
func (s *Scheduler) Survey(ctx context.Context) { s.refreshGauges(ctx) }
