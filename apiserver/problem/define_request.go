package problem

import "net/http"

// requestDefinitions are about the form of a request.
var requestDefinitions = map[Code]definition{
	InvalidJSON: {
		status: http.StatusBadRequest, title: "Invalid JSON",
		detail: "The body is not a valid JSON document.",
		guide: Guide{
			Meaning: "The body could not be read as JSON, so nothing in it was processed. The `detail` says what is wrong, where it can with the byte at which reading stopped.",
			Causes: []string{
				"The body is empty, truncated, or has more text after its end.",
				"It is JavaScript or YAML rather than JSON: comments, single quotes, trailing commas, `NaN`.",
				"An object has two fields with the same name, which is refused because JSON libraries disagree on which one counts.",
				"The text is not UTF-8, contains half of a surrogate pair, or is nested more than 32 levels deep.",
			},
			Remedies: []string{"Let your language's JSON library write the body, and send it unchanged."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "The body is not valid JSON at byte 42."},
	},
	InvalidHeader: {
		status: http.StatusBadRequest, title: "Invalid header",
		detail: "A request header is invalid. See errors for details.",
		guide: Guide{
			Meaning: "A header that affects how the request is handled is invalid. Nothing was read or changed, because ignoring the header could have done something unintended.",
			Causes: []string{
				"`Idempotency-Key` is empty, too long, or not written as its standard requires.",
				"`If-Match` or `If-None-Match` contains no entity tag. The quotation marks around the tag are part of it.",
				"A header that may appear once was sent twice, perhaps by the client and by a proxy.",
			},
			Remedies: []string{"Fix the header that `errors` names. Its `detail` gives the expected format."},
			Retry:    RetryNever,
		},
		example: Problem{Faults: []Fault{{Header: "If-Match", Code: InvalidFormat, Detail: "Must be * or entity tags in quotes."}}},
	},
	NotFound: {
		status: http.StatusNotFound, title: "Not found",
		detail: "Nothing was found at this URL, or you cannot access it.",
		guide: Guide{
			Meaning: "No object of your organization has this id, or no route has this path. The response is exactly the same for objects of other organizations, so it reveals nothing about them.",
			Causes: []string{
				"The object was deleted, or the id belongs to another object or organization.",
				"The path is misspelled. Paths are case-sensitive, and a trailing slash makes a different path.",
			},
			Remedies: []string{
				"Use ids from responses of this API. The platform's own ids are in `external_id` and do not work here.",
				"Compare method and path with the reference.",
			},
			Retry: RetryNever,
		},
	},
	MethodNotAllowed: {
		status: http.StatusMethodNotAllowed, title: "Method not allowed",
		detail: "This URL does not support the method. The Allow header lists the supported methods.",
		guide: Guide{
			Meaning:  "The path is right, but the method is not. Nothing was read or changed.",
			Causes:   []string{"The wrong method was sent, such as PUT instead of PATCH.", "A client or proxy turned a POST into a GET while it followed a redirect."},
			Remedies: []string{"Use one of the methods in the header `Allow`."},
			Retry:    RetryNever,
		},
		example: Problem{Header: http.Header{"Allow": {"GET, HEAD"}}},
	},
	NotAcceptable: {
		status: http.StatusNotAcceptable, title: "Not acceptable",
		detail: "The Accept header excludes the media type that this route answers with.",
		guide: Guide{
			Meaning:  "The client asks for a format that this route does not have. Nothing was read or changed.",
			Causes:   []string{"The header `Accept` names only other types, such as `application/xml`, or gives JSON the weight 0."},
			Remedies: []string{"Send `Accept: application/json`, or leave the header out."},
			Retry:    RetryNever,
		},
		example: Problem{Detail: "This route answers with application/json, which the Accept header excludes."},
	},
	RequestTimeout: {
		status: http.StatusRequestTimeout, title: "Request timeout",
		detail: "The body did not arrive in time. Send the request again, faster.",
		guide: Guide{
			Meaning: "The header of the request arrived, but its body was not complete when the server stopped waiting. Nothing was changed, and the connection is closed.",
			Causes: []string{
				"The connection is very slow, or was interrupted.",
				"`Content-Length` promises more bytes than the client sends.",
			},
			Remedies: []string{"Send the request again on a new connection. If it happens every time, compare `Content-Length` with what is sent."},
			Retry:    RetryFresh,
		},
	},
	PreconditionFailed: {
		status: http.StatusPreconditionFailed, title: "Precondition failed",
		detail: "The object does not match If-Match or If-None-Match, so nothing was changed. Read it again, then decide whether to repeat the change.",
		guide: Guide{
			Meaning: "The request applied only if the object was still as the client knows it. It is not, so nothing was changed, and nobody's change was lost.",
			Causes: []string{
				"Somebody else, another part of your client, or the platform's next sync has changed the object since its entity tag was read.",
				"`If-None-Match` was sent with a request that changes something.",
			},
			Remedies: []string{"Read the object again, review what changed, and repeat the change with the new `ETag` in `If-Match` if it still makes sense."},
			Retry:    RetryMended,
		},
	},
	PayloadTooLarge: {
		status: http.StatusRequestEntityTooLarge, title: "Payload too large",
		detail: "The body is larger than this route accepts: 1 MiB, unless its description says otherwise.",
		guide: Guide{
			Meaning:  "The body was not read to its end, and nothing was changed. The connection may be closed after the response.",
			Causes:   []string{"The body has more than 1,048,576 bytes, or more than the route's own limit."},
			Remedies: []string{"Check what the client actually sends. A common cause is a file instead of a JSON document."},
			Retry:    RetryNever,
		},
	},
	UnsupportedMediaType: {
		status: http.StatusUnsupportedMediaType, title: "Unsupported media type",
		detail: "Send the body in the media type of the route, application/json unless its description says otherwise, in UTF-8 and without Content-Encoding.",
		guide: Guide{
			Meaning: "The header `Content-Type` says that the body is not of the media type that the route accepts, so it was not read.",
			Causes: []string{
				"The header is missing or has a library's default, such as `application/x-www-form-urlencoded` for `curl -d`.",
				"The body is compressed, or in a character set other than UTF-8.",
			},
			Remedies: []string{"Send `Content-Type: application/json` and the body as plain UTF-8 text. If the route accepts a different media type, the header `Accept` of the response names it."},
			Retry:    RetryNever,
		},
		example: Problem{Header: http.Header{"Accept": {"application/json"}}},
	},
	ValidationFailed: {
		status: http.StatusUnprocessableEntity, title: "Validation failed",
		detail: "Some values in the request are invalid. See errors for details.",
		guide: Guide{
			Meaning: "Some values of the body, the query or the headers break a rule, and nothing was changed. The field `errors` lists all of them at once, at most 50: where each is (`pointer` into the body, `parameter` of the query, or `header`), a `code` to branch on, and a `detail` for people. Values are never repeated back.",
			Causes:  []string{"A field is missing, misspelled, of the wrong type, or out of bounds. Unknown fields are refused, so that a misspelled field is not mistaken for an omitted one."},
			Remedies: []string{
				"Show each `detail` beside the field that `pointer` names, or fix the client if it chose the value.",
				"Check requests against the OpenAPI document while you develop. It contains the same limits.",
			},
			Retry: RetryNever,
		},
		example: Problem{Faults: []Fault{
			{Pointer: "#/base_url", Code: URLNotHTTPS, Detail: "The URL must begin with https://."},
			{Pointer: "#/account_scope/platforms/0", Code: WrongType, Detail: "Must be a string."},
			{Parameter: "limit", Code: OutOfRange, Detail: "Must be from 1 to 100."},
		}},
	},
	IdempotencyKeyReused: {
		status: http.StatusUnprocessableEntity, title: "Idempotency-Key reused",
		detail: "This Idempotency-Key was used for this URL with a different body in the last 24 hours. Use a new key for a new request, or send the same body to retry.",
		guide: Guide{
			Meaning: "A key stands for one request, whose response it repeats. This request was sent with the key of a different one, so nothing was changed.",
			Causes: []string{
				"The client derives its keys from something that is not unique, such as the date or the name of an object.",
				"The body was rebuilt for the retry and came out differently. Every byte counts, including spaces and the order of fields.",
			},
			Remedies: []string{
				"Create a random key, such as a UUID, for each operation, and keep it with the exact body until you have the response.",
			},
			Retry: RetryNever,
		},
	},
}
