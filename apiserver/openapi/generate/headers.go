package main

import (
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
)

// Names of the parameters that operations share.
const (
	requestIDParameter      = "RequestId"
	ifMatchParameter        = "IfMatch"
	ifNoneMatchParameter    = "IfNoneMatch"
	idempotencyKeyParameter = "IdempotencyKey"
)

// sharedParameters returns the parameters that operations share, by the name in references.
func sharedParameters() openapi.Map[*openapi.Parameter] {
	tags := func(example string) *openapi.Schema {
		s := openapi.Text(8192)
		s.Pattern, s.Examples = `^(\*|[ \t,]*((W/)?"[^"\x00-\x20\x7f]*"[ \t,]*)*)$`, []any{example}
		return s
	}
	return openapi.Map[*openapi.Parameter]{
		{Name: requestIDParameter, Value: &openapi.Parameter{
			Name: requestID, In: "header", Schema: requestIDSchema(),
			Description: "Identifies the request in the response and in the server's log. If it is absent or invalid, the server creates one.",
		}},
		{Name: ifMatchParameter, Value: &openapi.Parameter{
			Name: "If-Match", In: "header", Schema: tags(`"Yk3TtwvnP1cVdXhe"`),
			Description: "Entity tags of the versions that the request applies to, or `*`. If the current version is a different one, nothing is changed and the response is 412.",
		}},
		{Name: ifNoneMatchParameter, Value: &openapi.Parameter{
			Name: "If-None-Match", In: "header", Schema: tags(`"Yk3TtwvnP1cVdXhe"`),
			Description: "Entity tags of the versions that the caller has, or `*`. If the current version is one of them, a GET returns 304 without a body, and a change returns 412.",
		}},
		{Name: idempotencyKeyParameter, Value: &openapi.Parameter{
			Name: decode.IdempotencyKeyHeader, In: "header", Schema: idempotencyKey(),
			Description: "Lets you retry the request safely. For 24 hours, a request with the same key and body returns the first response if that was a success or 422, and nothing is done twice. " +
				"A key has 1 to 255 printable ASCII characters; use a UUID. It can be sent bare, or in quotation marks with quotation marks and backslashes escaped by a backslash.",
		}},
	}
}

func idempotencyKey() *openapi.Schema {
	s := openapi.Text(2 + 2*255)
	s.Pattern = `^([ !#-+\--~]{1,255}|"([ !#-\[\]-~]|\\["\\]){1,255}")$`
	s.Examples = []any{`"8e03978e-40d5-43dd-bc93-6894a57f9324"`}
	return s
}

func requestIDSchema() *openapi.Schema {
	least, longest := 8, 128
	return &openapi.Schema{
		Type: openapi.Types{openapi.String}, Pattern: `^[A-Za-z0-9._-]{8,128}$`, MinLength: &least, MaxLength: &longest,
		Examples: []any{"9c1f0f1e-6d55-4a3c-9a31-6ec7f0a4b6d2"},
	}
}

// answerHeaders returns the headers of responses.
func answerHeaders() openapi.Map[*openapi.Header] {
	text := func(longest int, pattern, example string) *openapi.Schema {
		s := openapi.Text(longest)
		s.Pattern, s.Examples = pattern, []any{example}
		return s
	}
	return openapi.Map[*openapi.Header]{
		{Name: requestID, Value: &openapi.Header{Required: true, Schema: requestIDSchema(), Description: "Identifies the request. It is the request's own id if it had a valid one."}},
		{Name: rateLimit, Value: &openapi.Header{
			Schema:      text(100, `^"default";r=[0-9]+;t=[0-9]+$`, `"default";r=599;t=60`),
			Description: "How many requests the API key or user has left (`r`), and in how many seconds there will be more (`t`). Absent if no key or session was recognized.",
		}},
		{Name: rateLimitPolicy, Value: &openapi.Header{
			Schema:      text(100, `^"default";q=[0-9]+;w=[0-9]+$`, `"default";q=600;w=60`),
			Description: "How many requests an API key or user may make (`q`) in any period of this many seconds (`w`). Absent if no key or session was recognized.",
		}},
		{Name: retryAfter, Value: &openapi.Header{Required: true, Schema: openapi.Whole(1, 3600), Description: "The number of seconds to wait before you retry."}},
		{Name: authenticate, Value: &openapi.Header{
			Required: true, Schema: text(200, `^Bearer realm="svc"(, error="invalid_token")?$`, `Bearer realm="svc", error="invalid_token"`),
			Description: "How to authenticate (RFC 6750).",
		}},
		{Name: accept, Value: &openapi.Header{Required: true, Schema: text(100, `^(application/json|multipart/form-data|text/csv)$`, "application/json"), Description: "The media type that request bodies must have."}},
		{Name: "Link", Value: &openapi.Header{
			Required: true, Schema: text(16384, `^<[^<>]+>; rel="[a-z]+"(, <[^<>]+>; rel="[a-z]+")*$`, "<"+openapi.Origin+`/v1/traders?limit=25&page=1>; rel="first"`),
			Description: "The URLs of other pages (RFC 8288), with the filters: `first`, and `prev`, `next` and `last` as far as they are known.",
		}},
		{Name: deprecation, Value: &openapi.Header{
			Required: true, Schema: text(30, `^@[0-9]+$`, "@1795651200"), Description: "Since when the operation is deprecated, in seconds since 1970 (RFC 9745).",
		}},
		{Name: sunset, Value: &openapi.Header{
			Required: true, Schema: text(40, `^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$`, "Tue, 01 Jun 2027 00:00:00 GMT"), Description: "When the operation may be removed (RFC 8594).",
		}},
		{Name: "Content-Disposition", Value: &openapi.Header{
			Schema: text(2048, `^attachment; filename.*$`, `attachment; filename="statement.csv"`), Description: "The name of the file (RFC 6266). Absent from a 304.",
		}},
		{Name: "Location", Value: &openapi.Header{
			Required: true, Schema: locationSchema(), Description: "The URL of the created object.",
		}},
		{Name: replayed, Value: &openapi.Header{Schema: openapi.Choice("true"), Description: "Present if this is the response to an earlier request with the same Idempotency-Key."}},
		{Name: "Set-Cookie", Value: &openapi.Header{
			Required:    true,
			Schema:      text(8192, `^`+cookie+`([ ,]+`+cookie+`)?$`, "__Host-assay_session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"),
			Description: "Sets the session cookie, or removes it from the browser. A sign-in with a password sets a second cookie that identifies the browser, so that its user can still sign in while others try passwords.",
		}},
		{Name: "X-Accel-Buffering", Value: &openapi.Header{Required: true, Schema: openapi.Choice("no"), Description: "Keeps proxies from buffering the response."}},
		{Name: "Cache-Control", Value: &openapi.Header{Required: true, Schema: text(100, `^[a-z0-9=, -]+$`, "public, no-cache"), Description: "How the response may be cached."}},
		{Name: entityTag, Value: &openapi.Header{Required: true, Schema: text(100, `^"[!#-~]+"$`, `"Yk3TtwvnP1cVdXhe"`), Description: "Identifies the current version of the object, and changes whenever the object does."}},
	}
}

// cookie is the schema of a Set-Cookie header. Readers that keep one value per header join
// several.
const cookie = `__Host-assay_(session|device)=[0-9A-Za-z_.-]*; Path=/; Max-Age=[0-9]+; HttpOnly; Secure; SameSite=Lax`

func locationSchema() *openapi.Schema {
	s := openapi.Text(2048)
	s.Format, s.Pattern, s.Examples = "uri", "", []any{openapi.Origin + "/v1/integrations/019a9f3c-7d10-7c4e-9d55-2f6f1a0b3c4d"}
	return s
}
