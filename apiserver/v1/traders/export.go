package traders

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/table"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/privacy"
)

// exportTraders answers GET /v1/traders/export with all traders that match the filter.
func (a *API) exportTraders(w http.ResponseWriter, r *http.Request, f directory.TraderFilter) error {
	columns := []string{"id", "full_name", "email", "external_id", "country", "phone", "kyc_status", "status", "tags", "source", "registered_at", "created_at", "missing_since"}
	return table.Answer(w, r, a.store, privacy.ListExport{List: "traders"}, columns, func(add func(...string) error) error {
		return directory.EachTrader(r.Context(), a.store, route.CallerOrganization(r), f, func(t directory.Trader) error {
			return add(t.ID.String(), table.Text(t.FullName), table.Text(t.Email), table.Text(t.ExternalID), table.Text(t.Country), table.Text(t.Phone), table.Text(t.KYCStatus),
				t.Status, table.Safe(strings.Join(t.Tags, ", ")), t.Source, table.Time(t.RegisteredAt), table.Time(&t.CreatedAt), table.Time(t.MissingSince))
		})
	})
}

// exportTrades answers GET /v1/traders/{id}/trades/export with all trades that match the filter.
func (a *API) exportTrades(w http.ResponseWriter, r *http.Request, f directory.TradeFilter) error {
	columns := []string{
		"id", "account_id", "account_external_id", "symbol", "side", "volume", "open_time", "close_time", "open_price", "close_price",
		"stop_loss", "take_profit", "commission", "swap", "profit", "missing_since",
	}
	return table.AnswerOf(w, r, a.store, privacy.ListExport{List: "trades", Of: "trader_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return directory.EachTrade(r.Context(), a.store, route.CallerOrganization(r), id, f, func(t directory.Trade) error {
			return add(table.Safe(t.ID), table.ID(t.AccountID), table.Safe(t.AccountExternalID), table.Safe(t.Symbol), string(t.Side), table.Number(t.Volume),
				table.Time(t.OpenTime), table.Time(t.CloseTime), table.Number(t.OpenPrice), table.Number(t.ClosePrice),
				table.Number(t.StopLoss), table.Number(t.TakeProfit), table.Number(t.Commission), table.Number(t.Swap), table.Number(t.Profit), table.Time(t.MissingSince))
		})
	})
}

// exportPayouts answers GET /v1/payouts/export with all payouts that match the filter.
func (a *API) exportPayouts(w http.ResponseWriter, r *http.Request, f directory.PayoutFilter) error {
	columns := []string{
		"id", "external_id", "trader_id", "trader_name", "trader_email", "account_external_id", "status", "amount", "currency", "requested_at", "paid_at",
		"missing_since",
	}
	return table.Answer(w, r, a.store, privacy.ListExport{List: "payouts"}, columns, func(add func(...string) error) error {
		return directory.EachPayout(r.Context(), a.store, route.CallerOrganization(r), f, func(p directory.ListedPayout) error {
			return add(p.ID.String(), table.Safe(p.ExternalID), table.ID(p.TraderID), table.Text(p.TraderName), table.Text(p.TraderEmail), table.Text(p.AccountExternalID),
				table.Text(p.Status), table.Number(p.Amount), table.Text(p.Currency), table.Time(p.RequestedAt), table.Time(p.PaidAt), table.Time(p.MissingSince))
		})
	})
}
