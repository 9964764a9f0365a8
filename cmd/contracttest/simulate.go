package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
)

// simulateFlags holds the command line of simulate.
type simulateFlags struct {
	target
	database string
	rate     float64
	most     time.Duration
	json     string
}

const simulateUsage = `Reads a platform as assay would on its first day: the real engine syncs it into a
throwaway database, which is dropped at the end. Reports what was read, how well each
field is filled, what would be quarantined and why, and how long the first read takes.

Usage: contracttest simulate --url URL --key-file FILE --database-url URL [flags]

Flags:
`

const simulateExamples = `
Example:
  contracttest simulate --url https://api.firm.example/assay --key-file key --database-url postgres://postgres@localhost/postgres
        The role must be allowed to create databases; no other database is touched.

Exit codes: 0 everything was read, 1 something could not be, 2 invalid command line, 3 the platform or the database server cannot be used.
`

func parseSimulate(args []string, stdout io.Writer) (*simulateFlags, error) {
	f := &simulateFlags{}
	set := flag.NewFlagSet("simulate", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.defineFlags(set)
	set.StringVar(&f.database, "database-url", "", "`URL` of a Postgres, 15 or newer, to create the throwaway database on")
	set.Float64Var(&f.rate, "requests-per-second", 5, "`RATE` of requests; 0 is unlimited")
	set.DurationVar(&f.most, "max-duration", 10*time.Minute, "`DURATION` after which the rest is estimated")
	set.StringVar(&f.json, "json", "", "`FILE` to write the figures to")
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, simulateUsage)
		set.VisitAll(func(fl *flag.Flag) { printFlag(stdout, fl) })
		fmt.Fprint(stdout, simulateExamples)
		return nil, err
	case err != nil:
		return nil, usageError{err}
	case set.NArg() > 0:
		return nil, usagef("unexpected argument %q", set.Arg(0))
	case f.url == "":
		return nil, usagef("--url is required")
	case f.database == "":
		return nil, usagef("--database-url is required")
	case !isRate(f.rate, 0) || f.most <= 0:
		return nil, usagef("--requests-per-second must be between 0 and %d, --max-duration must be positive", maxRate)
	}
	if u, err := url.Parse(f.database); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, usagef("--database-url: want postgres://USER@HOST:PORT/DATABASE")
	}
	return f, nil
}

// runSimulate runs the engine's first cycle against a platform.
func runSimulate(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f, err := parseSimulate(args, stdout)
	if err != nil {
		return err
	}
	key, err := f.readKey()
	if err != nil {
		return err
	}
	roots, err := f.readRoots()
	if err != nil {
		return err
	}
	if err := checkWritable("json", f.json); err != nil {
		return err
	}
	// The operator may call any address that this machine can reach, so there is no address
	// guard.
	everywhere := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	client := fetch.New(fetch.Options{AllowCIDRs: everywhere, RootCAs: roots, RequestsPerSecond: f.rate})
	defer client.Close()
	if err := client.Guard().CheckURL(ctx, f.url); err != nil {
		return usagef("--url: %v", err)
	}
	connector := customapi.New(client)
	if err := runLiveCheck(ctx, connector, connectors.Config{BaseURL: f.url, APIKey: seal.NewSecret(key)}, stdout); err != nil {
		return err
	}
	trial, err := newTrial(ctx, f.database)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "contracttest simulate: %v\nThe server that --database-url names must answer, and its role must be allowed to create databases.\n", err)
		return exit(exitUntested)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trial.dropDatabase(ctx)) }()
	registry, err := connectors.NewRegistry(connector)
	if err != nil {
		return err
	}
	s := &simulation{trial: trial, engine: engine.New(engine.Config{
		Store: trial.store, Connectors: registry, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})}
	if s.id, err = trial.createIntegration(ctx, f.url, key); err != nil {
		return err
	}
	if err := s.runFirstCycle(ctx, f.most, stderr); err != nil {
		return err
	}
	figures, err := s.readFigures(ctx)
	if err != nil {
		return err
	}
	figures.Pace = f.rate
	return f.printFigures(figures, stdout)
}

// runLiveCheck runs the live check, which assay requires before it reads anything.
func runLiveCheck(ctx context.Context, connector connectors.Connector, config connectors.Config, stdout io.Writer) error {
	report := connector.Open(config).Check(ctx, nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case report.OK:
		return nil
	}
	fmt.Fprintln(stdout, "The live check fails, so assay would read nothing:")
	code := exit(exitError)
	for _, step := range report.Steps {
		if step.Status != connectors.StepFailed {
			continue
		}
		fmt.Fprintf(stdout, "  %s: %s\n      %s\n", step.Name, step.Message, step.Hint)
		if step.Code == connectors.CodeTLSFailed {
			fmt.Fprintln(stdout, "      To read a test platform, pass its certificate authority with --ca-file.")
		}
		if step.Code == connectors.CodeConnectFailed || step.Code == connectors.CodeDNSFailed {
			code = exit(exitUntested)
		}
	}
	fmt.Fprintln(stdout, "Run contracttest check for details.")
	return code
}

// simulation is a first read in progress.
type simulation struct {
	trial  *trial
	engine *engine.Engine
	id     uuid.UUID
	cycle  uuid.UUID
	took   time.Duration
	whole  bool // the cycle has finished
}

// runFirstCycle works on the first cycle until it finishes or time runs out.
func (s *simulation) runFirstCycle(ctx context.Context, most time.Duration, stderr io.Writer) error {
	began := time.Now()
	defer func() { s.took = time.Since(began) }()
	reading, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		claim, err := syncing.ClaimOne(ctx, s.trial.store, "simulate", s.id, leaseFor(most))
		if errors.Is(err, store.ErrBlocked) {
			return nil // the platform has refused the key since; the run reports it
		}
		if err != nil {
			return err
		}
		if s.cycle == uuid.Nil {
			s.cycle = claim.Cycle.ID
		}
		if err := s.engine.RunSlice(reading, claim); err != nil {
			if ctx.Err() == nil && reading.Err() != nil {
				return nil // the rest is estimated
			}
			return err
		}
		over, wait, err := history.CheckCycle(ctx, s.trial.store, s.id)
		if err != nil {
			return err
		}
		if s.whole = over; over {
			return nil
		}
		if deadline, _ := reading.Deadline(); time.Now().Add(wait).After(deadline) {
			return nil // time would run out before the platform may be asked again
		}
		fmt.Fprintf(stderr, "%s: still reading\n", time.Since(began).Round(time.Second))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reading.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// leaseFor is a lease that need not be renewed, because there is no other process.
func leaseFor(most time.Duration) time.Duration { return most + time.Hour }

// createIntegration creates an organization with an integration whose check has passed.
func (t *trial) createIntegration(ctx context.Context, url, key string) (uuid.UUID, error) {
	organization, _, _, err := access.Bootstrap(ctx, t.store, access.NewOrganization{
		OrganizationName: "Simulation", Email: "nobody@simulation.invalid", PasswordHash: "-",
		Key: access.NewAPIKey{Name: "unused", Prefix: "svc_live_simulate", Scopes: []string{"traders:read"}, CreatedByName: "simulate"},
	})
	if err != nil {
		return uuid.Nil, err
	}
	t.organization = organization.ID
	made, err := integrations.Create(ctx, t.store, store.SystemChange(organization.ID), integrations.New{
		Kind: record.CustomAPI, Name: "Platform", BaseURL: url, APIKey: seal.NewSecret(key), SyncIntervalSeconds: 3600, Check: integrations.CheckOutcome{OK: true},
	})
	return made.ID, err
}
