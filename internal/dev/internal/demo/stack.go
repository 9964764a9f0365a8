// Package demo brings up everything that `make run` promises: a database, the
// two daemons, one platform of each kind with generated traders to read from, a
// receiver of webhooks, and a first organization whose data has arrived, with
// interviews in all states.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/dev/internal/postgres"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// What the demo consists of.
const (
	organization = "Demo"
	ownerEmail   = "owner@demo.test"
	speed        = "10" // platforms live ten times as fast as the clock
)

const (
	// readyLimit bounds the start of one process.
	readyLimit = time.Minute
	// daemonGrace is beyond the 25 s in which a daemon stops by itself.
	daemonGrace = 30 * time.Second
)

// Stack is what is started. All fields are required except DatabaseURL, Recordings, Port, Faults,
// PartnerFaults, SyncLimit, Prebuilt and BuildNews.
type Stack struct {
	Root        string // of the checkout; binaries go to its bin/
	Dir         string // what is kept from run to run
	Supervisor  *proc.Supervisor
	Say         func(format string, args ...any)
	DatabaseURL string   // a database to use; empty starts a private cluster
	Environ     []string // of the launcher
	// Recordings reports whether the programs that make and process recordings are
	// there. Without them, the sample interviews are answered in writing.
	Recordings bool
	// Port is where apiserver must listen; zero is the port of the last start, or
	// the usual one, or a free one.
	Port int
	// Faults of the reference platform, and of the partner platform, in the form
	// that contracttest serve expects. With any of them, Start does not wait for a
	// first sync of that platform that ended without success.
	Faults, PartnerFaults []string
	// SyncLimit bounds the wait for a first sync that makes no progress; zero
	// is three minutes.
	SyncLimit time.Duration

	// Prebuilt takes the binaries in bin/ as they are.
	Prebuilt bool
	// BuildNews is how often a build that takes long says how far it is; zero is
	// every ten seconds.
	BuildNews time.Duration

	ports ports
	http  *http.Client
}

// Start starts everything and returns the text that explains how to use it.
func (s *Stack) Start(ctx context.Context) (string, error) {
	s.http = &http.Client{Timeout: 2 * time.Minute}
	if err := s.buildPrograms(ctx); err != nil {
		return "", err
	}
	platforms := s.listPlatforms()
	var err error
	if s.ports, err = choosePorts(ctx, s.keptPath("ports.json"), s.Port, platforms); err != nil {
		return "", err
	}
	databaseURL, err := s.startDatabase(ctx)
	if err != nil {
		return "", err
	}
	if err := s.startPlatforms(ctx, platforms); err != nil {
		return "", err
	}
	if err := s.startReceiver(ctx); err != nil {
		return "", err
	}
	if err := s.writeConfig(databaseURL, platforms); err != nil {
		return "", err
	}
	owner, err := s.prepareOwner(ctx)
	if err != nil {
		return "", err
	}
	if err := s.startDaemons(ctx); err != nil {
		return "", err
	}
	api := &client{base: s.localURL(s.ports.APIServer), key: owner.APIKey, http: s.http}
	if err := s.ensureEndpoint(ctx, api); err != nil { // first, so that it receives all later events
		return "", err
	}
	if err := s.ensureIntegrations(ctx, api, platforms); err != nil {
		return "", err
	}
	if err := s.awaitSync(ctx, api, platforms); err != nil {
		return "", err
	}
	if err := s.ensureInterviews(ctx, api, databaseURL); err != nil {
		return "", err
	}
	return s.describeUsage(ctx, api, owner, platforms), nil
}

// Dashboard returns the address of the dashboard, after Start.
func (s *Stack) Dashboard() string { return s.localURL(s.ports.APIServer) + "/" }

// keptPath returns the path of a kept file.
func (s *Stack) keptPath(name string) string { return filepath.Join(s.Dir, name) }

func (s *Stack) localURL(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// programPath returns the path of a built binary.
func (s *Stack) programPath(name string) string { return filepath.Join(s.Root, "bin", name) }

// startDatabase returns the URL of the database to use.
func (s *Stack) startDatabase(ctx context.Context) (string, error) {
	if s.DatabaseURL != "" {
		s.Say("using the database of ASSAY_DATABASE_URL")
		if err := postgres.CheckVersion(ctx, s.DatabaseURL); err != nil {
			return "", fmt.Errorf("database of ASSAY_DATABASE_URL: %w", err)
		}
		return s.DatabaseURL, nil
	}
	s.Say("starting Postgres")
	cluster, err := postgres.Start(ctx, s.Supervisor, postgres.Options{
		Dir: s.Dir, Port: s.ports.Postgres, Say: s.Say,
		Settings: []string{"max_connections=200", "shared_buffers=256MB"},
	})
	if err != nil {
		return "", err
	}
	if err := cluster.EnsureDatabase(ctx, "assay"); err != nil {
		return "", fmt.Errorf("make database: %w", err)
	}
	s.ports.Postgres = cluster.Port
	return cluster.URL("assay"), s.ports.save(s.keptPath("ports.json"))
}

// startDaemons starts syncd and apiserver and waits until they are ready.
func (s *Stack) startDaemons(ctx context.Context) error {
	s.Say("starting syncd and apiserver")
	for _, d := range []struct {
		name  string
		debug int // port
	}{{"syncd", s.ports.SyncdDebug}, {"apiserver", s.ports.APIServerDebug}} {
		p, err := s.Supervisor.Start(proc.Spec{
			Name: d.name, Path: s.programPath(d.name), Args: []string{"--config", s.keptPath("assay.yaml")},
			Env: s.daemonEnviron(), Dir: s.Root, Grace: daemonGrace,
		})
		if err != nil {
			return err
		}
		if err := s.awaitReady(ctx, p, s.localURL(d.debug)+"/readyz"); err != nil {
			return err
		}
	}
	return nil
}

// awaitReady asks a daemon's /readyz until it says yes.
func (s *Stack) awaitReady(ctx context.Context, p *proc.Process, url string) error {
	limited, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for {
		status, body, err := getPage(limited, s.http, url)
		if err == nil && status == http.StatusOK {
			return nil
		}
		select {
		case <-p.Done():
			return p.Failure()
		case <-time.After(50 * time.Millisecond):
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &proc.Failure{Name: p.Name(), How: fmt.Sprintf("not ready after %s: HTTP %d %s", readyLimit, status, strings.TrimSpace(string(body))), Log: p.Log(), Tail: p.Tail()}
		}
	}
}

// daemonEnviron returns the launcher's environment without the variables that would
// override the configuration. It keeps those for the database if the developer uses
// another one.
func (s *Stack) daemonEnviron() []string {
	drop := []string{
		"ASSAY_KEYRING_FILE", "ASSAY_PUBLIC_URL", "ASSAY_LISTEN", "ASSAY_TLS_", "ASSAY_DEBUG_", "ASSAY_TRUSTED_PROXIES",
		"ASSAY_EGRESS_", "ASSAY_BLOBS_",
	}
	if s.DatabaseURL == "" {
		drop = append(drop, "ASSAY_DATABASE_")
	}
	return slices.DeleteFunc(slices.Clone(s.Environ), func(entry string) bool {
		return slices.ContainsFunc(drop, func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
}

// writeSecret writes a file that only this user reads, whole or not at all.
func writeSecret(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return os.Rename(tmp.Name(), path)
}
