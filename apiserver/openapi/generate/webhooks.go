package main

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/event"
)

// addWebhooks adds the requests that are sent to webhook endpoints, from the catalog.
//
// The schemas of events are also the alternatives of one schema, which deliveries refer to. It gives
// clients a typed payload, and keeps generators that follow only paths from leaving the events out.
func (b *builder) addWebhooks() {
	payload := &openapi.Schema{
		Description:   "An event as it is sent to webhook endpoints. The member `type` tells which one.",
		Discriminator: &openapi.Discriminator{PropertyName: "type"},
	}
	b.addSharedEventParts()
	for _, d := range event.All() {
		name := schemaName(d.Kind)
		b.addEvent(name, d)
		reference := openapi.Reference(name)
		payload.OneOf = append(payload.OneOf, reference)
		payload.Discriminator.Mapping.Set(string(d.Kind), reference.Ref)
		b.doc.Webhooks.Set(string(d.Kind), &openapi.PathItem{Post: &openapi.Operation{
			OperationID: "on" + strings.TrimSuffix(name, "Event"), Summary: summaryOf(d.Kind), Description: d.Description,
			Tags: []string{route.TagWebhooks}, Security: []openapi.Map[[]string]{}, Parameters: deliveryHeaders(),
			RequestBody: &openapi.RequestBody{Description: "The event.", Required: true, Content: b.jsonContent(name)},
			Responses:   openapi.Map[*openapi.Answer]{{Name: strconv.Itoa(http.StatusNoContent), Value: &openapi.Answer{Description: "Received."}}},
		}})
	}
	b.schemas.Set("EventPayload", payload)
}

// schemaName converts the kind to the name of a schema, such as TraderCreatedEvent.
func schemaName(k event.Kind) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(string(k), func(r rune) bool { return r == '.' || r == '_' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String() + "Event"
}

// summaryOf returns the kind in words.
func summaryOf(k event.Kind) string {
	words := strings.NewReplacer(".", " ", "_", " ", "api", "API").Replace(string(k))
	return strings.ToUpper(words[:1]) + words[1:]
}

// eventParts are the members that all events have, by the names of their schemas.
var eventParts = map[string]string{"id": "EventID", "timestamp": "EventTimestamp", "sequence": "EventSequence"} //nolint:gochecknoglobals // constant

// addSharedEventParts adds what all events share, so that the document says it once.
func (b *builder) addSharedEventParts() {
	for _, f := range event.All()[0].Fields() {
		if name, ok := eventParts[f.Name]; ok {
			b.schemas.Set(name, fieldSchema(f))
		}
	}
}

// addEvent adds the schema of an event, and refers to the parts that others have, too.
func (b *builder) addEvent(name string, d event.Definition) {
	s := eventSchema(d.Fields(), d.Description)
	for i, p := range s.Properties {
		part := eventParts[p.Name]
		if p.Name == "data" && isSharedData(d) {
			part = d.DataName() + "EventData"
			b.schemas.Set(part, p.Value)
		}
		if part != "" {
			s.Properties[i].Value = openapi.Reference(part)
		}
	}
	b.schemas.Set(name, s)
}

// isSharedData reports whether other events have the same data.
func isSharedData(d event.Definition) bool {
	return slices.ContainsFunc(event.All(), func(o event.Definition) bool { return o.Kind != d.Kind && o.DataName() == d.DataName() })
}

// deliveryHeaders describes the headers of Standard Webhooks. They are short, and not shared among the
// components, because oapi-codegen leaves out components that only webhooks use.
func deliveryHeaders() []*openapi.Parameter {
	header := func(name, about string, schema *openapi.Schema) *openapi.Parameter {
		return &openapi.Parameter{Name: name, In: "header", Required: true, Description: about, Schema: schema}
	}
	id := openapi.Text(36)
	id.Pattern = "^evt_[0-9a-f]{32}$"
	signature := openapi.Text(200)
	signature.Pattern = "^v1,[0-9A-Za-z+/]{43}=( v1,[0-9A-Za-z+/]{43}=)?$"
	return []*openapi.Parameter{
		header("webhook-id", "Event ID.", id),
		header("webhook-timestamp", "Unix time. Reject after 5 minutes.", openapi.Whole(0, maxWhole)),
		header("webhook-signature", "HMAC-SHA256s of `id.timestamp.body`.", signature),
	}
}

// longestText is longer than any text of an event, in characters.
const longestText = 4096

// eventSchema describes an object with the members.
func eventSchema(fields []event.Field, about string) *openapi.Schema {
	s := &openapi.Schema{Type: openapi.Types{openapi.Object}, Description: about}
	for _, f := range fields {
		s.Properties.Set(f.Name, fieldSchema(f))
		s.Required = append(s.Required, f.Name)
	}
	return s
}

func fieldSchema(f event.Field) *openapi.Schema {
	var s *openapi.Schema
	switch {
	case f.Type == openapi.Object:
		s = eventSchema(f.Fields, "")
	case f.Type == openapi.Array:
		s = openapi.List(eventSchema(f.Fields, ""), 100)
	case f.Type == openapi.Integer:
		s = openapi.Whole(0, maxWhole)
	case f.Type == openapi.Number:
		low, high := int64(0), int64(maxWhole)
		s = openapi.Float(&low, &high)
	case f.Type == openapi.Boolean:
		s = openapi.Truth()
	case f.Format == "uuid":
		s = openapi.UUID()
	case f.Format == "date-time":
		s = openapi.Time()
	case f.Enum != nil:
		s = openapi.Choice(f.Enum...)
	default:
		s = openapi.Text(longestText)
	}
	if f.Nullable {
		s = s.Nullable()
	}
	s.Description, s.Examples = f.About, []any{f.Example}
	return s
}
