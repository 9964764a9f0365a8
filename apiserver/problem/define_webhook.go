package problem

import "net/http"

// webhookDefinitions are about webhook endpoints and their deliveries.
var webhookDefinitions = map[Code]definition{
	EndpointLimitReached: {
		status: http.StatusConflict, title: "Endpoint limit reached",
		detail: "The organization already has the maximum of 20 webhook endpoints. Delete one first.",
		guide: Guide{
			Meaning:  "There is no room for another webhook endpoint. Nothing was made.",
			Causes:   []string{"Endpoints of tests or of former systems were left behind.", "Each kind of event has an endpoint of its own."},
			Remedies: []string{"List the endpoints and delete those that nobody needs. One endpoint may subscribe to several kinds, to groups such as `trader.*`, or to `*`."},
			Retry:    RetryMended,
		},
	},
	WebhookEndpointDisabled: {
		status: http.StatusConflict, title: "Webhook endpoint disabled",
		detail: "The endpoint is disabled. Set is_active to true first.",
		guide: Guide{
			Meaning: "The delivery's endpoint takes no events at present, so nothing was sent.",
			Causes: []string{
				"Somebody switched it off: `disabled_reason` is `manual`.",
				"It answered 410 (`gone`), or had no success for five days (`failing`).",
			},
			Remedies: []string{"Mend the receiver, send it a ping by the endpoint's test, PATCH the endpoint with `is_active` true, and retry then."},
			Retry:    RetryMended,
		},
	},
	DeliveryInProgress: {
		status: http.StatusConflict, title: "Delivery in progress",
		detail: "A delivery attempt is in progress or about to start.",
		guide: Guide{
			Meaning:  "The event is being sent already, so that another attempt would only repeat it.",
			Causes:   []string{"The delivery's turn has just come, or somebody else has asked for a retry.", "The endpoint has many deliveries waiting, which are made one after another."},
			Remedies: []string{"Read the endpoint's deliveries: this one's attempts show how it went."},
			Retry:    RetryMended,
		},
	},
	RetryLimitReached: {
		status: http.StatusConflict, title: "Retry limit reached",
		detail: "The delivery has reached the maximum of 50 attempts.",
		guide: Guide{
			Meaning:  "The event has been sent so often that another attempt is refused. Nothing was sent.",
			Causes:   []string{"A program retries a delivery again and again, without looking at what the receiver answers."},
			Remedies: []string{"Read the latest attempts of the delivery, mend the receiver, and read what the event was about from the API."},
			Retry:    RetryNever,
		},
	},
	PayloadExpired: {
		status: http.StatusGone, title: "Payload expired",
		detail: "The payload is older than 30 days and was deleted.",
		guide: Guide{
			Meaning:  "That the delivery was made is still known, but not what it held. It cannot be sent again.",
			Causes:   []string{"Payloads are kept for 30 days, the record of deliveries for 90."},
			Remedies: []string{"Read the present state of the object that the event was about from the API."},
			Retry:    RetryNever,
		},
	},
}
