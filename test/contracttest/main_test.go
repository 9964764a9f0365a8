package contracttest_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wednesday is a time with much activity on the markets.
var wednesday = time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)

// platform is a reference platform whose simulated time is frozen, except for six hours that pass
// during the sustained rate.
type platform struct {
	*reference.Server
	began time.Time
}

// newPlatform starts a platform that has some records of every kind, ties included, and more
// records in every list than a page without a limit holds.
func newPlatform(t testing.TB) *platform {
	t.Helper()
	server, err := reference.Start(reference.Options{
		Key:  "test-key",
		Firm: firm.Options{Seed: 7, Start: wednesday, Traders: 110, AccountsPerTrader: 1, Trades: 1200, Payouts: 110},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	at := wednesday.Add(-time.Minute)
	for i := range 7 {
		id := fmt.Sprintf("tie_9%07d", i)
		server.PutTrader(reference.Trader{ID: id, UpdatedAt: at, Email: id + "@example.com"})
		server.PutAccount(reference.Account{ID: id, TraderID: id, UpdatedAt: at, Currency: "USD"})
		server.PutTrade(reference.Trade{
			ID: id, AccountID: id, Symbol: "EURUSD", Side: "buy", OpenTime: at.Add(-2 * time.Hour), UpdatedAt: at, CloseTime: at.Add(-time.Hour),
			OpenPrice: wire.NewDecimal(11, 1), ClosePrice: wire.NewDecimal(12, 1), Profit: wire.NewDecimal(1, 0),
		})
		server.PutPayout(reference.Payout{ID: id, TraderID: id, AccountID: id, Status: "pending", UpdatedAt: at, Amount: wire.NewDecimal(5, 0), Currency: "USD"})
	}
	return &platform{Server: server, began: server.Now()}
}

// quick returns options with times short enough for a test.
func (p *platform) quick(profile contracttest.Profile) contracttest.Options {
	return contracttest.Options{
		URL: p.URL, Key: p.Key, RootCAs: p.CertPool, Profile: profile,
		Now: func() time.Time { return p.began },
		Progress: func(at contracttest.Progress) {
			if at.Case == "load.sustained" {
				p.Advance(6 * time.Hour)
			}
		},
		Timing: contracttest.Timing{
			Interval: -1, Attempt: 20 * time.Second, Backoff: time.Millisecond, MaxWait: time.Millisecond,
			Sustained: 40 * time.Millisecond, SustainedRate: 500, Watch: 20 * time.Millisecond, Total: 5 * time.Minute,
		},
	}
}

// check runs the kit.
func check(t testing.TB, o contracttest.Options) *contracttest.Report {
	t.Helper()
	report, err := contracttest.Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
