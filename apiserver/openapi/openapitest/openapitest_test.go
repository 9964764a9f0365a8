package openapitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
)

// document is a small API.
const document = `{
  "openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.example"}],
  "paths": {
    "/things/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}],
      "get": {
        "operationId": "getThing", "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 10}}],
        "responses": {
          "200": {
            "description": "d", "headers": {"X-Name": {"required": true, "schema": {"type": "string", "pattern": "^a+$"}}},
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
          },
          "304": {"description": "d"},
          "422": {"description": "d", "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
        }
      },
      "patch": {
        "operationId": "patchThing",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
        "responses": {"204": {"description": "d"}}
      }
    }
  },
  "components": {"schemas": {
    "Thing": {"type": "object", "additionalProperties": false, "required": ["at"], "properties": {
      "at": {"type": "string", "format": "date-time"}, "free": {"type": "object", "additionalProperties": {}}, "of": {"anyOf": [{"$ref": "#/components/schemas/Problem"}, {"type": "null"}]}}},
    "Problem": {"type": "object", "additionalProperties": false, "required": ["code"], "properties": {"code": {"type": "string"}}}
  }}
}`

const (
	thing = "/things/0198a6f4-5b7e-7c3d-8a6f-1d2c3b4a5968"
	good  = `{"at": "2026-01-02T03:04:05Z"}`
)

func TestCheck(t *testing.T) {
	t.Parallel()
	answers := func(body string) http.Header {
		h := http.Header{"X-Name": {"aaa"}, "Date": {"x"}}
		if body != "" {
			h.Set("Content-Type", "application/json")
		}
		return h
	}
	problems := http.Header{"Content-Type": {"application/problem+json"}}
	tests := []struct {
		name   string
		method string
		path   string
		sent   string
		status int
		header http.Header
		body   string
		want   string // part of the error; empty if none is expected
	}{
		{"right", "GET", thing, "", 200, answers(good), good, ""},
		{"right with null", "GET", thing, "", 200, answers(good), `{"at": "2026-01-02T03:04:05Z", "of": null}`, ""},
		{"null where anything may be", "GET", thing, "", 200, answers(good), `{"at": "2026-01-02T03:04:05Z", "free": {"a": null, "b": [null], "c": 1}}`, ""},
		{"right by HEAD", "HEAD", thing, "", 200, answers(good), "", ""},
		{"undocumented status", "GET", thing, "", 201, answers(good), good, "does not know the answer 201"},
		{"undocumented header", "GET", thing, "", 200, http.Header{"X-Name": {"a"}, "X-Other": {"x"}, "Content-Type": {"application/json"}}, good, "X-Other"},
		{"undocumented header by HEAD", "HEAD", thing, "", 200, http.Header{"X-Name": {"a"}, "X-Other": {"x"}}, "", "X-Other"},
		{"missing header", "GET", thing, "", 200, http.Header{"Content-Type": {"application/json"}}, good, "X-Name is missing"},
		{"header of another form", "GET", thing, "", 200, http.Header{"X-Name": {"b"}, "Content-Type": {"application/json"}}, good, "X-Name"},
		{"another media type", "GET", thing, "", 200, http.Header{"X-Name": {"a"}, "Content-Type": {"text/plain"}}, good, "text/plain"},
		{"missing member", "GET", thing, "", 200, answers(good), `{}`, "at"},
		{"member too many", "GET", thing, "", 200, answers(good), `{"at": "2026-01-02T03:04:05Z", "x": 1}`, "x"},
		{"wrong type", "GET", thing, "", 200, answers(good), `{"at": 1}`, "string"},
		{"wrong format", "GET", thing, "", 200, answers(good), `{"at": "yesterday"}`, "date-time"},
		{"wrong inside", "GET", thing, "", 200, answers(good), `{"at": "2026-01-02T03:04:05Z", "of": {"code": 1}}`, "of"},
		{"no JSON", "GET", thing, "", 200, answers(good), `{`, "body"},
		{"body where there is none", "GET", thing, "", 304, http.Header{}, good, "no body"},
		{"not modified", "GET", thing, "", 304, http.Header{}, "", ""},
		{"refused request", "GET", thing + "?limit=11", "", 422, problems, `{"code": "x"}`, ""},
		{"accepted request with a wrong parameter", "GET", thing + "?limit=11", "", 200, answers(good), good, "limit"},
		{"accepted request with a wrong id", "GET", "/things/7", "", 200, answers(good), good, "UUID"},
		{"accepted body", "PATCH", thing, good, 204, http.Header{}, "", ""},
		{"accepted body that is wrong", "PATCH", thing, `{}`, 204, http.Header{}, "", "not valid by the document"},
		{"accepted body that is missing", "PATCH", thing, "", 204, http.Header{}, "", "not valid by the document"},
		{"refused body where there is none", "GET", thing, "{", 400, problems, `{"code": "x"}`, ""},
		{"refused body without a problem", "GET", thing, "{", 400, problems, `{}`, "code"},
		{"refused without a reason in the document", "GET", thing, "", 400, problems, `{"code": "x"}`, "does not know the answer 400"},
		{"unknown path", "GET", "/nothing", "", 404, problems, `{"code": "x"}`, ""},
		{"unknown path that answers", "GET", "/nothing", "", 200, answers(good), good, "no such operation"},
		{"unknown method", "DELETE", thing, "", 405, http.Header{"Content-Type": {"application/problem+json"}, "Allow": {"GET"}}, `{"code": "x"}`, ""},
		{"unknown method without Allow", "DELETE", thing, "", 405, problems, `{"code": "x"}`, "405"},
		{"unknown path without a problem", "GET", "/nothing", "", 404, http.Header{"Content-Type": {"text/plain"}}, "x", "media type"},
		{"unknown path with a wrong problem", "GET", "/nothing", "", 404, problems, `{"kode": "x"}`, "kode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := openapitest.New(document)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Check(t.Context(), exchange(t, tt.method, tt.path, tt.sent, tt.status, tt.header, tt.body))
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func exchange(t *testing.T, method, path, sent string, status int, header http.Header, body string) openapitest.Exchange {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080"+path, io.NopCloser(strings.NewReader(sent)))
	if err != nil {
		t.Fatal(err)
	}
	if sent != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return openapitest.Exchange{Request: req, RequestBody: []byte(sent), Status: status, Header: header, Body: []byte(body)}
}

func TestUnmet(t *testing.T) {
	t.Parallel()
	c, err := openapitest.New(document)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Idle() {
		t.Error("a new checker has met something")
	}
	for _, e := range []openapitest.Exchange{
		exchange(t, "PATCH", thing, good, 204, http.Header{}, ""),
		exchange(t, "HEAD", thing, "", 304, http.Header{}, ""),
	} {
		if err := c.Check(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"getThing 200", "getThing 422"}, c.Unmet()); diff != "" || c.Idle() {
		t.Errorf("unmet (-want +got):\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, new string
	}{
		{"no JSON", document, `{`},
		{"dangling reference", `"#/components/schemas/Problem"}}}`, `"#/components/schemas/None"}}}`},
		{"example of another type", `"at": {"type": "string"`, `"at": {"example": 7, "type": "string"`},
		{"two operations of one name", `"operationId": "patchThing"`, `"operationId": "getThing"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(document, tt.old, tt.new, 1)
			if text == document {
				t.Fatal("nothing was changed")
			}
			if validate(t, text) == nil {
				t.Error("the document is taken for valid")
			}
		})
	}
	if err := validate(t, openapi.Committed()); err != nil {
		t.Error(err)
	}
}

// validate loads a document and checks it.
func validate(t *testing.T, text string) error {
	t.Helper()
	doc, err := openapitest.Load(text)
	if err != nil {
		return err
	}
	return openapitest.Validate(t.Context(), doc)
}
