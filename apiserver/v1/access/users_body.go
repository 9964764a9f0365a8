package access

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/access"
)

// maxRole is the most characters of a role.
const maxRole = 20

// newUserParams is the body of POST /v1/users.
type newUserParams struct {
	access.NewPerson
	withPassword bool
}

func (a *API) readNewUser(o *decode.Object) newUserParams {
	email := decode.ReadEmail(o)
	name := decode.ReadLabel(o, "name", access.MaxPersonName)
	role := readRole(o)
	signIn := a.readSignInWay(o)
	o.Require("email", email.State)
	o.Require("role", role.State)
	o.Note("email", decode.Note{About: "Email address to sign in with. It must be unique within the organization."})
	o.Note("name", decode.Note{About: "The user's name. If null or absent, the email address is used.", Example: "Zoe Miller"})
	n := newUserParams{access.NewPerson{Email: email.Value, Name: name.Value, Role: access.Role(role.Value)}, signIn.Value != signInByOIDC}
	if name.State != decode.Set {
		n.Name = n.Email
	}
	return n
}

// readRole reads one of the roles.
func readRole(o *decode.Object) decode.Field[string] {
	roles := response.ConvertRows(access.Roles(), func(r access.Role) string { return string(r) })
	role := o.Text("role", maxRole)
	o.Note("role", decode.Note{
		About: "Role of the user. An `owner` can do everything, a `reviewer` can do everything with interviews and traders, and a `viewer` can only read. All of them can see integrations.", Values: roles, Example: "reviewer",
	})
	if role.State == decode.Set && !slices.Contains(roles, role.Value) {
		return decode.NoteFormatFault(o, "role", "Must be one of "+strings.Join(roles, ", ")+".")
	}
	return role
}

// How a new person is to sign in.
const (
	signInByPassword = "password"
	signInByOIDC     = "oidc"
)

func (a *API) readSignInWay(o *decode.Object) decode.Field[string] {
	ways := []string{signInByPassword, signInByOIDC}
	way := o.Text("sign_in", maxRole)
	o.Note("sign_in", decode.Note{
		About: "How the user first signs in: with a password, which the response returns, or only with the server's OpenID Connect provider.", Values: ways, Default: signInByPassword,
	})
	switch {
	case way.State != decode.Set:
	case !slices.Contains(ways, way.Value):
		return decode.NoteFormatFault(o, "sign_in", "Must be one of "+strings.Join(ways, ", ")+".")
	case way.Value == signInByOIDC && a.oidc == nil:
		return decode.NoteFormatFault(o, "sign_in", "This server has no OpenID Connect provider.")
	}
	return way
}

func readUserPatch(o *decode.Object) access.PersonPatch {
	email := decode.ReadEmail(o)
	name := decode.ReadLabel(o, "name", access.MaxPersonName)
	role := readRole(o)
	o.RefuseNull("email", email.State)
	o.RefuseNull("name", name.State)
	o.RefuseNull("role", role.State)
	o.Note("email", decode.Note{About: "Email address to sign in with. It must be unique within the organization. Changing it ends the person's sessions and removes the link to an account of the OpenID Connect provider."})
	o.Note("name", decode.Note{About: "The user's name.", Example: "Zoe Miller"})
	patch := access.PersonPatch{Email: decode.GivenText(email), Name: decode.GivenText(name)}
	if role.State == decode.Set {
		set := access.Role(role.Value)
		patch.Role = &set
	}
	return patch
}

// userBody is a User: a person of the organization who can sign in.
//
//openapi:name User
type userBody struct {
	ID           uuid.UUID  `json:"id"`                                                                // unique identifier of the user
	Email        string     `json:"email" api:"max=254" example:"zoe@example.com"`                     // email address to sign in with
	Name         string     `json:"name" api:"max=320" example:"Zoe Miller"`                           // the user's name
	Role         string     `json:"role" api:"of=store/access.Role" example:"reviewer"`                // role, which determines what the user may do
	Password     string     `json:"password" api:"of=apiserver/v1/access.passwordState" example:"set"` // whether the user can sign in with a password
	OIDCLinked   bool       `json:"oidc_linked" example:"false"`                                       // whether an account of the server's OpenID Connect provider is linked to the user
	LastSignInAt *time.Time `json:"last_sign_in_at"`                                                   // When the user last signed in. Null if the user never has.
	CreatedAt    time.Time  `json:"created_at"`                                                        // when the user was added
	UpdatedAt    time.Time  `json:"updated_at"`                                                        // when the user was last changed
}

// State omits when the person last signed in, because a sign-in does not conflict with a change
// of the person.
func (u userBody) State() any {
	u.LastSignInAt = nil
	return u
}

// passwordState is what there is of a person's password.
type passwordState string

// The states of passwords.
const (
	passwordSet       passwordState = "set"       // The user has chosen a password.
	passwordTemporary passwordState = "temporary" // An initial password was created. The user must sign in with it within seven days and then replace it.
	passwordNone      passwordState = "none"      // The user signs in only with the OpenID Connect provider.
)

// userWithPasswordBody is a new user with the initial password.
//
//openapi:name UserWithPassword
type userWithPasswordBody struct {
	userBody `json:",inline"`
	// The password for the first sign-in, valid for seven days. It is returned only once: it is null
	// if the request is repeated with the same Idempotency-Key. Also null if the user has no
	// password.
	InitialPassword *string `json:"initial_password" api:"min=26,max=26" pattern:"^[A-Z2-7]{26}$" example:"QX3NVKWPZ7M2R5TBC6DHJ4FYLS"`
	SecretAvailable bool    `json:"secret_available"` // whether `initial_password` is returned
}

func userOf(p access.Person) userBody {
	state := passwordNone
	switch {
	case p.PasswordTemporary:
		state = passwordTemporary
	case p.HasPassword:
		state = passwordSet
	}
	return userBody{
		ID: p.ID, Email: p.Email, Name: p.Name, Role: string(p.Role), Password: string(state), OIDCLinked: p.Linked,
		LastSignInAt: p.LastSignInAt, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
}
