package syncing

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
)

// integrationEvent returns an event about an integration.
func integrationEvent(kind event.Kind, id uuid.UUID, sort record.Kind, health Health) event.Event {
	return event.Event{Kind: kind, Data: event.Integration{
		IntegrationID: id, Kind: string(sort), HealthStatus: string(health), Path: directory.IntegrationsPath + id.String(),
	}}
}

// checkEvents returns the events that follow from a live check.
func checkEvents(id uuid.UUID, sort record.Kind, before, after Health, o CheckOutcome) []event.Event {
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
	case after == HealthPending:
		events = append(events, integrationEvent(event.IntegrationConnected, id, sort, after))
	case after == HealthBlocked:
		events = append(events, healthEvent(event.IntegrationBlocked, id, before, after))
	}
	return events
}

func healthEvent(kind event.Kind, id uuid.UUID, before, after Health) event.Event {
	return event.Event{Kind: kind, Data: event.Health{
		IntegrationID: id, HealthStatus: string(after), PreviousHealthStatus: string(before), Path: directory.IntegrationsPath + id.String(),
	}}
}

// healthEvents returns the events about a change of health by a cycle. The success of the first
// cycle has none, because polling had begun already.
func healthEvents(id uuid.UUID, c *HealthChange) []event.Event {
	if c == nil || c.From == c.To {
		return nil
	}
	var kind event.Kind
	switch c.To {
	case HealthDegraded:
		kind = event.IntegrationDegraded
	case HealthFailing:
		kind = event.IntegrationFailing
	case HealthBlocked:
		kind = event.IntegrationBlocked
	case HealthHealthy:
		if c.From != HealthDegraded && c.From != HealthFailing {
			return nil
		}
		kind = event.IntegrationRecovered
	default:
		return nil
	}
	return []event.Event{healthEvent(kind, id, c.From, c.To)}
}

// auditEvent returns the event about a finished audit.
func auditEvent(id uuid.UUID, a *OpenAudit, status SyncAuditStatus) event.Event {
	data := event.Audit{
		IntegrationID: id, AuditID: a.ID, Trigger: string(a.Trigger), Status: string(status), Resources: []event.AuditedResource{},
		Path: directory.IntegrationsPath + id.String() + "/audit",
	}
	for _, r := range a.Resources {
		data.Resources = append(data.Resources, event.AuditedResource{
			Resource: string(r.Resource), Status: string(r.Status), CompletenessRatio: r.Ratio, Repaired: r.Absent + r.Stale, Missing: r.Missing,
		})
	}
	return event.Event{Kind: event.IntegrationAuditCompleted, Data: data}
}
