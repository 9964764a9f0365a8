package problem

import "net/http"

// sessionDefinitions are about people who sign in.
var sessionDefinitions = map[Code]definition{
	InvalidCredentials: {
		status: http.StatusUnauthorized, title: "Invalid credentials",
		detail: "The email address and the password do not belong together. Where the address belongs to people of very many organizations, name the organization as well.",
		guide: Guide{
			Meaning: "Nobody was signed in, or no password was changed. The answer is the same whether there is such a person or not.",
			Causes: []string{
				"The address or the password is mistyped, or the password has been changed or reset.",
				"The password was made by somebody who manages users, and has not been used within seven days.",
				"The person has no password and signs in with an OpenID Connect provider, or was removed.",
				"The address belongs to people of more than five organizations, and the request does not name the one that is meant.",
			},
			Remedies: []string{
				"Try again. After some wrong attempts there is one a minute.",
				"Ask an owner of the organization to reset the password.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: http.Header{"Www-Authenticate": {`Bearer realm="svc"`}}},
	},
	InvalidSession: {
		status: http.StatusUnauthorized, title: "Invalid session",
		detail: "The session is not known. Sign in.",
		guide: Guide{
			Meaning: "The cookie of the request names a session that does not exist here. Nothing was read or changed.",
			Causes: []string{
				"The session ended more than a month ago.",
				"The cookie was damaged, sent twice, or comes from another installation of assay under the same name.",
			},
			Remedies: []string{"Sign in again."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	SessionExpired: {
		status: http.StatusUnauthorized, title: "Session expired",
		detail: "The session has expired. Sign in again.",
		guide: Guide{
			Meaning:  "A session ends after an hour without a request, and 24 hours after the sign-in whatever its use. Nothing was read or changed.",
			Causes:   []string{"The page was left alone, or the person signed in the day before."},
			Remedies: []string{"Sign in again."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	SessionEnded: {
		status: http.StatusUnauthorized, title: "Session ended",
		detail: "The session has been ended. Sign in again.",
		guide: Guide{
			Meaning: "Somebody ended the session. That works at once and for requests under way too: what this request was about to change has not been changed.",
			Causes: []string{
				"The person signed out, or signed in again in the same browser.",
				"The person's password, role or address has been changed, or the person was removed.",
				"The person has signed in more than fifty times since.",
			},
			Remedies: []string{"Sign in again."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	CSRFFailed: {
		status: http.StatusForbidden, title: "Not from this site",
		detail: "The header X-CSRF-Token does not hold the session's token, which GET /session tells.",
		guide: Guide{
			Meaning: "A request that changes something came with the cookie of a session, but does not prove that a page of this site sent it: another site may have made the browser send it. Nothing was changed.",
			Causes: []string{
				"The header `X-CSRF-Token` is missing, or holds the token of an earlier session: each sign-in and each change of the password gives another one.",
				"The browser says, in `Sec-Fetch-Site` or `Origin`, that a page of another site sent the request. A proxy that changes the header `Host` looks the same unless `public_url` is the address in the browser.",
			},
			Remedies: []string{
				"Read `csrf_token` from `GET /session`, and send it in the header `X-CSRF-Token` with every POST, PUT, PATCH and DELETE.",
				"Programs use an API key and no session.",
			},
			Retry: RetryNever,
		},
	},
	PasswordChangeRequired: {
		status: http.StatusForbidden, title: "Password change required",
		detail: "Choose a password of your own first, by PUT /session/password.",
		guide: Guide{
			Meaning:  "The person has signed in with a password that somebody else made and knows. It is good for one thing: to replace it. Nothing was read or changed.",
			Causes:   []string{"The account is new, or its password has been reset."},
			Remedies: []string{"Send the old and a new password to `PUT /session/password`."},
			Retry:    RetryMended,
		},
	},
	OrganizationRequired: {
		status: http.StatusConflict, title: "Organization required",
		detail: "You may sign in to several organizations. Say which one you mean.",
		guide: Guide{
			Meaning: "Who signs in has proved to be somebody of several organizations, which `organizations` names. Nobody was signed in yet.",
			Causes: []string{
				"The address belongs to people of several organizations who have the same password.",
				"The account of the OpenID Connect provider is linked to people of several organizations, or has the address of some.",
			},
			Remedies: []string{
				"Send the request again with one of the names as `organization`.",
				"With a provider begin at `/oidc/start?organization=NAME`; browsers are shown the names to choose from.",
			},
			Retry: RetryMended,
		},
		example: Problem{Organizations: []string{"Alpha Capital", "Beta Capital"}},
	},
	SignInExpired: {
		status: http.StatusBadRequest, title: "Sign-in expired",
		detail: "This sign-in took longer than ten minutes, or was begun in another browser or once more in another tab. Begin again.",
		guide: Guide{
			Meaning: "The OpenID Connect provider sent somebody back for whom no sign-in is under way here. Nobody was signed in.",
			Causes: []string{
				"More than ten minutes have passed since the sign-in began.",
				"The sign-in was begun in another browser, or in a second tab, whose sign-in has taken the place of this one.",
				"The browser does not keep cookies, or an old address was opened again.",
			},
			Remedies: []string{"Begin again at `/oidc/start`."},
			Retry:    RetryNever,
		},
	},
	SignInRefused: {
		status: http.StatusForbidden, title: "Sign-in refused",
		detail: "The sign-in with the OpenID Connect provider has failed. Begin again.",
		guide: Guide{
			Meaning: "Nobody was signed in. The detail says why, as far as that is for everybody to know; the server's log says more, under the `request_id`.",
			Causes: []string{
				"The provider refused, or the person broke the sign-in off there.",
				"Nobody of the organization has the address that the provider tells. People are added by an owner, and not by signing in.",
				"The provider does not say that it has verified the address.",
				"Another account of the provider is linked to the person.",
				"The provider's answer is not what its own configuration promises: a wrong key, client or issuer.",
			},
			Remedies: []string{"Ask an owner of the organization to add the address, or to remove the person and add it again if the provider's account is a new one."},
			Retry:    RetryMended,
		},
	},
}
