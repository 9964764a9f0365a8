package directory

import (
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// Paths of the API's objects, to which events link.
const (
	TradersPath      = "/v1/traders/"
	IntegrationsPath = "/v1/integrations/"
)

// NewTraderEvent returns an event of a kind about the trader. merged is the id of a row that was
// merged into the trader's, or zero if there is none.
func NewTraderEvent(kind event.Kind, t event.Trader, merged uuid.UUID) event.Event {
	t.MergedID, t.Path = store.OrNil(merged), TradersPath+t.TraderID.String()
	return event.Event{Kind: kind, Data: t}
}

// FindingEvent returns an event about a broken rule.
func FindingEvent(id uuid.UUID, resource, rule string, count int64) event.Event {
	return event.Event{Kind: event.IntegrationFindingOpened, Data: event.Finding{
		IntegrationID: id, Resource: resource, Rule: rule, Count: count, Path: IntegrationsPath + id.String() + "/findings",
	}}
}
