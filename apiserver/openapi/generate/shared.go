package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/openapi"
)

// sharedSchemas names the enumerations and objects that several places of the document have, each by
// one place: a member of a schema, where [] stands for the items of an array, or a parameter of an
// operation. Clients get one type for each of them.
func sharedSchemas() []struct{ name, place, about string } {
	return []struct{ name, place, about string }{
		{"NewAccountScope", "NewIntegration.account_scope", "Which accounts are read from a third-party platform."},
		{"ActorKind", "AuditActor.kind", "Who acts."},
		{"AnswerMode", "Answer.mode", "How a question is answered."},
		{"AttentionLevel", "Interview.attention_level", "How much the findings deserve a look."},
		{"AuditAction", "listAudit?action", "What was done."},
		{"AuditObjectKind", "listAudit?object_kind", "What an entry of the audit log is about."},
		{"AuditSort", "listAudit?sort", "Order of the audit log."},
		{"ComputationStatus", "Metric.status", "Whether the trades suffice for a figure."},
		{"DecisionValue", "Decision.value", "What a person decided."},
		{"DeliverySort", "listWebhookDeliveries?sort", "Order of deliveries."},
		{"DeliveryStatus", "WebhookDelivery.status", "State of a delivery."},
		{"DisabledReason", "WebhookEndpoint.disabled_reason", "Why an endpoint is disabled."},
		{"DuplicateReason", "Duplicate.reasons[]", "What two traders have in common."},
		{"EventKind", "listWebhookDeliveries?event", "Kind of an event."},
		{"EventPattern", "NewWebhookEndpoint.events[]", "A kind of events, a group of kinds, or all of them."},
		{"HealthStatus", "Integration.health_status", "State of an integration."},
		{"IntegrationKind", "Integration.kind", "Kind of a platform."},
		{"IntegrityRule", "IntegrityRules.fullscreen", "Whether something is asked of a trader."},
		{"InterviewReason", "Interview.reason", "Why a trader is interviewed."},
		{"InterviewSort", "listInterviews?sort", "Order of interviews."},
		{"InterviewStatus", "Interview.status", "State of an interview."},
		{"ListName", "SavedView.list", "A list of the dashboard."},
		{"NetBasis", "ActivityFile.net_basis", "Where the results of a file come from."},
		{"NewQuestion", "NewInterview.questions[]", "A question for the trader."},
		{"NewWebhookFilter", "NewWebhookEndpoint.filters[]", "A condition on a member of events."},
		{"NewWebhookHeader", "NewWebhookEndpoint.headers[]", "A header that is sent with each delivery."},
		{"PasswordState", "User.password", "Whether a person has a password."},
		{"PayoutSort", "listPayouts?sort", "Order of payouts."},
		{"QuarantineSort", "listQuarantine?sort", "Order of records in quarantine."},
		{"QuestionTopic", "NewInterview.questions[].topic", "What a question is about."},
		{"ReadingConfidence", "ActivityFile.confidence", "How certain the reading of a file is."},
		{"Reconciliation", "ActivityFile.reconciled", "What the results of a file were compared with."},
		{"ReportStatus", "Interview.report_status", "State of a report."},
		{"Role", "User.role", "Role of a person."},
		{"RunSort", "listSyncRuns?sort", "Order of runs."},
		{"RunStatus", "SyncRun.status", "State of a run."},
		{"Scope", "ApiKey.scopes[]", "What a key permits."},
		{"SignInMethod", "Session.method", "How a person signs in."},
		{"StepStatus", "PipelineStep.status", "State of a step."},
		{"SyncErrorCode", "SyncError.code", "What went wrong."},
		{"SyncMode", "SyncRun.mode", "Whether everything is read or what is new."},
		{"SyncResource", "SyncEventData.runs[].resource", "What a run reads."},
		{"TimezoneBasis", "Activity.timezone_basis", "Where the time zone comes from."},
		{"TradeSide", "Trade.side", "Direction of a trade."},
		{"TraderSource", "Trader.source", "Where a trader comes from."},
		{"TraderStatus", "Trader.status", "State of a trader."},
		{"TraderSort", "listTraders?sort", "Order of traders."},
		{"TradeSort", "listTrades?sort", "Order of trades."},
		{"TradeState", "listTrades?state", "Whether a trade is open or closed."},
		{"TrueOrFalse", "listInterviews?partial", "A truth value in a query."},
		{"WebhookKind", "WebhookEndpoint.kind", "Shape of what an endpoint receives."},
	}
}

// shareSchemas replaces equal enumerations and objects by references to one that has a name.
func (b *builder) shareSchemas() {
	uses := b.findShareable()
	named := make(map[string]string) // names by values
	for _, c := range sharedSchemas() {
		i := slices.IndexFunc(uses, func(u schemaUse) bool { return u.place == c.place })
		if i < 0 {
			b.noteFault("shared.go", "%s is no enumeration or object", c.place)
			continue
		}
		if _, taken := b.schemas.Find(c.name); taken {
			b.noteFault("shared.go", "there is another schema of the name %s", c.name)
		}
		s := withoutUse(uses[i].schema)
		named[shareKey(s)] = c.name
		_, values := splitChoices(uses[i].schema.Description)
		s.Description = c.about + values
		b.schemas.Set(c.name, s)
	}
	first := make(map[string]string) // places by values without a name
	for _, u := range uses {
		key := shareKey(withoutUse(u.schema))
		name, ok := named[key]
		if !ok {
			if other, again := first[key]; again {
				b.noteFault("shared.go", "%s and %s are equal: give them a name", other, u.place)
			}
			first[key] = u.place
			continue
		}
		*u.schema = *referToShared(name, u.schema)
	}
}

// withoutUse returns the schema without what is particular to its use.
func withoutUse(s *openapi.Schema) *openapi.Schema {
	plain := *s
	plain.Type = slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == openapi.Null })
	plain.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
	plain.Description, plain.Default, plain.Examples = "", nil, nil
	return &plain
}

// shareKey is equal for equal schemas.
func shareKey(s *openapi.Schema) string {
	text, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(err) // the document could not be written either
	}
	return string(text)
}

// referToShared returns a reference to the schema with what is particular to its use.
func referToShared(name string, use *openapi.Schema) *openapi.Schema {
	s := openapi.Reference(name)
	s.Description, _ = splitChoices(use.Description)
	if use.Takes(openapi.Null) {
		s = s.Nullable()
	}
	s.Default, s.Examples = use.Default, use.Examples
	return s
}

// splitChoices cuts a description before the list of values.
func splitChoices(text string) (about, values string) {
	i := strings.Index("\n"+text, "\n- `")
	if i < 0 {
		return text, ""
	}
	return strings.TrimSpace(text[:max(i-1, 0)]), "\n" + text[i:]
}

// schemaUse is a place of the document with an enumeration or an object.
type schemaUse struct {
	place  string
	schema *openapi.Schema
}

// findShareable lists the enumerations and objects in members and parameters, each schema once.
func (b *builder) findShareable() (uses []schemaUse) {
	seen := make(map[*openapi.Schema]bool)
	var visit func(place string, s *openapi.Schema)
	visit = func(place string, s *openapi.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		if len(withoutUse(s).Enum) > 1 || len(s.Known) > 1 || len(s.Properties) > 0 && strings.ContainsAny(place, ".[{") {
			uses = append(uses, schemaUse{place, s})
		}
		for _, member := range s.Properties {
			visit(place+"."+member.Name, member.Value)
		}
		visit(place+"[]", s.Items)
		visit(place+"{}", s.Additional)
		for i, inner := range slices.Concat(s.AnyOf, s.OneOf) {
			visit(fmt.Sprintf("%s|%d", place, i), inner)
		}
	}
	for _, s := range b.schemas {
		visit(s.Name, s.Value)
	}
	for _, item := range b.doc.Paths {
		for _, op := range operationsOf(item.Value) {
			for _, p := range op.Parameters {
				visit(op.OperationID+"?"+p.Name, p.Schema)
			}
		}
	}
	return uses
}
