package main

import "github.com/assayhq/assay/apiserver/openapi"

// requestIDParameter names the header of requests that names them.
const requestIDParameter = "RequestId"

// parameters are the ones that operations share.
func parameters() openapi.Map[*openapi.Parameter] {
	return openapi.Map[*openapi.Parameter]{{Name: requestIDParameter, Value: &openapi.Parameter{
		Name: requestID, In: "header", Schema: requestIDSchema(),
		Description: "Names the request in the answer and in the server's log. One is made where there is none, or another text.",
	}}}
}

func requestIDSchema() *openapi.Schema {
	least, longest := 8, 128
	return &openapi.Schema{
		Type: openapi.Types{openapi.String}, Pattern: `^[A-Za-z0-9._-]{8,128}$`, MinLength: &least, MaxLength: &longest,
		Examples: []any{"9c1f0f1e-6d55-4a3c-9a31-6ec7f0a4b6d2"},
	}
}

// headers are those of answers.
func headers() openapi.Map[*openapi.Header] {
	text := func(longest int, pattern, example string) *openapi.Schema {
		s := openapi.Text(longest)
		s.Pattern, s.Examples = pattern, []any{example}
		return s
	}
	return openapi.Map[*openapi.Header]{
		{Name: requestID, Value: &openapi.Header{Required: true, Schema: requestIDSchema(), Description: "Names the request; the same as the request's, where it had one."}},
		{Name: rateLimit, Value: &openapi.Header{
			Schema:      text(100, `^"default";r=[0-9]+;t=[0-9]+$`, `"default";r=599;t=60`),
			Description: "How many requests the key has left (`r`) and in how many seconds there will be more (`t`). Not there where no key was recognized.",
		}},
		{Name: rateLimitPolicy, Value: &openapi.Header{
			Schema:      text(100, `^"default";q=[0-9]+;w=[0-9]+$`, `"default";q=600;w=60`),
			Description: "How many requests a key has (`q`) in any span of so many seconds (`w`). Not there where no key was recognized.",
		}},
		{Name: retryAfter, Value: &openapi.Header{Required: true, Schema: openapi.Whole(1, 3600), Description: "After how many seconds to try again."}},
		{Name: authenticate, Value: &openapi.Header{
			Required: true, Schema: text(200, `^Bearer realm="svc"(, error="invalid_token")?$`, `Bearer realm="svc", error="invalid_token"`),
			Description: "How to say who calls (RFC 6750).",
		}},
		{Name: accept, Value: &openapi.Header{Required: true, Schema: text(100, `^application/json$`, "application/json"), Description: "The media type that bodies must have."}},
		{Name: "Link", Value: &openapi.Header{
			Required: true, Schema: text(16384, `^<[^<>]+>; rel="[a-z]+"(, <[^<>]+>; rel="[a-z]+")*$`, "<"+openapi.Origin+`/v1/traders?limit=25&page=1>; rel="first"`),
			Description: "The addresses of other pages (RFC 8288): `first` and `last` always, `prev` and `next` where there is one. Filters are kept.",
		}},
		{Name: "Location", Value: &openapi.Header{
			Required: true, Schema: location(), Description: "The address of what was made.",
		}},
		{Name: "ETag", Value: &openapi.Header{Required: true, Schema: text(100, `^"[!#-~]+"$`, `"Yk3TtwvnP1cVdXhe"`), Description: "Changes whenever the body does."}},
		{Name: "Cache-Control", Value: &openapi.Header{Required: true, Schema: text(100, `^[a-z0-9=, -]+$`, "public, no-cache"), Description: "How the answer may be kept."}},
	}
}

func location() *openapi.Schema {
	s := openapi.Text(2048)
	s.Format, s.Pattern, s.Examples = "uri", "", []any{openapi.Origin + "/v1/integrations/019a9f3c-7d10-7c4e-9d55-2f6f1a0b3c4d"}
	return s
}
