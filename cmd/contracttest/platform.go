package main

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/host"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// kind is a contract for which serve has a platform.
type kind struct {
	name   string
	faults func() []fault.Info
	// validate reports the first invalid option of a world.
	validate func(w *world) error
	// trial creates an empty platform, which checks whether faults are valid.
	trial func() (faulty, error)
	serve func(listener net.Listener, identity host.Identity, w *world, key string, report func(fault.RequestInfo)) (*served, error)
	try   string // path to request first
}

// faulty can have faults switched on.
type faulty interface {
	SetFault(name string, o fault.Options) error
}

// served is a running platform.
type served struct {
	*host.Server
	faulty
	records string // number of records, for people
}

// The kinds, as integrations name them.
const (
	customAPI       = "custom_api"
	partnerPlatform = "partner_platform"
)

func listKinds() []kind {
	return []kind{
		{
			name: customAPI, faults: reference.Faults, try: "/trades?limit=2", serve: serveReference,
			trial:    func() (faulty, error) { return reference.New(reference.Options{Key: "trial"}) },
			validate: func(w *world) error { o := w.referenceOptions("trial", nil); return o.Validate() },
		},
		{
			name: partnerPlatform, faults: partner.Faults, try: "/v1/trades/open?limit=2", serve: servePartner,
			trial:    func() (faulty, error) { return partner.New(partner.Options{Key: "trial"}) },
			validate: func(w *world) error { o := w.partnerOptions("trial", nil); return o.Validate() },
		},
	}
}

// kindOf returns the kind with a name.
func kindOf(name string) (kind, error) {
	var names []string
	for _, k := range listKinds() {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return kind{}, usagef("unknown --kind %q: want %s", name, strings.Join(names, " or "))
}

// referenceOptions converts the world's options to those of the reference platform.
func (w *world) referenceOptions(key string, report func(fault.RequestInfo)) reference.Options {
	return reference.Options{
		Key: key, Seed: w.Seed, Start: w.Start, Traders: w.Traders, AccountsPerTrader: w.AccountsPerTrader, Trades: w.Trades, Payouts: w.Payouts,
		Speed: w.Speed, Weekends: w.Weekends, TradeIDsPerAccount: w.TradeIDsPerAccount, OnRequest: report,
	}
}

func serveReference(listener net.Listener, identity host.Identity, w *world, key string, report func(fault.RequestInfo)) (*served, error) {
	s, err := reference.Serve(listener, identity, w.referenceOptions(key, report))
	if err != nil {
		return nil, err
	}
	c := s.Counts()
	return &served{s.Server, s, fmt.Sprintf("%d traders, %d accounts, %d trades, %d payouts", c.Traders, c.Accounts, c.Trades, c.Payouts)}, nil
}

// partnerOptions converts the world's options to those of the third-party platform.
func (w *world) partnerOptions(key string, report func(fault.RequestInfo)) partner.Options {
	return partner.Options{
		Key: key, Seed: w.Seed, Start: w.Start, Customers: w.Traders, AccountsPerCustomer: w.AccountsPerTrader, Trades: w.Trades, Payouts: w.Payouts,
		Speed: w.Speed, Weekends: w.Weekends, TicketsPerAccount: w.TradeIDsPerAccount, Dialect: partner.Dialect(w.Dialect),
		Totals: partner.Totals(w.Totals), NumericAccountNumbers: w.NumericAccountNumbers, NoUpdatedAt: w.NoUpdatedAt, OnRequest: report,
	}
}

func servePartner(listener net.Listener, identity host.Identity, w *world, key string, report func(fault.RequestInfo)) (*served, error) {
	s, err := partner.Serve(listener, identity, w.partnerOptions(key, report))
	if err != nil {
		return nil, err
	}
	c := s.Counts()
	return &served{s.Server, s, fmt.Sprintf("%d customers, %d accounts, %d closed and %d open trades, %d payouts",
		c.Customers, c.Accounts, c.ClosedTrades, c.OpenTrades, c.Payouts)}, nil
}

// setFaults switches on the faults given on the command line.
func setFaults(p faulty, faults []string) error {
	for _, text := range faults {
		name, o, err := fault.Parse(text)
		if err != nil {
			return fmt.Errorf("--fault: %w", err)
		}
		if err := p.SetFault(name, o); err != nil {
			return fmt.Errorf("--fault: %w", err)
		}
	}
	return nil
}

// printFaults lists a registry of faults.
func printFaults(w io.Writer, faults []fault.Info) {
	for _, info := range faults {
		fmt.Fprintf(w, "%-24s %s", info.Name, info.Description)
		if n := len(info.Endpoints); n > 0 && n < 4 {
			fmt.Fprintf(w, " (%s)", strings.Join(info.Endpoints, ", "))
		}
		fmt.Fprintln(w)
	}
}
