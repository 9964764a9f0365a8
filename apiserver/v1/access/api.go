// Package access serves the routes of those who may use assay: API keys, users with their saved
// views, the organization, and sessions with the ways to sign in.
package access

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Config configures the API of keys, users, the organization and sessions. All fields except OIDC,
// GroupRoles and LawfulBasis are required.
type Config struct {
	Store     *store.DB
	Auth      *auth.Authenticator
	Passwords *auth.Passwords
	Failures  *auth.Failures
	Origins   *auth.Origins
	Docs      *docs.Pages // shows what went wrong while people sign in at a provider
	Objects   route.Objects
	PublicURL string // origin of links in responses, without a trailing slash
	// OIDC is the provider that people sign in with. If it is nil, they can only use passwords.
	OIDC *oidc.Provider
	// GroupRoles are the roles that the provider's groups give. If there are none, roles are assigned
	// in assay.
	GroupRoles map[string]access.Role
	// LawfulBasis is why recording is lawful, for organizations that give no reason.
	LawfulBasis string
}

// API serves the routes of keys, users, the organization and sessions.
type API struct {
	store      *store.DB
	auth       *auth.Authenticator
	passwords  *auth.Passwords
	failures   *auth.Failures
	origins    *auth.Origins
	docs       *docs.Pages
	objects    route.Objects
	publicURL  string
	oidc       *oidc.Provider // may be nil
	groupRoles map[string]access.Role
	basis      string // may be empty
}

// New returns the API of keys, users, the organization and sessions.
func New(c Config) *API {
	return &API{
		store: c.Store, auth: c.Auth, passwords: c.Passwords, failures: c.Failures, origins: c.Origins, docs: c.Docs, objects: c.Objects,
		publicURL: c.PublicURL, oidc: c.OIDC, groupRoles: c.GroupRoles, basis: c.LawfulBasis,
	}
}
