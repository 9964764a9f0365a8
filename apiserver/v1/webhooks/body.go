package webhooks

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// webhookBody is an endpoint that events are sent to.
//
//openapi:name WebhookEndpoint
type webhookBody struct {
	ID   uuid.UUID             `json:"id"`                                                                      // unique identifier of the endpoint
	Kind webhooks.EndpointKind `json:"kind"`                                                                    // what is sent
	URL  string                `json:"url" api:"max=2048,format=uri" example:"https://hooks.example.com/assay"` // URL that events are sent to
	// Events that the endpoint subscribes to: kinds, groups such as `trader.*`, or `*` for all.
	Events         []string                 `json:"events" api:"max=100,items=100" pattern:"^[a-z_.*]+$" example:"[\"trader.*\", \"payout.status_changed\"]"`
	Filters        []webhookFilterBody      `json:"filters" api:"items=10"`         // filters that events must pass to be sent
	Headers        []webhookHeaderBody      `json:"headers" api:"items=10"`         // headers that are added to each request
	IsActive       bool                     `json:"is_active"`                      // Whether events are sent. If false, deliveries are skipped.
	DisabledReason *webhooks.DisabledReason `json:"disabled_reason" example:"null"` // Why the endpoint is switched off. Null if it is not.
	PausedAt       *time.Time               `json:"paused_at" example:"null"`       // Since when deliveries wait. Null if it is not paused.
	CreatedAt      time.Time                `json:"created_at"`                     // when the endpoint was created
	UpdatedAt      time.Time                `json:"updated_at"`                     // when the endpoint was last changed
}

// webhookHeaderBody is a header that is added to the requests for an endpoint. Its value is never
// returned.
//
//openapi:name WebhookHeader
type webhookHeaderBody struct {
	Name string `json:"name" api:"max=100" example:"Authorization"` // name of the header
}

// webhookFilterBody sends only the events whose member has one of the values.
//
//openapi:name WebhookFilter
type webhookFilterBody struct {
	Member string   `json:"member" api:"max=100" example:"data.integration_id"`                                 // path of the member
	Values []string `json:"values" api:"max=200,items=50" example:"[\"01980000-0000-7000-8000-000000000002\"]"` // values to send
}

// webhookSecretBody is an endpoint with a new signing secret.
//
//openapi:name WebhookEndpointWithSecret
type webhookSecretBody struct {
	webhookBody `json:",inline"`
	// The secret to verify signatures with. It is returned only once: it is null if the request is
	// repeated with the same Idempotency-Key.
	Secret          *string `json:"secret" api:"min=50,max=50" pattern:"^whsec_[0-9A-Za-z+/]{43}=$" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="`
	SecretAvailable bool    `json:"secret_available"` // whether `secret` is returned
}

func webhookOf(e webhooks.Endpoint) webhookBody {
	return webhookBody{
		ID: e.ID, Kind: e.Kind, URL: e.URL, Events: e.Events,
		Filters:  response.ConvertRows(e.Filters, func(f event.Filter) webhookFilterBody { return webhookFilterBody(f) }),
		Headers:  response.ConvertRows(e.HeaderNames, func(name string) webhookHeaderBody { return webhookHeaderBody{name} }),
		IsActive: e.IsActive, DisabledReason: e.DisabledReason, PausedAt: e.PausedAt, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// eventKindBody is a kind of event that endpoints can subscribe to.
//
//openapi:name WebhookEventKind
type eventKindBody struct {
	Kind        string         `json:"kind" api:"max=100" pattern:"^[a-z_]+(\\.[a-z_]+)?$" example:"payout.status_changed"`               // name of the kind
	Description string         `json:"description" api:"max=1000" example:"The platform reports a new payout, or a payout's new status."` // when the event is sent
	Group       string         `json:"group" api:"max=100,open" example:"payout"`                                                         // object that the event is about: the name up to the dot
	Schema      jsontext.Value `json:"schema" api:"nonnull"`                                                                              // JSON Schema (2020-12) of the request body
	Example     jsontext.Value `json:"example" api:"nonnull"`                                                                             // example of a request body
}

func eventKindOf(d event.Definition) eventKindBody {
	return eventKindBody{
		Kind: string(d.Kind), Description: d.Description, Group: d.Kind.Group(),
		Schema: jsontext.Value(d.Schema()), Example: jsontext.Value(d.Example()),
	}
}

// webhookHealthBody is how an endpoint has answered within a week.
//
//openapi:name WebhookHealth
type webhookHealthBody struct {
	Waiting int               `json:"waiting" example:"0"`   // number of deliveries that wait for an attempt
	Hours   []webhookHourBody `json:"hours" api:"items=168"` // the last 168 hours, oldest first, including those without attempts
}

// webhookHourBody counts the attempts of an hour.
//
//openapi:name WebhookHour
type webhookHourBody struct {
	StartsAt     time.Time `json:"starts_at"`                    // start of the hour
	Delivered    int       `json:"delivered" example:"240"`      // attempts that succeeded
	Failed       int       `json:"failed" example:"2"`           // attempts that failed
	P95LatencyMS *int64    `json:"p95_latency_ms" example:"180"` // Latency that 95% of the attempts did not exceed. Null if there was none.
}

// deliveryBody is the delivery of an event to an endpoint.
//
//openapi:name WebhookDelivery
type deliveryBody struct {
	ID            uuid.UUID               `json:"id"`                                       // unique identifier of the delivery
	Event         deliveredBody           `json:"event"`                                    // the event that is delivered
	EndpointID    uuid.UUID               `json:"endpoint_id"`                              // unique identifier of the endpoint
	Status        webhooks.DeliveryStatus `json:"status" example:"succeeded"`               // status of the delivery
	Attempts      []attemptBody           `json:"attempts" api:"items=20"`                  // the latest attempts, up to 20, in order
	AttemptCount  int                     `json:"attempt_count" api:"max=1000" example:"1"` // total number of attempts
	NextAttemptAt *time.Time              `json:"next_attempt_at" example:"null"`           // When the next attempt is due. Null if there will be none.
	Payload       jsontext.Value          `json:"payload" api:"schema=EventPayload"`        // The event: the body of the request, or what a message for a channel was made from. Null if it is older than 30 days and has been deleted.
	CreatedAt     time.Time               `json:"created_at"`                               // when the delivery was created
}

// deliveredBody is the event of a delivery.
//
//openapi:name WebhookEvent
type deliveredBody struct {
	// Unique identifier of the event, the same for all endpoints. The receiver finds it in the
	// header `webhook-id`.
	ID        string    `json:"id" api:"min=36,max=36" pattern:"^evt_[0-9a-f]{32}$" example:"evt_01980000000070008000000000000004"`
	Type      string    `json:"type" api:"max=100" pattern:"^[a-z_]+(\\.[a-z_]+)?$" example:"payout.status_changed"` // kind of event
	Timestamp time.Time `json:"timestamp"`                                                                           // when the event happened
	Sequence  int64     `json:"sequence" api:"min=1" example:"17"`                                                   // sequence number of the event for this endpoint, without gaps
}

// attemptBody is one attempt at a delivery.
//
//openapi:name WebhookAttempt
type attemptBody struct {
	Number     int                     `json:"number" api:"min=1" example:"1"`                  // number of the attempt, counted from 1
	Trigger    webhooks.AttemptTrigger `json:"trigger"`                                         // why the attempt was made
	StartedAt  time.Time               `json:"started_at"`                                      // when the attempt began
	LatencyMS  int64                   `json:"latency_ms" api:"max=600000" example:"84"`        // duration of the attempt in milliseconds
	HTTPStatus *int                    `json:"http_status" api:"min=100,max=999" example:"204"` // HTTP status of the receiver's response. Null if there was no response.
	ErrorCode  *string                 `json:"error_code" api:"max=100,open" example:"null"`    // Machine-readable code of what went wrong: `rejected`, `server_error`, `throttled`, `gone`, `unexpected_redirect`, `timeout`, `tls_failed`, `connect_failed`, `dns_failed`, `blocked_address`, `unexpected_response`, `payload_expired` or `internal`. Null if nothing did. More may be added.
	// Start of the response body, up to 16 KiB. Null if there was none, or if it is older than 30
	// days.
	ResponseBody *string `json:"response_body" api:"max=16384" example:"null"`
	Truncated    bool    `json:"truncated"` // whether the response body was longer
}

func deliveryOf(d webhooks.Delivery) deliveryBody {
	return deliveryBody{
		ID: d.ID, EndpointID: d.EndpointID, Status: d.Status, AttemptCount: d.AttemptCount, NextAttemptAt: d.NextAttemptAt, CreatedAt: d.CreatedAt,
		Event:    deliveredBody{ID: event.ID(d.EventID), Type: string(d.EventType), Timestamp: d.OccurredAt, Sequence: d.Sequence},
		Attempts: response.ConvertRows(d.Attempts, attemptOf), Payload: jsontext.Value(d.Payload()),
	}
}

func attemptOf(a webhooks.Attempt) attemptBody {
	return attemptBody{
		Number: a.Number, Trigger: a.Trigger, StartedAt: a.StartedAt, LatencyMS: a.LatencyMS, HTTPStatus: a.HTTPStatus,
		ErrorCode: a.ErrorCode, ResponseBody: a.ResponseBody, Truncated: a.Truncated,
	}
}
