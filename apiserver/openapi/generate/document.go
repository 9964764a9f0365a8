package main

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/openapi"
)

// description is the introduction to the API.
const description = `assay connects a firm's trading platforms and serves one directory of the traders, accounts, trades and payouts that it reads from them.

**Keys.** Send ` + "`Authorization: Bearer <API_KEY>`" + ` with every request. A key has scopes. Each operation names the scopes that it requires. A revoked key stops working immediately.

**Users** sign in to the pages of this site with an email and a password, or with the server's OpenID Connect provider. The pages call the same operations with a session cookie, and send the session's CSRF token with changes. A role grants scopes: an ` + "`owner`" + ` has all scopes, a ` + "`reviewer`" + ` has ` + "`interviews:*`, `traders:*` and `integrations:read`" + `, and a ` + "`viewer`" + ` has those that end in ` + "`:read`" + `. A request has either a key or a session. A request with both is refused.

**Bodies** are JSON objects in UTF-8 of at most 1 MiB. Unknown fields are refused. In responses, a missing value is null; fields are never omitted. Times are in UTC, formatted as in RFC 3339. Numbers are exact and may have more digits than a double can hold.

**Errors** are problem documents (RFC 9457). Their ` + "`code`" + ` is stable, and ` + "`type`" + ` is the URL of a page that explains it. The problem ` + "`validation_failed`" + ` lists everything that is wrong with a request at once. For callers with a key, a path that does not exist returns 404, and a method that a path does not support returns 405 with an ` + "`Allow`" + ` header.

**Lists** are paginated with ` + "`page` and `limit`" + `. To read a whole list, follow ` + "`meta.next_cursor`" + ` with ` + "`cursor`" + `. The ` + "`Link`" + ` header contains the URLs of other pages. A filter with an empty value is ignored. Unknown parameters are refused.

**Limits.** An API key may make 600 requests in any 60 seconds. So may a user, in all sessions together.

**Changes.** Within ` + "`/v1`" + `, fields, operations, and values of enumerations marked ` + "`x-extensible-enum`" + ` may be added. Ignore fields that you do not know. What is to be removed is marked as deprecated at least 180 days before, and its responses have a ` + "`Deprecation`" + ` header ([policy](https://github.com/assayhq/assay/blob/main/docs/deprecation.md)).`

// newDocument returns the document without operations.
func newDocument() *openapi.Document {
	return &openapi.Document{
		OpenAPI: "3.1.0",
		Info: openapi.Info{
			Title: "assay", Version: "1.0.0", Summary: "One directory of traders from all of a firm's trading platforms.", Description: description,
			Contact: openapi.Contact{Name: "assay", URL: "https://github.com/assayhq/assay"},
			License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers:  []openapi.Server{{URL: openapi.Origin, Description: "The production server of this API."}},
		Security: []openapi.Map[[]string]{{{Name: keyScheme, Value: []string{}}}, {{Name: sessionScheme, Value: []string{}}}},
		Components: openapi.Components{
			SecuritySchemes: openapi.Map[openapi.SecurityScheme]{
				{Name: keyScheme, Value: openapi.SecurityScheme{
					Type: "http", Scheme: "bearer",
					Description: "An API key. It begins with `svc_live_` and is shown only once, when it is created.",
				}},
				{Name: sessionScheme, Value: openapi.SecurityScheme{
					Type: "apiKey", In: "cookie", Name: auth.SessionCookie,
					Description: "A user's session, for the pages of this site. The cookie is set by `POST /session` and by a sign-in with OpenID Connect at `/oidc/start`. The user's role grants scopes.",
				}},
				{Name: csrfScheme, Value: openapi.SecurityScheme{
					Type: "apiKey", In: "header", Name: auth.CSRFHeader,
					Description: "The CSRF token of the session, as returned by `GET /session`. Send it along with the cookie on every POST, PUT, PATCH and DELETE request.",
				}},
			},
			Parameters: sharedParameters(),
		},
	}
}
