package access

import (
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
)

// Limits of what people sign in with. A password of any reasonable length is checked. Only a new
// one has to follow the rules.
const (
	maxSignInPassword = 1024
)

// signInParams is the body of POST /session.
type signInParams struct {
	Email        string
	Password     seal.Secret
	Organization string // empty for any
}

func readSignIn(o *decode.Object) signInParams {
	email := o.Text("email", decode.MaxEmail)
	password := o.Text("password", maxSignInPassword)
	organization := o.Text("organization", access.MaxOrganizationName)
	o.Require("email", email.State)
	o.Require("password", password.State)
	o.Note("email", decode.Note{About: "The person's email address. Case is ignored.", Example: "zoe@example.com"})
	o.Note("password", decode.Note{About: "The person's password.", Format: "password", Example: "correct horse battery"})
	o.Note("organization", decode.Note{About: "Name of the organization. Case is ignored. It is required if the email address and password belong to people in several organizations.", Example: "Alpha Capital"})
	return signInParams{email.Value, seal.NewSecret(password.Value), organization.Value}
}

// passwordParams is the body of PUT /session/password.
type passwordParams struct{ Current, New seal.Secret }

// readPasswordChange reads the password change of the person with the address. about is what else
// others know about the person.
func readPasswordChange(email string, about ...string) func(*decode.Object) passwordParams {
	return func(o *decode.Object) passwordParams {
		current := o.Text("current_password", maxSignInPassword)
		fresh := o.Text("new_password", auth.MaxPassword)
		o.Require("current_password", current.State)
		o.Require("new_password", fresh.State)
		o.Note("current_password", decode.Note{About: "The current password.", Format: "password", Example: "QX3NVKWPZ7M2R5TBC6DHJ4FYLS"})
		o.Note("new_password", decode.Note{
			About:  "The new password. It must not be blank, must differ from the current one, and must not consist only of common words, the person's name, address, and organization, repetitions, and sequences. There are no rules about kinds of characters.",
			Format: "password", Least: auth.MinPassword, Example: "correct horse battery",
		})
		if fresh.State != decode.Set {
			return passwordParams{}
		}
		fault := auth.PasswordFault(fresh.Value, email, about...)
		if fault == "" && auth.SamePassword(fresh.Value, current.Value) {
			fault = "Must differ from the current one."
		}
		if fault != "" {
			o.Fault("new_password", problem.InvalidFormat, fault)
		}
		return passwordParams{seal.NewSecret(current.Value), seal.NewSecret(fresh.Value)}
	}
}

// signInMethodsBody is the ways in which people can sign in to this server.
//
//openapi:name SignInMethods
type signInMethodsBody struct {
	// Sign-in methods: `password` with `POST /session`, and `oidc` by opening `/oidc/start`.
	Methods []string `json:"methods" api:"of=store/access.SignInMethod,items=2" example:"[\"password\", \"oidc\"]"`
}

// sessionBody is a Session: the person who is signed in, and what the pages need to act on that
// person's behalf.
//
//openapi:name Session
type sessionBody struct {
	User         userBody         `json:"user"`                                                     // the person who is signed in
	Organization organizationBody `json:"organization"`                                             // the organization whose data the person works with
	Scopes       []string         `json:"scopes" api:"of=apiserver/auth.Scope,items=10"`            // scopes that the person's role allows
	Method       string           `json:"method" api:"of=store/access.SignInMethod" example:"oidc"` // how the person signed in
	// CSRF token, which every POST, PUT, PATCH, and DELETE request sends in the header
	// `X-CSRF-Token`.
	CSRFToken string `json:"csrf_token" api:"min=43,max=43" pattern:"^[0-9A-Za-z_-]{43}$" example:"Yk3TtwvnP1cVdXheQ2mLr8sZ0aBfGjKoNqUyWxEiHMg"`
	// Whether the person must replace the password first. Until then, every operation below `/v1`
	// answers `password_change_required`.
	PasswordChangeRequired bool      `json:"password_change_required" example:"false"`
	CreatedAt              time.Time `json:"created_at"`      // when the person signed in
	IdleExpiresAt          time.Time `json:"idle_expires_at"` // when the session expires if there are no further requests, to the minute
	ExpiresAt              time.Time `json:"expires_at"`      // when the session expires regardless of its use
}

// organizationBody is an Organization.
//
//openapi:name Organization
type organizationBody struct {
	ID   uuid.UUID `json:"id"`                                         // unique identifier of the organization
	Name string    `json:"name" api:"max=200" example:"Alpha Capital"` // name of the organization
}

func sessionOf(s *auth.Session) sessionBody {
	return sessionBody{
		User: userOf(s.Person), Organization: organizationBody{s.OrganizationID, s.OrganizationName},
		Scopes: response.ConvertRows(auth.RoleScopes(s.Person.Role), func(s auth.Scope) string { return string(s) }), Method: string(s.Method),
		CSRFToken: s.CSRFToken, PasswordChangeRequired: s.MustChangePassword(),
		CreatedAt: s.CreatedAt, IdleExpiresAt: s.IdleAt, ExpiresAt: s.ExpiresAt,
	}
}
