package v1

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/interviews/review"
)

// evidenceTradeBody is a trade that a report points at.
//
//openapi:name EvidenceTrade
type evidenceTradeBody struct {
	AccountID uuid.UUID          `json:"account_id"`                            // the account as the report's evidence names it
	Trade     tradeBody          `json:"trade"`                                 // the trade; its own account may be a file's
	Trader    evidenceTraderBody `json:"trader"`                                // whose account it is: the interviewed trader, or another
	Login     *string            `json:"login" api:"max=4096" example:"500123"` // of the account; null: unknown
	Currency  *string            `json:"currency" api:"max=4096" example:"USD"` // of the account; null: unknown
	FromFile  bool               `json:"from_file"`                             // an uploaded file tells of it, and no platform
}

// evidenceTraderBody is whose account a trade is of.
//
//openapi:name EvidenceTrader
type evidenceTraderBody struct {
	ID       uuid.UUID `json:"id"`                                            // the trader's id
	FullName *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"` // null: unknown
}

func evidenceTradeOf(t review.EvidenceTrade) evidenceTradeBody {
	return evidenceTradeBody{
		AccountID: t.NamedAccountID, Trade: tradeOf(t.Trade), Trader: evidenceTraderBody{t.TraderID, t.TraderName},
		Login: t.Login, Currency: t.Currency, FromFile: t.FromFile,
	}
}

// interviewTrades answers GET /v1/interviews/{id}/trades with the trades that the newest report
// refers to.
func (a *API) interviewTrades(w http.ResponseWriter, r *http.Request) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	trades, err := review.ListEvidence(r.Context(), a.store, callerOrganization(r), id)
	if err != nil {
		return err
	}
	return answerJSON(w, collection[evidenceTradeBody]{convertRows(trades, evidenceTradeOf)})
}
