package deliver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// Limits of messages. Slack takes ten fields in a section. The length is what a
// person reads at a glance; both products take more.
const (
	maxFacts    = 10
	maxFactText = 200 // characters
)

// message is an event as people in a channel read it.
type message struct {
	title string
	about string // the integration's name; empty if the event is about none
	text  string
	facts []fact
	link  string // the page of the dashboard; empty if there is none
}

// fact is a member of an event's data, such as "Status" and "breached".
type fact struct{ name, value string }

// nameIntegration returns the name of the integration that a message is about. It is empty if there is none, and for
// signed events, whose receivers read the integration.
func (d *Deliverer) nameIntegration(ctx context.Context, kind webhooks.EndpointKind, due *webhooks.DueDelivery) (string, error) {
	var data struct {
		IntegrationID uuid.UUID `json:"integration_id"`
	}
	if kind == webhooks.KindStandard {
		return "", nil
	}
	if err := json.Unmarshal(due.Data, &data); err != nil {
		return "", fmt.Errorf("read event %s: %w", due.EventType, err)
	}
	if data.IntegrationID == uuid.Nil {
		return "", nil
	}
	return webhooks.IntegrationName(ctx, d.Store, data.IntegrationID)
}

// writeBody returns the body of the request: the event, or a message that is made
// from it and names the integration.
func writeBody(kind webhooks.EndpointKind, publicURL, integration string, due *webhooks.DueDelivery) ([]byte, error) {
	var write func(message) any
	switch kind {
	case webhooks.KindStandard:
		return due.Payload(), nil
	case webhooks.KindSlack:
		write = slackMessage
	case webhooks.KindTeams:
		write = teamsMessage
	default:
		return nil, fmt.Errorf("endpoints of kind %q are not known", kind)
	}
	m, err := newMessage(due.EventType, due.Data, publicURL, integration)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(write(m)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// newMessage says in words what has happened.
func newMessage(kind event.Kind, data []byte, publicURL, integration string) (m message, err error) {
	m.title, m.about = inWords(string(kind)), shortenText(integration)
	list := event.All()
	if i := slices.IndexFunc(list, func(d event.Definition) bool { return d.Kind == kind }); i >= 0 {
		m.text = strings.ReplaceAll(list[i].Description, "`", "")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return m, fmt.Errorf("read event %s: %w", kind, err)
	}
	if m.facts, err = listFacts(data); err != nil {
		return m, fmt.Errorf("read event %s: %w", kind, err)
	}
	if m.about != "" {
		m.facts = append([]fact{{"Integration", m.about}}, m.facts[:min(len(m.facts), maxFacts-1)]...)
	}
	if page := findPage(kind, members); page != "" && publicURL != "" {
		m.link = publicURL + page
	}
	return m, nil
}

// inWords returns a name of the API as a person writes it, such as "API key expiring"
// for api_key.expiring.
func inWords(name string) string {
	words := strings.NewReplacer(".", " ", "_", " ").Replace(name)
	if rest, ok := strings.CutPrefix(words, "api "); ok {
		return "API " + rest
	}
	words = strings.NewReplacer("http ", "HTTP ", " ms", " in ms").Replace(words)
	return strings.ToUpper(words[:1]) + words[1:]
}

// listFacts lists the texts and numbers of an event's data in their order. It leaves
// out assay's own ids and paths, which say nothing to a person, and what is false, null
// or nested.
func listFacts(data []byte) (facts []fact, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	for decoder.More() && len(facts) < maxFacts {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		text := ""
		switch v := value.(type) {
		case string:
			text = v
			if at, err := time.Parse(time.RFC3339, v); err == nil {
				text = at.UTC().Format("2 Jan 2006, 15:04 UTC")
			}
		case json.Number:
			text = v.String()
		case bool:
			if v {
				text = "yes"
			}
		}
		key := name.(string) //nolint:forcetypeassert // the decoder accepts no other names
		if text == "" || key == "path" || strings.HasSuffix(key, "_id") && !strings.HasSuffix(key, "external_id") {
			continue
		}
		facts = append(facts, fact{inWords(key), shortenText(text)})
	}
	return facts, nil
}

// shortenText returns a text in one line of at most maxFactText characters.
func shortenText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxFactText {
		return text
	}
	return string([]rune(text)[:maxFactText-1]) + "…"
}

// pages are the dashboard's pages by the beginning of the API's path. An {id} after the
// beginning belongs to the page, too.
var pages = []struct{ api, page string }{
	{"/v1/interviews", "/interviews"},
	{"/v1/traders", "/traders"},
	{"/v1/integrations", "/integrations"},
	{"/v1/webhooks", "/developers/webhooks"},
	{"/v1/api-keys", "/developers/keys"},
}

// findPage returns the path of the dashboard's page about an event, or "".
func findPage(kind event.Kind, members map[string]json.RawMessage) string {
	read := func(name string) (value string) {
		_ = json.Unmarshal(members[name], &value) // what is missing or no text is empty
		return value
	}
	path := read("path")
	switch {
	case path != "":
	case kind.Group() == "payout":
		return "/payouts"
	case read("integration_id") != "":
		path = "/v1/integrations/" + read("integration_id")
	case read("endpoint_id") != "":
		path = "/v1/webhooks/" + read("endpoint_id")
	}
	for _, p := range pages {
		rest, ok := strings.CutPrefix(path, p.api)
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		if id == "" || strings.HasSuffix(string(kind), ".deleted") { // there is no page of it any more
			return p.page
		}
		return p.page + "/" + id
	}
	return ""
}

// slackText escapes what Slack reads as mentions and links.
func slackText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// slackMessage returns a message in blocks, with a text for notifications. Its texts are verbatim, so that
// an address in a platform's text does not become a link.
func slackMessage(m message) any {
	markdown := func(text string) map[string]any {
		return map[string]any{"type": "mrkdwn", "text": text, "verbatim": true}
	}
	text := slackText(m.text)
	if m.link != "" {
		text += "\n<" + m.link + "|Open in assay>"
	}
	section := map[string]any{"type": "section", "text": markdown(text)}
	if len(m.facts) > 0 {
		fields := make([]any, len(m.facts))
		for i, f := range m.facts {
			fields[i] = markdown("*" + slackText(f.name) + "*\n" + slackText(f.value))
		}
		section["fields"] = fields
	}
	notification := m.title
	if m.about != "" {
		notification += " (" + m.about + ")"
	}
	return map[string]any{
		"text": slackText(notification + ": " + m.text),
		"blocks": []any{
			map[string]any{"type": "header", "text": map[string]any{"type": "plain_text", "text": m.title, "emoji": false}},
			section,
		},
	}
}

// teamsMessage returns a message with an Adaptive Card. Values stand in text runs, which
// know no Markdown, so that a platform's text cannot become a link.
func teamsMessage(m message) any {
	body := []any{
		map[string]any{"type": "TextBlock", "text": m.title, "size": "Medium", "weight": "Bolder", "wrap": true},
		map[string]any{"type": "TextBlock", "text": m.text, "wrap": true},
	}
	for _, f := range m.facts {
		body = append(body, map[string]any{"type": "RichTextBlock", "spacing": "Small", "inlines": []any{
			map[string]any{"type": "TextRun", "text": f.name + ": ", "weight": "Bolder"},
			map[string]any{"type": "TextRun", "text": f.value},
		}})
	}
	card := map[string]any{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
	if m.link != "" {
		card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open in assay", "url": m.link}}
	}
	return map[string]any{
		"type":        "message",
		"attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card}},
	}
}
