package v1

import "net/http"

func streamOperation() Operation {
	return Operation{
		ID: "streamChanges", Tag: tagStream, Summary: "Hear of changes",
		Description: "Answers with server-sent events (`text/event-stream`) for as long as the connection stands, so that a page need not ask again and again. " +
			"An event names what has changed and not to what: read it anew.\n\n" +
			"```\nretry: 3100\nevent: ready\ndata: {\"topics\":[\"integrations\",\"traders\",\"interviews\"]}\n\n" +
			"event: change\ndata: {\"topic\":\"interviews\",\"id\":\"01980000-0000-7000-8000-000000000004\"}\n\n" +
			"event: change\ndata: {\"topic\":\"traders\",\"id\":null}\n\n: there is nothing new\n```\n\n" +
			"- `ready` comes first and once. Its topics are those of `integrations`, `traders`, `interviews`, `webhooks`, `api_keys`, `users` and `audit` that the caller may read; of others nothing is told.\n" +
			"- `change` tells that an object of a topic has changed, was added or has gone; with `id` null that several have, or that anything may have. Changes that come quickly one after the other are told as one. More topics may be added.\n" +
			"- A comment comes after 25 seconds of silence. Who hears nothing for a minute should connect again.\n" +
			"- After each `ready` read what is shown once: what changed before it has not been told. `EventSource` connects again by itself.\n\n" +
			"The stream ends with the key or the session, when the server stops, when the client takes more than ten seconds to read, and after a day. It counts as one request. A key or a person may have 20 open at a time on one server; one more is answered 429.",
		Answers: []Answer{{Status: http.StatusOK, About: "The events.", Media: []string{mediaEvents}, Headers: []string{unbuffered}}},
	}
}
