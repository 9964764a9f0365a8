package v1

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// Bounds of filters.
const (
	maxSearch = 200
	maxSymbol = 100
)

// listTraders answers GET /v1/traders, newest first. search narrows to a part
// of name, email or external id, in any case.
func (a *API) listTraders(w http.ResponseWriter, r *http.Request) error {
	q := decode.NewQuery(r)
	p, filter := q.Page(), readTraderFilter(q)
	if err := q.Err(); err != nil {
		return err
	}
	rows, total, err := a.store.Traders(r.Context(), caller(r), filter, p)
	if err != nil {
		return err
	}
	return answerPage(a, w, r, convert(rows, traderOf), p, total)
}

// readTraderFilter reads the filters of the directory.
func readTraderFilter(q *decode.Query) store.TraderFilter {
	f := store.TraderFilter{Search: q.Text("search", maxSearch)}
	q.Note("search", decode.Note{About: "A part of the name, the email or the external id, in any case.", Example: "smith"})
	return f
}

// trader answers GET /v1/traders/{id} with profile, accounts, payouts, notes,
// interviews and stats.
func (a *API) trader(w http.ResponseWriter, r *http.Request) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	t, err := a.store.Trader(r.Context(), caller(r), id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, traderDetailOf(t))
}

// listTrades answers GET /v1/traders/{id}/trades, newest open first. Filters:
// account_id, symbol, state (open, closed), from and to on the open time.
func (a *API) listTrades(w http.ResponseWriter, r *http.Request) error {
	q := decode.NewQuery(r)
	filter := readTradeFilter(q)
	read := func(ctx context.Context, orgID, id uuid.UUID, p store.Page) ([]store.Trade, int, error) {
		return a.store.Trades(ctx, orgID, id, filter, p)
	}
	return listOf(a, w, r, q, read, tradeOf)
}

// readTradeFilter reads the filters of trades.
func readTradeFilter(q *decode.Query) store.TradeFilter {
	f := store.TradeFilter{
		AccountID: q.UUID("account_id"),
		Symbol:    q.Text("symbol", maxSymbol),
		State:     q.Choice("state", store.TradeOpen, store.TradeClosed),
		From:      q.Time("from"),
		To:        q.Time("to"),
	}
	q.Note("account_id", decode.Note{About: "Trades of this account only."})
	q.Note("symbol", decode.Note{About: "Trades of this symbol only, spelled as the platform spells it.", Example: "EURUSD"})
	q.Note("state", decode.Note{About: "Open or closed trades only."})
	q.Note("from", decode.Note{About: "Trades opened at this time or later."})
	q.Note("to", decode.Note{About: "Trades opened before this time."})
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		q.Parameter("to", problem.OutOfRange, "Must not lie before from.")
	}
	return f
}
