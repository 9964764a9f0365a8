package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	v1 "github.com/assayhq/assay/apiserver/v1"
	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/configs/boot"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
)

// parts is what the server is made of.
type parts struct {
	db       *store.DB
	handler  http.Handler
	registry *prometheus.Registry
	log      *slog.Logger
	level    *slog.LevelVar
	close    func()
}

// assemble wires the parts. Nothing has been connected yet when it returns.
// stopping is closed when live checks are to end.
func assemble(ctx context.Context, config configs.Config, stopping <-chan struct{}, stderr io.Writer) (p parts, err error) {
	p.registry = boot.Registry()
	p.log, p.level = boot.Logger(config.Log, stderr)
	if p.db, err = boot.Store(ctx, config, "apiserver"); err != nil {
		return p, err
	}
	p.close = p.db.Close
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	// The name of the process alone begins the names of its own requests' metrics.
	client, err := boot.Fetcher(config, p.db, p.registry, "apiserver_platform")
	if err != nil {
		return p, err
	}
	p.close = func() {
		client.Close()
		p.db.Close()
	}
	boot.PoolMetrics(p.registry, p.db)
	p.handler, err = routes(config, p, client, stopping)
	return p, err
}

// routes wires the API.
func routes(config configs.Config, p parts, client *fetch.Client, stopping <-chan struct{}) (http.Handler, error) {
	known, err := boot.Connectors(client)
	if err != nil {
		return nil, err
	}
	authenticator, err := auth.New(p.db, time.Now, p.registry)
	if err != nil {
		return nil, err
	}
	stack, err := middleware.New(middleware.Config{
		Logger: p.log, Registry: p.registry, Problems: problem.NewWriter(config.PublicURL), Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	api, err := v1.New(v1.Config{
		Store: p.db, Connectors: known, Guard: client.Guard(), Auth: authenticator, Stack: stack, Registry: p.registry,
		Egress:    v1.Egress{Region: config.Egress.Region, CIDRs: config.Egress.CIDRs, Note: config.Egress.Note},
		PublicURL: config.PublicURL, Now: time.Now, Stopping: stopping,
	})
	if err != nil {
		return nil, err
	}
	return api.Handler(), nil
}
