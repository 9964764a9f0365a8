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
			Description: "Names the request in the answer and in the server's log. One is made where there is none, or another text.",
		}},
		{Name: ifMatchParameter, Value: &openapi.Parameter{
			Name: "If-Match", In: "header", Schema: tags(`"Yk3TtwvnP1cVdXhe"`),
			Description: "Entity tags of what the request is meant for, or `*`. Where it is something else by now, nothing is done and the answer is 412.",
		}},
		{Name: ifNoneMatchParameter, Value: &openapi.Parameter{
			Name: "If-None-Match", In: "header", Schema: tags(`"Yk3TtwvnP1cVdXhe"`),
			Description: "Entity tags of what the caller has, or `*`. Where it is still that, a GET is answered 304 without a body, and a change 412.",
		}},
		{Name: idempotencyKeyParameter, Value: &openapi.Parameter{
			Name: decode.IdempotencyKeyHeader, In: "header", Schema: idempotencyKey(),
			Description: "Makes the request one that can be sent again without being served twice: for 24 hours a repetition with the same key and body gets the first one's answer, if that was a success or 422. " +
				"1 to 255 printable ASCII characters, best a UUID; bare, or in quotation marks with a backslash before quotation marks and backslashes.",
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
		{Name: requestID, Value: &openapi.Header{Required: true, Schema: requestIDSchema(), Description: "Names the request; the same as the request's, where it had one."}},
		{Name: rateLimit, Value: &openapi.Header{
			Schema:      text(100, `^"default";r=[0-9]+;t=[0-9]+$`, `"default";r=599;t=60`),
			Description: "How many requests the key or the person has left (`r`) and in how many seconds there will be more (`t`). Not there where no key or session was recognized.",
		}},
		{Name: rateLimitPolicy, Value: &openapi.Header{
			Schema:      text(100, `^"default";q=[0-9]+;w=[0-9]+$`, `"default";q=600;w=60`),
			Description: "How many requests a key or a person has (`q`) in any span of so many seconds (`w`). Not there where no key or session was recognized.",
		}},
		{Name: retryAfter, Value: &openapi.Header{Required: true, Schema: openapi.Whole(1, 3600), Description: "After how many seconds to try again."}},
		{Name: authenticate, Value: &openapi.Header{
			Required: true, Schema: text(200, `^Bearer realm="svc"(, error="invalid_token")?$`, `Bearer realm="svc", error="invalid_token"`),
			Description: "How to say who calls (RFC 6750).",
		}},
		{Name: accept, Value: &openapi.Header{Required: true, Schema: text(100, `^(application/json|multipart/form-data|text/csv)$`, "application/json"), Description: "The media type that bodies must have."}},
		{Name: "Link", Value: &openapi.Header{
			Required: true, Schema: text(16384, `^<[^<>]+>; rel="[a-z]+"(, <[^<>]+>; rel="[a-z]+")*$`, "<"+openapi.Origin+`/v1/traders?limit=25&page=1>; rel="first"`),
			Description: "The addresses of other pages (RFC 8288): `first` and `last` always, `prev` and `next` where there is one. Filters are kept.",
		}},
		{Name: "Content-Disposition", Value: &openapi.Header{
			Schema: text(2048, `^attachment; filename.*$`, `attachment; filename="statement.csv"`), Description: "The name of the file (RFC 6266). Not there with 304.",
		}},
		{Name: "Location", Value: &openapi.Header{
			Required: true, Schema: locationSchema(), Description: "The address of what was made.",
		}},
		{Name: replayed, Value: &openapi.Header{Schema: openapi.Choice("true"), Description: "There where this is the answer to an earlier request with the same Idempotency-Key."}},
		{Name: "Set-Cookie", Value: &openapi.Header{
			Required:    true,
			Schema:      text(8192, `^`+cookie+`([ ,]+`+cookie+`)?$`, "__Host-assay_session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"),
			Description: "The cookie of the session, or what takes it from the browser. A sign-in with a password sets a second one, by which the browser is known again when others try passwords.",
		}},
		{Name: "X-Accel-Buffering", Value: &openapi.Header{Required: true, Schema: openapi.Choice("no"), Description: "Keeps proxies from gathering the answer before they pass it on."}},
		{Name: "Cache-Control", Value: &openapi.Header{Required: true, Schema: text(100, `^[a-z0-9=, -]+$`, "public, no-cache"), Description: "How the answer may be kept."}},
		{Name: entityTag, Value: &openapi.Header{Required: true, Schema: text(100, `^"[!#-~]+"$`, `"Yk3TtwvnP1cVdXhe"`), Description: "Names what is answered, and changes whenever it does."}},
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
