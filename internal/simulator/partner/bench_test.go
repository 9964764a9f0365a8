package partner_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

// BenchmarkPage serves pages from the middle of large lists.
func BenchmarkPage(b *testing.B) {
	for _, dialect := range []partner.Dialect{partner.Contract, partner.Seeded} {
		platform := newPlatform(b, partner.Options{
			Key:     key,
			Firm:    firm.Options{Seed: 1, Start: platformtest.Wednesday(), Traders: 2_000, AccountsPerTrader: 2, Trades: 200_000, Payouts: 2_000},
			Dialect: dialect,
		})
		for _, query := range []string{
			"customers?page=10", "prop-accounts?page=20", "prop-accounts?page=5&platforms=mt5", "customers?updated_gte=2026-02-01T00:00:00Z",
			"trades/closed?page=1000&sort_order=desc", "trades/closed?page=1000&sort_order=asc", "trades/open?page=2", "payouts?page=10",
		} {
			b.Run(string(dialect)+"/"+query, func(b *testing.B) {
				r := httptest.NewRequest(http.MethodGet, "/v1/"+query, nil)
				r.Header.Set("Authorization", "Bearer "+key)
				b.ReportAllocs()
				for b.Loop() {
					w := httptest.NewRecorder()
					platform.ServeHTTP(w, r)
					if w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
					b.SetBytes(int64(w.Body.Len()))
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newPlatform(b, partner.Options{Key: key, Firm: firm.Options{Seed: 1, Traders: 2_000, AccountsPerTrader: 2, Trades: 200_000, Payouts: 2_000}})
	}
}
