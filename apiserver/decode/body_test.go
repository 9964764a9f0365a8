package decode_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/record"
)

func post(body string, header http.Header) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header = header
	if header == nil {
		r.Header = http.Header{"Content-Type": {"application/json"}}
	}
	return r
}

// refusal returns the code of the problem, or an empty string if there is none.
func refusal(t *testing.T, err error) problem.Code {
	t.Helper()
	if err == nil {
		return ""
	}
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		t.Fatalf("not a problem: %v", err)
	}
	return p.Code
}

func TestBody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want problem.Code
	}{
		{"object", ` {"a": [1, {"b": null}]} `, ""},
		{"empty object", `{}`, ""},
		{"empty", "", problem.InvalidJSON},
		{"space", " \n", problem.InvalidJSON},
		{"no JSON", `hello`, problem.InvalidJSON},
		{"CSV", "kind,base_url\ncustom_api,https://x.example", problem.InvalidJSON},
		{"byte order mark", "\ufeff{}", problem.InvalidJSON},
		{"cut off", `{"a": [1, 2`, problem.InvalidJSON},
		{"trailing comma", `{"a": 1,}`, problem.InvalidJSON},
		{"comment", `{"a": 1 /* x */}`, problem.InvalidJSON},
		{"second value", `{} {}`, problem.InvalidJSON},
		{"trailing text", `{}x`, problem.InvalidJSON},
		{"duplicate member", `{"a": 1, "a": 2}`, problem.InvalidJSON},
		{"duplicate member by escape", `{"a": 1, "\u0061": 2}`, problem.InvalidJSON},
		{"duplicate member inside", `{"x": [{"a": 1, "a": 2}]}`, problem.InvalidJSON},
		{"invalid UTF-8", "{\"a\": \"\xff\"}", problem.InvalidJSON},
		{"lone surrogate", `{"a": "\ud800"}`, problem.InvalidJSON},
		{"NUL byte", "{\"a\": \x00}", problem.InvalidJSON},
		{"leading zero", `{"a": 01}`, problem.InvalidJSON},
		{"NaN", `{"a": NaN}`, problem.InvalidJSON},
		{"deepest", strings.Repeat(`{"a":`, 32) + `1` + strings.Repeat(`}`, 32), ""},
		{"too deep", strings.Repeat(`{"a":`, 33) + `1` + strings.Repeat(`}`, 33), problem.InvalidJSON},
		{"very deep", strings.Repeat(`[`, 500_000), problem.InvalidJSON},
		{"array", `[]`, problem.ValidationFailed},
		{"null", `null`, problem.ValidationFailed},
		{"string", `"{}"`, problem.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := decode.Body(post(tt.body, nil))
			if got := refusal(t, err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestByteOrderMark checks that the problem names the mark, which editors do not show.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"\ufeff{}", "\xff\xfe{\x00}\x00", "\xfe\xff\x00{\x00}"} {
		_, err := decode.Body(post(body, nil))
		if p, ok := errors.AsType[*problem.Problem](err); !ok || !strings.Contains(p.Detail, "byte order mark") {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header http.Header
		want   problem.Code
	}{
		{"plain", http.Header{"Content-Type": {"application/json"}}, ""},
		{"charset", http.Header{"Content-Type": {"Application/JSON; charset=UTF-8"}}, ""},
		{"identity", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, ""},
		{"none", http.Header{}, problem.UnsupportedMediaType},
		{"form", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, problem.UnsupportedMediaType},
		{"suffix", http.Header{"Content-Type": {"application/vnd.x+json"}}, problem.UnsupportedMediaType},
		{"other charset", http.Header{"Content-Type": {"application/json; charset=latin1"}}, problem.UnsupportedMediaType},
		{"broken", http.Header{"Content-Type": {"application/json; charset"}}, problem.UnsupportedMediaType},
		{"two", http.Header{"Content-Type": {"application/json", "text/plain"}}, problem.UnsupportedMediaType},
		{"compressed", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, problem.UnsupportedMediaType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := decode.Body(post(`{}`, tt.header))
			if got := refusal(t, err); got != tt.want {
				t.Errorf("Body: got %q, want %q", got, tt.want)
			}
			if got := refusal(t, decode.NoBody(post(`{}`, tt.header))); got != tt.want {
				t.Errorf("NoBody: got %q, want %q", got, tt.want)
			}
			if got := refusal(t, decode.NoBody(post(``, tt.header))); got != "" {
				t.Errorf("NoBody without a body: got %q", got)
			}
		})
	}
}

func TestNoBody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want problem.Code
	}{
		{"none", "", ""},
		{"space", " \n", ""},
		{"object", " {} ", ""},
		{"member", `{"force": true}`, problem.ValidationFailed},
		{"array", `[]`, problem.ValidationFailed},
		{"broken", `{`, problem.InvalidJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refusal(t, decode.NoBody(post(tt.body, nil))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBodyLimitAndBrokenBodies(t *testing.T) {
	t.Parallel()
	r := post(`{"a": "0123456789"}`, nil)
	r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, 10)
	_, err := decode.Body(r)
	if got := refusal(t, err); got != problem.PayloadTooLarge {
		t.Errorf("over the limit: got %q", got)
	}
	r = post("", nil)
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{`), brokenReader{}))
	_, err = decode.Body(r)
	if got := refusal(t, err); got != problem.InvalidJSON {
		t.Errorf("connection broken: got %q", got)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// settings is what the tests read from a body.
type settings struct {
	Name    decode.Field[string]
	Active  decode.Field[bool]
	Seconds decode.Field[int]
	IDs     decode.Field[[]record.Decimal]
	Words   decode.Field[[]string]
	Inner   decode.Field[string]
}

func read(o *decode.Object) (s settings, err error) {
	s.Name = o.Text("name", 5)
	s.Active = o.Bool("active")
	s.Seconds = o.Int("seconds", 60, 3600)
	s.IDs = o.Numbers("ids", 3, 20)
	s.Words = o.Texts("words", 3, 5, nil)
	if inner := o.Object("inner"); inner.State == decode.Set {
		s.Inner = inner.Value.Text("x", 5)
		inner.Value.Unknown()
	}
	return s, o.Finish()
}

func TestObjectValues(t *testing.T) {
	t.Parallel()
	object, err := decode.Body(post(`{"name": "\u00e4\ud83d\ude00", "active": false, "seconds": 3.0e2,
		"ids": [1, 90071992547409930001], "words": [], "inner": {"x": null}}`, nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	want := settings{
		Name:    decode.Field[string]{Value: "ä😀", State: decode.Set},
		Active:  decode.Field[bool]{Value: false, State: decode.Set},
		Seconds: decode.Field[int]{Value: 300, State: decode.Set},
		IDs:     decode.Field[[]record.Decimal]{Value: []record.Decimal{"1", "90071992547409930001"}, State: decode.Set},
		Words:   decode.Field[[]string]{Value: []string{}, State: decode.Set},
		Inner:   decode.Field[string]{State: decode.Null},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestObjectFaults(t *testing.T) {
	t.Parallel()
	type fault struct{ At, Code string }
	tests := []struct {
		name string
		body string
		want []fault
	}{
		{"none", `{}`, nil},
		{"nulls", `{"name": null, "active": null, "seconds": null, "ids": null, "words": null, "inner": null}`, nil},
		{
			"types",
			`{"name": 1, "active": "true", "seconds": "300", "ids": {}, "words": "x", "inner": []}`,
			[]fault{
				{"#/name", "wrong_type"},
				{"#/active", "wrong_type"},
				{"#/seconds", "wrong_type"},
				{"#/ids", "wrong_type"},
				{"#/words", "wrong_type"},
				{"#/inner", "wrong_type"},
			},
		},
		{"text too long", `{"name": "äöüäöü"}`, []fault{{"#/name", "too_long"}}},
		{"text just fits", `{"name": "äöüäö"}`, nil},
		{"NUL", `{"name": "a\u0000"}`, []fault{{"#/name", "invalid_format"}}},
		{"below", `{"seconds": 59}`, []fault{{"#/seconds", "out_of_range"}}},
		{"above", `{"seconds": 3601}`, []fault{{"#/seconds", "out_of_range"}}},
		{"fraction", `{"seconds": 60.5}`, []fault{{"#/seconds", "invalid_format"}}},
		{"huge", `{"seconds": 1e999999999}`, []fault{{"#/seconds", "out_of_range"}}},
		{"tiny", `{"seconds": 1e-999999999}`, []fault{{"#/seconds", "out_of_range"}}},
		{"negative zero", `{"seconds": -0}`, []fault{{"#/seconds", "out_of_range"}}},
		{"items", `{"ids": [1, "2", null], "words": ["abcdef", 1]}`, []fault{
			{"#/ids/1", "wrong_type"}, {"#/ids/2", "wrong_type"}, {"#/words/0", "too_long"}, {"#/words/1", "wrong_type"},
		}},
		{"too many items", `{"ids": [1, 2, 3, 4]}`, []fault{{"#/ids", "too_long"}}},
		{"long number", `{"ids": [123456789012345678901]}`, []fault{{"#/ids/0", "out_of_range"}}},
		{"unknown, in order", `{"zeta": 1, "name": 1, "alpha": 2, "inner": {"y": 1}}`, []fault{
			{"#/name", "wrong_type"}, {"#/inner/y", "unknown_field"}, {"#/zeta", "unknown_field"}, {"#/alpha", "unknown_field"},
		}},
		{"case matters", `{"Name": "x"}`, []fault{{"#/Name", "unknown_field"}}},
		{"odd name", `{"a/b~ä": "x"}`, []fault{{"#/a~1b~0%C3%A4", "unknown_field"}}},
		{"very long name", `{"` + strings.Repeat("n", 5000) + `": 1}`, []fault{{"#", "unknown_field"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			object, err := decode.Body(post(tt.body, nil))
			if err != nil {
				t.Fatal(err)
			}
			_, err = read(object)
			var got []fault
			if p, ok := errors.AsType[*problem.Problem](err); ok {
				for _, f := range p.Faults {
					got = append(got, fault{f.Pointer, string(f.Code)})
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"name": "x", "active": true, "seconds": 300, "ids": [1], "words": ["a"], "inner": {"x": null}}`,
		`{"name": "\ud83d\ude00", "seconds": -1e+5, "ids": [1.50]}`, `[]`, `{}{}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`,
		`{"ids": [1e999], "words": [[], {}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		object, err := decode.Body(post(body, nil))
		if err == nil {
			_, err = read(object)
		}
		if p := problem.From(err); err != nil && p.Status() >= http.StatusInternalServerError {
			t.Errorf("%d for %q: %v", p.Status(), body, err)
		}
		if p, ok := errors.AsType[*problem.Problem](err); ok {
			rec := httptest.NewRecorder()
			problem.NewWriter("https://assay.example").Write(rec, "r", p)
			if rec.Code != p.Status() {
				t.Errorf("the problem is written with %d", rec.Code)
			}
		}
	})
}
