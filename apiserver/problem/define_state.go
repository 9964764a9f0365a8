package problem

import "net/http"

// stateDefinitions are about what is stored and stands in a request's way.
var stateDefinitions = map[Code]definition{
	Conflict: {
		status: http.StatusConflict, title: "Conflict",
		detail: "The request conflicts with what is stored.",
		guide: Guide{
			Meaning: "The request is right in itself, but something stored, or another request at the same time, stands against it. Nothing was changed.",
			Causes: []string{
				"Somebody else changed the same object while this request was being served, for instance while the live check of new settings was running.",
				"There is another object already that must be the only one with this value.",
			},
			Remedies: []string{"Read the object again, look at what has changed, and decide whether your change still makes sense."},
			Retry:    RetryMended,
		},
	},
	IdempotencyInProgress: {
		status: http.StatusConflict, title: "Request in progress",
		detail: "A request with the same Idempotency-Key is still being served. Send this one again after Retry-After to get that one's answer.",
		guide: Guide{
			Meaning:  "The first request with the key has not been answered yet. This one did nothing, so that nothing is done twice.",
			Causes:   []string{"The client gave up waiting for the first answer and repeated the request, or sent it from two places at once."},
			Remedies: []string{"Wait, and repeat the request with the same key and body: the answer is that of the first one. Live checks of a platform may take two minutes."},
			Retry:    RetryLater,
		},
		example: Problem{Header: http.Header{"Retry-After": {"1"}}},
	},
	IntegrationInactive: {
		status: http.StatusConflict, title: "Integration inactive",
		detail: "The integration is switched off. Set is_active to true first.",
		guide: Guide{
			Meaning:  "The integration is there, but it does not poll its platform, so there is nothing to start.",
			Causes:   []string{"Its `is_active` is false: somebody switched it off."},
			Remedies: []string{"PATCH the integration with `is_active` true. That runs the live check, and polling starts when it passes."},
			Retry:    RetryMended,
		},
	},
	IntegrationBlocked: {
		status: http.StatusConflict, title: "Integration blocked",
		detail: "The integration is not polled until a live check has passed. Mend its settings or run its test.",
		guide: Guide{
			Meaning: "The integration waits for a live check that passes, and polls nothing before. The member `health_status` of the integration is `check_failed` or `blocked`.",
			Causes: []string{
				"The live check failed when the integration was created or changed.",
				"The platform has refused the stored key with 401 or 403. assay stops then, so that it does not go on knocking with a key that is not wanted.",
			},
			Remedies: []string{
				"Read `last_error` of the integration: its `hint` says who must do what.",
				"PATCH what is wrong, such as `api_key`, or run the integration's test when the platform has been mended. Both run the live check.",
			},
			Retry: RetryMended,
		},
	},
}
