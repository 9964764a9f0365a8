package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

// setCookie is the header that sets or removes a session cookie.
const setCookie = "Set-Cookie"

func sessionOperation() Operation {
	return Operation{
		ID: "getSession", Tag: tagSession, Summary: "Read who has signed in",
		Description: "Reads who has signed in with this browser, what the person may do, and the CSRF token that goes with changes.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The session.", Body: sessionBody{}}},
	}
}

func signInMethodsOperation() Operation {
	return Operation{
		ID: "getSignInMethods", Tag: tagSession, Summary: "Read in which ways people can sign in",
		Description: "Reads in which ways people can sign in to this server, for the page that they do so on.",
		Conditional: true,
		Answers:     []Answer{{Status: http.StatusOK, About: "The ways.", Body: signInMethodsBody{}}},
	}
}

func signInOperation() Operation {
	return Operation{
		ID: "signIn", Tag: tagSession, Summary: "Sign in",
		Description: "Begins a session of a person, by email address and password. Its cookie `__Host-assay_session` is kept by browsers that reach this site by https, or on their own machine. " +
			"A session that the browser had ends. After some wrong passwords there is one attempt a minute; whether there is such a person makes no difference to the answer. " +
			"With a provider of OpenID Connect people sign in at `/oidc/start` instead, by opening it.",
		Body:     Body{Name: "SignIn", About: "Who signs in.", Read: func(o *decode.Object) { readSignIn(o) }},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The person has signed in.", Body: sessionBody{}, Headers: []string{setCookie}}},
		Problems: []problem.Code{problem.InvalidCredentials, problem.CSRFFailed, problem.OrganizationRequired, problem.RateLimited},
	}
}

func signOutOperation() Operation {
	return Operation{
		ID: "signOut", Tag: tagSession, Summary: "Sign out",
		Description: "Ends the session at once. When this has been answered no request in the session does or tells anything any more, those under way included; they are answered 401. With `everywhere=true` that holds for all sessions of the person.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The session has ended.", Headers: []string{setCookie}}},
	}
}

func changePasswordOperation() Operation {
	return Operation{
		ID: "changePassword", Tag: tagSession, Summary: "Change one's password",
		Description: "Replaces the password of the person who has signed in. All sessions of the person end at once, and this browser gets the cookie of a new one.",
		Body:        Body{Name: "PasswordChange", About: "The old and the new password.", Read: func(o *decode.Object) { readPasswordChange("")(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The session that has begun.", Body: sessionBody{}, Headers: []string{setCookie}}},
	}
}
