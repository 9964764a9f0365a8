package alias_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/record"
)

// FuzzReadPage checks that a page is accepted only if encoding/json accepts it,
// too, and that it is cut into the same records.
func FuzzReadPage(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"id":1},{"id":"2"}],"next_cursor":"c"}`, `{"next_cursor":7,"items":[]}`, `[1,"a",null]`,
		"\xef\xbb\xbf{\"results\":[{}]}", `{"data":null}`, `{"data":[],"records":[]}`, "[{\"a\":\"\x00\"}]", `{"data":[{"a":"\ud800"}]} `,
		`{"metadata":{"total_count":3},"data":[{"metadata":{"total_count":4}}]}`, `[{]`, `{"data":[}`, `[[[[`,
		`[NaN,-Infinity,{"a":Infinity}]`, "[\"a\tb\",\"\\\"\n\"]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		original := string(body)
		page, err := alias.ReadPage(body, envelope())
		if string(body) != original {
			t.Fatal("the body was changed")
		}
		trimmed := strings.TrimPrefix(original, "\xef\xbb\xbf")
		valid := json.Valid([]byte(strings.ReplaceAll(trimmed, "\x00", "\xff")))
		switch {
		case err == nil && valid != (page.Repaired == nil):
			t.Fatalf("accepted with %v what is valid: %t", page.Repaired, valid)
		case errors.Is(err, alias.ErrSyntax) && valid:
			t.Fatalf("refused what encoding/json accepts: %v", err)
		case err != nil && !errors.Is(err, alias.ErrSyntax) && !errors.Is(err, alias.ErrShape):
			t.Fatalf("unexpected error: %v", err)
		case err != nil:
			return
		}
		for _, item := range page.Items {
			if !json.Valid([]byte(item)) || strings.TrimSpace(item) != item {
				t.Fatalf("cut out %q", item)
			}
		}
		if cursor, err := page.Cursor(nextCursor); err == nil && !utf8.ValidString(cursor) {
			t.Fatalf("cursor %q", cursor)
		}
		page.Envelope.Count(totalCount)
		if page.Bare && valid {
			var want []json.RawMessage
			if err := json.Unmarshal([]byte(strings.ReplaceAll(trimmed, "\x00", "\xff")), &want); err != nil || len(want) != len(page.Items) {
				t.Fatalf("%d items, want %d, %v", len(page.Items), len(want), err)
			}
		}
	})
}

// FuzzMembers compares the walker with encoding/json: the same members with
// the same values.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, `{"a":"b\\","c":[{"d":"}"}],"e":{"f":"\""}}`, `{ "a" : null , "a" : true }`, `{"\u0061":-1.5e3,"":""}`,
		`{"\ud83d\ude00":"\ud83d","é":"€"}`, "{\"a\xff\":\"\xff\"}", `{"a":"\\\\\"","b":"\\"}`, "{\n\"a\"\t:\r[ ] }",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, object string) {
		object = strings.TrimSpace(object)
		var want map[string]json.RawMessage
		if !strings.HasPrefix(object, "{") || json.Unmarshal([]byte(object), &want) != nil {
			return
		}
		if _, err := alias.ReadObject([]byte(object)); err != nil {
			t.Fatalf("refused what encoding/json accepts: %v", err)
		}
		got := alias.Members(object)
		for name, raw := range want {
			if strings.Contains(name, "\x00") {
				name = strings.ReplaceAll(name, "\x00", "\uFFFD")
			} else if got[name] != string(raw) && !strings.Contains(name, "\uFFFD") {
				t.Fatalf("member %q is %q, want %q", name, got[name], raw)
			}
			if _, ok := got[name]; !ok {
				t.Fatalf("member %q was not found", name)
			}
		}
		if len(got) > len(want) {
			t.Fatalf("%d members, want %d", len(got), len(want))
		}
		if depth := alias.Depth(object); depth < 1 || depth > len(object) {
			t.Fatalf("depth %d", depth)
		}
	})
}

// FuzzUnquote compares the decoding of strings with encoding/json, which replaces
// the same characters except NUL.
func FuzzUnquote(f *testing.F) {
	for _, seed := range []string{"", "abc", `\"\\\/\b\f\n\r\t`, `\u00e9\u20AC`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83d\u0041`, `\u0000`, "\xff\xc3", "é\\n", "\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, inner string) {
		var want string
		if json.Unmarshal([]byte(`"`+inner+`"`), &want) != nil {
			return
		}
		got, clean := alias.Unquote(inner)
		if got != strings.ReplaceAll(want, "\x00", "\uFFFD") {
			t.Fatalf("%q decodes to %q, want %q", inner, got, want)
		}
		if clean && got != want {
			t.Fatalf("%q was changed without notice", inner)
		}
	})
}

// FuzzStorable checks that what becomes metadata is valid JSON that Postgres
// accepts, and has the same meaning as before.
func FuzzStorable(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,-2.5e10,"\u0000\ud800\ud83d\ude00"]}`, `{"a":1e999999}`, "{\"\xff\":\"\\\\u0000\"}", `{"n":1e-999,"m":1E+999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, object string) {
		var before any
		if !strings.HasPrefix(object, "{") || !strings.HasSuffix(object, "}") || unmarshal(object, &before) != nil {
			return
		}
		got, clean, err := alias.Storable(object)
		if err != nil {
			return
		}
		if clean != (got == object) {
			t.Fatalf("%q became %q, clean %t", object, got, clean)
		}
		if !utf8.ValidString(got) || len(got) > alias.MaxMetadataBytes {
			t.Fatalf("not storable: %q", got)
		}
		var after any
		if err := unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", object, got, err)
		}
		checkStorable(t, after)
	})
}

func unmarshal(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// checkStorable fails for text that jsonb refuses.
func checkStorable(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			checkStorable(t, name)
			checkStorable(t, member)
		}
	case []any:
		for _, element := range v {
			checkStorable(t, element)
		}
	case string:
		if strings.ContainsRune(v, 0) {
			t.Fatalf("NUL in %q", v)
		}
	case json.Number:
		if _, err := record.ParseDecimal(v.String()); err != nil {
			t.Fatalf("number %s: %v", v, err)
		}
	}
}

// FuzzParseTime compares RFC 3339 with package time, which is laxer in places and
// does not know leap seconds.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{
		"2024-02-29T23:59:59Z", "2024-01-01T01:30:00.123456789+05:30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "2016-12-31T23:59:60Z",
		"2024-01-01 10:11:12", "1700000000", "1700000000123.5", "0", "2024-01-01t00:00:00z", "2024-13-01T00:00:00Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		const forms = alias.SpaceSeparated | alias.Unix
		if lax, ok := alias.ParseTime(s, forms); ok && (lax.Year() < 1 || lax.Year() > 9999 || lax.Location() != time.UTC || lax.Nanosecond()%1000 != 0 || lax.IsZero()) {
			t.Fatalf("%q reads as %v", s, lax)
		}
		got, ok := alias.ParseTime(s, 0)
		want, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
		want = want.UTC()
		usable := err == nil && want.Year() >= 1 && want.Year() <= 9999 && !want.Truncate(time.Microsecond).IsZero()
		switch {
		case ok && err != nil && !strings.Contains(s, ":59:60"):
			t.Fatalf("%q reads as %v, which package time refuses: %v", s, got, err)
		case ok && err == nil && !got.Equal(want.Truncate(time.Microsecond)):
			t.Fatalf("%q reads as %v, want %v", s, got, want)
		case !ok && usable && strictRFC3339(s):
			t.Fatalf("%q was refused", s)
		}
	})
}

// strictRFC3339 rejects what package time accepts beyond the standard: single-digit
// hours and commas before the fraction.
func strictRFC3339(s string) bool {
	return len(s) > 19 && s[13] == ':' && !strings.Contains(s, ",")
}

// FuzzUngroup checks that commas vanish only where they separate thousands.
func FuzzUngroup(f *testing.F) {
	for _, seed := range []string{"", "1,234", "-1,234,567.89", "1,5", ",", "1,,000", "+,100", "1.000,5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := alias.Ungroup(s)
		if got == s {
			return
		}
		whole, fraction, dotted := strings.Cut(s, ".")
		want := strings.ReplaceAll(whole, ",", "")
		if dotted {
			want += "." + fraction
		}
		if got != want || len(whole) < len("1,000") || whole[len(whole)-4] != ',' {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// FuzzDecoder lets every reader read the records of a page. None may panic, and a
// value is either storable or missing.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"text":"a","number":"1,000","time":"2024-01-01T00:00:00Z","enum":"x","tags":["a",1],"meta":{"a":"\u0000"}}`,
		`{"a":{"id":"7"},"id":true,"text":{},"number":1e9999,"time":0,"enum":5,"tags":"x","meta":[]}`, `[]`, `7`, `{"id":"\u001f"}`,
	} {
		f.Add(seed)
	}
	table := alias.NewTable([]alias.Field{
		{Aliases: []string{"a.id", "id"}},
		{Aliases: []string{"text", "a.text"}},
		{Aliases: []string{"number"}, NumericStrings: true},
		{Aliases: []string{"time"}, Times: alias.SpaceSeparated | alias.Unix},
		{Aliases: []string{"enum"}},
		{Aliases: []string{"tags"}, Kind: alias.List},
		{Aliases: []string{"meta"}, Kind: alias.Object},
	})
	f.Fuzz(func(t *testing.T, item string) {
		page, err := alias.ReadPage([]byte("["+item+"]"), envelope())
		if err != nil {
			return
		}
		d := alias.NewDecoder(table, resource)
		for _, item := range page.Items {
			r := d.Next(item)
			texts := append([]string{r.ID(0), r.Text(1), string(r.Decimal(2)), r.Enum(4, []string{"x"})}, r.Strings(5)...)
			r.Time(3)
			meta, unknown := r.Object(6), r.Unrecognized()
			for _, s := range append(texts, meta, unknown) {
				if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
					t.Fatalf("%q is not storable", s)
				}
			}
			if strings.Contains(texts[0], "\x1f") {
				t.Fatalf("id %q holds the separator", texts[0])
			}
			for _, object := range []string{meta, unknown} {
				if object != "" && !json.Valid([]byte(object)) {
					t.Fatalf("object %q", object)
				}
			}
			d.Accept("", texts[0], record.Owner{})
		}
		if accepted := len(page.Items) - len(d.Rejected()); accepted < 0 {
			t.Fatal("more rejected than there are")
		}
	})
}
