package traders

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/privacy"
)

// exportTraders answers GET /v1/traders/export with all traders that match the filter.
func (a *API) exportTraders(w http.ResponseWriter, r *http.Request, f directory.TraderFilter) error {
	columns := []string{"id", "full_name", "email", "external_id", "country", "phone", "kyc_status", "status", "tags", "source", "registered_at", "created_at", "missing_since"}
	return csvexport.WriteFile(w, r, a.store, privacy.ListExport{List: "traders"}, columns, func(add func(...string) error) error {
		return directory.EachTrader(r.Context(), a.store, route.CallerOrganization(r), f, func(t directory.Trader) error {
			return add(t.ID.String(), csvexport.Text(t.FullName), csvexport.Text(t.Email), csvexport.Text(t.ExternalID), csvexport.Text(t.Country), csvexport.Text(t.Phone), csvexport.Text(t.KYCStatus),
				t.Status, csvexport.Safe(strings.Join(t.Tags, ", ")), t.Source, csvexport.Time(t.RegisteredAt), csvexport.Time(&t.CreatedAt), csvexport.Time(t.MissingSince))
		})
	})
}

// exportTrades answers GET /v1/traders/{id}/trades/export with all trades that match the filter.
func (a *API) exportTrades(w http.ResponseWriter, r *http.Request, f directory.TradeFilter) error {
	columns := []string{
		"id", "account_id", "account_external_id", "symbol", "side", "volume", "open_time", "close_time", "open_price", "close_price",
		"stop_loss", "take_profit", "commission", "swap", "profit", "missing_since",
	}
	return csvexport.WriteFileOfObject(w, r, a.store, privacy.ListExport{List: "trades", Of: "trader_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return directory.EachTrade(r.Context(), a.store, route.CallerOrganization(r), id, f, func(t directory.Trade) error {
			return add(csvexport.Safe(t.ID), csvexport.ID(t.AccountID), csvexport.Safe(t.AccountExternalID), csvexport.Safe(t.Symbol), string(t.Side), csvexport.Number(t.Volume),
				csvexport.Time(t.OpenTime), csvexport.Time(t.CloseTime), csvexport.Number(t.OpenPrice), csvexport.Number(t.ClosePrice),
				csvexport.Number(t.StopLoss), csvexport.Number(t.TakeProfit), csvexport.Number(t.Commission), csvexport.Number(t.Swap), csvexport.Number(t.Profit), csvexport.Time(t.MissingSince))
		})
	})
}

// exportPayouts answers GET /v1/payouts/export with all payouts that match the filter.
func (a *API) exportPayouts(w http.ResponseWriter, r *http.Request, f directory.PayoutFilter) error {
	columns := []string{
		"id", "external_id", "trader_id", "trader_name", "trader_email", "account_external_id", "status", "amount", "currency", "requested_at", "paid_at",
		"missing_since",
	}
	return csvexport.WriteFile(w, r, a.store, privacy.ListExport{List: "payouts"}, columns, func(add func(...string) error) error {
		return directory.EachPayout(r.Context(), a.store, route.CallerOrganization(r), f, func(p directory.ListedPayout) error {
			return add(p.ID.String(), csvexport.Safe(p.ExternalID), csvexport.ID(p.TraderID), csvexport.Text(p.TraderName), csvexport.Text(p.TraderEmail), csvexport.Text(p.AccountExternalID),
				csvexport.Text(p.Status), csvexport.Number(p.Amount), csvexport.Text(p.Currency), csvexport.Time(p.RequestedAt), csvexport.Time(p.PaidAt), csvexport.Time(p.MissingSince))
		})
	})
}
