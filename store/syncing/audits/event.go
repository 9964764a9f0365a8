package audits

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// finishedEvent returns the event about a finished audit.
func finishedEvent(id uuid.UUID, a *syncing.OpenAudit, status Status) event.Event {
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
