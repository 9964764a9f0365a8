package v1

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// webhookBody is an endpoint that events are sent to.
//
//openapi:name WebhookEndpoint
type webhookBody struct {
	ID             uuid.UUID                `json:"id"`                                                                                                       // of the endpoint
	URL            string                   `json:"url" api:"max=2048,format=uri" example:"https://hooks.example.com/assay"`                                  // where events are sent
	Events         []string                 `json:"events" api:"max=100,items=100" pattern:"^[a-z_.*]+$" example:"[\"trader.*\", \"payout.status_changed\"]"` // what it is told of: kinds, groups such as trader.*, or *
	IsActive       bool                     `json:"is_active"`                                                                                                // whether events are sent; otherwise deliveries are skipped
	DisabledReason *webhooks.DisabledReason `json:"disabled_reason" example:"null"`                                                                           // why it is switched off; null: it is not
	CreatedAt      time.Time                `json:"created_at"`                                                                                               // when it was made
	UpdatedAt      time.Time                `json:"updated_at"`                                                                                               // when it last changed
}

// webhookSecretBody is an endpoint with a signing secret that was just made.
//
//openapi:name WebhookEndpointWithSecret
type webhookSecretBody struct {
	webhookBody `json:",inline"`
	// what signatures are checked with: told this once, and null in the answer to
	// a repetition of the request with the same Idempotency-Key
	Secret          *string `json:"secret" api:"min=50,max=50" pattern:"^whsec_[0-9A-Za-z+/]{43}=$" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="`
	SecretAvailable bool    `json:"secret_available"` // whether secret is told
}

func webhookOf(e webhooks.Endpoint) webhookBody {
	return webhookBody{
		ID: e.ID, URL: e.URL, Events: e.Events, IsActive: e.IsActive, DisabledReason: e.DisabledReason, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// eventKindBody is a kind of event that endpoints may be told of.
//
//openapi:name WebhookEventKind
type eventKindBody struct {
	Kind        string         `json:"kind" api:"max=100" pattern:"^[a-z_]+(\\.[a-z_]+)?$" example:"payout.status_changed"`               // its name
	Description string         `json:"description" api:"max=1000" example:"The platform reports a new payout, or a payout's new status."` // what has happened then
	Group       string         `json:"group" api:"max=100,open" example:"payout"`                                                         // what it is about: the name up to the dot
	Schema      jsontext.Value `json:"schema" api:"nonnull"`                                                                              // the JSON Schema (2020-12) of what is sent
	Example     jsontext.Value `json:"example" api:"nonnull"`                                                                             // one that might be sent
}

func eventKindOf(d event.Definition) eventKindBody {
	return eventKindBody{
		Kind: string(d.Kind), Description: d.Description, Group: d.Kind.Group(),
		Schema: jsontext.Value(d.Schema()), Example: jsontext.Value(d.Example()),
	}
}

// deliveryBody is the sending of an event to an endpoint.
//
//openapi:name WebhookDelivery
type deliveryBody struct {
	ID            uuid.UUID               `json:"id"`                                       // of the delivery
	Event         deliveredBody           `json:"event"`                                    // what is sent
	EndpointID    uuid.UUID               `json:"endpoint_id"`                              // where it is sent
	Status        webhooks.DeliveryStatus `json:"status" example:"succeeded"`               // how far it is
	Attempts      []attemptBody           `json:"attempts" api:"items=20"`                  // the latest that were made, at most 20, in their order
	AttemptCount  int                     `json:"attempt_count" api:"max=1000" example:"1"` // how many were made altogether
	NextAttemptAt *time.Time              `json:"next_attempt_at" example:"null"`           // when the next one is due; null: none will be made
	Payload       jsontext.Value          `json:"payload" api:"schema=EventPayload"`        // the body that is sent; null: older than 30 days, and forgotten
	CreatedAt     time.Time               `json:"created_at"`                               // when it was made
}

// deliveredBody is the event of a delivery.
//
//openapi:name WebhookEvent
type deliveredBody struct {
	ID        string    `json:"id" api:"min=36,max=36" pattern:"^evt_[0-9a-f]{32}$" example:"evt_01980000000070008000000000000004"` // the same for all endpoints; the receiver finds it in the header webhook-id
	Type      string    `json:"type" api:"max=100" pattern:"^[a-z_]+(\\.[a-z_]+)?$" example:"payout.status_changed"`                // its kind
	Timestamp time.Time `json:"timestamp"`                                                                                          // when it happened
	Sequence  int64     `json:"sequence" api:"min=1" example:"17"`                                                                  // its number among the endpoint's events, without gaps
}

// attemptBody is one attempt at a delivery.
//
//openapi:name WebhookAttempt
type attemptBody struct {
	Number       int                     `json:"number" api:"min=1" example:"1"`                  // from 1
	Trigger      webhooks.AttemptTrigger `json:"trigger"`                                         // why it was made
	StartedAt    time.Time               `json:"started_at"`                                      // when it began
	LatencyMS    int64                   `json:"latency_ms" api:"max=600000" example:"84"`        // how long it took, in milliseconds
	HTTPStatus   *int                    `json:"http_status" api:"min=100,max=999" example:"204"` // the receiver's status; null: there was no answer
	ErrorCode    *string                 `json:"error_code" api:"max=100,open" example:"null"`    // what went wrong; stable; null: nothing
	ResponseBody *string                 `json:"response_body" api:"max=16384" example:"null"`    // the beginning of the answer, at most 16 KiB; null: none, or older than 30 days
	Truncated    bool                    `json:"truncated"`                                       // whether there was more
}

func deliveryOf(d webhooks.Delivery) deliveryBody {
	return deliveryBody{
		ID: d.ID, EndpointID: d.EndpointID, Status: d.Status, AttemptCount: d.AttemptCount, NextAttemptAt: d.NextAttemptAt, CreatedAt: d.CreatedAt,
		Event:    deliveredBody{ID: event.ID(d.EventID), Type: string(d.EventType), Timestamp: d.OccurredAt, Sequence: d.Sequence},
		Attempts: convertRows(d.Attempts, attemptOf), Payload: jsontext.Value(d.Payload()),
	}
}

func attemptOf(a webhooks.Attempt) attemptBody {
	return attemptBody{
		Number: a.Number, Trigger: a.Trigger, StartedAt: a.StartedAt, LatencyMS: a.LatencyMS, HTTPStatus: a.HTTPStatus,
		ErrorCode: a.ErrorCode, ResponseBody: a.ResponseBody, Truncated: a.Truncated,
	}
}
