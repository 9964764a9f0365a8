package main

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/assayhq/assay/apiserver/openapi"
	v1 "github.com/assayhq/assay/apiserver/v1"
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
	for _, d := range event.All() {
		name := schemaName(d.Kind)
		b.schemas.Set(name, eventSchema(d.Fields(), d.Description))
		reference := openapi.Reference(name)
		payload.OneOf = append(payload.OneOf, reference)
		payload.Discriminator.Mapping.Set(string(d.Kind), reference.Ref)
		b.doc.Webhooks.Set(string(d.Kind), &openapi.PathItem{Post: &openapi.Operation{
			OperationID: "on" + strings.TrimSuffix(name, "Event"), Summary: summaryOf(d.Kind), Description: d.Description + "\n\nAny 2xx response acknowledges the event.",
			Tags: []string{v1.TagWebhooks}, Security: []openapi.Map[[]string]{}, Parameters: deliveryHeaders(),
			RequestBody: &openapi.RequestBody{Description: "The event.", Required: true, Content: b.jsonContent(name)},
			Responses: openapi.Map[*openapi.Answer]{{
				Name: strconv.Itoa(http.StatusNoContent), Value: &openapi.Answer{Description: "The receiver has the event. assay sends it again if the status is not 2xx or if there is no response within 15 seconds."},
			}},
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

// deliveryHeaders describes the headers of Standard Webhooks.
func deliveryHeaders() []*openapi.Parameter {
	header := func(name, about string, schema *openapi.Schema, example any) *openapi.Parameter {
		return &openapi.Parameter{Name: name, In: "header", Required: true, Description: about, Schema: schema, Example: example}
	}
	id := openapi.Text(36)
	id.Pattern = "^evt_[0-9a-f]{32}$"
	signature := openapi.Text(200)
	signature.Pattern = "^v1,[0-9A-Za-z+/]{43}=( v1,[0-9A-Za-z+/]{43}=)?$"
	return []*openapi.Parameter{
		header("webhook-id", "The event's id. It is the same in each attempt, so receivers can use it to recognize duplicates.", id, "evt_01980000000070008000000000000004"),
		header("webhook-timestamp", "When the attempt was made, as a Unix timestamp in seconds. Receivers should reject timestamps that differ from their clock by more than five minutes.", openapi.Whole(0, maxWhole), 1795161600),
		header("webhook-signature", "HMAC-SHA256 signatures of id, timestamp and body, joined by dots. There is one for each active signing secret, newest first.", signature,
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
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
