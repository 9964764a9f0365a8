package problem

import "net/http"

// webhookDefinitions are about webhook endpoints and their deliveries.
var webhookDefinitions = map[Code]definition{
	EndpointLimitReached: {
		status: http.StatusConflict, title: "Endpoint limit reached",
		detail: "The organization already has the maximum of 20 webhook endpoints. Delete one first.",
		guide: Guide{
			Meaning:  "The organization cannot have another webhook endpoint. Nothing was created.",
			Causes:   []string{"Endpoints of tests or former systems were never deleted.", "There is a separate endpoint for each kind of event."},
			Remedies: []string{"List the endpoints and delete those that nobody needs. One endpoint can subscribe to several events, to groups such as `trader.*`, or to `*`."},
			Retry:    RetryMended,
		},
	},
	WebhookEndpointDisabled: {
		status: http.StatusConflict, title: "Webhook endpoint disabled",
		detail: "The endpoint is disabled. Set is_active to true first.",
		guide: Guide{
			Meaning: "The endpoint is disabled at the moment, so nothing was sent, and it cannot be paused.",
			Causes: []string{
				"Somebody disabled it: `disabled_reason` is `manual`.",
				"It returned 410 (`gone`), or had no successful delivery for five days (`failing`).",
			},
			Remedies: []string{"Fix the receiver, send it a ping with the endpoint's test, PATCH the endpoint with `is_active` true, and then retry."},
			Retry:    RetryMended,
		},
	},
	DeliveryInProgress: {
		status: http.StatusConflict, title: "Delivery in progress",
		detail: "A delivery attempt is in progress or about to start.",
		guide: Guide{
			Meaning:  "The event is already being sent, so another attempt would only repeat it.",
			Causes:   []string{"The next attempt is due right now, or somebody else has requested a retry.", "Many deliveries to the endpoint are waiting, and are sent one after another."},
			Remedies: []string{"List the endpoint's deliveries. The attempts of this one show how it went."},
			Retry:    RetryMended,
		},
	},
	RetryLimitReached: {
		status: http.StatusConflict, title: "Retry limit reached",
		detail: "The delivery has reached the maximum of 50 attempts.",
		guide: Guide{
			Meaning:  "The event has already been sent as often as is allowed. Nothing was sent.",
			Causes:   []string{"A program retries a delivery again and again, without checking the receiver's responses."},
			Remedies: []string{"Read the latest attempts of the delivery, fix the receiver, and read the object of the event from the API."},
			Retry:    RetryNever,
		},
	},
	PayloadExpired: {
		status: http.StatusGone, title: "Payload expired",
		detail: "The payload is older than 30 days and was deleted.",
		guide: Guide{
			Meaning:  "The record of the delivery still exists, but its payload does not. It cannot be sent again.",
			Causes:   []string{"Payloads are kept for 30 days, the record of deliveries for 90."},
			Remedies: []string{"Read the current state of the object of the event from the API."},
			Retry:    RetryNever,
		},
	},
}
