package webhooks

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// listWebhooks answers GET /v1/webhooks with all endpoints, newest first.
func (a *API) listWebhooks(w http.ResponseWriter, r *http.Request, p store.Page) error {
	list, err := webhooks.ListEndpoints(r.Context(), a.reads, route.CallerOrganization(r))
	if err != nil {
		return err
	}
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(list, webhookOf), p)
}

// listEventKinds answers GET /v1/webhooks/events with the catalog.
func (a *API) listEventKinds(w http.ResponseWriter, r *http.Request, p store.Page) error {
	return response.AnswerCollection(w, r, a.publicURL, response.ConvertRows(event.All(), eventKindOf), p)
}

// getWebhook answers GET /v1/webhooks/{id}.
func (a *API) getWebhook(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	e, err := webhooks.ReadEndpoint(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, webhookOf(e))
}

// createWebhook answers POST /v1/webhooks with the endpoint and its secret.
func (a *API) createWebhook(w http.ResponseWriter, r *http.Request) error {
	o, err := decode.Body(r)
	if err != nil {
		return err
	}
	p, err := a.webhookFrom(r.Context(), o)
	if err != nil {
		return err
	}
	render := func(m webhooks.MadeEndpoint) response.Reply {
		return a.renderSecret(http.StatusCreated, m)
	}
	m, err := webhooks.CreateEndpoint(r.Context(), a.store, route.NewRepeatableChange(r, render), p)
	if err != nil {
		return err
	}
	return render(m).Write(w)
}

// renderSecret returns the response that contains a new secret, once.
func (a *API) renderSecret(status int, m webhooks.MadeEndpoint) response.Reply {
	shown, secret := webhookOf(m.Endpoint), m.Secret.Reveal()
	p := response.Reply{Status: status, Body: webhookSecretBody{shown, &secret, true}, Again: webhookSecretBody{shown, nil, false}}
	if status == http.StatusCreated {
		p.Location = a.publicURL + route.WebhooksPath + m.ID.String()
	}
	return p
}

// updateWebhook answers PATCH /v1/webhooks/{id} with the endpoint. A missing endpoint is reported
// before a faulty body.
func (a *API) updateWebhook(w http.ResponseWriter, r *http.Request) error {
	id, condition, err := route.ObjectIfMatch(r, webhookOf)
	if err != nil {
		return err
	}
	o, err := decode.Body(r)
	if err != nil {
		return cmp.Or(a.objects.Check(r, route.WebhooksPath, id), err)
	}
	p, err := a.webhookPatchFrom(r.Context(), o)
	if err != nil {
		return cmp.Or(a.objects.Check(r, route.WebhooksPath, id), err)
	}
	p.If = func(e webhooks.Endpoint) error {
		if condition != nil {
			if err := condition(e); err != nil {
				return err
			}
		}
		return checkPatchedFilters(e, p)
	}
	render := func(e webhooks.Endpoint) response.Reply {
		return response.Reply{Status: http.StatusOK, Body: webhookOf(e), Item: true}
	}
	e, err := webhooks.UpdateEndpoint(r.Context(), a.store, route.NewRepeatableChange(r, render), id, p)
	if err != nil {
		return retryRefused(err)
	}
	return render(e).Write(w)
}

// deleteWebhook answers DELETE /v1/webhooks/{id} with 204.
func (a *API) deleteWebhook(w http.ResponseWriter, r *http.Request) error {
	id, condition, err := route.ObjectIfMatch(r, webhookOf)
	if err != nil {
		return err
	}
	render := func(struct{}) response.Reply { return response.Reply{Status: http.StatusNoContent} }
	if err := webhooks.DeleteEndpoint(r.Context(), a.store, route.NewRepeatableChange(r, render), id, condition); err != nil {
		return err
	}
	return render(struct{}{}).Write(w)
}

// rotateSecret answers POST /v1/webhooks/{id}/rotate-secret with the endpoint
// and its new secret.
func (a *API) rotateSecret(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	grace, err := decode.OptionalBodyOf(r, readRotation)
	if err != nil {
		return cmp.Or(a.objects.Check(r, route.WebhooksPath, id), err)
	}
	render := func(m webhooks.MadeEndpoint) response.Reply { return a.renderSecret(http.StatusOK, m) }
	m, err := webhooks.RotateSecret(r.Context(), a.store, route.NewRepeatableChange(r, render), id, grace)
	if err != nil {
		return err
	}
	return render(m).Write(w)
}

// How long a test waits for its delivery, and how often it checks.
const (
	defaultTestWait = 20 * time.Second
	firstPoll       = 25 * time.Millisecond
	lastPoll        = 250 * time.Millisecond
)

// testWebhook answers POST /v1/webhooks/{id}/test with 200 and the delivery of a ping once it has
// ended, or with 202 and the pending delivery if that takes long. Repetitions get the same
// response, so it is stored when it is known and not with the change. A crash in between costs
// another ping.
func (a *API) testWebhook(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.WebhooksPath)
	if err != nil {
		return err
	}
	c := route.NewRepeatableChange(r, func(webhooks.Delivery) response.Reply { return response.Reply{} })
	c.Attempt = nil
	d, err := webhooks.PingEndpoint(r.Context(), a.store, c, id)
	if err != nil {
		return err
	}
	d, err = a.awaitDelivery(r, d)
	if err != nil {
		return err
	}
	p := response.Reply{Status: http.StatusOK, Body: deliveryOf(d)}
	if !isOver(d) {
		p.Status = http.StatusAccepted
	}
	return p.Write(w)
}

// isOver reports whether the delivery is final.
func isOver(d webhooks.Delivery) bool {
	return d.Status != webhooks.DeliveryPending && d.Status != webhooks.DeliveryDelivering
}

// awaitDelivery polls a delivery until it has ended, the wait is over, or the process stops.
func (a *API) awaitDelivery(r *http.Request, d webhooks.Delivery) (webhooks.Delivery, error) {
	deadline := time.NewTimer(a.testWait)
	defer deadline.Stop()
	for look := firstPoll; !isOver(d); look = min(2*look, lastPoll) {
		select {
		case <-r.Context().Done():
			return d, r.Context().Err()
		case <-a.stopping:
			return d, nil
		case <-deadline.C:
			return d, nil
		case <-time.After(look):
		}
		var err error
		if d, err = webhooks.ReadDelivery(r.Context(), a.store, route.CallerOrganization(r), d.ID); err != nil {
			return d, err
		}
	}
	return d, nil
}

// listDeliveries answers GET /v1/webhooks/{id}/deliveries.
func (a *API) listDeliveries(w http.ResponseWriter, r *http.Request, q deliveriesQuery) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	list, total, err := webhooks.ListDeliveries(r.Context(), a.reads, route.CallerOrganization(r), id, q.filter, q.page)
	if err != nil {
		return err
	}
	return response.AnswerPage(w, r, a.publicURL, response.Rows[webhooks.Delivery]{List: list, Page: q.page, Total: total, Position: webhooks.DeliverySorts().PositionIn(q.filter.Sort)}, deliveryOf)
}

// getWebhookHealth answers GET /v1/webhooks/{id}/health with the attempts of a week, by hour.
func (a *API) getWebhookHealth(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	hours, err := webhooks.CountHours(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	waiting, err := webhooks.CountWaiting(r.Context(), a.reads, route.CallerOrganization(r), id)
	if err != nil {
		return err
	}
	return response.AnswerItem(w, r, webhookHealthBody{waiting, response.ConvertRows(hours, func(h webhooks.Hour) webhookHourBody { return webhookHourBody(h) })})
}

// retryDelivery answers POST /v1/webhooks/deliveries/{deliveryId}/retry with 202 and the
// delivery, which is retried immediately.
func (a *API) retryDelivery(w http.ResponseWriter, r *http.Request) error {
	id, err := a.objects.WithoutBody(r, route.DeliveriesPath)
	if err != nil {
		return err
	}
	render := func(d webhooks.Delivery) response.Reply {
		return response.Reply{Status: http.StatusAccepted, Body: deliveryOf(d)}
	}
	d, err := webhooks.RetryDelivery(r.Context(), a.store, route.NewRepeatableChange(r, render), id)
	if err != nil {
		return retryRefused(err)
	}
	return render(d).Write(w)
}

// resentBody is how many deliveries are sent again.
type resentBody struct {
	Queued int `json:"queued"` // how many deliveries will be sent again, at most 10000 of one request
	// Send another request with this `from_sequence` for the rest. Null if there are no more.
	NextSequence *int64 `json:"next_sequence"`
}

// retryDeliveries answers POST /v1/webhooks/{id}/retry with 202 and the number of deliveries that
// are sent again.
func (a *API) retryDeliveries(w http.ResponseWriter, r *http.Request, id uuid.UUID) error {
	which, err := decode.BodyOf(r, readResending)
	if err != nil {
		return cmp.Or(a.objects.Check(r, route.WebhooksPath, id), err)
	}
	render := func(made webhooks.Resent) response.Reply {
		body := resentBody{Queued: made.Queued}
		if made.IsPartial {
			body.NextSequence = new(made.Last + 1)
		}
		return response.Reply{Status: http.StatusAccepted, Body: body}
	}
	made, err := webhooks.RetryDeliveries(r.Context(), a.store, route.NewRepeatableChange(r, render), id, which)
	if err != nil {
		return retryRefused(err)
	}
	return render(made).Write(w)
}

// retryRefused explains why a delivery is not retried, or an endpoint not paused.
func retryRefused(err error) error {
	for _, refusal := range []struct {
		err  error
		code problem.Code
	}{
		{webhooks.ErrDelivering, problem.DeliveryInProgress},
		{webhooks.ErrEndpointDisabled, problem.WebhookEndpointDisabled},
		{webhooks.ErrPayloadExpired, problem.PayloadExpired},
		{webhooks.ErrTooManyAttempts, problem.RetryLimitReached},
	} {
		if errors.Is(err, refusal.err) {
			return &problem.Problem{Code: refusal.code, Cause: err}
		}
	}
	return err
}
