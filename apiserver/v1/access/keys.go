package access

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Limits of a key's members: a name fits one line of a list, and a key that expires does so
// within ten years.
const (
	maxKeyName    = 100
	maxExpiryDays = 3650
)

// listAPIKeys answers GET /v1/api-keys with all keys of the organization, newest first, including
// those that have expired or been revoked.
func (a *API) listAPIKeys(w http.ResponseWriter, r *http.Request, p store.Page) error {
	keys, err := access.ListAPIKeys(r.Context(), a.store, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(keys, apiKeyOf), p)
}

// newKeyParams is the body of POST /v1/api-keys.
type newKeyParams struct {
	Name          string
	Scopes        []string
	ExpiresInDays int // 0 means never
}

func readNewKey(o *decode.Object) newKeyParams {
	name := decode.ReadLabel(o, "name", maxKeyName)
	scopes := readScopes(o)
	days := o.Int("expires_in_days", 1, maxExpiryDays)
	o.Require("name", name.State)
	o.Require("scopes", scopes.State)
	o.Note("name", decode.Note{Example: "Reporting"})
	o.Note("expires_in_days", decode.Note{About: "Number of days until the key expires. If null or absent, it never expires.", Example: 90})
	return newKeyParams{name.Value, scopes.Value, days.Value}
}

// readScopes reads at least one scope, all known and none twice.
func readScopes(o *decode.Object) decode.Field[[]string] {
	const longest = 100 // far more than there are scopes
	seen := make(map[string]bool)
	scopes := o.Texts("scopes", len(scopeNames()), longest, func(at problem.Pointer, scope string) bool {
		switch {
		case !slices.Contains(scopeNames(), scope):
			o.At(at, problem.UnknownScope, "Must be one of "+strings.Join(scopeNames(), ", ")+".")
		case seen[scope]:
			o.At(at, problem.InvalidFormat, "Must not be listed twice.")
		default:
			seen[scope] = true
			return true
		}
		return false
	})
	o.Note("scopes", decode.Note{About: "Scopes that the key has.", Least: 1, Unique: true, Each: &decode.Note{Values: scopeNames()}, Example: scopeNames()[4:5]})
	if scopes.State == decode.Set && len(scopes.Value) == 0 {
		o.Fault("scopes", problem.TooFewItems, "Must list at least one scope.")
		scopes.State = decode.Faulty
	}
	return scopes
}

func scopeNames() []string {
	return response.ConvertRows(auth.Scopes(), func(s auth.Scope) string { return string(s) })
}

// createAPIKey answers POST /v1/api-keys with an ApiKeyCreated. It may grant scopes that the
// calling key lacks, because api_keys:manage is administrative.
func (a *API) createAPIKey(w http.ResponseWriter, r *http.Request) error {
	p, err := decode.BodyOf(r, readNewKey)
	if err != nil {
		return err
	}
	key := auth.NewKey()
	made := access.NewAPIKey{Name: p.Name, Prefix: key.Prefix(), SecretHash: key.Hash(), Scopes: p.Scopes, ExpiresInDays: p.ExpiresInDays}
	render := func(k access.APIKey) response.Reply {
		shown := apiKeyOf(access.ListedAPIKey{APIKey: k})
		secret := key.Secret().Reveal()
		return response.Reply{
			Status: http.StatusCreated,
			Body:   apiKeyCreatedBody{shown, &secret, true},
			Again:  apiKeyCreatedBody{shown, nil, false},
		}
	}
	k, err := access.CreateAPIKey(r.Context(), a.store, route.NewRepeatableChange(r, render), made)
	if err != nil {
		return err
	}
	return render(k).Write(w)
}

// revokeAPIKey answers DELETE /v1/api-keys/{id} with 204 once no request in the key's name can
// work or respond any more. Revoking a key again also answers 204. A key may revoke itself.
func (a *API) revokeAPIKey(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	if id == auth.FromContext(r.Context()).KeyID {
		auth.Exempt(r.Context())
	}
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := access.RevokeAPIKey(r.Context(), a.store, route.NewRepeatableChange(r, render), id); err != nil {
		return err
	}
	return render(struct{}{}).Write(w)
}

// apiKeyBody is an API key, without its secret.
//
//openapi:name ApiKey
type apiKeyBody struct {
	ID            uuid.UUID  `json:"id"`                                                                                       // unique identifier of the API key
	Name          string     `json:"name" api:"min=1,max=100" example:"Reporting"`                                             // label that helps people to tell keys apart
	Prefix        string     `json:"prefix" api:"min=15,max=15" pattern:"^svc_live_[0-9A-Za-z]{6}$" example:"svc_live_3xK9pQ"` // first 15 characters of the secret
	Scopes        []string   `json:"scopes" api:"of=apiserver/auth.Scope,items=10"`                                            // scopes that the key has
	CreatedByName string     `json:"created_by_name" api:"max=320" example:"Zoe Miller"`                                       // name of the person or API key that created the key
	CreatedAt     time.Time  `json:"created_at"`                                                                               // when the key was created
	LastUsedAt    *time.Time `json:"last_used_at"`                                                                             // When the key was last used, to the minute. Null if it was never used.
	ExpiresAt     *time.Time `json:"expires_at"`                                                                               // When the key expires. Null if it never expires.
	RevokedAt     *time.Time `json:"revoked_at" example:"null"`                                                                // When the key was revoked. Null if it was not revoked.
}

// apiKeyCreatedBody is a new API key with its secret.
//
//openapi:name ApiKeyCreated
type apiKeyCreatedBody struct {
	apiKeyBody `json:",inline"`
	// The secret that callers send as their API key. It is returned only once: it is null if the
	// request is repeated with the same Idempotency-Key.
	Secret          *string `json:"secret" api:"min=58,max=58" pattern:"^svc_live_[0-9A-Za-z]{49}$" example:"svc_live_3xK9pQ000000000000000000000000000000000000000000x"`
	SecretAvailable bool    `json:"secret_available"` // whether `secret` is returned
}

func apiKeyOf(k access.ListedAPIKey) apiKeyBody {
	return apiKeyBody{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes, CreatedByName: k.CreatedByName, CreatedAt: k.CreatedAt,
		LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
	}
}
