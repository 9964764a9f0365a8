package reference_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
)

func BenchmarkPage(b *testing.B) {
	platform, err := reference.New(reference.Options{Key: "k", Firm: firm.Options{Seed: 1, Traders: 2_000, AccountsPerTrader: 2, Trades: 100_000, Payouts: 2_000}})
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"/traders", "/accounts", "/trades", "/payouts"} {
		b.Run(path[1:], func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, path+"?limit=200&updated_since=2020-01-01T00:00:00Z", nil)
			r.Header.Set("Authorization", "Bearer k")
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

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		_, err := reference.New(reference.Options{Key: "k", Firm: firm.Options{Seed: 1, Traders: 2_000, AccountsPerTrader: 2, Trades: 200_000, Payouts: 2_000}})
		if err != nil {
			b.Fatal(err)
		}
	}
}
