package alias_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/alias"
)

const (
	nextCursor = iota
	totalCount
)

func envelope() *alias.Table {
	return alias.NewTable([]alias.Field{
		nextCursor: {Aliases: []string{"next_cursor"}},
		totalCount: {Aliases: []string{"metadata.total_count", "total_count"}},
	})
}

func TestReadPage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   string
		items  []string
		cursor string
		err    error
	}{
		{"contract", `{"data":[{"id":1},{"id":2}],"next_cursor":"c"}`, []string{`{"id":1}`, `{"id":2}`}, "c", nil},
		{"cursor before the list", `{"next_cursor":"c","data":[{"id":1}]}`, []string{`{"id":1}`}, "c", nil},
		{"cursor null", `{"data":[{}],"next_cursor":null}`, []string{`{}`}, "", nil},
		{"cursor absent", `{"data":[{}]}`, []string{`{}`}, "", nil},
		{"cursor empty", `{"data":[{}],"next_cursor":""}`, []string{`{}`}, "", nil},
		{"cursor escaped", `{"data":[],"next_cursor":"a\u003d\/\"b"}`, nil, `a=/"b`, nil},
		{"cursor with spaces is opaque", `{"data":[],"next_cursor":" c "}`, nil, " c ", nil},
		{"cursor is a number", `{"data":[],"next_cursor":18446744073709551617}`, nil, "18446744073709551617", nil},
		{"cursor twice, the last counts", `{"next_cursor":"a","data":[],"next_cursor":"b"}`, nil, "b", nil},
		{"cursor is true", `{"data":[],"next_cursor":true}`, nil, "", alias.ErrShape},
		{"cursor is an object", `{"data":[],"next_cursor":{}}`, nil, "", alias.ErrShape},
		{"cursor is no text", "{\"data\":[],\"next_cursor\":\"\xff\"}", nil, "", alias.ErrShape},
		{"cursor too long", `{"data":[],"next_cursor":"` + strings.Repeat("c", alias.MaxCursorBytes+1) + `"}`, nil, "", alias.ErrShape},
		{"items", `{"items":[{}]}`, []string{`{}`}, "", nil},
		{"results", `{"results":[{}]}`, []string{`{}`}, "", nil},
		{"records", `{"records":[{}]}`, []string{`{}`}, "", nil},
		{"escaped name", `{"\u0064ata":[{}]}`, []string{`{}`}, "", nil},
		{"bare array", `[{"id":1}, 7]`, []string{`{"id":1}`, `7`}, "", nil},
		{"bare empty array", ` [ ] `, nil, "", nil},
		{"white space everywhere", " {\n\t\"data\" : [ {\"id\" : 1 } , null ] }\r\n", []string{`{"id" : 1 }`, `null`}, "", nil},
		{"byte order mark", "\xef\xbb\xbf{\"data\":[{}]}", []string{`{}`}, "", nil},
		{"other members", `{"meta":{"data":[1]},"count":[2],"data":[{}]}`, []string{`{}`}, "", nil},
		{"one array among two names", `{"data":null,"items":[{}]}`, []string{`{}`}, "", nil},
		{"repeated name, one array", `{"data":{},"data":[{}]}`, []string{`{}`}, "", nil},
		{"invalid UTF-8 in a record", "[{\"a\":\"\xff\"}]", []string{"{\"a\":\"\xff\"}"}, "", nil},
		{"lone surrogate in a record", `[{"a":"\ud800"}]`, []string{`{"a":"\ud800"}`}, "", nil},
		{"NUL in a record", "[{\"a\":\"x\x00\"}]", []string{"{\"a\":\"x\xff\"}"}, "", nil},

		{"control characters in a string", "[{\"a\":\"x\ty\n\"}, {\"b\\\"\r\":1}]", []string{"{\"a\":\"x\xffy\xff\"}", "{\"b\\\"\xff\":1}"}, "", nil},
		{"not a number", `{"data":[{"a":NaN,"b":[Infinity, -Infinity]},{"a":"NaN, -Infinity"}],"next_cursor":"c"}`, []string{`{"a":null,"b":[null, null]}`, `{"a":"NaN, -Infinity"}`}, "c", nil},
		{"two arrays", `{"data":[],"items":[]}`, nil, "", alias.ErrShape},
		{"two arrays of one name", `{"data":[1],"data":[2]}`, nil, "", alias.ErrShape},
		{"null list", `{"data":null,"next_cursor":null}`, nil, "", alias.ErrShape},
		{"no list", `{"error":{"code":"x"}}`, nil, "", alias.ErrShape},
		{"empty list beside an error", `{"data":[],"error":{"code":"internal","message":"the database is down"},"next_cursor":null}`, nil, "", alias.ErrShape},
		{"error before an empty list", `{"error":"internal error","data":[]}`, nil, "", alias.ErrShape},
		{"error true", `{"error":true,"data":[]}`, nil, "", alias.ErrShape},
		{"records beside an error", `{"data":[{}],"error":{"code":"x"}}`, []string{`{}`}, "", nil},
		{"error null", `{"data":[],"error":null}`, nil, "", nil},
		{"error false", `{"data":[],"error":false}`, nil, "", nil},
		{"error 0", `{"data":[],"error":0}`, nil, "", nil},
		{"error blank", `{"data":[],"error":" "}`, nil, "", nil},
		{"error empty", `{"data":[],"error":[ ]}`, nil, "", nil},
		{"error of empty members", `{"data":[],"error":{"code":0,"message":"","details":[{}],"more":null,"fatal":false}}`, nil, "", nil},
		{"error none", `{"data":[],"error":"None"}`, nil, "", nil},
		{"error of words for none", `{"data":[],"error":{"code":"0","message":"OK"}}`, nil, "", nil},
		{"error with a code of success", `{"data":[],"error":{"code":200,"message":"OK"}}`, nil, "", nil},
		{"error with a text of success", `{"data":[],"error":{"code":"200","message":"Request was successful."}}`, nil, "", nil},
		{"error with a code of success and a text", `{"data":[],"error":{"code":200,"message":"session expired"}}`, nil, "", alias.ErrShape},
		{"error of no success", `{"data":[],"error":{"code":0,"message":"not successful"}}`, nil, "", alias.ErrShape},
		{"error of another class", `{"data":[],"error":300}`, nil, "", alias.ErrShape},
		{"error with a code alone", `{"data":[],"error":{"code":500,"message":""}}`, nil, "", alias.ErrShape},
		{"error within an error", `{"data":[],"error":{"code":0,"errors":[{"message":"the database is down"}]}}`, nil, "", alias.ErrShape},
		{"errors", `{"data":[],"errors":[{"message":"the database is down"}]}`, nil, "", alias.ErrShape},
		{"errors empty", `{"data":[],"errors":[]}`, nil, "", nil},
		{"success false", `{"success":false,"message":"Session expired","data":[]}`, nil, "", alias.ErrShape},
		{"success false as a text", `{"data":[],"success":"False"}`, nil, "", alias.ErrShape},
		{"success true", `{"data":[],"success":true,"ok":true,"status":"success"}`, nil, "", nil},
		{"ok false", `{"ok":false,"data":[]}`, nil, "", alias.ErrShape},
		{"status of failure", `{"status":"FAIL","data":[]}`, nil, "", alias.ErrShape},
		{"status of success", `{"status":"ok","data":[]}`, nil, "", nil},
		{"status as a number", `{"status":1,"data":[]}`, nil, "", nil},
		{"records beside success false", `{"success":false,"data":[{}]}`, []string{`{}`}, "", nil},
		{"success beside an error", `{"success":true,"error":"the database is down","data":[]}`, nil, "", alias.ErrShape},
		{"error twice, the last counts", `{"data":[],"error":{"code":"x"},"error":{}}`, nil, "", nil},
		{"list in an object", `{"data":{"items":[]}}`, nil, "", alias.ErrShape},
		{"empty object", `{}`, nil, "", alias.ErrShape},
		{"string", `"maintenance"`, nil, "", alias.ErrShape},
		{"null", `null`, nil, "", alias.ErrShape},

		{"empty body", ``, nil, "", alias.ErrSyntax},
		{"only a byte order mark", "\xef\xbb\xbf", nil, "", alias.ErrSyntax},
		{"HTML", `<!DOCTYPE html><html></html>`, nil, "", alias.ErrSyntax},
		{"truncated in the list", `{"data":[{"id":1},{"id"`, nil, "", alias.ErrSyntax},
		{"truncated after the list", `{"data":[{"id":1}]`, nil, "", alias.ErrSyntax},
		{"truncated bare array", `[{"id":1}`, nil, "", alias.ErrSyntax},
		{"truncated literal", `nul`, nil, "", alias.ErrSyntax},
		{"bytes after the end", `{"data":[]} x`, nil, "", alias.ErrSyntax},
		{"second value after the end", `[{}][{}]`, nil, "", alias.ErrSyntax},
		{"NUL after the end", "[]\x00", nil, "", alias.ErrSyntax},
		{"trailing comma", `[{},]`, nil, "", alias.ErrSyntax},
		{"single quotes", `{'data':[]}`, nil, "", alias.ErrSyntax},
		{"a word that is no number, cut off", `[{"a":NaN`, nil, "", alias.ErrSyntax},
		{"a word that is no JSON", `[{"a":NaNa}]`, nil, "", alias.ErrSyntax},
		{"control character outside of a string", "[{\"a\":\x01\"\"}]", nil, "", alias.ErrSyntax},
		{"not a number, and no list", `{"error":NaN}`, nil, "", alias.ErrShape},
		{"a million levels", strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000), nil, "", alias.ErrSyntax},
		{"a million levels beside the list", `{"x":` + strings.Repeat("[", 1_000_000) + `,"data":[]}`, nil, "", alias.ErrSyntax},
		{"a million unclosed objects", strings.Repeat(`{"data":`, 1_000_000), nil, "", alias.ErrSyntax},
		{"too many records", "[" + strings.Repeat("1,", alias.MaxRecords) + "1]", nil, "", alias.ErrTooManyRecords},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			items, cursor, err := readPage(test.body)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.items, items); diff != "" {
				t.Errorf("items (-want +got)\n%s", diff)
			}
			if cursor != test.cursor {
				t.Errorf("cursor %q, want %q", cursor, test.cursor)
			}
		})
	}
}

// A platform that answers in another form is told which, and not that a character is invalid.
func TestOtherFormsAreNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"\x1f\x8b\x08\x00\x01":     "it is compressed with gzip, but no Content-Encoding header says so",
		"\xff\xfe{\x00\"\x00":      "it is encoded in UTF-16, but JSON must be UTF-8",
		"\xfe\xff\x00[\x00]\x00\n": "it is encoded in UTF-16, but JSON must be UTF-8",
	} {
		_, ofPage := alias.ReadPage([]byte(body), envelope())
		_, ofObject := alias.ReadObject([]byte(body))
		for _, err := range []error{ofPage, ofObject} {
			if !errors.Is(err, alias.ErrSyntax) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%q: %v, want %s", body, err, want)
			}
		}
	}
}

// A platform that answers nothing at all is told so, and not that something is cut off.
func TestEmptyBodyIsNamed(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " \r\n", "\xef\xbb\xbf"} {
		_, ofPage := alias.ReadPage([]byte(body), envelope())
		_, ofObject := alias.ReadObject([]byte(body))
		for _, err := range []error{ofPage, ofObject} {
			if !errors.Is(err, alias.ErrSyntax) || !strings.HasSuffix(err.Error(), "it is empty") {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}

func readPage(body string) (items []string, cursor string, err error) {
	page, err := alias.ReadPage([]byte(body), envelope())
	if err != nil {
		return nil, "", err
	}
	if cursor, err = page.Cursor(nextCursor); err != nil {
		return nil, "", err
	}
	return page.Items, cursor, nil
}

func TestReadPageCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want string
	}{
		{"nested", `{"metadata":{"total_count":250},"data":[]}`, "250 true bare=false duplicates=0"},
		{"top level", `{"data":[],"total_count":"17"}`, "17 true bare=false duplicates=0"},
		{"nested wins", `{"total_count":1,"data":[],"metadata":{"total_count":2}}`, "2 true bare=false duplicates=0"},
		{"null falls through", `{"metadata":{"total_count":null},"data":[],"total_count":3}`, "3 true bare=false duplicates=0"},
		{"whole number written as a float", `{"data":[],"total_count":3.0}`, "3 true bare=false duplicates=0"},
		{"none", `{"data":[]}`, "0 false bare=false duplicates=0"},
		{"negative", `{"data":[],"total_count":-1}`, "0 false bare=false duplicates=0"},
		{"no number", `{"data":[],"total_count":"many"}`, "0 false bare=false duplicates=0"},
		{"too large", `{"data":[],"total_count":1e30}`, "0 false bare=false duplicates=0"},
		{"bare array", `[]`, "0 false bare=true duplicates=0"},
		{"repeated member", `{"total_count":1,"total_count":2,"data":[]}`, "2 true bare=false duplicates=1"},
		{"repeated object, last counts", `{"metadata":{"total_count":1},"metadata":{},"data":[]}`, "0 false bare=false duplicates=1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page, err := alias.ReadPage([]byte(test.body), envelope())
			if err != nil {
				t.Fatal(err)
			}
			n, ok := page.Envelope.Count(totalCount)
			got := fmt.Sprintf("%d %t bare=%t duplicates=%d", n, ok, page.Bare, page.Duplicates)
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The page must not change when its body's buffer is used again.
func TestReadPageKeepsNothingOfTheBody(t *testing.T) {
	t.Parallel()
	body := []byte(`{"next_cursor":"cursor","data":[{"id":"one"}]}`)
	page, err := alias.ReadPage(body, envelope())
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	cursor, err := page.Cursor(nextCursor)
	if err != nil || cursor != "cursor" || page.Items[0] != `{"id":"one"}` {
		t.Errorf("cursor %q, items %q, error %v", cursor, page.Items, err)
	}
}

func TestReadObject(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want string
		err  error
	}{
		{"object", " {\"status\":\"ok\"}\n", `{"status":"ok"}`, nil},
		{"byte order mark", "\xef\xbb\xbf{}", `{}`, nil},
		{"array", `[]`, "", alias.ErrShape},
		{"string", `"ok"`, "", alias.ErrShape},
		{"truncated", `{"status":`, "", alias.ErrSyntax},
		{"text", `ok`, "", alias.ErrSyntax},
		{"more after it", `{} {}`, "", alias.ErrSyntax},
		{"empty", ``, "", alias.ErrSyntax},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := alias.ReadObject([]byte(test.body))
			if !errors.Is(err, test.err) || err == nil && got != test.want {
				t.Errorf("got %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}
