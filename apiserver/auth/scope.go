package auth

import (
	"fmt"
	"slices"
)

// Scope is a permission of a key (service API, Authentication).
type Scope string

// The scopes, in the contract's order.
const (
	InterviewsRead     Scope = "interviews:read"
	InterviewsCreate   Scope = "interviews:create"
	InterviewsDelete   Scope = "interviews:delete"
	InterviewsDecide   Scope = "interviews:decide"
	TradersRead        Scope = "traders:read"
	TradersWrite       Scope = "traders:write"
	WebhooksManage     Scope = "webhooks:manage"
	APIKeysManage      Scope = "api_keys:manage"
	IntegrationsRead   Scope = "integrations:read"
	IntegrationsManage Scope = "integrations:manage"
)

// Scopes lists all scopes in the contract's order.
func Scopes() []Scope {
	return []Scope{
		InterviewsRead, InterviewsCreate, InterviewsDelete, InterviewsDecide,
		TradersRead, TradersWrite, WebhooksManage, APIKeysManage,
		IntegrationsRead, IntegrationsManage,
	}
}

// ParseScopes checks a list of scopes: at least one, all known, none twice.
func ParseScopes(names []string) ([]Scope, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("at least one scope is required; valid scopes: %v", Scopes())
	}
	known := Scopes()
	scopes := make([]Scope, 0, len(names))
	for _, name := range names {
		scope := Scope(name)
		if !slices.Contains(known, scope) {
			return nil, fmt.Errorf("unknown scope %q; valid scopes: %v", name, known)
		}
		if slices.Contains(scopes, scope) {
			return nil, fmt.Errorf("scope %q is listed twice", name)
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}
