package decode_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// filter is what the tests read out of a query.
type filter struct {
	Page   store.Page
	Search string
	State  string
	ID     *uuid.UUID
	From   *time.Time
}

func readQuery(query string) (filter, error) {
	q := decode.NewQuery(&http.Request{URL: &url.URL{Path: "/", RawQuery: query}})
	f := filter{q.Page(), q.Text("search", 5), q.Choice("state", "open", "closed"), q.UUID("id"), q.Time("from")}
	return f, q.Finish()
}

func TestQueryValues(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0190c42e-1111-7000-8000-000000000001")
	from := time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		query string
		want  filter
	}{
		{"defaults", "", filter{Page: store.Page{Number: 1, Limit: 25}}},
		{
			"all", "page=3&limit=100&search=%C3%A4+b&state=open&id=0190C42E-1111-7000-8000-000000000001&from=2026-01-31T12:00:00%2B02:00",
			filter{store.Page{Number: 3, Limit: 100}, "ä b", "open", &id, &from},
		},
		{"empty filters narrow nothing", "search=&state=&id=&from=", filter{Page: store.Page{Number: 1, Limit: 25}}},
		{"empty pairs", "&&page=2&", filter{Page: store.Page{Number: 2, Limit: 25}}},
		{"name with escapes", "%70age=2", filter{Page: store.Page{Number: 2, Limit: 25}}},
		{"leading zeros", "page=007", filter{Page: store.Page{Number: 7, Limit: 25}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readQuery(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(store.Page{}, "List"), cmpopts.IgnoreUnexported(store.Page{})); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueryFaults(t *testing.T) {
	t.Parallel()
	type fault struct{ Parameter, Code string }
	tests := []struct {
		name  string
		query string
		want  []fault
	}{
		{"page zero", "page=0", []fault{{"page", "out_of_range"}}},
		{"page negative", "page=-1", []fault{{"page", "out_of_range"}}},
		{"page beyond 64 bits", "page=99999999999999999999", []fault{{"page", "out_of_range"}}},
		{"page empty", "page=", []fault{{"page", "invalid_format"}}},
		{"page no number", "page=one", []fault{{"page", "invalid_format"}}},
		{"page fraction", "page=1.5", []fault{{"page", "invalid_format"}}},
		{"page hexadecimal", "page=0x1", []fault{{"page", "invalid_format"}}},
		{"page with sign", "page=%2B1", []fault{{"page", "invalid_format"}}},
		{"page twice", "page=1&page=2", []fault{{"page", "invalid_format"}}},
		{"limit above", "limit=101", []fault{{"limit", "out_of_range"}}},
		{"limit zero", "limit=0", []fault{{"limit", "out_of_range"}}},
		{"long search", "search=abcdef", []fault{{"search", "too_long"}}},
		{"NUL", "search=%00", []fault{{"search", "invalid_format"}}},
		{"no UTF-8", "search=%ff", []fault{{"search", "invalid_format"}}},
		{"broken escape", "search=%zz", []fault{{"search", "invalid_format"}}},
		{"unknown word", "state=OPEN", []fault{{"state", "invalid_format"}}},
		{"no UUID", "id=7", []fault{{"id", "invalid_format"}}},
		{"UUID in braces", "id=%7B0190c42e-1111-7000-8000-000000000001%7D", []fault{{"id", "invalid_format"}}},
		{"date alone", "from=2026-01-31", []fault{{"from", "invalid_format"}}},
		{"plus not encoded", "from=2026-01-31T12:00:00+02:00", []fault{{"from", "invalid_format"}}},
		{"year zero", "from=0000-01-01T00:00:00Z", []fault{{"from", "out_of_range"}}},
		{"year of five digits in UTC", "from=9999-12-31T23:59:59-23:59", []fault{{"from", "out_of_range"}}},
		{"all at once", "page=0&limit=0&search=abcdef&state=x&id=x&from=x", []fault{
			{"page", "out_of_range"},
			{"limit", "out_of_range"},
			{"search", "too_long"},
			{"state", "invalid_format"},
			{"id", "invalid_format"},
			{"from", "invalid_format"},
		}},
		{"unknown", "serach=x", []fault{{"serach", "unknown_field"}}},
		{"unknown without a value", "verbose", []fault{{"verbose", "unknown_field"}}},
		{"unknown and empty", "utm_source=", []fault{{"utm_source", "unknown_field"}}},
		{"unknown several times", "x=1&x=2&x", []fault{{"x", "unknown_field"}}},
		{"case matters", "Page=1", []fault{{"Page", "unknown_field"}}},
		{"brackets", "page[]=1&filter%5Bstate%5D=open", []fault{{"page[]", "unknown_field"}, {"filter[state]", "unknown_field"}}},
		{"semicolon", "page=1;limit=2", []fault{{"page", "invalid_format"}}},
		{"semicolon in a name", "a;b", []fault{{"a;b", "unknown_field"}}},
		{"unknown come last, in order", "zeta=1&limit=0&alpha=1", []fault{{"limit", "out_of_range"}, {"zeta", "unknown_field"}, {"alpha", "unknown_field"}}},
		{"broken escape in a name", "%zz=1&a%=2&%", []fault{{"%zz", "invalid_format"}, {"a%", "invalid_format"}, {"%", "invalid_format"}}},
		{"name that is no UTF-8", "%ff=1&\xff=1", []fault{{"%ff", "invalid_format"}, {"\uFFFD", "invalid_format"}}},
		{"NUL in a name", "a%00=1", []fault{{"a%00", "invalid_format"}}},
		{"no name", "=1&=", []fault{{"=", "invalid_format"}, {"=", "invalid_format"}}},
		{"long name", strings.Repeat("ä", 5000) + "=1", []fault{{strings.Repeat("ä", 100) + "…", "unknown_field"}}},
		{"long name cut within a character", "x" + strings.Repeat("ä", 100) + "=1", []fault{{"x" + strings.Repeat("ä", 99) + "…", "unknown_field"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readQuery(tt.query)
			var got []fault
			if p, ok := errors.AsType[*problem.Problem](err); ok {
				for _, f := range p.Faults {
					got = append(got, fault{f.Parameter, string(f.Code)})
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("page=1&limit=25&search=x&state=open")
	f.Add("page=%31&limit=%2525;x&&=&from=2026-01-31T12:00:00Z")
	f.Add("id=urn:uuid:0190c42e-1111-7000-8000-000000000001&search=%ff%00")
	f.Fuzz(func(t *testing.T, query string) {
		got, err := readQuery(query)
		if err != nil {
			if p := problem.From(err); p.Status() != http.StatusUnprocessableEntity {
				t.Errorf("%d for %q: %v", p.Status(), query, err)
			}
			rec := httptest.NewRecorder()
			problem.NewWriter("https://assay.example").Write(rec, "r", problem.From(err))
			if !strings.Contains(rec.Body.String(), `"errors":[{"parameter":`) {
				t.Errorf("%q is refused without a place: %s", query, rec.Body)
			}
			return
		}
		if got.Page.Number < 1 || got.Page.Limit < 1 || got.Page.Limit > 100 || strings.ContainsRune(got.Search, 0) {
			t.Errorf("%q passes as %+v", query, got)
		}
	})
}

// TestQueryIsParsedOnce checks what is read of a query that nothing refuses, and that it is kept.
func TestQueryIsParsedOnce(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/things?b=%C3%A4+1&a=x%26y&b=2&a=%zz&c&%zz=1", http.NoBody)
	q := decode.QueryOf(r)
	want := url.Values{"a": {"x&y"}, "b": {"ä 1", "2"}, "c": {""}}
	if diff := cmp.Diff(want, q.Values()); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if err := q.Err(); err != nil {
		t.Errorf("reading notes a fault: %v", err)
	}
	if decode.QueryOf(decode.KeepQuery(r, q)) != q {
		t.Error("the query is parsed again")
	}
}
