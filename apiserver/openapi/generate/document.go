package main

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/openapi"
)

// description is the introduction to the API.
const description = `Connects the trading platforms of a firm, and serves the directory of traders, accounts, trades and payouts that is read from them.

**Keys.** Every request carries ` + "`Authorization: Bearer <API_KEY>`" + `. A key holds scopes; each operation names what it requires, also as ` + "`x-required-scope`" + `, where a space stands between two. A key that is revoked stops working at once.

**People** sign in to the pages of this site with an email address and a password, or with the server's OpenID Connect provider. The pages call the same operations with the cookie of a session, and with its CSRF token where they change something. Roles stand for scopes: an ` + "`owner`" + ` has all of them, a ` + "`reviewer`" + ` ` + "`interviews:*`, `traders:*` and `integrations:read`" + `, a ` + "`viewer`" + ` those that end in ` + "`:read`" + `. A request has a key or a session; with both it is refused.

**Bodies** are JSON objects in UTF-8 of at most 1 MiB. Members that an operation does not know are refused. In answers a value that is not there is null, and never left out. Times are RFC 3339 in UTC; numbers are exact and may have more digits than a double holds.

**Errors** are problem documents (RFC 9457). Their ` + "`code`" + ` is stable, and ` + "`type`" + ` is the address of a page that explains it. A problem ` + "`validation_failed`" + ` lists everything that is wrong with a request at once. A path that does not exist answers 404 and a method that a path does not have 405, with the header ` + "`Allow`" + `, to callers with a key.

**Lists** are read in pages by ` + "`page` and `limit`" + `; the header ` + "`Link`" + ` leads from one to the next. A filter without a value counts as absent; a parameter that an operation does not know is refused.

**Limits.** A key has 600 requests in any 60 seconds, and so has a person in all sessions together.

**Changes.** Within ` + "`/v1`" + ` members, operations, and values of enumerations marked ` + "`x-extensible-enum`" + ` are added; nothing is taken away or narrowed. Ignore members that you do not know.`

// newDocument returns the document without operations.
func newDocument() *openapi.Document {
	return &openapi.Document{
		OpenAPI: "3.1.0",
		Info: openapi.Info{
			Title: "assay", Version: "1.0.0", Summary: "Trading platforms in, one directory of traders out.", Description: description,
			Contact: openapi.Contact{Name: "assay", URL: "https://github.com/assayhq/assay"},
			License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers:  []openapi.Server{{URL: openapi.Origin, Description: "Production: where this API is served."}},
		Security: []openapi.Map[[]string]{{{Name: scheme, Value: []string{}}}, {{Name: sessionScheme, Value: []string{}}}},
		Components: openapi.Components{
			SecuritySchemes: openapi.Map[openapi.SecurityScheme]{
				{Name: scheme, Value: openapi.SecurityScheme{
					Type: "http", Scheme: "bearer",
					Description: "An API key. It begins with `svc_live_`, and is shown once, when it is created.",
				}},
				{Name: sessionScheme, Value: openapi.SecurityScheme{
					Type: "apiKey", In: "cookie", Name: auth.SessionCookie,
					Description: "A person's session, for the pages of this site. `POST /session` sets the cookie, and so does a sign-in with OpenID Connect at `/oidc/start`. The person's role stands for scopes.",
				}},
				{Name: csrfScheme, Value: openapi.SecurityScheme{
					Type: "apiKey", In: "header", Name: auth.CSRFHeader,
					Description: "The CSRF token of the session, which `GET /session` tells, beside the cookie on every POST, PUT, PATCH and DELETE.",
				}},
			},
			Parameters: sharedParameters(),
		},
	}
}
