// Package boot creates from a configuration the parts that a daemon is made of:
// logger, store, fetch client, connectors and private listener. It is the one place
// where they are wired, so that both daemons get the same.
package boot

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/internal/version"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// newLogger returns the process's logger and its level, which may be changed while the
// process runs.
func newLogger(c configs.Log, w io.Writer) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	level.Set(c.Level)
	options := &slog.HandlerOptions{Level: level}
	if c.Format == configs.LogText {
		return slog.New(traced{slog.NewTextHandler(w, options)}), level
	}
	return slog.New(traced{slog.NewJSONHandler(w, options)}), level
}

// newRegistry returns the process's own metrics registry, with the collectors of
// the Go runtime, the process and the build.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(),
	)
	return r
}

// buildInfo is a gauge of 1 whose labels say what was built.
func buildInfo() prometheus.Collector {
	build := version.Read()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_build_info", Help: "What the process was built from; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": build.Version, "revision": build.Revision, "goversion": build.Go},
	}, func() float64 { return 1 })
}

// Keyring reads the keyring file. Its errors are *configs.Error.
func Keyring(path string) (*seal.Keyring, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, configs.Unusable("keyring_file", err)
	}
	keyring, err := seal.ParseKeyring(text)
	if err != nil {
		return nil, configs.Unusable("keyring_file", fmt.Errorf("%s: %w", path, err))
	}
	return keyring, nil
}

// openStore opens the database for the process called name. It does not connect yet, so
// that the process can wait for a database that is down. database.url and
// keyring_file must be set.
func openStore(ctx context.Context, c configs.Config, name string) (*store.DB, error) {
	keyring, err := Keyring(c.KeyringFile)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{
		URL: c.Database.URL, DirectURL: c.Database.DirectURL, Pooler: c.Database.Pooler == configs.PoolerTransaction,
		ReplicaURL: c.Database.ReplicaURL, ReplicaMaxLag: c.Database.ReplicaMaxLag,
		MaxConnections: c.Database.MaxConnections, Keyring: keyring, ApplicationName: name,
	})
}

// newFetcher returns the process's client for platforms. prefix is the process's name,
// with which the names of its metrics begin.
func newFetcher(c configs.Config, db *store.DB, r prometheus.Registerer, log *slog.Logger, tracer trace.Tracer, prefix string) (*fetch.Client, error) {
	roots, err := Roots(c.Egress.CAFile)
	if err != nil {
		return nil, err
	}
	return fetch.New(fetch.Options{
		AllowCIDRs: c.Egress.AllowCIDRs, RootCAs: roots, RequestsPerSecond: c.Sync.RequestsPerSecond,
		Reserver: reserver{db}, Observe: newObserver(r, log, prefix), Tracer: tracer,
	}), nil
}

// Roots returns the system's certificate pool with the certificates of
// egress.ca_file added, or nil, which means the system's alone, if there is no such
// file. Its errors are *configs.Error.
func Roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // nil is the system's pool
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, configs.Unusable("egress.ca_file", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, configs.Unusable("egress.ca_file", fmt.Errorf("%s contains no PEM certificate", file))
	}
	return pool, nil
}

// newConnectors returns every connector that assay has.
func newConnectors(client *fetch.Client) (connectors.Registry, error) {
	return connectors.NewRegistry(customapi.New(client), partnerplatform.New(client))
}
