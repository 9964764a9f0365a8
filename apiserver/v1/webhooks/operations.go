package webhooks

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// operations are about webhooks.
var operations = map[string]route.Operation{
	"listWebhooks": {
		Tag: route.TagWebhooks, Summary: "List webhook endpoints",
		Description: "Lists all webhook endpoints of the organization, newest first.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The endpoints.", Body: response.Collection[webhookBody]{}, Headers: []string{"Link"}}},
	},
	"listWebhookEvents": {
		Tag: route.TagWebhooks, Summary: "List event types",
		Description: "Lists the events to which an endpoint can subscribe, each with the schema of its payload and an example. Events and fields may be added, so ignore " +
			"those that you do not know.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The event types.", Body: response.Collection[eventKindBody]{}, Headers: []string{"Link"}}},
	},
	"getWebhook": {
		Tag: route.TagWebhooks, Summary: "Retrieve a webhook endpoint", Conditional: true,
		Description: "Returns a webhook endpoint without its signing secret and the values of its headers.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The endpoint.", Body: webhookBody{}}},
	},
	"createWebhook": {
		Tag: route.TagWebhooks, Summary: "Create a webhook endpoint",
		Description: "Creates a webhook endpoint and returns its signing secret. The secret is shown only once. An organization has at most 20 endpoints. Requests are " +
			"signed as Standard Webhooks describes. Endpoints of the kinds `slack` and `teams` are sent messages for a channel.",
		Body:     route.Body{Name: "NewWebhookEndpoint", About: "Where to send events, and which ones."},
		Answers:  []route.Answer{{Status: http.StatusCreated, About: "The endpoint with its signing secret.", Body: webhookSecretBody{}, Headers: []string{"Location"}}},
		Problems: []problem.Code{problem.EndpointLimitReached},
	},
	"updateWebhook": {
		Tag: route.TagWebhooks, Summary: "Update a webhook endpoint", Conditional: true,
		Description: "Updates the fields in the body and leaves the others unchanged. An endpoint that is enabled again receives the events that happen from then on. You " +
			"can retry those that it missed. An endpoint that is disabled cannot be paused.",
		Body:     route.Body{Name: "WebhookEndpointPatch", About: "The fields to update."},
		Answers:  []route.Answer{{Status: http.StatusOK, About: "The updated endpoint.", Body: webhookBody{}}},
		Problems: []problem.Code{problem.WebhookEndpointDisabled},
	},
	"deleteWebhook": {
		Tag: route.TagWebhooks, Summary: "Delete a webhook endpoint", Conditional: true,
		Description: "Deletes a webhook endpoint and its signing secrets. Its deliveries can no longer be read.",
		Answers:     []route.Answer{{Status: http.StatusNoContent, About: "The endpoint is deleted."}},
	},
	"testWebhook": {
		Tag: route.TagWebhooks, Summary: "Send a ping",
		Description: "Sends a `ping` to the endpoint, signed and recorded like any other event, even if the endpoint is disabled. It is attempted once.",
		Answers: []route.Answer{
			{Status: http.StatusOK, About: "The delivery, which has ended. Its status says how.", Body: deliveryBody{}},
			{Status: http.StatusAccepted, About: "The delivery, which has taken more than 20 seconds. List the endpoint's deliveries to see how it ends.", Body: deliveryBody{}},
		},
	},
	"rotateWebhookSecret": {
		Tag: route.TagWebhooks, Summary: "Rotate the signing secret",
		Description: "Creates a new signing secret and returns it. The secret is shown only once. During the grace period, requests carry two signatures, one by the new " +
			"secret and one by the previous one. A secret older than the previous one stops signing immediately.",
		Body:    route.Body{Name: "SecretRotation", About: "The grace period. The body is optional.", Optional: true, Read: route.ReaderOf(readRotation)},
		Answers: []route.Answer{{Status: http.StatusOK, About: "The endpoint with its new signing secret.", Body: webhookSecretBody{}}},
	},
	"listWebhookDeliveries": {
		Tag: route.TagWebhooks, Summary: "List deliveries",
		Description: "Lists the deliveries of an endpoint, sent and pending, newest first unless `sort` is given, each with its latest 20 attempts. Payloads and responses are kept for 30 days, " +
			"everything else for 90 days.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "A page of deliveries.", Body: response.Page[deliveryBody]{}, Headers: []string{"Link"}}},
	},
	"exportWebhookDeliveries": {
		Tag: route.TagWebhooks, Summary: "Export deliveries as CSV",
		Description: "Returns all deliveries of an endpoint that match the filter, each with its latest attempt, without payloads and pages.", Answers: csvexport.DescribeFile(),
	},
	"getWebhookHealth": {
		Tag: route.TagWebhooks, Summary: "Retrieve an endpoint's health", Conditional: true,
		Description: "Counts the deliveries that wait, and the attempts by hour for the last seven days. Manual retries of deliveries that are older than 14 days are not counted.",
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The attempts by hour.", Body: webhookHealthBody{}}},
	},
	"retryWebhookDelivery": {
		Tag: route.TagWebhooks, Summary: "Retry a delivery",
		Description: "Sends an event again immediately, with the same `webhook-id` and a new timestamp. If the attempt fails, a delivery that was pending or skipped " +
			"continues with its retry schedule; any other delivery is not attempted again. A delivery is attempted at most 50 times.",
		Answers:  []route.Answer{{Status: http.StatusAccepted, About: "The delivery. List the endpoint's deliveries to see how it ends.", Body: deliveryBody{}}},
		Problems: []problem.Code{problem.DeliveryInProgress, problem.WebhookEndpointDisabled, problem.PayloadExpired, problem.RetryLimitReached},
	},
	"retryWebhookDeliveries": {
		Tag: route.TagWebhooks, Summary: "Retry deliveries",
		Description: "Sends the events of many deliveries again, in the order of their numbers: those that failed or were skipped and, with `delivered`, those that succeeded. " +
			"Use it after an outage of your endpoint, or to fill an empty system. Each keeps its `webhook-id` and its number, and is attempted once; those that were skipped continue with the retry schedule. " +
			"Deliveries that are pending, that are older than 30 days, or that were attempted 50 times are left out.",
		Body:     route.Body{Name: "Resending", About: "Which deliveries to send again.", Read: route.ReaderOf(readResending)},
		Answers:  []route.Answer{{Status: http.StatusAccepted, About: "How many deliveries will be sent again.", Body: resentBody{}}},
		Problems: []problem.Code{problem.WebhookEndpointDisabled},
	},
}
