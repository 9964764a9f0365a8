package auth

import "github.com/assayhq/assay/store"

// RoleScopes are the scopes of a person with the role (api.md, Keys and sign-in).
func RoleScopes(role store.Role) []Scope {
	switch role {
	case store.RoleOwner:
		return Scopes()
	case store.RoleReviewer:
		return []Scope{
			InterviewsRead, InterviewsCreate, InterviewsDelete, InterviewsDecide, TradersRead, TradersWrite, IntegrationsRead,
		}
	case store.RoleViewer:
		return []Scope{InterviewsRead, TradersRead, IntegrationsRead}
	}
	return nil
}
