package boot

import (
	"context"
	"io"
	"log"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
)

// Process holds the parts of every daemon. Close must be called.
type Process struct {
	Config     configs.Config
	Log        *slog.Logger
	Registry   *prometheus.Registry
	Store      *store.DB
	Client     *fetch.Client
	Connectors connectors.Registry
	Tracer     trace.Tracer

	untrace func()
	level   *slog.LevelVar
	file    string
}

// Names of a process: its name in the database, and the prefix of the metrics of
// its requests to platforms.
type Names struct{ Process, RequestMetrics string }

// Assemble creates a process from its configuration, which it reads from file. It
// connects to nothing yet.
func Assemble(ctx context.Context, config configs.Config, file string, names Names, logs io.Writer) (*Process, error) {
	// net/http writes unexpected answers of a platform to the standard logger, and
	// this cannot be turned off.
	log.SetOutput(io.Discard)
	p := &Process{Config: config, Registry: newRegistry(), file: file}
	p.Log, p.level = newLogger(config.Log, logs)
	warnOfReaders(ctx, p.Log, config)
	var err error
	if p.Tracer, p.untrace, err = newTracer(ctx, config, names.Process, p.Log); err != nil {
		return nil, err
	}
	if p.Store, err = openStore(ctx, config, names.Process); err != nil {
		p.untrace()
		return nil, err
	}
	if p.Client, err = newFetcher(config, p.Store, p.Registry, p.Log, p.Tracer, names.RequestMetrics); err != nil {
		p.Store.Close()
		p.untrace()
		return nil, err
	}
	if p.Connectors, err = newConnectors(p.Client); err != nil {
		p.Close()
		return nil, err
	}
	addStoreMetrics(p.Registry, p.Store)
	return p, nil
}

// warnOfReaders warns of files with secrets that everybody on the machine can read.
// They are used all the same, because a container has no other users.
func warnOfReaders(ctx context.Context, log *slog.Logger, config configs.Config) {
	files := map[string]string{"keyring_file": config.KeyringFile, "tls.key_file": config.TLS.KeyFile}
	maps.Copy(files, config.SecretFiles)
	for key, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o004 != 0 {
			log.WarnContext(ctx, "everybody on this machine can read a file with secrets: remove that permission", "key", key, "file", path, "mode", info.Mode().Perm().String())
		}
	}
}

// Close closes what Assemble opened.
func (p *Process) Close() {
	p.Client.Close()
	p.Store.Close()
	p.untrace()
}

// Reload reads the log level and the keyring again at each SIGHUP, until ctx ends.
// If they can't be read, nothing changes.
func (p *Process) Reload(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
				p.reloadOnce(ctx)
			}
		}
	}()
}

func (p *Process) reloadOnce(ctx context.Context) {
	config, err := configs.Load(p.file, os.Environ())
	if err == nil {
		err = config.Require("keyring_file")
	}
	if err == nil {
		p.level.Set(config.Log.Level)
		err = reloadKeyring(p.Store, config.KeyringFile)
	}
	if err != nil {
		p.Log.ErrorContext(ctx, "configuration not reloaded, the previous one stays in effect", "error", err)
		return
	}
	p.Log.InfoContext(ctx, "configuration reloaded", "log_level", config.Log.Level)
	if needsRestart(p.Config, config) {
		p.Log.WarnContext(ctx, "settings other than log.level and keyring_file have changed, restart to apply them")
	}
}

// needsRestart reports whether the configurations differ in settings that are only
// read at the start.
func needsRestart(old, read configs.Config) bool {
	read.Log.Level, read.KeyringFile = old.Log.Level, old.KeyringFile
	return !reflect.DeepEqual(old, read)
}

func reloadKeyring(db *store.DB, path string) error {
	keyring, err := Keyring(path)
	if err != nil {
		return err
	}
	db.SetKeyring(keyring)
	return nil
}
