package clients_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	junit "github.com/joshdk/go-junit"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/contracttest/render"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// TestJUnit has somebody else's parser read a report of contracttest.
func TestJUnit(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(reference.Options{Key: "key", Firm: firm.Options{Seed: 7, Traders: 12, AccountsPerTrader: 1, Trades: 60, Payouts: 12}})
	check(t, err)
	t.Cleanup(func() { _ = server.Close() })
	check(t, server.SetFault("half-closed", fault.Options{}))
	r, err := contracttest.Check(t.Context(), contracttest.Options{
		URL: server.URL, Key: server.Key, RootCAs: server.CertPool, Now: server.Now,
		Timing: contracttest.Timing{Interval: -1, Backoff: time.Millisecond, Sustained: 20 * time.Millisecond, SustainedRate: 500},
	})
	check(t, err)
	var written bytes.Buffer
	check(t, render.JUnit(&written, r))
	suites, err := junit.Ingest(written.Bytes())
	if err != nil || len(suites) != 1 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	totals := suites[0].Totals
	failed, skipped := r.Count(contracttest.Failed), r.Count(contracttest.Skipped)
	if totals.Tests != len(r.Results) || totals.Failed != failed || totals.Skipped != skipped || totals.Error != 0 || failed == 0 {
		t.Errorf("totals %+v, want %d tests, %d failed, %d skipped", totals, len(r.Results), failed, skipped)
	}
	for i, test := range suites[0].Tests {
		result := r.Results[i]
		if test.Name != result.ID || (test.Status == junit.StatusFailed) != (result.Status == contracttest.Failed) {
			t.Errorf("%s is %s, the case %s %s", test.Name, test.Status, result.ID, result.Status)
		}
		if test.Status == junit.StatusFailed && !strings.Contains(test.Error.Error(), result.Fix) {
			t.Errorf("the failure of %s does not say how to fix it: %v", test.Name, test.Error)
		}
	}
}
