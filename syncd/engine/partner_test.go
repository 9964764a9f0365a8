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
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPartner reads a partner platform in every dialect and keeps up with it. The
// platform names accounts by number or by second id under every alias, and no name
// is ambiguous.
func TestPartner(t *testing.T) {
	t.Parallel()
	for _, dialect := range partner.Dialects() {
		for _, totals := range partner.TotalsPlaces() {
			t.Run(string(dialect)+" "+string(totals), func(t *testing.T) {
				t.Parallel()
				w := enginetest.NewPartner(t, partner.Options{
					Firm:              firm.Options{Seed: 5, Traders: 130, AccountsPerTrader: 2, Trades: 1200, Payouts: 120, Weekends: true},
					Dialect:           dialect,
					Totals:            totals,
					TicketsPerAccount: true,
				}, nil)
				w.Cycle(t)
				w.Compare(t)
				for range 3 {
					w.Partner.Advance(30 * time.Minute)
					w.Cycle(t)
					w.Compare(t)
				}
				if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy {
					t.Errorf("health %s, %+v", i.HealthStatus, i.LastError)
				}
				if got := w.Texts(t, `SELECT count || ' ' || samples::text FROM findings WHERE rule = 'account_ambiguous'`); len(got) > 0 {
					t.Errorf("account_ambiguous %v, want none", got)
				}
			})
		}
	}
}

// TestPartnerAccountsThatShareAnID: where two accounts have the same accountId,
// trades that name an account by it may belong to either. Only those trades are
// findings.
func TestPartnerAccountsThatShareAnID(t *testing.T) {
	t.Parallel()
	w := enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 5, Traders: 20, AccountsPerTrader: 1, Trades: 200, Payouts: 5, Weekends: true}}, nil)
	at := w.Partner.Now().Add(-time.Hour)
	for i, nr := range []string{"7001", "7002"} {
		w.Partner.PutAccount(partner.Account{AccountNr: nr, AccountID: "shared", CustomerID: "c"})
		for j, name := range []string{`"accountNr":"` + nr + `"`, `"accountId":"` + nr + `"`, `"propAccountId":"` + nr + `"`} {
			ticket := fmt.Sprintf("sure-%d-%d", i, j)
			w.Partner.PutRaw(partner.ClosedTrades, ticket, at, closedRaw(ticket, name, at))
		}
	}
	for _, ticket := range []string{"unsure-1", "unsure-2"} {
		w.Partner.PutRaw(partner.ClosedTrades, ticket, at, closedRaw(ticket, `"accountId":"shared"`, at))
	}
	w.Cycle(t)
	if got := w.Texts(t, `SELECT count || ' ' || samples::text FROM findings WHERE rule = 'account_ambiguous'`); !cmp.Equal(got, []string{"2 {unsure-1,unsure-2}"}) {
		t.Errorf("account_ambiguous %v, want the two that name the shared id", got)
	}
	want := []string{"7001 3", "7002 3", "shared 2"}
	if diff := cmp.Diff(want, w.Texts(t, `SELECT account_external_id || ' ' || count(*) FROM trades WHERE id LIKE '%sure-%' GROUP BY account_external_id ORDER BY 1`)); diff != "" {
		t.Errorf("trades by account (-want +got):\n%s", diff)
	}
}

// closedRaw is a closed trade that names its account by the given member.
func closedRaw(ticket, account string, at time.Time) string {
	return fmt.Sprintf(`{"ticket":%q,%s,"symbol":"EURUSD","side":"buy","lots":1,"openDate":%q,"closeDate":%q,"openPrice":1.1,"closePrice":1.2,"pnl":5}`,
		ticket, account, at.Add(-time.Hour).Format(time.RFC3339), at.Format(time.RFC3339))
}

// TestPartnerRequests compares what assay sends to a partner platform with golden
// lists, without and with an account scope.
func TestPartnerRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		scope *syncing.AccountScope
	}{
		{"unscoped", nil},
		{"scoped", &syncing.AccountScope{PlanCategoryIDs: []json.Number{"11", "12"}, Platforms: []string{"mt5", "matchtrader"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log requestLog
			w := enginetest.NewPartner(t, partner.Options{
				Firm:      firm.Options{Seed: 3, Traders: 120, AccountsPerTrader: 1, Trades: 450, Payouts: 3, Weekends: true},
				OnRequest: log.add,
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

// partnerRequests returns the requests of a live check and of two cycles.
func partnerRequests(t *testing.T, w *enginetest.Fixture, log *requestLog, scope *syncing.AccountScope) string {
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
