package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/host"
	"github.com/assayhq/assay/internal/simulator/partner"
)

// world determines the generated records. It is fixed when a directory is first used.
type world struct {
	Seed               uint64    `json:"seed"`
	Start              time.Time `json:"start"`
	Traders            int       `json:"traders"`
	AccountsPerTrader  int       `json:"accounts_per_trader"`
	Trades             int       `json:"trades"`
	Payouts            int       `json:"payouts"`
	Speed              float64   `json:"speed"`
	Weekends           bool      `json:"weekends"`
	TradeIDsPerAccount bool      `json:"trade_ids_per_account"`

	// Only for the third-party platform.
	Dialect               string `json:"dialect,omitempty"`
	Totals                string `json:"totals,omitempty"`
	NumericAccountNumbers bool   `json:"numeric_account_numbers,omitempty"`
	NoUpdatedAt           bool   `json:"no_updated_at,omitempty"`
}

// partnerFlags are the flags of the third-party platform only.
func partnerFlags() []string {
	return []string{"dialect", "totals", "numeric-account-numbers", "no-updated-at"}
}

func (w *world) defineFlags(set *flag.FlagSet) {
	set.Uint64Var(&w.Seed, "seed", 1, "`NUMBER` that chooses the world: the same seed and size give the same records")
	set.IntVar(&w.Traders, "traders", 200, "`NUMBER` of traders at the start; more sign up")
	set.IntVar(&w.AccountsPerTrader, "accounts-per-trader", 2, "`NUMBER` of accounts for each trader on average")
	set.IntVar(&w.Trades, "trades", 20_000, "`NUMBER` of trades in the 85 days before the start; at most 50000000, about 80 MB for a million")
	set.IntVar(&w.Payouts, "payouts", 150, "`NUMBER` of payouts in the 85 days before the start")
	set.Float64Var(&w.Speed, "speed", 1, "`FACTOR` by which simulated time runs faster; 0 freezes it")
	set.BoolVar(&w.Weekends, "weekends", false, "keep the markets open on Saturdays and Sundays")
	set.BoolVar(&w.TradeIDsPerAccount, "trade-ids-per-account", false, "count trade ids (tickets) per account, so that accounts share ids")
	set.StringVar(&w.Dialect, "dialect", string(partner.Contract), "`DIALECT` of the third-party platform: contract, seeded (every field by one of its names and forms, chosen by the seed) or walk (every field of the n-th record by its n-th name)")
	set.StringVar(&w.Totals, "totals", string(partner.InMetadata), "`PLACE` where the third-party platform sends totals: metadata, top or none")
	set.BoolVar(&w.NumericAccountNumbers, "numeric-account-numbers", false, "let the third-party platform send account numbers as numbers")
	set.BoolVar(&w.NoUpdatedAt, "no-updated-at", false, "let the third-party platform send no updatedAt")
}

// findConflict returns the first given flag that contradicts the world stored in the directory.
func (w *world) findConflict(kept *world, given map[string]bool) error {
	for _, c := range []struct {
		flag      string
		got, want any
	}{
		{"seed", w.Seed, kept.Seed},
		{"traders", w.Traders, kept.Traders},
		{"accounts-per-trader", w.AccountsPerTrader, kept.AccountsPerTrader},
		{"trades", w.Trades, kept.Trades},
		{"payouts", w.Payouts, kept.Payouts},
		{"speed", w.Speed, kept.Speed},
		{"weekends", w.Weekends, kept.Weekends},
		{"trade-ids-per-account", w.TradeIDsPerAccount, kept.TradeIDsPerAccount},
		{"dialect", w.Dialect, kept.Dialect},
		{"totals", w.Totals, kept.Totals},
		{"numeric-account-numbers", w.NumericAccountNumbers, kept.NumericAccountNumbers},
		{"no-updated-at", w.NoUpdatedAt, kept.NoUpdatedAt},
	} {
		if given[c.flag] && c.got != c.want {
			return usagef("--%s %v: the world in --dir was made with %v; leave the flag out or use another --dir", c.flag, c.got, c.want)
		}
	}
	return nil
}

// state is the content of state.json.
type state struct {
	Version int    `json:"version"`
	Kind    string `json:"kind,omitempty"` // custom_api if empty
	World   world  `json:"world"`
	Address string `json:"address"` // the previous listen address
}

const stateVersion = 1

// openState reads a directory's state, or creates one with the world given by the flags, starting
// now.
func openState(f *serveFlags, now time.Time) (*state, error) {
	s := &state{Version: stateVersion, Kind: f.kind, World: f.world}
	path := filepath.Join(f.dir, "state.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		s.World.Start = now.UTC().Truncate(time.Microsecond)
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.Kind = customAPI // for directories that name no kind
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.Version != stateVersion || s.World.Start.IsZero() {
		return nil, fmt.Errorf("%s was written by another version of contracttest. Use another --dir", path)
	}
	if s.Kind != f.kind {
		return nil, usagef("--kind %s: the platform in --dir is of kind %s; use --kind %s or another --dir", f.kind, s.Kind, s.Kind)
	}
	return s, f.world.findConflict(&s.World, f.given)
}

func (s *state) save(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "state.json"), append(text, '\n'), public)
}

// openIdentity reads the certificate. It creates one if there is none, if it expires within a
// month or if it does not cover a host.
func openIdentity(dir string, hosts []string, now time.Time) (identity host.Identity, fresh bool, err error) {
	parts := []struct {
		name string
		text *[]byte
		mode fs.FileMode
	}{{"ca.pem", &identity.CA, public}, {"cert.pem", &identity.Cert, public}, {"key.pem", &identity.Key, secret}}
	for _, part := range parts {
		*part.text, err = os.ReadFile(filepath.Join(dir, part.name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return identity, false, err
		}
	}
	if len(identity.Key) > 0 && identity.Covers(now.AddDate(0, 1, 0), hosts...) {
		return identity, false, nil
	}
	if identity, err = host.NewIdentity(hosts...); err != nil {
		return identity, false, err
	}
	for _, part := range parts {
		if err := writeFile(filepath.Join(dir, part.name), *part.text, part.mode); err != nil {
			return identity, false, err
		}
	}
	return identity, true, nil
}

// openKey returns the API key and the file that holds it, which is empty for --key.
func openKey(f *serveFlags) (key, file string, err error) {
	if f.given["key"] {
		return strings.TrimSpace(f.key), "", nil
	}
	file = f.keyFile
	if file == "" {
		file = filepath.Join(f.dir, "api-key")
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && f.keyFile == "" {
		key = host.NewKey()
		return key, file, writeFile(file, []byte(key+"\n"), secret)
	}
	if err != nil {
		return "", "", err
	}
	if key = strings.TrimSpace(string(text)); key == "" {
		return "", "", fmt.Errorf("%s contains no key", file)
	}
	return key, file, nil
}

// Modes of files: only the owner may read keys.
const (
	public fs.FileMode = 0o644
	secret fs.FileMode = 0o600
)

// writeFile replaces a file atomically, so that a reader never sees half of it.
func writeFile(path string, text []byte, mode fs.FileMode) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
