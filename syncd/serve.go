package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/internal/boot"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/deliver"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/interviews/step"
	"github.com/assayhq/assay/syncd/removal"
	"github.com/assayhq/assay/syncd/schedule"
)

// leases sets how long a silent process keeps what it works on. Zero means each
// part's own default. Tests that wait for leases to run out choose shorter ones.
type leases struct{ cycle, step time.Duration }

// parts holds what both commands need.
type parts struct {
	*boot.Process
	engine *engine.Engine
	owner  string
}

// assembleParts creates the parts. It connects to nothing yet. yielded is called
// when a slice has made room for others.
func assembleParts(ctx context.Context, config configs.Config, file string, l leases, yielded func(), stderr io.Writer) (parts, error) {
	if err := config.Require("database.url", "keyring_file"); err != nil {
		return parts{}, err
	}
	process, err := boot.Assemble(ctx, config, file, boot.Names{Process: "syncd", RequestMetrics: "assay_syncd"}, stderr)
	if err != nil {
		return parts{}, err
	}
	return parts{
		Process: process, owner: processName(),
		engine: engine.New(engine.Config{
			Store: process.Store, Connectors: process.Connectors, Registerer: process.Registry, Log: process.Log, Tracer: process.Tracer,
			Yielded: yielded, Lease: l.cycle,
		}),
	}, nil
}

// processName identifies the process in leases.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])
}

// serve polls until ctx ends.
func serve(ctx context.Context, config configs.Config, file string, l leases, stderr io.Writer) error {
	var scheduler *schedule.Scheduler
	p, err := assembleParts(ctx, config, file, l, func() { scheduler.PollNow() }, stderr)
	if err != nil {
		return err
	}
	defer p.Close()
	scheduler = schedule.New(schedule.Config{
		Store: p.Store, Runner: p.engine, Registerer: p.Registry, Log: p.Log, Owner: p.owner,
		Slots: config.Workers.Sync, Lease: l.cycle, HistoryDays: config.Sync.HistoryDays, Audit: config.Sync.Audit,
	})
	blobs, err := boot.Blobs(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = blobs.Close() }() // all writers have ended
	pool, release, err := newPool(ctx, p, config, l, scheduler, blobs)
	if err != nil {
		return err
	}
	defer release()
	ready := boot.NewReadiness(p.Store)
	running, stop := context.WithCancel(ctx)
	defer stop()
	// The private listener starts first and stops last, because it shows what the
	// rest of the process does. Without it the rest stops.
	debugCtx, stopDebug := context.WithCancel(context.WithoutCancel(ctx))
	var (
		group    sync.WaitGroup
		debugErr error
	)
	group.Go(func() {
		defer stop()
		debugErr = boot.ServeDebug(debugCtx, "debug.syncd", config.Debug.Syncd, boot.DebugHandler(boot.DebugOptions{
			Gatherer: p.Registry, Alive: pool.Stuck, Ready: func(ctx context.Context) error { return errors.Join(ready.Check(ctx), pool.Failing()) },
			Remarks: []func(context.Context) string{boot.ServerLogRemark(p.Store)}, PProf: config.Debug.PProf,
		}), p.Log)
	})
	group.Go(func() { boot.CheckBlobs(running, blobs, p.Log) })
	p.Reload(running)
	err = workUntil(running, stop, p, pool, scheduler)
	ready.Stop()
	stopDebug()
	group.Wait()
	return errors.Join(err, debugErr)
}

// workUntil does what falls due, once the database has the required schema, until ctx
// ends or something fails.
func workUntil(ctx context.Context, stop func(), p parts, pool *work.Pool, scheduler *schedule.Scheduler) error {
	if err := boot.WaitForSchema(ctx, p.Store, p.Log); err != nil {
		if ctx.Err() != nil {
			return nil // stopped while it waited
		}
		return err
	}
	p.Log.InfoContext(ctx, "syncd started", "owner", p.owner, "slots", p.Config.Workers.Sync)
	defer p.Log.InfoContext(context.WithoutCancel(ctx), "syncd stopped")
	return runAll(ctx, stop, pool.Run, scheduler.Run)
}

// newPool returns what runs all work that is due. Call release after it has ended.
func newPool(ctx context.Context, p parts, config configs.Config, l leases, s *schedule.Scheduler, blobs *blob.Bucket) (pool *work.Pool, release func(), err error) {
	steps := step.New(step.Config{Store: p.Store, Registerer: p.Registry, Log: p.Log, Lease: l.step})
	recordings, releaseRecordings, err := newPipeline(ctx, p, config, blobs, steps)
	if err != nil {
		return nil, nil, err
	}
	reports, releaseReports, err := newReports(p, config, steps)
	if err != nil {
		releaseRecordings()
		return nil, nil, err
	}
	deliverer := deliver.New(deliver.Config{
		Store: p.Store, Client: p.Client, Registerer: p.Registry, Log: p.Log, Slots: config.Workers.Deliver,
		PublicURL: config.PublicURL, Tracer: p.Tracer,
	})
	remover := removal.New(removal.Config{Store: p.Store, Blobs: blobs, Registerer: p.Registry, Log: p.Log})
	release = func() {
		deliverer.Close()
		releaseRecordings()
		releaseReports()
	}
	return work.New(work.Config{
		Registerer: p.Registry, Log: p.Log,
		Kinds: slices.Concat(s.Kinds(), recordings.Kinds(), reports.Kinds(), []work.Kind{deliverer.Kind(), remover.Kind()}),
	}), release, nil
}

// runAll runs the loops until ctx ends or one of them fails, and then stops the
// others.
func runAll(ctx context.Context, stop func(), list ...func(context.Context) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(list))
	for i, loop := range list {
		group.Go(func() {
			if errs[i] = loop(ctx); errs[i] != nil {
				stop()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
