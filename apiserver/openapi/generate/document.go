package main

import "github.com/assayhq/assay/apiserver/openapi"

// description introduces the API.
const description = `Connects the trading platforms of a firm, and serves the directory of traders, accounts, trades and payouts that is read from them.

**Keys.** Every request carries ` + "`Authorization: Bearer <API_KEY>`" + `. A key holds scopes; each operation names the one that it requires, also as ` + "`x-required-scope`" + `. A key that is revoked stops working at once.

**Bodies** are JSON objects in UTF-8 of at most 1 MiB. Members that an operation does not know are refused. In answers a value that is not there is null, and never left out. Times are RFC 3339 in UTC; numbers are exact and may have more digits than a double holds.

**Errors** are problem documents (RFC 9457). Their ` + "`code`" + ` is stable, and ` + "`type`" + ` is the address of a page that explains it. A problem ` + "`validation_failed`" + ` lists everything that is wrong with a request at once. A path that does not exist answers 404 and a method that a path does not have 405, with the header ` + "`Allow`" + `, to callers with a key.

**Lists** are read in pages by ` + "`page` and `limit`" + `; the header ` + "`Link`" + ` leads from one to the next. A filter without a value counts as absent; a parameter that an operation does not know is refused.

**Limits.** A key has 600 requests in any 60 seconds.

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
		Security: []openapi.Map[[]string]{{{Name: scheme, Value: []string{}}}},
		Components: openapi.Components{
			SecuritySchemes: openapi.Map[openapi.SecurityScheme]{{Name: scheme, Value: openapi.SecurityScheme{
				Type: "http", Scheme: "bearer",
				Description: "An API key. It begins with `svc_live_`, and is shown once, when it is created.",
			}}},
			Parameters: parameters(),
		},
	}
}
