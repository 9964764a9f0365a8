package traders

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// duplicatesBody is the possible duplicates of a trader.
//
//openapi:name Duplicates
type duplicatesBody struct {
	Data      []duplicateBody             `json:"data" api:"items=100"`                                                                 // possible duplicates, strongest reasons first, dismissed ones last
	Meta      response.Meta               `json:"meta"`                                                                                 // position of the page in the list
	TooCommon []directory.DuplicateReason `json:"too_common" api:"items=5,of=store/directory.DuplicateReason" example:"[\"login_ip\"]"` // reasons that apply to more than 20 other traders, who are therefore not listed
}

// duplicateBody is another trader who may be the same person.
//
//openapi:name Duplicate
type duplicateBody struct {
	Trader      traderBody                  `json:"trader"`                                                                         // the other trader
	Reasons     []directory.DuplicateReason `json:"reasons" api:"items=5,of=store/directory.DuplicateReason" example:"[\"email\"]"` // why both may be the same person, strongest reason first
	Mergeable   bool                        `json:"mergeable"`                                                                      // whether both can be merged: not if both were read from platforms
	DismissedAt *time.Time                  `json:"dismissed_at" example:"null"`                                                    // When someone said that both are not the same person. Null if nobody has.
	DismissedBy *string                     `json:"dismissed_by" api:"max=320" example:"null"`                                      // The user or API key that said so. Null if nobody has.
}

func duplicateOf(d directory.Duplicate) duplicateBody {
	return duplicateBody{Trader: traderOf(d.Trader), Reasons: d.Reasons, Mergeable: d.Mergeable, DismissedAt: d.DismissedAt, DismissedBy: d.DismissedBy}
}

// listDuplicates answers GET /v1/traders/{id}/duplicates.
func (a *API) listDuplicates(w http.ResponseWriter, r *http.Request, p store.Page) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	d, err := directory.ListDuplicates(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	list, position := response.CutPage(w, r, a.publicURL, d.List, p)
	return response.AnswerJSON(w, duplicatesBody{Data: response.ConvertRows(list, duplicateOf), Meta: position, TooCommon: d.TooCommon})
}

// duplicateVariable is the path variable that names another trader.
const duplicateVariable = "duplicateId"

// duplicatePair reads the two traders of a path, and that there is no body. A missing trader is reported
// before a faulty body.
func (a *API) duplicatePair(r *http.Request) (id, other uuid.UUID, err error) {
	if id, err = route.ObjectID(r); err != nil {
		return id, other, err
	}
	if other, err = route.PathID(r, duplicateVariable); err != nil {
		return id, other, err
	}
	if _, err = decode.OptionalBodyOf(r, decode.ReadNothing); err != nil {
		err = cmp.Or(a.objects.Check(r, route.TradersPath, id), a.objects.Check(r, route.TradersPath, other), err)
	}
	return id, other, err
}

// mergeTraders answers POST /v1/traders/{id}/duplicates/{duplicateId}/merge with the Trader.
func (a *API) mergeTraders(w http.ResponseWriter, r *http.Request) error {
	id, other, err := a.duplicatePair(r)
	if err != nil {
		return err
	}
	render := func(t directory.Trader) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: traderOf(t)}
	}
	t, err := directory.MergeTraders(r.Context(), a.store, route.NewRepeatableChange(r, render), id, other)
	if err != nil {
		return explainPair(err)
	}
	return render(t).Write(w)
}

// dismissDuplicate answers PUT /v1/traders/{id}/duplicates/{duplicateId}/dismissal with 204.
func (a *API) dismissDuplicate(w http.ResponseWriter, r *http.Request) error {
	return a.changePair(w, r, directory.DismissDuplicate)
}

// restoreDuplicate answers DELETE /v1/traders/{id}/duplicates/{duplicateId}/dismissal with 204.
func (a *API) restoreDuplicate(w http.ResponseWriter, r *http.Request) error {
	return a.changePair(w, r, directory.RestoreDuplicate)
}

// changePair changes what is known about the two traders of a path, and answers with 204.
func (a *API) changePair(w http.ResponseWriter, r *http.Request, change changeOfPair) error {
	id, other, err := a.duplicatePair(r)
	if err != nil {
		return err
	}
	if err := change(r.Context(), a.store, route.NewChange(r), id, other); err != nil {
		return explainPair(err)
	}
	return response.Reply{Status: http.StatusNoContent}.Write(w)
}

// explainPair says why two traders are refused.
func explainPair(err error) error {
	var detail string
	switch {
	case errors.Is(err, directory.ErrSameTrader):
		detail = "Both ids are of the same trader. Name another one."
	case errors.Is(err, directory.ErrBothSynced):
		detail = "Both traders were read from platforms, which would send the merged one again. Only a trader that was created manually can be merged."
	default:
		return err
	}
	return &problem.Problem{Code: problem.Conflict, Detail: detail, Cause: err}
}

// changeOfPair changes what is known about two traders.
type changeOfPair func(ctx context.Context, db *store.DB, c store.Change, id, other uuid.UUID) error
