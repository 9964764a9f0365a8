package access

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// setCookie is the header that sets or removes a session cookie.
const setCookie = "Set-Cookie"

// operations are about API keys, users, the organization and sessions.
var operations = map[string]route.Operation{
	"listApiKeys": {
		Tag: route.TagAPIKeys, Summary: "List API keys",
		Description: "Lists all API keys of the organization, newest first, including expired and revoked ones. Secrets are not included.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The keys.", Body: response.Collection[apiKeyBody]{}, Headers: []string{"Link"}}},
	},
	"createApiKey": {
		Tag: route.TagAPIKeys, Summary: "Create an API key",
		Description: "Creates an API key and returns its secret. The secret is shown only once. The new key may have scopes that the calling key lacks.",
		Body:        route.Body{Name: "NewApiKey", About: "The name, scopes and lifetime of the key.", Read: route.ReaderOf(readNewKey)},
		Answers:     []route.Answer{{Status: http.StatusCreated, About: "The key with its secret.", Body: apiKeyCreatedBody{}}},
	},
	"revokeApiKey": {
		Tag: route.TagAPIKeys, Summary: "Revoke an API key",
		Description: "Revokes an API key immediately. Once this request has been answered, requests with the key no longer change or return anything: they are answered " +
			"401, even if they were already in progress. A key can revoke itself. Revoking a revoked key has no effect and returns the same response.",
		Answers: []route.Answer{{Status: http.StatusNoContent, About: "The key is revoked."}},
	},
	"listUsers": {
		Tag: route.TagUsers, Summary: "List users",
		Description: "Lists the people of the organization who can sign in, by name. Removed users are not included.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The users.", Body: response.Collection[userBody]{}, Headers: []string{"Link"}}},
	},
	"getUser": {
		Tag: route.TagUsers, Summary: "Retrieve a user",
		Description: "Returns a user of the organization.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The user.", Body: userBody{}}},
	},
	"createUser": {
		Tag: route.TagUsers, Summary: "Add a user",
		Description: "Adds a user and returns a temporary password. The password is shown only once. It is valid for seven days and only for setting a new password after " +
			"signing in.",
		Body:     route.Body{Name: "NewUser", About: "The user to add."},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The user, with the temporary password.", Body: userWithPasswordBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.Conflict},
	},
	"updateUser": {
		Tag: route.TagUsers, Summary: "Update a user",
		Description: "Updates a user's name, email or role. A change of email or role ends the user's sessions immediately: once this request has been answered, requests " +
			"in them no longer change or return anything. A change of email also deletes the password and the link to an account at the OpenID Connect provider; " +
			"reset the password to get a new one. The last owner who can sign in must remain one.",
		Conditional: true,
		Body:        route.Body{Name: "UserPatch", About: "The fields to update. Absent fields are unchanged.", Read: route.ReaderOf(readUserPatch)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated user.", Body: userBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"removeUser": {
		Tag: route.TagUsers, Summary: "Remove a user",
		Description: "Removes a user immediately. Once this request has been answered, requests in the user's sessions no longer change or return anything, even if they " +
			"were already in progress. What the user did is still shown with their name. Removing a removed user has no effect and returns the same response. The " +
			"last owner cannot be removed.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The user is removed."}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"resetUserPassword": {
		Tag: route.TagUsers, Summary: "Reset a user's password",
		Description: "Replaces the user's password with a new temporary one and returns it. The password is shown only once. The user's sessions end immediately.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The user, with the temporary password.", Body: userWithPasswordBody{}}},
	},
	"getOrganization": {
		Tag: route.TagOrganization, Summary: "Retrieve the organization", Conditional: true,
		Description: "Returns the settings of the organization to which the key or the user belongs.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The organization.", Body: settingsBody{}}},
	},
	"updateOrganization": {
		Tag: route.TagOrganization, Summary: "Update the organization", Conditional: true,
		Description: "Updates the settings in the body and leaves the others unchanged.",
		Body:        route.Body{Name: "OrganizationPatch", About: "The fields to update.", Read: route.ReaderOf(readOrganizationPatch)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated organization.", Body: settingsBody{}}},
		Problems:    []problem.Code{problem.Conflict},
	},
	"getSession": {
		Tag: route.TagSession, Summary: "Retrieve the session",
		Description: "Returns who is signed in with this browser, what they may do, and the CSRF token to send with changes.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The session.", Body: sessionBody{}}},
	},
	"getSignInMethods": {
		Tag: route.TagSession, Summary: "List sign-in methods",
		Description: "Returns the ways in which people can sign in to this server, for the sign-in page.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The sign-in methods.", Body: signInMethodsBody{}}},
	},
	"signIn": {
		Tag: route.TagSession, Summary: "Sign in",
		Description: "Signs a user in with email and password. Browsers keep the cookie `__Host-assay_session` if they reach this site over HTTPS or on their own machine. " +
			"If the browser already had a session, that session ends. After several wrong passwords, one attempt a minute is allowed, whether or not the user " +
			"exists. Users of an OpenID Connect provider sign in by opening `/oidc/start` instead.",
		Body:     route.Body{Name: "SignIn", About: "The credentials.", Read: route.ReaderOf(readSignIn)},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The user is signed in.", Body: sessionBody{}, Headers: []string{setCookie}}},
		Problems: []problem.Code{problem.InvalidCredentials, problem.CSRFFailed, problem.OrganizationRequired, problem.RateLimited},
	},
	"signOut": {
		Tag: route.TagSession, Summary: "Sign out",
		Description: "Ends the session immediately. Once this request has been answered, requests in the session no longer change or return anything: they are answered " +
			"401, even if they were already in progress. With `everywhere=true`, this applies to all sessions of the user.",
		Answers: []route.Answer{{Status: http.StatusNoContent, About: "The session has ended.", Headers: []string{setCookie}}},
	},
	"changePassword": {
		Tag: route.TagSession, Summary: "Change your password",
		Description: "Changes the password of the user who is signed in. All sessions of the user end immediately, and this browser gets the cookie of a new one.",
		Body:        route.Body{Name: "PasswordChange", About: "The current and the new password.", Read: func(o *decode.Object) { readPasswordChange("")(o) }},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The new session.", Body: sessionBody{}, Headers: []string{setCookie}}},
	},
	"getSavedViews": {
		Tag: route.TagSession, Summary: "Retrieve the saved views",
		Description: "Returns the lists that the signed-in user has saved under names.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The views.", Body: savedViewsBody{}}},
	},
	"replaceSavedViews": {
		Tag: route.TagSession, Summary: "Replace the saved views",
		Description: "Replaces the lists that the signed-in user has saved under names.",
		Conditional: true,
		Body:        route.Body{Name: "SavedViewsChange", About: "The views.", Read: route.ReaderOf(readViews)},
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The updated views.", Body: savedViewsBody{}}},
	},
}
