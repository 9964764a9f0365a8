package auth

import (
	"github.com/assayhq/assay/store/access"
)

// RoleScopes returns the scopes of a person with the role. A reviewer can do everything that an
// interview needs, but cannot change platforms, keys or people.
func RoleScopes(role access.Role) []Scope {
	switch role {
	case access.RoleOwner:
		return Scopes()
	case access.RoleReviewer:
		return []Scope{
			InterviewsRead, InterviewsCreate, InterviewsDelete, InterviewsDecide, TradersRead, TradersWrite, IntegrationsRead,
		}
	case access.RoleViewer:
		return []Scope{InterviewsRead, TradersRead, IntegrationsRead}
	}
	return nil
}
