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

// maxPayoutStatus is the most characters of a status that a filter compares.
const maxPayoutStatus = 100

// listedPayoutBody is a Payout in a list of all traders' payouts.
type listedPayoutBody struct {
	payoutBody `json:",inline"`
	// The trader who is paid. Null until the trader has arrived from the platform, and if the
	// platform names none.
	Trader *payoutTraderBody `json:"trader"`
}

// payoutTraderBody is the trader of a payout.
//
//openapi:name PayoutTrader
type payoutTraderBody struct {
	ID       uuid.UUID `json:"id"`                                             // unique identifier of the trader
	FullName *string   `json:"full_name" api:"max=8193" example:"Zoe Miller"`  // Full name. Null if it is unknown.
	Email    *string   `json:"email" api:"max=4096" example:"zoe@example.com"` // Email address. Null if it is unknown.
}

func listedPayoutOf(p directory.ListedPayout) listedPayoutBody {
	b := listedPayoutBody{payoutBody: payoutOf(p.Payout)}
	if p.TraderID != nil {
		b.Trader = &payoutTraderBody{ID: *p.TraderID, FullName: p.TraderName, Email: p.TraderEmail}
	}
	return b
}

// payoutsQuery is the query of GET /v1/payouts.
type payoutsQuery struct {
	page   store.Page
	filter directory.PayoutFilter
}

func readPayoutsQuery(q *decode.Query) payoutsQuery {
	return payoutsQuery{page: q.Page(), filter: readPayoutFilter(q)}
}

// readPayoutFilter reads the query of GET /v1/payouts without its page.
func readPayoutFilter(q *decode.Query) directory.PayoutFilter {
	f := directory.PayoutFilter{
		TraderID: decode.NoteParameter(q, "trader_id", "Only payouts to this trader.", q.UUID("trader_id")),
		Status:   q.Text("status", maxPayoutStatus),
		From:     decode.NoteParameter(q, "requested_from", "Only payouts requested at or after this time.", q.Time("requested_from")),
		To:       decode.NoteParameter(q, "requested_to", "Only payouts requested before this time.", q.Time("requested_to")),
		Sort:     directory.PayoutSort(q.Choice("sort", decode.TextsOf(directory.PayoutSorts())...)),
	}
	q.Note("status", decode.Note{About: "Only payouts with this status, spelled as the platform sends it.", Example: "pending"})
	q.Note("sort", decode.Note{
		About:   "The sort order; `-` means descending. Payouts without the value come last. `trader` sorts by name, `account` by external id. Amounts are compared regardless of their currencies. Only `-requested_at` costs the same for any number of payouts.",
		Default: string(directory.LastRequested),
	})
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		q.Parameter("requested_to", problem.OutOfRange, "Must not be before requested_from.")
	}
	return f
}

// listPayouts answers GET /v1/payouts.
func (a *API) listPayouts(w http.ResponseWriter, r *http.Request, q payoutsQuery) error {
	rows, total, err := directory.ListPayouts(r.Context(), a.reads, route.CallerOrganization(r), q.filter, q.page)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[directory.ListedPayout]{List: rows, Page: q.page, Total: total, Position: q.filter.Sort.PositionOf}, listedPayoutOf)
}
