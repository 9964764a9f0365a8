package access

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of API keys, users, the organization and sessions.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Query: route.WithQuery((*decode.Query).Collection, a.listAPIKeys), ID: "listApiKeys"},
		{Method: "POST", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Handle: a.createAPIKey, ID: "createApiKey"},
		{Method: "DELETE", Path: "/v1/api-keys/{id}", Scope: auth.APIKeysManage, Handle: route.WithID(a.revokeAPIKey), ID: "revokeApiKey"},

		{Method: "GET", Path: "/v1/users", Scope: auth.InterviewsRead, Query: route.WithQuery((*decode.Query).Collection, a.listUsers), ID: "listUsers"},
		{Method: "POST", Path: "/v1/users", Scope: auth.APIKeysManage, Handle: a.createUser, ReadBody: route.ReaderOf(a.readNewUser), ID: "createUser"},
		{Method: "GET", Path: "/v1/users/{id}", Scope: auth.InterviewsRead, Handle: route.WithID(a.getUser), ID: "getUser"},
		{Method: "PATCH", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: route.WithID(a.updateUser), ID: "updateUser"},
		{Method: "DELETE", Path: "/v1/users/{id}", Scope: auth.APIKeysManage, Handle: a.removeUser, ID: "removeUser"},
		{Method: "POST", Path: "/v1/users/{id}/reset-password", Scope: auth.APIKeysManage, Handle: a.resetPassword, ID: "resetUserPassword"},

		{Method: "GET", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.getOrganization, ID: "getOrganization"},
		{Method: "PATCH", Path: "/v1/organization", Scope: auth.APIKeysManage, Handle: a.updateOrganization, ID: "updateOrganization"},

		{Method: "GET", Path: "/session/methods", Handle: a.signInMethods, ID: "getSignInMethods"},
		{Method: "GET", Path: "/session/views", Session: true, Handle: a.getViews, ID: "getSavedViews"},
		{Method: "PUT", Path: "/session/views", Session: true, Handle: a.replaceViews, ID: "replaceSavedViews"},
		{Method: "GET", Path: "/session", Session: true, Handle: a.getSession, ID: "getSession"},
		{Method: "POST", Path: "/session", Handle: a.signIn, ID: "signIn"},
		{Method: "DELETE", Path: "/session", Session: true, Query: route.WithQuery(readSignOut, a.signOut), ID: "signOut"},
		{Method: "PUT", Path: "/session/password", Session: true, Handle: a.changePassword, ID: "changePassword"},
	}, operations)
}

// PageRoutes lists the pages by which people sign in with OpenID Connect.
func (a *API) PageRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Path: oidcStartPath, Page: true, Query: route.WithQuery(readOIDCStart, a.startOIDC)},
		{Method: "GET", Path: oidcCallbackPath, Page: true, Query: route.WithQuery(readOIDCReturn, a.finishOIDC)},
	}
}
