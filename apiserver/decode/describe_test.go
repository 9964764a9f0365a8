package decode_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
)

// readAll reads a body with a member of every kind.
func readAll(o *decode.Object) {
	name := o.Text("name", 5)
	o.Note("name", decode.Note{About: "A name.", Example: "abc", Least: 1})
	if name.State == decode.Set && name.Value == "" {
		o.Fault("name", "required", "Must not be empty.")
	}
	kind := o.Text("kind", 5)
	o.Note("kind", decode.Note{About: "A kind.", Values: []string{"a", "b"}})
	if kind.State == decode.Set && kind.Value != "a" && kind.Value != "b" {
		o.Fault("kind", "invalid_format", "Must be a or b.")
	}
	o.Require("name", name.State)
	on := o.Bool("on")
	o.RefuseNull("on", on.State)
	owner := o.Text("owner", 5)
	o.RequirePresent("owner", owner.State)
	o.Int("count", -1, 60)
	o.Note("count", decode.Note{Default: 7})
	if inner := o.Object("inner"); inner.State == decode.Set {
		inner.Value.Texts("words", 2, 3, nil)
		inner.Value.Note("words", decode.Note{Each: &decode.Note{About: "A word.", Pattern: `^[^\x00]*$`}, Unique: false})
		inner.Value.Numbers("sums", 2, 10)
		inner.Value.Unknown()
	}
	o.Unknown()
}

func askAll(q *decode.Query) {
	q.Page()
	q.Text("search", 5)
	q.Choice("state", "open", "closed")
	q.UUID("account_id")
	q.Time("from")
	q.Note("from", decode.Note{About: "From when on.", Example: "2026-01-02T03:04:05Z"})
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{` +
		`"name":{"description":"A name.","type":"string","pattern":"^[^\\x00]*$","minLength":1,"maxLength":5,"examples":["abc"]},` +
		`"kind":{"description":"A kind.","type":["string","null"],"enum":["a","b",null]},` +
		`"on":{"type":"boolean"},` +
		`"owner":{"type":["string","null"],"pattern":"^[^\\x00]*$","maxLength":5},` +
		`"count":{"type":["integer","null"],"format":"int32","minimum":-1,"maximum":60,"default":7},` +
		`"inner":{"type":["object","null"],"properties":{` +
		`"words":{"type":["array","null"],"items":{"description":"A word.","type":"string","pattern":"^[^\\x00]*$","maxLength":3},"maxItems":2},` +
		`"sums":{"type":["array","null"],"items":{"type":"number"},"maxItems":2}},"additionalProperties":false}},` +
		`"required":["name","owner"],"additionalProperties":false}`
	if diff := cmp.Diff(want, text(t, decode.Describe(readAll))); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	want = `[{"name":"page","in":"query","description":"Page number from 1. A page past the end is empty.",` +
		`"schema":{"type":"integer","format":"int32","minimum":1,"maximum":1000000000,"default":1}},` +
		`{"name":"limit","in":"query","description":"Items per page.","schema":{"type":"integer","format":"int32","minimum":1,"maximum":100,"default":25}},` +
		`{"name":"cursor","in":"query","description":"The previous page's ` + "`meta.next_cursor`" + `, with the same filters. Faster than ` + "`page`" + ` in a long list, and skips or repeats no item. Not with ` + "`page`" + `.","schema":{"type":"string","pattern":"^[^\\x00]*$","maxLength":16384}},` +
		`{"name":"search","in":"query","schema":{"type":"string","pattern":"^[^\\x00]*$","maxLength":5}},` +
		`{"name":"state","in":"query","schema":{"type":"string","enum":["open","closed"]}},` +
		`{"name":"account_id","in":"query","schema":{"type":"string","format":"uuid","minLength":36,"maxLength":36}},` +
		`{"name":"from","in":"query","description":"From when on.","schema":{"type":"string","format":"date-time","maxLength":35,"examples":["2026-01-02T03:04:05Z"]}}]`
	if diff := cmp.Diff(want, text(t, decode.DescribeQuery(askAll))); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v, jsontext.SpaceAfterComma(false))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// described returns a document with one operation that reads all of it.
func described(t *testing.T) *openapitest.Checker {
	t.Helper()
	doc := openapi.Document{
		OpenAPI: "3.1.0", Info: openapi.Info{Title: "t", Version: "1", License: openapi.License{Name: "l", Identifier: "MIT"}},
		Servers: []openapi.Server{{URL: "https://api.example"}},
		Paths: openapi.Map[*openapi.PathItem]{{Name: "/things", Value: &openapi.PathItem{Post: &openapi.Operation{
			OperationID: "post", Parameters: decode.DescribeQuery(askAll),
			RequestBody: &openapi.RequestBody{Content: openapi.Map[openapi.Media]{
				{Name: "application/json", Value: openapi.Media{Schema: decode.Describe(readAll)}},
			}},
			Responses: openapi.Map[*openapi.Answer]{{Name: "204", Value: &openapi.Answer{Description: "d"}}},
		}}}},
	}
	doc.Info.Contact = openapi.Contact{Name: "c", URL: "https://api.example"}
	body, err := doc.Text()
	if err != nil {
		t.Fatal(err)
	}
	checker, err := openapitest.New(string(body))
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

// TestDescriptionAndReadingAgree sends values at and beyond every limit: the document must call
// valid what the code accepts, and invalid what it refuses.
func TestDescriptionAndReadingAgree(t *testing.T) {
	t.Parallel()
	checker := described(t)
	bodies := []string{`{}`, `{"name": "a"}`, `{"name": "a", "owner": null, "none": 1}`}
	members := map[string][]string{
		"name":  {`null`, `""`, `"a"`, `"äöüßé"`, `"äöüßéx"`, `"a\u0000"`, `1`, `[]`},
		"kind":  {`null`, `"a"`, `"b"`, `"c"`, `""`, `1`},
		"on":    {`null`, `true`, `false`, `0`, `"true"`},
		"owner": {`null`, `"a"`, `1`},
		"count": {`null`, `-2`, `-1`, `0`, `60`, `61`, `60.0`, `6e1`, `0.5`, `"1"`, `1e400`},
		"inner": {
			`null`, `{}`, `[]`, `1`, `{"x": 1}`, `{"words": null}`, `{"words": []}`, `{"words": ["abc", ""]}`, `{"words": ["abcd"]}`, `{"words": [1]}`, `{"words": [null]}`,
			`{"words": ["a", "b", "c"]}`, `{"words": "a"}`, `{"sums": [1, 2.5]}`, `{"sums": ["1"]}`, `{"sums": [1, 2, 3]}`, `{"sums": [true]}`, `{"words": ["a\u0000"]}`,
		},
	}
	for member, values := range members {
		for _, value := range values {
			required := map[string]string{"name": `"a"`, "owner": `null`}
			required[member] = value
			list := make([]string, 0, len(required))
			for name, value := range required {
				list = append(list, fmt.Sprintf("%q: %s", name, value))
			}
			bodies = append(bodies, "{"+strings.Join(list, ", ")+"}")
		}
	}
	for _, body := range bodies {
		o, err := decode.Body(post(body, nil))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		readAll(o)
		agree(t, checker, "/things", body, o.Err())
	}
	for _, query := range []string{
		"", "page=1", "page=0", "page=-1", "page=x", "page=", "page=1000000000", "page=1000000001", "limit=100", "limit=101", "limit=0", "limit=1.5",
		"search=abcde", "search=abcdef", "search=%C3%A4%C3%B6%C3%BC%C3%9F%C3%A9", "search=%00", "search=", "state=open", "state=closed", "state=OPEN", "state=x",
		"account_id=0198a6f4-5b7e-7c3d-8a6f-1d2c3b4a5968", "account_id=0198A6F4-5B7E-7C3D-8A6F-1D2C3B4A5968", "account_id=0198a6f45b7e7c3d8a6f1d2c3b4a5968", "account_id=x",
		"from=2026-01-02T03:04:05Z", "from=2026-01-02T03:04:05%2B02:00", "from=2026-01-02", "from=2026-13-02T03:04:05Z", "from=now",
	} {
		q := decode.NewQuery(httptest.NewRequest(http.MethodGet, "/things?"+query, nil))
		askAll(q)
		agree(t, checker, "/things?"+query, `{"name": "a", "owner": null}`, q.Err())
	}
}

// agree fails the test if the document and the code judge a value differently.
func agree(t *testing.T, checker *openapitest.Checker, path, body string, judged error) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, io.NopCloser(strings.NewReader(body)))
	req.Header.Set("Content-Type", "application/json")
	err := checker.Check(t.Context(), openapitest.Exchange{Request: req, RequestBody: []byte(body), Status: http.StatusNoContent, Header: http.Header{}})
	if (err == nil) != (judged == nil) {
		t.Errorf("%s %s: the code says %v, the document %v", path, body, judged, err)
	}
}
