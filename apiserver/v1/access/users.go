package access

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

// listUsers answers GET /v1/users with the people of the organization, sorted by name.
func (a *API) listUsers(w http.ResponseWriter, r *http.Request, p store.Page) error {
	people, err := access.ListPeople(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(people, userOf), p)
}

// getUser answers GET /v1/users/{id} with a User.
func (a *API) getUser(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	p, err := access.ReadPerson(r.Context(), a.store, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, userOf(p))
}

// takenEmail is what clients learn about a conflict.
const takenEmail = "Another person in the organization has this email."

// createUser answers POST /v1/users with a UserWithPassword: the person and, unless the person signs
// in elsewhere, the initial password.
func (a *API) createUser(w http.ResponseWriter, r *http.Request) error {
	n, err := decode.BodyOf(r, a.readNewUser)
	if err != nil {
		return err
	}
	var initial seal.Secret
	if n.withPassword {
		// Checked before the expensive password hash.
		if _, err := access.FindPersonByEmail(r.Context(), a.store, route.CallerOrganization(r), n.Email); !errors.Is(err, store.ErrNotFound) {
			return problem.ExplainTaken(cmp.Or(err, store.ErrConflict), takenEmail, "email")
		}
		initial = auth.NewPassword()
		if n.PasswordHash, err = a.passwords.Hash(r.Context(), route.CallerOrganization(r).String(), initial); err != nil {
			return err
		}
	}
	render := func(p access.Person) response.Reply { return a.renderPassword(http.StatusCreated, p, initial) }
	p, err := access.CreatePerson(r.Context(), a.store, route.NewRepeatableChange(r, render), n.NewPerson)
	if err != nil {
		return problem.ExplainTaken(err, takenEmail, "email")
	}
	return render(p).Write(w)
}

// renderPassword returns the response that contains a new password, once. It contains none if there
// is none.
func (a *API) renderPassword(status int, p access.Person, password seal.Secret) response.Reply {
	response := response.Reply{Status: status, Body: userWithPasswordBody{userOf(p), nil, false}}
	if status == http.StatusCreated {
		response.Location = a.publicURL + route.UsersPath + p.ID.String()
	}
	if password.IsZero() {
		return response
	}
	text := password.Reveal()
	response.Again, response.Body = response.Body, userWithPasswordBody{userOf(p), &text, true}
	return response
}

// updateUser answers PATCH /v1/users/{id} with a User.
func (a *API) updateUser(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if _, err := access.ReadPerson(r.Context(), a.store, route.CallerOrganization(r), id); err != nil {
		return err
	}
	condition, err := response.IfMatch(r, userOf)
	if err != nil {
		return err
	}
	patch, err := decode.BodyOf(r, readUserPatch)
	if err != nil {
		return err
	}
	patch.If = condition
	exemptSelf(r, id)
	render := func(p access.Person) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: userOf(p), Item: true}
	}
	p, err := access.UpdatePerson(r.Context(), a.store, route.NewRepeatableChange(r, render), id, patch)
	if errors.Is(err, access.ErrLastOwner) {
		return err
	}
	if err != nil {
		return problem.ExplainTaken(err, takenEmail, "email")
	}
	return render(p).Write(w)
}

// removeUser answers DELETE /v1/users/{id} with 204 once no request in the person's name can work
// or respond any more. Removing a person again also answers 204.
func (a *API) removeUser(w http.ResponseWriter, r *http.Request) error {
	id, condition, err := route.ObjectIfMatch(r, userOf)
	if err != nil {
		return err
	}
	exemptSelf(r, id)
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := access.RemovePerson(r.Context(), a.store, route.NewRepeatableChange(r, render), id, condition); err != nil {
		return err
	}
	return render(struct{}{}).Write(w)
}

// resetPassword answers POST /v1/users/{id}/reset-password with a UserWithPassword.
func (a *API) resetPassword(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.UsersPath)
	if err != nil {
		return err
	}
	if _, err := access.ReadPerson(r.Context(), a.store, route.CallerOrganization(r), id); err != nil {
		return err
	}
	initial := auth.NewPassword()
	hash, err := a.passwords.Hash(r.Context(), route.CallerOrganization(r).String(), initial)
	if err != nil {
		return err
	}
	exemptSelf(r, id)
	render := func(p access.Person) response.Reply { return a.renderPassword(http.StatusOK, p, initial) }
	p, err := access.SetPassword(r.Context(), a.store, route.NewRepeatableChange(r, render), id, hash)
	if err != nil {
		return err
	}
	return render(p).Write(w)
}

// exemptSelf lets people receive the response to a change of themselves that ends the session of
// the request.
func exemptSelf(r *http.Request, id uuid.UUID) {
	if s := auth.FromContext(r.Context()).Session; s != nil && s.PersonID == id {
		auth.Exempt(r.Context())
	}
}
