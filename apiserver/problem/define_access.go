package problem

import "net/http"

// accessDefinitions are about who calls and what they may do.
var accessDefinitions = map[Code]definition{
	AuthenticationRequired: {
		status: http.StatusUnauthorized, title: "Authentication required",
		detail: "Send an API key in the header Authorization: Bearer <API_KEY>, or sign in.",
		guide: Guide{
			Meaning: "The request did not say who sends it, so nothing was read or changed. Paths below `/v1` tell nothing to anybody without a key, not even whether they exist.",
			Causes: []string{
				"The header `Authorization` is missing, was sent twice, or is not of the form `Bearer` and a key. Some clients and proxies drop it when they follow a redirect.",
				"The key stands in the URL. Keys are refused there because servers and proxies on the way write URLs to their logs.",
				"The request has both a key and the cookie of a session. It is then neither's.",
				"The route is for people who have signed in, and the request has a key.",
			},
			Remedies: []string{
				"Send `Authorization: Bearer <API_KEY>` with every request. Pages send the cookie of a session, which a sign-in sets.",
				"If a key was part of a URL, treat it as leaked: create another one and revoke it.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: http.Header{"Www-Authenticate": {`Bearer realm="svc"`}}},
	},
	InvalidAPIKey: {
		status: http.StatusUnauthorized, title: "Invalid API key",
		detail: "The API key is unknown.",
		guide: Guide{
			Meaning: "The request came with a key that does not exist here. Nothing was read or changed.",
			Causes: []string{
				"The key was copied in part, or with a space or line break. Keys begin with `svc_live_` and carry a checksum, so a damaged one is recognized at once.",
				"The key belongs to another installation of assay.",
				"A credential of something else was sent, such as the key of your own trading platform.",
			},
			Remedies: []string{
				"Compare what your client sends with the key as it was shown when it was created. It is shown only then: if it is lost, create another one.",
				"Check that the base URL is that of the installation which made the key.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	APIKeyExpired: {
		status: http.StatusUnauthorized, title: "API key expired",
		detail: "The API key has expired. Create a new one.",
		guide: Guide{
			Meaning:  "The key was good until the moment in its `expires_at`, which has passed. Nothing was read or changed.",
			Causes:   []string{"The key was created with `expires_in_days`, and that many days are over."},
			Remedies: []string{"Create another key and give it to the client. An expired key cannot be extended."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	APIKeyRevoked: {
		status: http.StatusUnauthorized, title: "API key revoked",
		detail: "The API key has been revoked. Create a new one.",
		guide: Guide{
			Meaning: "Somebody revoked the key. Revoking works at once and for requests under way too: what this request was about to change has not been changed.",
			Causes: []string{
				"The key was revoked, perhaps because it was thought to have leaked or because another one took its place.",
			},
			Remedies: []string{
				"Ask the person who manages your organization's keys why it was revoked, and have the client use another one.",
				"A revoked key never works again.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	InsufficientScope: {
		status: http.StatusForbidden, title: "Insufficient scope",
		detail: "The API key lacks the scope that this route requires.",
		guide: Guide{
			Meaning: "The key is good, but it was not made for this, or the person's role does not allow it. The member `required_scope` names the scope that is missing. Nothing was read or changed.",
			Causes: []string{
				"The key was created without the scope that the route asks for. Every route asks for exactly one; the reference names it.",
				"The person is a reviewer or a viewer, and the route is for owners, or for reviewers and owners.",
			},
			Remedies: []string{
				"Create a key that holds the scope named in `required_scope`. The scopes of a key cannot be changed afterwards.",
				"Ask an owner to do it, or to give the person another role.",
			},
			Retry: RetryNever,
		},
		example: Problem{Detail: "The API key lacks the scope traders:read.", RequiredScope: "traders:read"},
	},
	PlaybackExpired: {
		status: http.StatusForbidden, title: "Playback expired",
		detail: "The playback URL has expired. Request a new one with POST /v1/interviews/{id}/playback.",
		guide: Guide{
			Meaning: "The address of the recording was good for some minutes, which are over. The recording may still be there.",
			Causes: []string{
				"The player was paused, or its page was left open, for longer than the address lives.",
				"The address was kept or passed on. It is made to be of no use then.",
			},
			Remedies: []string{
				"Ask for playback again before `refresh_after`, and let the player go on with the new address: what follows the signature stays the same.",
			},
			Retry: RetryMended,
		},
	},
	RateLimited: {
		status: http.StatusTooManyRequests, title: "Rate limited",
		detail: "Too many requests. Each API key or person may make 600 requests in any 60 seconds. Retry after the time in the Retry-After header.",
		guide: Guide{
			Meaning: "The key has used up its requests for the moment, so this one was not looked at. It does not count.",
			Causes: []string{
				"More than 600 requests were made with the key within 60 seconds, by all of its clients together. The 60 seconds slide: there is no full minute to wait for.",
				"A client polls much more often than the data changes, or repeats what fails without a pause.",
				"Very many requests with keys that do not exist came from one address: further unknown keys from there are not looked up for a minute. Keys that exist are served.",
				"A person made more than 600 requests within 60 seconds, in all sessions together.",
				"Passwords were tried too often for one account, or from one address. Whether there is such an account makes no difference.",
			},
			Remedies: []string{
				"Wait for as long as `Retry-After` says, 1 to 60 seconds. The headers `RateLimit` and `RateLimit-Policy` of every answer tell how many requests are left.",
				"Read lists with `limit` 100, and give each program a key of its own.",
			},
			Retry: RetryLater,
		},
		example: Problem{Header: http.Header{"Retry-After": {"7"}}},
	},
}

// invalidToken is the challenge to a key that does not work.
func invalidToken() http.Header {
	return http.Header{"Www-Authenticate": {`Bearer realm="svc", error="invalid_token"`}}
}
