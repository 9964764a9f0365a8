package v1

import (
	"context"
	"net/http"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

func listWebhooksOperation() Operation {
	return Operation{
		ID: "listWebhooks", Tag: TagWebhooks, Summary: "List the webhook endpoints",
		Description: "Lists all endpoints of the organization, newest first.",
		Answers:     []Answer{{Status: http.StatusOK, About: "All endpoints.", Body: collection[webhookBody]{}}},
	}
}

func listEventKindsOperation() Operation {
	return Operation{
		ID: "listWebhookEvents", Tag: TagWebhooks, Summary: "List the kinds of events",
		Description: "Lists everything that an endpoint may be told of, with the schema of what is sent and an example. Kinds and members are added: ignore what you do not know.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The catalogue.", Body: collection[eventKindBody]{}}},
	}
}

func webhookOperation() Operation {
	return Operation{
		ID: "getWebhook", Tag: TagWebhooks, Summary: "Read a webhook endpoint", Conditional: true,
		Description: "Reads an endpoint, without its secret.",
		Answers:     []Answer{{Status: http.StatusOK, About: "The endpoint.", Body: webhookBody{}}},
	}
}

func (a *API) createWebhookOperation() Operation {
	return Operation{
		ID: "createWebhook", Tag: TagWebhooks, Summary: "Make a webhook endpoint",
		Description: "Makes an endpoint and tells its signing secret, this once. An organization has at most 20. Requests are signed as Standard Webhooks describes.",
		Body: Body{Name: "NewWebhookEndpoint", About: "Where what is sent.", Read: func(o *decode.Object) {
			_, _ = a.webhookFrom(context.Background(), o)
		}},
		Answers:  []Answer{{Status: http.StatusCreated, About: "The endpoint with its secret.", Body: webhookSecretBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.EndpointLimitReached},
	}
}

func (a *API) updateWebhookOperation() Operation {
	return Operation{
		ID: "updateWebhook", Tag: TagWebhooks, Summary: "Change a webhook endpoint", Conditional: true,
		Description: "Changes the members that the body holds and leaves the others as they are. Switched on again, an endpoint gets the events that happen from then on; those that it has missed can be retried one by one.",
		Body: Body{Name: "WebhookEndpointPatch", About: "The members to change.", Read: func(o *decode.Object) {
			_, _ = a.webhookPatchFrom(context.Background(), o)
		}},
		Answers: []Answer{{Status: http.StatusOK, About: "The endpoint as it is now.", Body: webhookBody{}}},
	}
}

func deleteWebhookOperation() Operation {
	return Operation{
		ID: "deleteWebhook", Tag: TagWebhooks, Summary: "Delete a webhook endpoint", Conditional: true,
		Description: "Deletes an endpoint, its secrets, and the way to its deliveries.",
		Answers:     []Answer{{Status: http.StatusNoContent, About: "The endpoint is gone."}},
	}
}

func testWebhookOperation() Operation {
	return Operation{
		ID: "testWebhook", Tag: TagWebhooks, Summary: "Send a ping",
		Description: "Sends a `ping` to the endpoint, signed and recorded as any event, also when it is switched off. It is tried once.",
		Answers: []Answer{
			{Status: http.StatusOK, About: "The delivery, which is over: its status says how.", Body: deliveryBody{}},
			{Status: http.StatusAccepted, About: "The delivery, which has taken more than 20 seconds. Its end can be read in the endpoint's deliveries.", Body: deliveryBody{}},
		},
	}
}

func rotateSecretOperation() Operation {
	return Operation{
		ID: "rotateWebhookSecret", Tag: TagWebhooks, Summary: "Make a new signing secret",
		Description: "Makes a new secret and tells it, this once. For the grace period requests carry a signature by the new secret and one by that before; one before that ends at once.",
		Body:        Body{Name: "SecretRotation", About: "How it is done. The body may be left out.", Optional: true, Read: func(o *decode.Object) { readRotation(o) }},
		Answers:     []Answer{{Status: http.StatusOK, About: "The endpoint with its new secret.", Body: webhookSecretBody{}}},
	}
}

func listDeliveriesOperation() Operation {
	return Operation{
		ID: "listWebhookDeliveries", Tag: TagWebhooks, Summary: "List the deliveries of a webhook endpoint",
		Description: "Lists what was sent to an endpoint, or is to be, newest first, each with its latest 20 attempts. Payloads and answers are kept for 30 days, all else for 90.",
		Answers:     []Answer{{Status: http.StatusOK, About: "A page of deliveries.", Body: page[deliveryBody]{}, Headers: []string{"Link"}}},
	}
}

func retryDeliveryOperation() Operation {
	return Operation{
		ID: "retryWebhookDelivery", Tag: TagWebhooks, Summary: "Retry a delivery",
		Description: "Sends an event again, now: with the same `webhook-id` and a fresh timestamp. One that waits for its next attempt, or was skipped, goes on with the schedule when this one fails; of any other this is the last. A delivery is tried 50 times at most.",
		Answers:     []Answer{{Status: http.StatusAccepted, About: "The delivery. How it ends can be read in the endpoint's deliveries.", Body: deliveryBody{}}},
		Problems:    []problem.Code{problem.DeliveryInProgress, problem.WebhookEndpointDisabled, problem.PayloadExpired, problem.RetryLimitReached},
	}
}
