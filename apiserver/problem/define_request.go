package problem

import "net/http"

// requestDefinitions are about the form of a request.
var requestDefinitions = map[Code]definition{
	InvalidJSON: {
		status: http.StatusBadRequest, title: "Invalid JSON",
		detail: "The body is not a valid JSON document.",
		guide: Guide{
			Meaning: "The body could not be read as JSON, so nothing in it was looked at. The `detail` names the byte at which reading stopped.",
			Causes: []string{
				"The body is empty, cut off, or goes on after its end.",
				"It is JavaScript or YAML rather than JSON: comments, single quotes, trailing commas, `NaN`.",
				"An object has two members of the same name, which is refused because readers disagree on which one counts.",
				"The text is not UTF-8, holds half of a surrogate pair, or is nested more than 32 levels deep.",
			},
			Remedies: []string{"Let your language's JSON library write the body, and send what it wrote without changing it."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "The body is not valid JSON at byte 42."},
	},
	NotFound: {
		status: http.StatusNotFound, title: "Not found",
		detail: "There is nothing at this address, or not for this API key.",
		guide: Guide{
			Meaning: "No object of your organization has this id, or no route has this path. Objects of other organizations are answered in exactly the same way, so the answer tells nothing about them.",
			Causes: []string{
				"The object was deleted, or the id is that of another object or organization.",
				"The path is misspelt. Paths are compared as they are: upper and lower case differ, and a trailing slash makes another path.",
			},
			Remedies: []string{
				"Take ids from answers of this API. The platform's own ids stand in `external_id` and are no ids here.",
				"Compare method and path with the reference.",
			},
			Retry: RetryNever,
		},
	},
	MethodNotAllowed: {
		status: http.StatusMethodNotAllowed, title: "Method not allowed",
		detail: "This address does not know the method. The Allow header lists those that it knows.",
		guide: Guide{
			Meaning:  "The path is right, the method is not. Nothing was read or changed.",
			Causes:   []string{"Another method is meant, such as PATCH where PUT was sent.", "A client or proxy turned a POST into a GET while it followed a redirect."},
			Remedies: []string{"Use one of the methods in the header `Allow`."},
			Retry:    RetryNever,
		},
		example: Problem{Header: http.Header{"Allow": {"GET, HEAD"}}},
	},
	PayloadTooLarge: {
		status: http.StatusRequestEntityTooLarge, title: "Payload too large",
		detail: "The body is larger than 1 MiB.",
		guide: Guide{
			Meaning:  "The body was not read to its end, and nothing was changed. The connection may be closed with the answer.",
			Causes:   []string{"The body holds more than 1,048,576 bytes. No request of this API needs that many."},
			Remedies: []string{"Look at what the client really sends: a file in the place of a document is a common reason."},
			Retry:    RetryNever,
		},
	},
	UnsupportedMediaType: {
		status: http.StatusUnsupportedMediaType, title: "Unsupported media type",
		detail: "Send the body as Content-Type: application/json, in UTF-8 and without Content-Encoding.",
		guide: Guide{
			Meaning: "The header `Content-Type` says that the body is not JSON, so it was not read.",
			Causes: []string{
				"The header is missing or has a library's default, such as `application/x-www-form-urlencoded` for `curl -d`.",
				"The body is compressed, or in another character set than UTF-8.",
			},
			Remedies: []string{"Send `Content-Type: application/json` and the body as plain UTF-8 text."},
			Retry:    RetryNever,
		},
		example: Problem{Header: http.Header{"Accept": {"application/json"}}},
	},
	ValidationFailed: {
		status: http.StatusUnprocessableEntity, title: "Validation failed",
		detail: "The request was understood but some of its values cannot be used. The member errors lists them.",
		guide: Guide{
			Meaning: "Some values of the body, the query or the headers break a rule, and nothing was changed. The member `errors` lists all of them at once, at most 50: where each stands (`pointer` into the body, `parameter` of the query, or `header`), a `code` to branch on, and a `detail` for people. Values are never repeated back.",
			Causes:  []string{"A member is missing, misspelt, of another type, or out of bounds. Members that are not known are refused, so that a misspelt one cannot pass for one that was left out."},
			Remedies: []string{
				"Show each `detail` beside the field that `pointer` names, or fix the client where the value is its own.",
				"Check requests against the OpenAPI document while you develop: it holds the same bounds.",
			},
			Retry: RetryNever,
		},
		example: Problem{Faults: []Fault{
			{Pointer: "#/base_url", Code: URLNotHTTPS, Detail: "The URL must begin with https://."},
			{Pointer: "#/account_scope/platforms/0", Code: WrongType, Detail: "Must be a string."},
			{Parameter: "limit", Code: OutOfRange, Detail: "Must be from 1 to 100."},
		}},
	},
}
