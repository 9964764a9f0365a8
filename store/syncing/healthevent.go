package syncing

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
)

// HealthEvent returns the event about a change of an integration's health.
func HealthEvent(kind event.Kind, id uuid.UUID, before, after Health) event.Event {
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
	return []event.Event{HealthEvent(kind, id, c.From, c.To)}
}
