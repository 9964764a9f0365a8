package auth

import "github.com/assayhq/assay/store"

// RoleScopes returns the scopes of a person with the role. A reviewer can do all that
// an interview needs, and cannot change platforms, keys or people.
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
