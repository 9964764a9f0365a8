package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/assayhq/assay/apiserver/framing"
	"github.com/assayhq/assay/internal/boot"
)

// Limits of the public listener, which prevent slow or silent clients from holding connections.
// Each route has its own limit for the time of its response.
const (
	headerLimit     = 32 << 10
	headerTimeout   = 5 * time.Second
	readTimeout     = 30 * time.Second
	idleTimeout     = 120 * time.Second
	shutdownTimeout = 24 * time.Second // of the 25 s that the whole shutdown may take
)

// gcPercent makes the garbage collector run somewhat more often than by default. With 2,000 open
// streams and 500 requests a second, this saves 20 of 256 MiB.
const gcPercent = 75

// serveAPI serves the API until ctx ends.
func serveAPI(ctx context.Context, o options, _, stderr io.Writer) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	config, err := loadConfig(o, "database.url", "keyring_file", "public_url")
	if err != nil {
		return err
	}
	certificate, err := openCertificate(config.TLS)
	if err != nil {
		return err
	}
	work, stop := context.WithCancel(ctx)
	defer stop()
	// The metrics of assay's own requests begin with the name of the process.
	p, err := boot.Assemble(work, config, o.config, boot.Names{Process: "apiserver", RequestMetrics: "assay_apiserver_platform"}, stderr)
	if err != nil {
		return err
	}
	defer p.Close()
	blobs, err := boot.Blobs(work, config)
	if err != nil {
		return err
	}
	defer blobs.Close()
	handler, run, err := wireRoutes(p, blobs, work.Done())
	if err != nil {
		return err
	}
	ready := boot.NewReadiness(p.Store)
	ready.Hold() // until the public listener accepts requests
	// The private listener starts first and stops last, because it reports on the rest. Without
	// it the rest stops.
	debugCtx, stopDebug := context.WithCancel(context.WithoutCancel(ctx))
	var (
		group    sync.WaitGroup
		debugErr error
	)
	group.Go(func() {
		defer stop()
		debugErr = boot.ServeDebug(debugCtx, "debug.apiserver", config.Debug.APIServer, boot.DebugHandler(boot.DebugOptions{
			Gatherer: p.Registry, Ready: ready.Check, Remarks: []func(context.Context) string{replicaRemark(p.Store), boot.ServerLogRemark(p.Store)}, PProf: config.Debug.PProf,
		}), p.Log)
	})
	// Keys are held until the last request has been answered.
	runCtx, stopRun := context.WithCancel(context.WithoutCancel(ctx))
	group.Go(func() { run(runCtx) })
	group.Go(func() { boot.CheckBlobs(work, blobs, p.Log) })
	group.Go(func() { certificate.followFiles(work, p.Log) })
	p.Reload(work)
	err = servePublic(work, config.Listen, certificate.serverTLS(), handler, p, ready)
	stopRun()
	stopDebug()
	stop()
	group.Wait()
	return errors.Join(err, debugErr)
}

// servePublic serves the API once the database has the required schema, until ctx ends.
func servePublic(ctx context.Context, address string, transport *tls.Config, handler http.Handler, p *boot.Process, ready *boot.Readiness) error {
	if err := boot.WaitForSchema(ctx, p.Store, p.Log); err != nil {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // stopped while it waited
		}
		return err
	}
	listener, err := boot.Listen(ctx, "listen", address)
	if err != nil {
		return fmt.Errorf("public listener: %w", err)
	}
	listener = framing.Listen(listener, transport)
	server := &http.Server{
		Handler:           framing.LastWhenChunked(handler),
		MaxHeaderBytes:    headerLimit,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		// OPTIONS * is an unknown path like any other.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(p.Log.Handler(), slog.LevelWarn),
	}
	ready.Start() // the listener accepts connections from here on
	p.Log.InfoContext(ctx, "apiserver started", "address", listener.Addr().String(), "tls", transport != nil)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("public listener: %w", err)
	case <-ctx.Done():
	}
	ready.Stop()
	shutDown(context.WithoutCancel(ctx), server, p.Log)
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("public listener: %w", err)
	}
	return nil
}

// shutDown waits for running requests, and cuts off those that take too long.
func shutDown(ctx context.Context, server *http.Server, log *slog.Logger) {
	log.InfoContext(ctx, "apiserver stopping")
	limited, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		log.WarnContext(ctx, "requests were interrupted", "error", err)
		_ = server.Close() // the listener is closed already
	}
	log.InfoContext(ctx, "apiserver stopped")
}
