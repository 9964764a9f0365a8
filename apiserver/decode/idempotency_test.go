package decode_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
)

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	const bad = problem.InvalidFormat
	for _, tt := range []struct {
		name   string
		values []string
		want   string
		fault  problem.FaultCode // empty if there is no key
	}{
		{"none", nil, "", ""},
		{"a string", []string{`"8e03978e-40d5-43dd-bc93-6894a57f9324"`}, "8e03978e-40d5-43dd-bc93-6894a57f9324", ""},
		{"bare", []string{"8e03978e-40d5-43dd-bc93-6894a57f9324"}, "8e03978e-40d5-43dd-bc93-6894a57f9324", ""},
		{"one character", []string{"k"}, "k", ""},
		{"space around", []string{" \tk \t"}, "k", ""},
		{"space around a string", []string{` "k" `}, "k", ""},
		{"space within", []string{"order 17"}, "order 17", ""},
		{"space within a string", []string{`" order, 17 "`}, " order, 17 ", ""},
		{"escapes", []string{`"a\"b\\c"`}, `a"b\c`, ""},
		{"backslash", []string{`a\b`}, `a\b`, ""},
		{"all that is printable", []string{`" !#$%&'()*+,-./:;<=>?@[]^_{|}~"`}, " !#$%&'()*+,-./:;<=>?@[]^_{|}~", ""},
		{"longest", []string{strings.Repeat("k", 255)}, strings.Repeat("k", 255), ""},
		{"longest string", []string{`"` + strings.Repeat(`\\`, 255) + `"`}, strings.Repeat(`\`, 255), ""},

		{"empty", []string{""}, "", problem.Required},
		{"blank", []string{"  "}, "", problem.Required},
		{"empty string", []string{`""`}, "", problem.Required},
		{"too long", []string{strings.Repeat("k", 256)}, "", problem.TooLong},
		{"too long string", []string{`"` + strings.Repeat("k", 256) + `"`}, "", problem.TooLong},
		{"several", []string{"k", "k"}, "", bad},
		{"several joined", []string{"k, k"}, "", bad},
		{"several strings joined", []string{`"k", "k"`}, "", bad},
		{"quotation mark within", []string{`a"b`}, "", bad},
		{"quotation mark at the end", []string{`a"`}, "", bad},
		{"not closed", []string{`"a`}, "", bad},
		{"only opened", []string{`"`}, "", bad},
		{"closed by an escape", []string{`"a\"`}, "", bad},
		{"ends in an escape", []string{`"a\`}, "", bad},
		{"another escape", []string{`"a\n"`}, "", bad},
		{"parameter", []string{`"a";b=1`}, "", bad},
		{"more behind it", []string{`"a" b`}, "", bad},
		{"tab", []string{"a\tb"}, "", bad},
		{"line break", []string{"\"a\r\nb\""}, "", bad},
		{"NUL", []string{"a\x00"}, "", bad},
		{"DEL", []string{"\"\x7f\""}, "", bad},
		{"beyond ASCII", []string{"ä"}, "", bad},
		{"beyond ASCII in a string", []string{`"ä"`}, "", bad},
		{"no UTF-8", []string{"\xff"}, "", bad},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			faults := new(decode.Faults)
			got, given := faults.IdempotencyKey(http.Header{decode.IdempotencyKeyHeader: tt.values})
			err := faults.HeaderErr()
			if got != tt.want || given != (tt.values != nil && tt.fault == "") {
				t.Errorf("key %q, given %v; want %q", got, given, tt.want)
			}
			if tt.fault == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Code != problem.InvalidHeader || len(p.Faults) != 1 || p.Faults[0].Code != tt.fault || p.Faults[0].Header != "Idempotency-Key" {
				t.Errorf("error %v, want a fault %s of the header", err, tt.fault)
			}
		})
	}
}

// FuzzIdempotencyKey checks that an accepted key is within limits, and is the same key in the
// draft's form.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"k-1", `"k-1"`, `"a\"b\\c"`, "", `"`, `"\`, "a, b", `"a", "b"`, `"a";p=1`, "\x00", "ä", strings.Repeat("k", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		faults := new(decode.Faults)
		key, given := faults.IdempotencyKey(http.Header{decode.IdempotencyKeyHeader: {value}})
		if err := faults.HeaderErr(); err != nil || !given {
			if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status() != http.StatusBadRequest || key != "" || given {
				t.Fatalf("%q: key %q, given %v, %v", value, key, given, err)
			}
			return
		}
		if len(key) < 1 || len(key) > 255 || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Fatalf("%q gives the key %q", value, key)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, given := faults.IdempotencyKey(http.Header{decode.IdempotencyKeyHeader: {quoted}}); !given || again != key {
			t.Fatalf("%q gives %q, and %s gives %q, %v", value, key, quoted, again, faults.HeaderErr())
		}
	})
}

func TestRawLeavesTheBody(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader("body"))
	for range 2 {
		if text, err := decode.Raw(r); err != nil || string(text) != "body" {
			t.Errorf("read %q, %v", text, err)
		}
	}
	r.Body = http.MaxBytesReader(nil, io.NopCloser(strings.NewReader("body")), 3)
	_, err := decode.Raw(r)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.PayloadTooLarge {
		t.Errorf("a body over the limit: %v", err)
	}
}
