package integrations

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// newEvent returns an event about an integration.
func newEvent(kind event.Kind, id uuid.UUID, sort record.Kind, health syncing.Health) event.Event {
	return event.Event{Kind: kind, Data: event.Integration{
		IntegrationID: id, Kind: string(sort), HealthStatus: string(health), Path: directory.IntegrationsPath + id.String(),
	}}
}

// checkEvents returns the events that follow from a live check.
func checkEvents(id uuid.UUID, sort record.Kind, before, after syncing.Health, o CheckOutcome) []event.Event {
	var events []event.Event
	if !o.OK {
		check := event.Check{IntegrationID: id, HealthStatus: string(after), Code: "internal", Path: directory.IntegrationsPath + id.String()}
		if o.Err != nil {
			check.Code, check.HTTPStatus = o.Err.Code, store.OrNil(o.Err.HTTPStatus)
		}
		events = append(events, event.Event{Kind: event.IntegrationCheckFailed, Data: check})
	}
	switch {
	case before == after:
	case after == syncing.HealthPending:
		events = append(events, newEvent(event.IntegrationConnected, id, sort, after))
	case after == syncing.HealthBlocked:
		events = append(events, syncing.HealthEvent(event.IntegrationBlocked, id, before, after))
	}
	return events
}
