package engine_test

import (
	"testing"

	"github.com/assayhq/assay/connectors/partnerplatform/partnertest"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPartner reads a partner platform in every dialect, and keeps up with it.
func TestPartner(t *testing.T) {
	t.Parallel()
	for _, dialect := range partnertest.Dialects() {
		for _, totals := range partnertest.TotalsPlaces() {
			t.Run(string(dialect)+" "+string(totals), func(t *testing.T) {
				t.Parallel()
				w := enginetest.NewPartner(t, partnertest.Options{
					Seed: 5, Customers: 130, AccountsPerCustomer: 2, Trades: 1200, Payouts: 120, Weekends: true,
					Dialect: dialect, Totals: totals, TicketsPerAccount: true,
				}, nil)
				w.Cycle(t)
				w.Compare(t)
				for range 3 {
					w.Partner.Advance(30 * 60 * 1e9)
					w.Cycle(t)
					w.Compare(t)
				}
				if i := w.Integration(t); i.HealthStatus != store.HealthHealthy {
					t.Errorf("health %s, %+v", i.HealthStatus, i.LastError)
				}
			})
		}
	}
}
