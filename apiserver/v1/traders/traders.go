package traders

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// listTraders answers GET /v1/traders. Filters: search (a part of name, email or
// external id, ignoring case), source, country (ignoring case), kyc_status, tag, and status
// (several separated by commas; all except archived if absent).
func (a *API) listTraders(w http.ResponseWriter, r *http.Request, q tradersQuery) error {
	rows, total, err := directory.ListTraders(r.Context(), a.reads, route.CallerOrganization(r), q.filter, q.page)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[directory.Trader]{List: rows, Page: q.page, Total: total, Position: q.filter.Sort.PositionOf}, traderOf)
}

// getTrader answers GET /v1/traders/{id} with profile, accounts, payouts, notes,
// interviews and stats.
func (a *API) getTrader(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	t, err := directory.ReadTrader(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, DetailOf(t))
}

// tradesQuery is the query of GET /v1/traders/{id}/trades.
type tradesQuery struct {
	page   store.Page
	filter directory.TradeFilter
}

func readTradesQuery(q *decode.Query) tradesQuery {
	filter := readTradeFilter(q)
	return tradesQuery{page: q.Page(), filter: filter}
}

// readTradeFilter reads the query of GET /v1/traders/{id}/trades without its page.
func readTradeFilter(q *decode.Query) directory.TradeFilter {
	f := directory.TradeFilter{
		AccountID: q.UUID("account_id"),
		Symbol:    q.Text("symbol", maxSymbol),
		State:     q.Choice("state", directory.TradeOpen, directory.TradeClosed),
		From:      q.Time("from"),
		To:        q.Time("to"),
		Sort:      directory.TradeSort(q.Choice("sort", decode.TextsOf(directory.TradeSorts())...)),
	}
	q.Note("account_id", decode.Note{About: "Only trades of this account."})
	q.Note("symbol", decode.Note{About: "Only trades of this symbol, spelled as on the platform.", Example: "EURUSD"})
	q.Note("state", decode.Note{About: "Only open or only closed trades."})
	q.Note("from", decode.Note{About: "Only trades opened at or after this time."})
	q.Note("to", decode.Note{About: "Only trades opened before this time."})
	q.Note("sort", decode.Note{
		About: "The sort order; `-` means descending. Trades without the value come last. Only `-open_time` costs the same for any number of trades.", Default: string(directory.LastOpened),
	})
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		q.Parameter("to", problem.OutOfRange, "Must not be before from.")
	}
	return f
}

// listTrades answers GET /v1/traders/{id}/trades. Filters:
// account_id, symbol, state (open, closed), from and to on the open time.
func (a *API) listTrades(w http.ResponseWriter, r *http.Request, q tradesQuery) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	rows, total, err := directory.ListTrades(r.Context(), a.reads, route.CallerOrganization(r), id, q.filter, q.page)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[directory.Trade]{List: rows, Page: q.page, Total: total, Position: q.filter.Sort.PositionOf}, TradeOf)
}
