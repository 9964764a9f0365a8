package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/partnerplatform/partnertest"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
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
					w.Partner.Advance(30 * time.Minute)
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

// TestPartnerRequests holds what assay sends to a partner platform against
// golden lists, without and with an account scope.
func TestPartnerRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		scope *store.AccountScope
	}{
		{"unscoped", nil},
		{"scoped", &store.AccountScope{PlanCategoryIDs: []json.Number{"11", "12"}, Platforms: []string{"mt5", "matchtrader"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.NewPartner(t, partnertest.Options{
				Seed: 3, Customers: 120, AccountsPerCustomer: 1, Trades: 450, Payouts: 3, Weekends: true, OnRequest: log.add,
			}, tt.scope)
			text := partnerRequests(t, w, &log, tt.scope)
			golden := "testdata/partner_requests_" + tt.name + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// partnerRequests renders the requests of a live check and of two cycles.
func partnerRequests(t *testing.T, w *enginetest.World, log *requestLog, scope *store.AccountScope) string {
	t.Helper()
	config := connectors.Config{BaseURL: w.Partner.URL, APIKey: seal.NewSecret(w.Partner.Key)}
	if scope != nil {
		config.Scope = &connectors.AccountScope{PlanCategoryIDs: scope.PlanCategoryIDs, Platforms: scope.Platforms}
	}
	connector, _ := w.Connectors.Connector(record.PartnerPlatform)
	if report := connector.Open(config).Check(context.Background(), nil); !report.OK {
		t.Fatalf("live check failed: %+v", report)
	}
	text := "# live check\n" + log.take(t, w.Partner.Key, nil)
	w.Cycle(t)
	text += "# first cycle\n" + log.take(t, w.Partner.Key, nil)
	known := make(map[string]string)
	for path, stream := range map[string]record.Stream{
		"/v1/customers": record.StreamTraders, "/v1/prop-accounts": record.StreamAccounts, "/v1/payouts": record.StreamPayouts,
	} {
		at := moment(t, w, `SELECT watermark - interval '10 minutes' FROM sync_streams WHERE stream = $1`, stream)
		known[fmt.Sprint(path, " ", at.Format(time.RFC3339Nano))] = "WATERMARK_MINUS_10_MINUTES"
	}
	w.Cycle(t)
	return text + "# second cycle\n" + log.take(t, w.Partner.Key, known)
}
