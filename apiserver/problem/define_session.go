package problem

import "net/http"

// sessionDefinitions are about people who sign in.
var sessionDefinitions = map[Code]definition{
	InvalidCredentials: {
		status: http.StatusUnauthorized, title: "Invalid credentials",
		detail: "Wrong email or password. If the email belongs to more than five organizations, also send the name of the organization.",
		guide: Guide{
			Meaning: "Nobody was signed in. The response is the same whether or not the person exists.",
			Causes: []string{
				"The email or password is mistyped, or the password was changed or reset.",
				"The password is temporary and was not used within seven days.",
				"The person signs in with an OpenID Connect provider and has no password, or was removed.",
				"The email belongs to more than five organizations, and the request does not name one.",
			},
			Remedies: []string{
				"Try again. After several failed attempts, one attempt a minute is allowed.",
				"Ask an owner of the organization to reset the password.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: http.Header{"Www-Authenticate": {`Bearer realm="svc"`}}},
	},
	InvalidSession: {
		status: http.StatusUnauthorized, title: "Invalid session",
		detail: "The session is unknown. Sign in.",
		guide: Guide{
			Meaning: "The session in the cookie does not exist here. Nothing was read or changed.",
			Causes: []string{
				"The session ended more than a month ago.",
				"The cookie was damaged, sent twice, or set by another assay installation on the same host name.",
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
			Meaning:  "A session expires after an hour without a request, and 24 hours after sign-in in any case. Nothing was read or changed.",
			Causes:   []string{"The page was idle, or the person signed in more than a day ago."},
			Remedies: []string{"Sign in again."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	SessionEnded: {
		status: http.StatusUnauthorized, title: "Session ended",
		detail: "The session has been ended. Sign in again.",
		guide: Guide{
			Meaning: "The session was ended. This takes effect immediately, also for requests in progress, so this request changed nothing.",
			Causes: []string{
				"The person signed out, or signed in again in the same browser.",
				"The person's password, role or email was changed, or the person was removed.",
				"The person has signed in more than 50 times since.",
			},
			Remedies: []string{"Sign in again."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	CSRFFailed: {
		status: http.StatusForbidden, title: "CSRF check failed",
		detail: "The X-CSRF-Token header does not match the session's token. Read the token from GET /session.",
		guide: Guide{
			Meaning: "A request that changes something was sent with a session cookie, but without proof that a page of this site sent it. Another site may have made the browser send it. Nothing was changed.",
			Causes: []string{
				"The header `X-CSRF-Token` is missing, or has the token of an earlier session. Each sign-in and each change of the password creates a new token.",
				"The browser says, in `Sec-Fetch-Site` or `Origin`, that a page of another site sent the request. A proxy that changes the header `Host` looks the same unless `public_url` is the address in the browser.",
			},
			Remedies: []string{
				"Read `csrf_token` from `GET /session`, and send it in the header `X-CSRF-Token` with every POST, PUT, PATCH and DELETE.",
				"In programs, use an API key instead of a session.",
			},
			Retry: RetryNever,
		},
	},
	PasswordChangeRequired: {
		status: http.StatusForbidden, title: "Password change required",
		detail: "Set your own password first with PUT /session/password.",
		guide: Guide{
			Meaning:  "The person signed in with a temporary password, which can only be used to set a new one. Nothing was read or changed.",
			Causes:   []string{"The account is new, or its password was reset."},
			Remedies: []string{"Send the old and a new password to `PUT /session/password`."},
			Retry:    RetryMended,
		},
	},
	OrganizationRequired: {
		status: http.StatusConflict, title: "Organization required",
		detail: "You belong to several organizations. Name the one to sign in to.",
		guide: Guide{
			Meaning: "The credentials match several organizations, which `organizations` lists. Nobody was signed in yet.",
			Causes: []string{
				"The email belongs to several organizations, with the same password.",
				"The account at the OpenID Connect provider is linked to several organizations, or its email belongs to several.",
			},
			Remedies: []string{
				"Send the request again with one of the names as `organization`.",
				"With a provider, start at `/oidc/start?organization=NAME`. Browsers show a list to choose from.",
			},
			Retry: RetryMended,
		},
		example: Problem{Organizations: []string{"Alpha Capital", "Beta Capital"}},
	},
	SignInExpired: {
		status: http.StatusBadRequest, title: "Sign-in expired",
		detail: "This sign-in took longer than ten minutes, or was started in another browser or again in another tab. Start again.",
		guide: Guide{
			Meaning: "The OpenID Connect provider sent the browser back, but no sign-in is in progress. Nobody was signed in.",
			Causes: []string{
				"More than ten minutes have passed since the sign-in began.",
				"The sign-in was started in another browser, or replaced by one in a second tab.",
				"The browser does not keep cookies, or an old URL was opened again.",
			},
			Remedies: []string{"Start again at `/oidc/start`."},
			Retry:    RetryNever,
		},
	},
	SignInRefused: {
		status: http.StatusForbidden, title: "Sign-in refused",
		detail: "Sign-in with the OpenID Connect provider failed. Start again.",
		guide: Guide{
			Meaning: "Nobody was signed in. The `detail` gives the reason, as far as it may be shown. The server's log has more under the `request_id`.",
			Causes: []string{
				"The provider refused, or the person canceled the sign-in there.",
				"Nobody in the organization has the email that the provider sent. People are added by an owner, not by signing in.",
				"The provider does not state that it verified the email.",
				"The person is linked to another account at the provider.",
				"The provider's answer does not match its configuration: a wrong key, client or issuer.",
			},
			Remedies: []string{"Ask an owner of the organization to add the email, or to remove and add the person again if the account at the provider is new."},
			Retry:    RetryMended,
		},
	},
}
