package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// commonOperations documents the routes that belong to no subject: the stream of changes and the
// OpenAPI document.
var commonOperations = map[string]route.Operation{
	"streamChanges": {
		Tag: route.TagStream, Summary: "Stream changes",
		Description: "Streams server-sent events (`text/event-stream`) for as long as the connection is open, so that a page does not have to poll. An event says what has " +
			"changed, but not how: read the object again.\n\n```\nretry: 3100\nevent: ready\ndata: {\"topics\":[\"integrations\",\"traders\",\"interviews\"]}\n\nevent: " +
			"change\ndata: {\"topic\":\"interviews\",\"id\":\"01980000-0000-7000-8000-000000000004\"}\n\nevent: change\ndata: {\"topic\":\"traders\",\"id\":null}\n\n: " +
			"there is nothing new\n```\n\n- `ready` is sent once, as the first event. Its topics are those of `integrations`, `traders`, `interviews`, `webhooks`, " +
			"`api_keys`, `users` and `audit` that the caller may read. Changes of other topics are not sent.\n- `change` says that an object of a topic was added, " +
			"changed or deleted. If `id` is null, several objects have changed, or any of them may have. Changes in quick succession are combined into one event. " +
			"Topics may be added.\n- A comment is sent after 25 seconds without an event. Reconnect if nothing arrives for a minute.\n- After each `ready`, read " +
			"what you show once, because changes before it were not sent. `EventSource` reconnects by itself.\n\nThe stream ends with the key or the session, when " +
			"the server stops, when the client takes more than ten seconds to read, and after a day. It counts as one request. A key or a user may have 20 streams " +
			"open at a time on one server; a further one is answered 429.",
		Answers: []route.Answer{{Status: http.StatusOK, About: "The events.", Media: []string{response.MediaEvents}, Headers: []string{response.Unbuffered}}},
	},
	"getOpenAPI": {
		Tag: route.TagDocument, Summary: "Retrieve the OpenAPI document",
		Description: "Returns the OpenAPI document of this API. No key is needed.",
		Conditional: true,
		Answers:     []route.Answer{{Status: http.StatusOK, About: "The document.", Body: documentBody{}, Headers: []string{"Cache-Control"}}},
	},
}
