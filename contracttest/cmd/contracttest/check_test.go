package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/contracttest/refplatform"
	"github.com/assayhq/assay/store/storetest"
)

// target starts a reference platform with faults, and returns the flags that
// reach it.
func target(t *testing.T, faults ...string) (*refplatform.Server, []string) {
	t.Helper()
	s, err := refplatform.Start(refplatform.Options{
		Seed: 3, Start: time.Now().Add(-time.Minute), Weekends: true, Traders: 20, AccountsPerTrader: 2, Trades: 900, Payouts: 15,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, text := range faults {
		name, o, err := refplatform.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetFault(name, o); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"key": s.Key + "\n", "ca.pem": string(s.CA)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s, []string{"--url", s.URL, "--key-file", filepath.Join(dir, "key"), "--ca-file", filepath.Join(dir, "ca.pem")}
}

func TestCheckExitCodes(t *testing.T) {
	t.Parallel()
	s, sound := target(t)
	_, broken := target(t, "half-closed", "missing-id,endpoint=/accounts")
	gone, _ := target(t)
	_ = gone.Close()
	waivers := filepath.Join(t.TempDir(), "waivers.json")
	if err := os.WriteFile(waivers, []byte(`[{"case":"live.accounts","reason":"soon","expires":"2099-01-01"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	live := []string{"--profile", "live-check", "--requests-per-second", "100"}
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"conformant", append(sound, live...), 0, "CONFORMANT: " + s.URL, "live.payouts"},
		{"violations", append(broken, live...), 1, "MUST live.accounts: assay cannot use 5 of 5 records (id is missing", ""},
		{"nobody there", append([]string{"--url", gone.URL}, append(sound[2:], live...)...), 3, "UNTESTED: ", ""},
		{"no flags", nil, 2, "", "--url is missing"},
		{"plain http", append([]string{"--url", "http://platform.example"}, sound[2:]...), 2, "", "HTTPS only"},
		{"no key", []string{"--url", s.URL, "--key-file", "/does/not/exist"}, 2, "", "--key-file"},
		{"waiver of the live check", append(sound, "--waivers", waivers), 2, "", "cannot be waived"},
		{"profile", append(sound, "--profile", "everything"), 2, "", "unknown profile"},
		{"cases", []string{"--list-cases"}, 0, "trades.closing", ""},
		{"help", []string{"--help"}, 0, "Exit codes: 0 conformant, 1 violations, 2 wrong command line, 3 the platform could not be tested.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := run(t, append([]string{"check"}, tt.args...)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || tt.code == 2 && !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, want %d\n%s\n%s", code, tt.code, stdout, stderr)
			}
			if tt.code < 2 && len(tt.args) > 4 && !strings.Contains(stderr, "cases") {
				t.Errorf("no progress: %s", stderr)
			}
		})
	}
}

// A report is written in every form, holds the key in none, and its failures
// are run again on their own.
func TestReportsAndReplay(t *testing.T) {
	t.Parallel()
	s, flags := target(t, "half-closed", "envelope-items,endpoint=/payouts")
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := append([]string{
		"check", "--requests-per-second", "200", "--quiet", "--json", file("json"), "--junit", file("xml"), "--tap", file("tap"),
		"--markdown", file("md"), "--html", file("html"), "--badge", file("svg"), "--badge-json", file("badge"),
	}, flags...)
	code, stdout, stderr := run(t, args...)
	if code != 1 || stderr != "" || !strings.Contains(stdout, "trades.closed") || !strings.Contains(stdout, "Sustained: 50 requests") {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	for _, name := range []string{"json", "xml", "tap", "md", "html", "svg", "badge"} {
		text, err := os.ReadFile(file(name))
		if err != nil || len(text) == 0 || strings.Contains(string(text), s.Key) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	s.ClearFault("half-closed")
	code, stdout, _ = run(t, append([]string{"replay", file("json"), "--quiet", "--json", file("again")}, flags[2:]...)...)
	if code != 0 {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	text, err := os.ReadFile(file("again"))
	var again contracttest.Report
	if err != nil || json.Unmarshal(text, &again) != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range again.Results {
		got = append(got, again.Results[i].ID+" "+string(again.Results[i].Status))
	}
	if want := "payouts.envelope warned, trades.closed passed"; strings.Join(got, ", ") != want {
		t.Errorf("replayed %s, want %s", strings.Join(got, ", "), want)
	}
}

// The real engine reads a platform into a database that is gone afterwards.
func TestSimulate(t *testing.T) {
	t.Parallel()
	s, flags := target(t, "numeric-strings,endpoint=/trades", "missing-id,endpoint=/payouts,every=10,after=1", "upper-case-enum,endpoint=/accounts")
	database := storetest.URL(t)
	out := filepath.Join(t.TempDir(), "figures.json")
	args := append([]string{"simulate", "--database-url", database, "--requests-per-second", "0", "--json", out}, flags...)
	code, stdout, stderr := run(t, args...)
	if code != 0 && code != 1 {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(out)
	var figures struct {
		Whole            bool  `json:"whole"`
		BackfillRequests int64 `json:"backfill_requests"`
		Backfill         int64 `json:"backfill_ns"`
		Lists            []struct {
			Name, Status string
			Rows         int
			Fields       []struct {
				Name   string
				Filled float64
			}
		} `json:"lists"`
		Quarantine []struct{ List, Rule, Raw string } `json:"quarantine"`
		Findings   []struct{ List, Rule string }      `json:"findings"`
	}
	if err != nil || json.Unmarshal(text, &figures) != nil {
		t.Fatalf("%v\nexit %d\n%s\n%s", err, code, stdout, stderr)
	}
	truth := s.Counts()
	want := map[string]int{"traders": truth.Traders, "accounts": truth.Accounts, "trades": truth.Trades}
	for _, l := range figures.Lists {
		if n, ok := want[l.Name]; ok && l.Rows != n {
			t.Errorf("%s: %d rows, want %d", l.Name, l.Rows, n)
		}
		if l.Name == "accounts" && (l.Fields[0].Name != "platform" || l.Fields[0].Filled == 0) {
			t.Errorf("fields of accounts: %v", l.Fields)
		}
	}
	if len(figures.Lists) != 4 || !figures.Whole || figures.BackfillRequests < 8 || figures.Backfill == 0 {
		t.Errorf("figures: %s", text)
	}
	if len(figures.Quarantine) == 0 || figures.Quarantine[0].Rule != "required_missing" || figures.Quarantine[0].Raw == "" || len(figures.Findings) == 0 {
		t.Errorf("quarantine %v, findings %v", figures.Quarantine, figures.Findings)
	}
	conn := storetest.Conn(t, database)
	storetest.Eventually(t, "throwaway databases are gone", func() bool {
		var left int
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_database WHERE datname LIKE 'assay\_simulate\_%'`).Scan(&left)
		return err == nil && left == 0
	})
	if !strings.Contains(stdout, "Quarantine would hold") || !strings.Contains(stdout, "at five a second") {
		t.Error(stdout)
	}
}

func TestSimulateRefuses(t *testing.T) {
	t.Parallel()
	gone, flags := target(t)
	_ = gone.Close()
	database := storetest.URL(t)
	_, broken := target(t, "health-not-ok")
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"nobody there", append(flags, "--database-url", database), 3},
		{"live check fails", append(broken, "--database-url", database), 1},
		{"no database", flags, 2},
		{"not a database", append(broken[:len(broken):len(broken)], "--database-url", "mysql://x"), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := tt.args
			if tt.name == "not a database" {
				_, sound := target(t)
				args = append(sound, "--database-url", "mysql://x")
			}
			if code, stdout, stderr := run(t, append([]string{"simulate"}, args...)...); code != tt.code {
				t.Errorf("exit %d, want %d\n%s\n%s", code, tt.code, stdout, stderr)
			}
		})
	}
}
