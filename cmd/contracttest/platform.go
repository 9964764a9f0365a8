package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// kind is a contract for which serve has a platform.
type kind struct {
	name   string
	faults func() []fault.Info
	// validate reports the first invalid option of a world.
	validate func(w *world) error
	// simulate creates a platform with this key, and describes its records.
	simulate func(w *world, key string, report func(fault.RequestInfo)) (p platform, records string, err error)
	try      string // path to request first
}

// platform is a simulated platform.
type platform interface {
	http.Handler
	SetFault(name string, o fault.Options) error
}

// The kinds, as integrations name them.
const (
	customAPI       = "custom_api"
	partnerPlatform = "partner_platform"
)

func listKinds() []kind {
	return []kind{
		{
			name: customAPI, faults: reference.Faults, try: "/trades?limit=2", simulate: simulateReference,
			validate: func(w *world) error { o := w.firmOptions(); return o.Validate() },
		},
		{
			name: partnerPlatform, faults: partner.Faults, try: "/v1/trades/open?limit=2", simulate: simulatePartner,
			validate: func(w *world) error { o := w.partnerOptions("none", nil); return o.Validate() },
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

// firmOptions converts the world's options to those of the firm behind either platform.
func (w *world) firmOptions() firm.Options {
	return firm.Options{
		Seed: w.Seed, Start: w.Start, Traders: w.Traders, AccountsPerTrader: w.AccountsPerTrader, Trades: w.Trades, Payouts: w.Payouts,
		Speed: w.Speed, Weekends: w.Weekends,
	}
}

func simulateReference(w *world, key string, report func(fault.RequestInfo)) (platform, string, error) {
	p, err := reference.New(reference.Options{Key: key, Firm: w.firmOptions(), TradeIDsPerAccount: w.TradeIDsPerAccount, OnRequest: report})
	if err != nil {
		return nil, "", err
	}
	c := p.Counts()
	return p, fmt.Sprintf("%d traders, %d accounts, %d trades, %d payouts", c.Traders, c.Accounts, c.Trades, c.Payouts), nil
}

// partnerOptions converts the world's options to those of the third-party platform.
func (w *world) partnerOptions(key string, report func(fault.RequestInfo)) partner.Options {
	return partner.Options{
		Key: key, Firm: w.firmOptions(), TicketsPerAccount: w.TradeIDsPerAccount, Dialect: partner.Dialect(w.Dialect),
		Totals: partner.Totals(w.Totals), NumericAccountNumbers: w.NumericAccountNumbers, NoUpdatedAt: w.NoUpdatedAt, OnRequest: report,
	}
}

func simulatePartner(w *world, key string, report func(fault.RequestInfo)) (platform, string, error) {
	p, err := partner.New(w.partnerOptions(key, report))
	if err != nil {
		return nil, "", err
	}
	c := p.Counts()
	return p, fmt.Sprintf("%d customers, %d accounts, %d closed and %d open trades, %d payouts",
		c.Customers, c.Accounts, c.ClosedTrades, c.OpenTrades, c.Payouts), nil
}

// setFaults switches on the faults given on the command line.
func setFaults(p platform, faults []string) error {
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
