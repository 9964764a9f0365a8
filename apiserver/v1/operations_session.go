package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// setCookie is the header that sets or removes a session cookie.
const setCookie = "Set-Cookie"

// sessionOperations are about sessions.
var sessionOperations = map[string]Operation{
	"getSession": {
		Tag: tagSession, Summary: "Retrieve the session",
		Description: "Returns who is signed in with this browser, what they may do, and the CSRF token to send with changes.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The session.", Body: sessionBody{}}},
	},
	"getSignInMethods": {
		Tag: tagSession, Summary: "List sign-in methods",
		Description: "Returns the ways in which people can sign in to this server, for the sign-in page.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The sign-in methods.", Body: signInMethodsBody{}}},
	},
	"signIn": {
		Tag: tagSession, Summary: "Sign in",
		Description: "Signs a user in with email and password. Browsers keep the cookie `__Host-assay_session` if they reach this site over HTTPS or on their own machine. " +
			"If the browser already had a session, that session ends. After several wrong passwords, one attempt a minute is allowed, whether or not the user " +
			"exists. Users of an OpenID Connect provider sign in by opening `/oidc/start` instead.",
		Body:     Body{Name: "SignIn", About: "The credentials.", Read: readerOf(readSignIn)},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The user is signed in.", Body: sessionBody{}, Headers: []string{setCookie}}},
		Problems: []problem.Code{problem.InvalidCredentials, problem.CSRFFailed, problem.OrganizationRequired, problem.RateLimited},
	},
	"signOut": {
		Tag: tagSession, Summary: "Sign out",
		Description: "Ends the session immediately. Once this request has been answered, requests in the session no longer change or return anything: they are answered " +
			"401, even if they were already in progress. With `everywhere=true`, this applies to all sessions of the user.",
		Answers: []Answer{{Status: http.StatusNoContent, About: "The session has ended.", Headers: []string{setCookie}}},
	},
	"changePassword": {
		Tag: tagSession, Summary: "Change your password",
		Description: "Changes the password of the user who is signed in. All sessions of the user end immediately, and this browser gets the cookie of a new one.",
		Body:        Body{Name: "PasswordChange", About: "The current and the new password.", Read: func(_ *API, o *decode.Object) { readPasswordChange("")(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The new session.", Body: sessionBody{}, Headers: []string{setCookie}}},
	},
	"getSavedViews": {
		Tag: tagSession, Summary: "Retrieve the saved views",
		Description: "Returns the lists that the signed-in user has saved under names.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The views.", Body: viewsBody{}}},
	},
	"replaceSavedViews": {
		Tag: tagSession, Summary: "Replace the saved views",
		Description: "Replaces the lists that the signed-in user has saved under names.",
		Conditional: true,
		Body:        Body{Name: "SavedViewsChange", About: "The views.", Read: readerOf(readViews)},
		Answers:     []Answer{{Status: http.StatusOK, About: "The updated views.", Body: viewsBody{}}},
	},
}
