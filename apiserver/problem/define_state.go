package problem

import "net/http"

// stateDefinitions are about requests that conflict with what is stored.
var stateDefinitions = map[Code]definition{
	Conflict: {
		status: http.StatusConflict, title: "Conflict",
		detail: "The request conflicts with what is stored.",
		guide: Guide{
			Meaning: "The request is valid, but it conflicts with something that is stored or with another request at the same time. Nothing was changed.",
			Causes: []string{
				"Somebody else changed the same object while this request was in progress, for instance while the live check of new settings was running.",
				"Another object already has this value, which must be unique. The field `errors` names it.",
			},
			Remedies: []string{"Read the object again, review what has changed, and decide whether your change still makes sense."},
			Retry:    RetryMended,
		},
	},
	IdempotencyInProgress: {
		status: http.StatusConflict, title: "Request in progress",
		detail: "A request with the same Idempotency-Key is still in progress. Retry after the time in Retry-After to get its response.",
		guide: Guide{
			Meaning:  "The first request with the key has not been answered yet. This one did nothing, so that nothing is done twice.",
			Causes:   []string{"The client gave up waiting for the first answer and repeated the request, or sent it from two places at once."},
			Remedies: []string{"Wait, and repeat the request with the same key and body to get the response of the first one. Live checks of a platform may take two minutes."},
			Retry:    RetryLater,
		},
		example: Problem{Header: http.Header{"Retry-After": {"1"}}},
	},
	IntegrationExists: {
		status: http.StatusConflict, title: "Platform already connected",
		detail: "This platform is already connected with this key. Use the existing integration instead.",
		guide: Guide{
			Meaning: "Another integration of the organization reads the same address with the same key; `integration_id` names it. A second one would add every trader twice. Nothing was changed.",
			Causes: []string{
				"The platform was connected before. Addresses that differ only in the case of the host, a default port or a slash at the end are the same.",
				"The integration exists but is disabled, or waits for a live check to pass.",
			},
			Remedies: []string{
				"Use the integration that `integration_id` names: change its settings, enable it, or run its live check.",
				"To connect another tenant of the same platform, use that tenant's key. Another brand has an address of its own.",
			},
			Retry: RetryMended,
		},
		example: Problem{IntegrationID: "01980d8e-7d3a-7c44-9d5e-4b1f6a2c8e10"},
	},
	DifferentPlatform: {
		status: http.StatusConflict, title: "A different platform",
		detail: "The new URL or key leads to a different platform than the one this integration's traders come from. Connect it as a new integration instead.",
		guide: Guide{
			Meaning: "Less than half of the first traders that the new settings show are known, by id and email, from this integration. If the settings were saved, they would replace other people, who have notes, interviews and decisions. Nothing was changed.",
			Causes: []string{
				"The new `base_url` belongs to another brand or another environment.",
				"The new `api_key` belongs to another tenant under the same address.",
			},
			Remedies: []string{
				"Connect the other platform as an integration of its own; this one and its traders stay as they are.",
				"If it should be the same platform, compare its list of traders with the directory. Ids and emails must match.",
			},
			Retry: RetryMended,
		},
	},
}
