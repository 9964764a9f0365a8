package v1

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
)

// createTrader answers POST /v1/traders with a Trader. If a platform has sent exactly one trader
// with the same email, that trader is used and keeps its id.
func (a *API) createTrader(w http.ResponseWriter, r *http.Request) error {
	n, err := decode.BodyOf(r, readNewTrader)
	if err != nil {
		return err
	}
	render := func(t directory.Trader) reply {
		return reply{status: http.StatusCreated, location: a.publicURL + "/v1/traders/" + t.ID.String(), body: traderOf(t)}
	}
	t, err := directory.CreateTrader(r.Context(), a.store, changeBy(r, render), n)
	if err != nil {
		return explainTaken(err, takenExternalID, "external_id")
	}
	return render(t).write(w)
}

// What clients learn about conflicts.
const (
	takenExternalID = "Another manually created trader has this external ID."
	tooManyNotes    = "The trader has the maximum number of notes. Delete one first."
)

// explainConflict says what a conflict is about.
func explainConflict(err error, detail string) error {
	if errors.Is(err, store.ErrConflict) {
		return &problem.Problem{Code: problem.Conflict, Detail: detail, Cause: err}
	}
	return err
}

// explainTaken says which member of the body has a value that another object has, if err is such a conflict.
func explainTaken(err error, detail string, members ...string) error {
	if !errors.Is(err, store.ErrConflict) {
		return err
	}
	return takenProblem(problem.Conflict, err, detail, members...)
}

// takenProblem returns a problem about the member of the body, which has a value that another object has.
func takenProblem(code problem.Code, cause error, detail string, members ...string) *problem.Problem {
	fault := problem.Fault{Pointer: pointerTo(members...).String(), Code: problem.Taken, Detail: detail}
	return &problem.Problem{Code: code, Detail: detail, Faults: []problem.Fault{fault}, Cause: cause}
}

// pointerTo returns the pointer to a member of the body, or of its members.
func pointerTo(members ...string) problem.Pointer {
	at := problem.Pointer{}
	for _, m := range members {
		at = at.Member(m)
	}
	return at
}

// updateTrader answers PATCH /v1/traders/{id} with what a GET of the trader returns. If the new
// email shows that two traders are the same person, they are merged under the id of the request.
func (a *API) updateTrader(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	before, err := directory.ReadProfile(r.Context(), a.store, callerOrganization(r), id)
	if err != nil {
		return err
	}
	condition, err := ifMatch(r, traderDetailOf)
	if err != nil {
		return err
	}
	patch, err := decode.BodyOf(r, func(o *decode.Object) directory.TraderPatch { return readTraderPatch(o, before.Manual()) })
	if err != nil {
		return err
	}
	patch.If = condition
	render := func(d directory.TraderDetail) reply {
		return reply{status: http.StatusOK, body: traderDetailOf(d), item: true}
	}
	d, err := directory.UpdateTrader(r.Context(), a.store, changeBy(r, render), id, patch)
	if err != nil {
		return explainTaken(err, takenExternalID, "external_id")
	}
	return render(d).write(w)
}

// addNote answers POST /v1/traders/{id}/notes with a Note. A missing trader is reported before a
// faulty body.
func (a *API) addNote(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	p, err := decode.BodyOf(r, readNote)
	if err != nil {
		return cmp.Or(a.objects.Check(r, tradersPath, id), err)
	}
	render := func(n directory.Note) reply { return reply{status: http.StatusCreated, body: noteOf(n)} }
	n, err := directory.AddNote(r.Context(), a.store, changeBy(r, render), id, p.Body)
	if err != nil {
		return explainConflict(err, tooManyNotes)
	}
	return render(n).write(w)
}

// deleteNote answers DELETE /v1/traders/{id}/notes/{noteId} with 204.
func (a *API) deleteNote(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	note, err := pathID(r, noteVariable)
	if err != nil {
		return err
	}
	render := func(struct{}) reply { return reply{status: http.StatusNoContent} }
	if err := directory.DeleteNote(r.Context(), a.store, changeBy(r, render), id, note); err != nil {
		return err
	}
	return render(struct{}{}).write(w)
}

// noteVariable is the path variable that names a note.
const noteVariable = "noteId"
