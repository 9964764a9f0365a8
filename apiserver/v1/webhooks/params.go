package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// Limits of an endpoint's members. The grace period is how long a replaced secret still signs, in
// seconds: a day by default, for a deployment of the receiver, and a week at most, because a
// leaked secret must end.
const (
	maxWebhookURL = 2048
	maxEventName  = 100
	maxGrace      = 7 * 24 * 60 * 60
	defaultGrace  = 24 * 60 * 60
)

// webhookMembers reads the members that creating and changing an endpoint have in common. The
// error is the context's.
func (a *API) webhookMembers(ctx context.Context, o *decode.Object) (url decode.Field[string], events decode.Field[[]string], err error) {
	url, err = a.readEndpointURL(ctx, o)
	return url, readEvents(o), err
}

// readEndpointURL reads where events are sent and checks it with the guard.
func (a *API) readEndpointURL(ctx context.Context, o *decode.Object) (decode.Field[string], error) {
	url := o.Text("url", maxWebhookURL)
	o.Note("url", decode.Note{
		About:   "URL that events are sent to: `https` and a public host, without a user or fragment.",
		Example: "https://hooks.example.com/assay", Format: "uri", Pattern: `^[hH][tT][tT][pP][sS]://[^\s#]+$`,
	})
	if url.State != decode.Set {
		return url, nil
	}
	err := a.guard.CheckEndpoint(ctx, url.Value)
	if refused, ok := errors.AsType[*fetch.URLError](err); ok {
		o.Fault("url", problem.FaultCode(refused.Code), refused.Detail)
		return decode.Field[string]{State: decode.Faulty}, nil
	}
	return url, err
}

// readEvents reads at least one kind or pattern, all known and none twice.
func readEvents(o *decode.Object) decode.Field[[]string] {
	patterns, seen := event.Patterns(), make(map[string]bool)
	events := o.Texts("events", len(patterns), maxEventName, func(at problem.Pointer, name string) bool {
		switch {
		case !slices.Contains(patterns, name):
			o.At(at, problem.UnknownEvent, "Must be an event of the catalog, a group such as trader.*, or *.")
		case seen[name]:
			o.At(at, problem.InvalidFormat, "Must not be listed twice.")
		default:
			seen[name] = true
			return true
		}
		return false
	})
	o.Note("events", decode.Note{
		About: "Events to subscribe to: kinds from the catalog, groups such as `trader.*`, or `*` for everything, including kinds that are added later.",
		Least: 1, Unique: true, Each: &decode.Note{Values: patterns}, Example: []string{"trader.*", string(event.PayoutStatusChanged)},
	})
	if events.State == decode.Set && len(events.Value) == 0 {
		o.Fault("events", problem.TooFewItems, "Must list at least one kind of event.")
		events.State = decode.Faulty
	}
	return events
}

// webhookFrom reads the body of POST /v1/webhooks.
func (a *API) webhookFrom(ctx context.Context, o *decode.Object) (n webhooks.NewEndpoint, err error) {
	url, events, err := a.webhookMembers(ctx, o)
	if err != nil {
		return n, err
	}
	kinds := response.ConvertRows(webhooks.EndpointKinds(), func(k webhooks.EndpointKind) string { return string(k) })
	kind := decode.ReadWord(o, "kind", kinds, string(webhooks.KindStandard), "What is sent: the signed event, or a message for a channel in Slack or Microsoft Teams. It cannot be changed later.")
	filters, headers := readFilters(o), readHeaders(o)
	if filters.State == decode.Set && events.State == decode.Set {
		checkFilters(o.Faults, events.Value, filters.Value)
	}
	o.Require("url", url.State)
	o.Require("events", events.State)
	return webhooks.NewEndpoint{Kind: webhooks.EndpointKind(kind.Value), URL: url.Value, Events: events.Value, Filters: filters.Value, Headers: headers.Value}, o.Finish()
}

// webhookPatchFrom reads the body of PATCH /v1/webhooks/{id}: absent members stay unchanged.
func (a *API) webhookPatchFrom(ctx context.Context, o *decode.Object) (p webhooks.EndpointPatch, err error) {
	url, events, err := a.webhookMembers(ctx, o)
	if err != nil {
		return p, err
	}
	filters, headers := readFilters(o), readHeaders(o)
	active := o.Bool("is_active")
	o.Note("is_active", decode.Note{About: "Whether events are sent. While it is false, deliveries are skipped, including those that wait for an attempt."})
	paused := o.Bool("paused")
	o.Note("paused", decode.Note{About: "Whether deliveries wait. When it is set to false, they are sent in order.", Example: false})
	o.RefuseNull("url", url.State)
	o.RefuseNull("events", events.State)
	o.RefuseNull("filters", filters.State)
	o.RefuseNull("headers", headers.State)
	o.RefuseNull("is_active", active.State)
	o.RefuseNull("paused", paused.State)
	return webhooks.EndpointPatch{
		URL: decode.PatchedValue(url, ""), Events: decode.PatchedValue(events, nil), Filters: decode.PatchedValue(filters, nil), Headers: decode.PatchedValue(headers, nil), IsActive: decode.PatchedValue(active, false),
		Paused: decode.PatchedValue(paused, false),
	}, o.Finish()
}

// readRotation reads how long the previous secret continues to sign.
func readRotation(o *decode.Object) time.Duration {
	seconds := o.Int("grace_period_seconds", 0, maxGrace)
	o.Note("grace_period_seconds", decode.Note{About: "Number of seconds for which the previous secret also signs requests. If null or absent, one day.", Default: defaultGrace})
	if seconds.State != decode.Set {
		return defaultGrace * time.Second
	}
	return time.Duration(seconds.Value) * time.Second
}

// maxSequence is the highest number that every client's numbers can hold.
const maxSequence = 1<<53 - 1

// readResending reads which deliveries of an endpoint to send again.
func readResending(o *decode.Object) webhooks.Resending {
	since, until := o.Time("since"), o.Time("until")
	o.Note("since", decode.Note{About: "Only deliveries created at or after this time. This or `from_sequence` is required.", Example: "2026-11-20T08:00:00Z"})
	o.Note("until", decode.Note{About: "Only deliveries created before this time.", Example: "2026-11-20T12:00:00Z"})
	from := o.Int("from_sequence", 1, maxSequence)
	o.Note("from_sequence", decode.Note{About: "Only deliveries with this number or a higher one. This or `since` is required."})
	delivered := o.Bool("delivered")
	o.Note("delivered", decode.Note{About: "Whether deliveries that succeeded are sent again, too. If null or absent, they are not.", Default: false})
	which := webhooks.Resending{FromSequence: int64(from.Value), Delivered: delivered.Value}
	if since.State == decode.Set {
		which.Since = &since.Value
	}
	if until.State == decode.Set {
		which.Until = &until.Value
	}
	if which.Since != nil && which.Until != nil && which.Until.Before(*which.Since) {
		o.Fault("until", problem.OutOfRange, "Must not be before since.")
	}
	missing := func(s decode.State) bool { return s != decode.Set && s != decode.Faulty }
	if missing(since.State) && missing(from.State) {
		o.Fault("since", problem.Required, "Is required if there is no from_sequence.")
	}
	return which
}

// deliveriesQuery is the query of GET /v1/webhooks/{id}/deliveries.
type deliveriesQuery struct {
	filter webhooks.DeliveryFilter
	page   store.Page
}

func readDeliveriesQuery(q *decode.Query) deliveriesQuery {
	return deliveriesQuery{filter: readDeliveryFilter(q), page: q.Page()}
}

// readDeliveryFilter reads the query of GET /v1/webhooks/{id}/deliveries without its page.
func readDeliveryFilter(q *decode.Query) webhooks.DeliveryFilter {
	kinds := response.ConvertRows(event.All(), func(d event.Definition) string { return string(d.Kind) })
	f := webhooks.DeliveryFilter{
		Status: webhooks.DeliveryStatus(q.Choice("status", decode.TextsOf(webhooks.DeliveryStatuses())...)),
		Event:  event.Kind(q.Choice("event", kinds...)),
		Since:  q.Time("since"), Until: q.Time("until"),
		Sort: decode.ReadSort(q, webhooks.DeliverySorts().Names(), "Only the orders by `created_at` cost the same for any number of deliveries."),
	}
	q.Note("status", decode.Note{About: "Only deliveries with this status."})
	q.Note("event", decode.Note{About: "Only deliveries of this event."})
	q.Note("since", decode.Note{About: "Only deliveries created at or after this time."})
	q.Note("until", decode.Note{About: "Only deliveries created before this time."})
	if f.Since != nil && f.Until != nil && f.Until.Before(*f.Since) {
		q.Parameter("until", problem.OutOfRange, "Must not be before since.")
	}
	return f
}
