package traders

import (
	"cmp"
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/directory"
)

// createTrader answers POST /v1/traders with a Trader. If a platform has sent exactly one trader
// with the same email, that trader is used and keeps its id.
func (a *API) createTrader(w http.ResponseWriter, r *http.Request) error {
	n, err := decode.BodyOf(r, ReadNew)
	if err != nil {
		return err
	}
	render := func(t directory.Trader) response.Reply {
		return response.Reply{Status: http.StatusCreated, Location: a.publicURL + "/v1/traders/" + t.ID.String(), Body: traderOf(t)}
	}
	t, err := directory.CreateTrader(r.Context(), a.store, route.NewRepeatableChange(r, render), n)
	if err != nil {
		return problem.ExplainTaken(err, TakenExternalID, "external_id")
	}
	return render(t).Write(w)
}

// What clients learn about conflicts.
const (
	TakenExternalID = "Another manually created trader has this external ID."
	tooManyNotes    = "The trader has the maximum number of notes. Delete one first."
)

// updateTrader answers PATCH /v1/traders/{id} with what a GET of the trader returns. If the new
// email shows that two traders are the same person, they are merged under the id of the request.
func (a *API) updateTrader(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	before, err := directory.ReadProfile(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	condition, err := response.IfMatch(r, DetailOf)
	if err != nil {
		return err
	}
	patch, err := decode.BodyOf(r, func(o *decode.Object) directory.TraderPatch { return readTraderPatch(o, before.Manual()) })
	if err != nil {
		return err
	}
	patch.If = condition
	render := func(d directory.TraderDetail) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: DetailOf(d), Item: true}
	}
	d, err := directory.UpdateTrader(r.Context(), a.store, route.NewRepeatableChange(r, render), id, patch)
	if err != nil {
		return problem.ExplainTaken(err, TakenExternalID, "external_id")
	}
	return render(d).Write(w)
}

// addNote answers POST /v1/traders/{id}/notes with a Note. A missing trader is reported before a
// faulty body.
func (a *API) addNote(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	p, err := decode.BodyOf(r, readNote)
	if err != nil {
		return cmp.Or(a.objects.Check(r, route.TradersPath, id), err)
	}
	render := func(n directory.Note) response.Reply {
		return response.Reply{Status: http.StatusCreated, Body: noteOf(n)}
	}
	n, err := directory.AddNote(r.Context(), a.store, route.NewRepeatableChange(r, render), id, p.Body)
	if err != nil {
		return problem.ExplainConflict(err, tooManyNotes)
	}
	return render(n).Write(w)
}

// deleteNote answers DELETE /v1/traders/{id}/notes/{noteId} with 204.
func (a *API) deleteNote(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	note, err := route.PathID(r, noteVariable)
	if err != nil {
		return err
	}
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := directory.DeleteNote(r.Context(), a.store, route.NewRepeatableChange(r, render), id, note); err != nil {
		return err
	}
	return render(struct{}{}).Write(w)
}

// noteVariable is the path variable that names a note.
const noteVariable = "noteId"
