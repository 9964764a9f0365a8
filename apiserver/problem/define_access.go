package problem

import "net/http"

// accessDefinitions are about who calls and what they may do.
var accessDefinitions = map[Code]definition{
	AuthenticationRequired: {
		status: http.StatusUnauthorized, title: "Authentication required",
		detail: "Send an API key in the header Authorization: Bearer <API_KEY>, or sign in.",
		guide: Guide{
			Meaning: "The request did not authenticate, so nothing was read or changed. Without a key, paths below `/v1` reveal nothing, not even whether they exist.",
			Causes: []string{
				"The header `Authorization` is missing, was sent twice, or is not of the form `Bearer` and a key. Some clients and proxies drop it when they follow a redirect.",
				"The key is in the URL. Keys are refused there because servers and proxies write URLs to their logs.",
				"The request has both a key and a session cookie, so it is unclear who sent it.",
				"The route is only for people who have signed in, but the request has a key.",
			},
			Remedies: []string{
				"Send `Authorization: Bearer <API_KEY>` with every request. Pages send the session cookie that a sign-in sets.",
				"If a key was part of a URL, treat it as leaked: create a new one and revoke the old one.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: http.Header{"Www-Authenticate": {`Bearer realm="svc"`}}},
	},
	InvalidAPIKey: {
		status: http.StatusUnauthorized, title: "Invalid API key",
		detail: "The API key is unknown.",
		guide: Guide{
			Meaning: "The request was sent with a key that does not exist here. Nothing was read or changed.",
			Causes: []string{
				"The key was copied in part, or with a space or line break. Keys begin with `svc_live_` and carry a checksum, so a damaged one is recognized at once.",
				"The key belongs to another installation of assay.",
				"A credential for something else was sent, such as the key of your own trading platform.",
			},
			Remedies: []string{
				"Compare what your client sends with the key as it was shown when it was created. It is shown only once; if it is lost, create a new one.",
				"Check that the base URL is that of the installation that created the key.",
			},
			Retry: RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	APIKeyExpired: {
		status: http.StatusUnauthorized, title: "API key expired",
		detail: "The API key has expired. Create a new one.",
		guide: Guide{
			Meaning:  "The key was valid until its `expires_at`, which has passed. Nothing was read or changed.",
			Causes:   []string{"The key was created with `expires_in_days`, and that many days have passed."},
			Remedies: []string{"Create a new key and give it to the client. An expired key cannot be extended."},
			Retry:    RetryNever,
		},
		example: Problem{Header: invalidToken()},
	},
	APIKeyRevoked: {
		status: http.StatusUnauthorized, title: "API key revoked",
		detail: "The API key has been revoked. Create a new one.",
		guide: Guide{
			Meaning: "Somebody revoked the key. This takes effect immediately, also for requests in progress, so this request changed nothing.",
			Causes: []string{
				"The key was revoked, perhaps because it may have leaked or because another key replaced it.",
			},
			Remedies: []string{
				"Ask the person who manages your organization's keys why it was revoked, and give the client a new one.",
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
			Meaning: "The key is valid but lacks a scope, or the person's role does not allow the request. The field `required_scope` names the missing scope. Nothing was read or changed.",
			Causes: []string{
				"The key was created without a scope that the route requires. The reference names the scopes of each route.",
				"The person is a reviewer or viewer, and the route is only for owners, or only for reviewers and owners.",
			},
			Remedies: []string{
				"Create a key with the scope named in `required_scope`. The scopes of a key cannot be changed afterward.",
				"Ask an owner to send the request, or to change the person's role.",
			},
			Retry: RetryNever,
		},
		example: Problem{Detail: "The API key lacks the scope traders:read.", RequiredScope: "traders:read"},
	},
	PlaybackExpired: {
		status: http.StatusForbidden, title: "Playback expired",
		detail: "The playback URL has expired. Request a new one with POST /v1/interviews/{id}/playback.",
		guide: Guide{
			Meaning: "The URL of the recording was valid for some minutes, which have passed. The recording may still exist.",
			Causes: []string{
				"The player was paused, or its page was left open, for longer than the URL is valid.",
				"The URL was saved or shared. It expires so that it is of no use then.",
			},
			Remedies: []string{
				"Request new playback URLs before `refresh_after`, and let the player continue with them: the part of the URL after the signature stays the same.",
			},
			Retry: RetryMended,
		},
	},
	RateLimited: {
		status: http.StatusTooManyRequests, title: "Rate limited",
		detail: "Too many requests. Each API key or person may make 600 requests in any 60 seconds. Retry after the time in the Retry-After header.",
		guide: Guide{
			Meaning: "The key or the person has used up what they may do for the moment, so this request was not processed. It does not count toward the limit.",
			Causes: []string{
				"All clients of the key together made more than 600 requests within 60 seconds. This is a sliding window, so you do not have to wait for a full minute.",
				"A client polls much more often than the data changes, or retries failed requests without a pause.",
				"Very many requests with keys that do not exist came from one address. Further unknown keys from there are not looked up for a minute. Existing keys still work.",
				"A person made more than 600 requests within 60 seconds, across all sessions.",
				"The key or the person has 20 open streams of changes. Close one, or share one between windows.",
				"Too many passwords were tried for one account, or from one address. It makes no difference whether the account exists.",
			},
			Remedies: []string{
				"Wait for as long as `Retry-After` says, 1 to 60 seconds. The headers `RateLimit` and `RateLimit-Policy` of every response say how many requests are left.",
				"Read lists with a `limit` of 100, and give each program a key of its own.",
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
