package interviews

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/review"
)

// evidenceTradeBody is a trade that a report refers to.
//
//openapi:name EvidenceTrade
type evidenceTradeBody struct {
	AccountID uuid.UUID          `json:"account_id"`                            // identifier of the account, as in the report's evidence
	Trade     traders.TradeBody  `json:"trade"`                                 // The trade. Its own account may be that of an uploaded file.
	Trader    evidenceTraderBody `json:"trader"`                                // owner of the account: the interviewed trader or another one
	Login     *string            `json:"login" api:"max=4096" example:"500123"` // Login of the account. Null if it is unknown.
	Currency  *string            `json:"currency" api:"max=4096" example:"USD"` // Currency of the account. Null if it is unknown.
	FromFile  bool               `json:"from_file"`                             // whether the trade comes from an uploaded file rather than a platform
}

// evidenceTraderBody is the owner of a trade's account.
//
//openapi:name EvidenceTrader
type evidenceTraderBody struct {
	ID       uuid.UUID `json:"id"`                                            // unique identifier of the trader
	FullName *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"` // The trader's full name. Null if it is unknown.
}

func evidenceTradeOf(t review.EvidenceTrade) evidenceTradeBody {
	return evidenceTradeBody{
		AccountID: t.NamedAccountID, Trade: traders.TradeOf(t.Trade), Trader: evidenceTraderBody{t.TraderID, t.TraderName},
		Login: t.Login, Currency: t.Currency, FromFile: t.FromFile,
	}
}

// interviewTrades answers GET /v1/interviews/{id}/trades with the trades that the newest report
// refers to.
func (a *API) interviewTrades(w http.ResponseWriter, r *http.Request, p store.Page) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	trades, err := review.ListEvidence(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(trades, evidenceTradeOf), p)
}
