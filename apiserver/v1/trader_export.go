package v1

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/privacy"
)

// exportTraders answers GET /v1/traders/export with all traders that match the filter.
func (a *API) exportTraders(w http.ResponseWriter, r *http.Request, f directory.TraderFilter) error {
	columns := []string{"id", "full_name", "email", "external_id", "country", "phone", "kyc_status", "status", "tags", "source", "registered_at", "created_at", "missing_since"}
	return answerTable(w, r, a.store, privacy.ListExport{List: "traders"}, columns, func(add func(...string) error) error {
		return directory.EachTrader(r.Context(), a.store, callerOrganization(r), f, func(t directory.Trader) error {
			return add(t.ID.String(), textCell(t.FullName), textCell(t.Email), textCell(t.ExternalID), textCell(t.Country), textCell(t.Phone), textCell(t.KYCStatus),
				t.Status, safeCell(strings.Join(t.Tags, ", ")), t.Source, timeCell(t.RegisteredAt), timeCell(&t.CreatedAt), timeCell(t.MissingSince))
		})
	})
}

// exportTrades answers GET /v1/traders/{id}/trades/export with all trades that match the filter.
func (a *API) exportTrades(w http.ResponseWriter, r *http.Request, f directory.TradeFilter) error {
	columns := []string{
		"id", "account_id", "account_external_id", "symbol", "side", "volume", "open_time", "close_time", "open_price", "close_price",
		"stop_loss", "take_profit", "commission", "swap", "profit", "missing_since",
	}
	return answerTableOf(w, r, a.store, privacy.ListExport{List: "trades", Of: "trader_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return directory.EachTrade(r.Context(), a.store, callerOrganization(r), id, f, func(t directory.Trade) error {
			return add(safeCell(t.ID), idCell(t.AccountID), safeCell(t.AccountExternalID), safeCell(t.Symbol), string(t.Side), numberCell(t.Volume),
				timeCell(t.OpenTime), timeCell(t.CloseTime), numberCell(t.OpenPrice), numberCell(t.ClosePrice),
				numberCell(t.StopLoss), numberCell(t.TakeProfit), numberCell(t.Commission), numberCell(t.Swap), numberCell(t.Profit), timeCell(t.MissingSince))
		})
	})
}

// exportPayouts answers GET /v1/payouts/export with all payouts that match the filter.
func (a *API) exportPayouts(w http.ResponseWriter, r *http.Request, f directory.PayoutFilter) error {
	columns := []string{
		"id", "external_id", "trader_id", "trader_name", "trader_email", "account_external_id", "status", "amount", "currency", "requested_at", "paid_at",
		"missing_since",
	}
	return answerTable(w, r, a.store, privacy.ListExport{List: "payouts"}, columns, func(add func(...string) error) error {
		return directory.EachPayout(r.Context(), a.store, callerOrganization(r), f, func(p directory.ListedPayout) error {
			return add(p.ID.String(), safeCell(p.ExternalID), idCell(p.TraderID), textCell(p.TraderName), textCell(p.TraderEmail), textCell(p.AccountExternalID),
				textCell(p.Status), numberCell(p.Amount), textCell(p.Currency), timeCell(p.RequestedAt), timeCell(p.PaidAt), timeCell(p.MissingSince))
		})
	})
}
