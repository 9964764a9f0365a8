package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/configs/boot"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/schedule"
)

// stuckAfter is how long the claiming loop may stand still before the process
// no longer counts as alive.
const stuckAfter = time.Minute

// parts is what both commands are made of.
type parts struct {
	db       *store.DB
	engine   *engine.Engine
	registry *prometheus.Registry
	log      *slog.Logger
	level    *slog.LevelVar
	owner    string
	close    func()
}

// assemble wires the parts. Nothing has been connected yet when it returns.
func assemble(ctx context.Context, config configs.Config, stderr io.Writer) (parts, error) {
	p := parts{registry: boot.Registry()}
	p.log, p.level = boot.Logger(config.Log, stderr)
	p.owner = processName()
	db, err := boot.Store(ctx, config, "syncd")
	if err != nil {
		return p, err
	}
	p.db, p.close = db, db.Close
	client, err := boot.Fetcher(config, db, p.registry, "syncd")
	if err != nil {
		db.Close()
		return p, err
	}
	p.close = func() {
		client.Close()
		db.Close()
	}
	known, err := boot.Connectors(client)
	if err != nil {
		p.close()
		return p, err
	}
	boot.PoolMetrics(p.registry, db)
	p.engine = engine.New(engine.Config{Store: db, Connectors: known, Registerer: p.registry, Log: p.log})
	return p, nil
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
func serve(ctx context.Context, config configs.Config, file string, stderr io.Writer) error {
	p, err := assemble(ctx, config, stderr)
	if err != nil {
		return err
	}
	defer p.close()
	scheduler := schedule.New(schedule.Config{
		Store: p.db, Turner: p.engine, Registerer: p.registry, Log: p.log, Owner: p.owner,
		Slots: config.Workers.Sync, HistoryDays: config.Sync.HistoryDays,
	})
	ready := boot.NewReadiness(p.db)
	// The private listener comes first and goes last: it tells what the rest does.
	debugCtx, stopDebug := context.WithCancel(context.WithoutCancel(ctx))
	work, stop := context.WithCancel(ctx)
	defer stop()
	var (
		group    sync.WaitGroup
		debugErr error
	)
	group.Go(func() {
		debugErr = boot.ServeDebug(debugCtx, config.Debug.Syncd, boot.DebugHandler(boot.DebugOptions{
			Gatherer: p.registry, Alive: alive(scheduler), Ready: ready.Check, PProf: config.Debug.PProf,
		}), p.log)
		stop()
	})
	defer func() {
		stopDebug()
		group.Wait()
	}()
	if err := boot.WaitForSchema(work, p.db, p.log); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return errors.Join(debugErr, err)
	}
	reload(work, file, p)
	p.log.InfoContext(ctx, "syncd started", "owner", p.owner, "slots", config.Workers.Sync)
	if config.Workers.Sync > 0 {
		err = scheduler.Run(work)
	} else {
		<-work.Done()
	}
	ready.Stop()
	p.log.InfoContext(context.WithoutCancel(ctx), "syncd stopped")
	if ctx.Err() == nil {
		stopDebug()
		group.Wait()
		return errors.Join(debugErr, err)
	}
	return err
}

// alive says whether the claiming loop still comes round.
func alive(s *schedule.Scheduler) func() error {
	started := time.Now()
	return func() error {
		last := s.Progressed()
		if last.Before(started) {
			last = started
		}
		if still := time.Since(last); still > stuckAfter {
			return fmt.Errorf("the claiming loop has stood still for %s", still.Round(time.Second))
		}
		return nil
	}
}

// reload reads the log level again on SIGHUP, until ctx ends.
func reload(ctx context.Context, file string, p parts) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
			}
			config, err := configs.Load(file, os.Environ())
			if err != nil {
				p.log.ErrorContext(ctx, "configuration not read again, the old one stays", "error", err)
				continue
			}
			p.level.Set(config.Log.Level)
			p.log.InfoContext(ctx, "configuration read again", "log_level", config.Log.Level)
		}
	}()
}
