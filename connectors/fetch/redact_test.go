package fetch_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/fetch"
)

// However a platform echoes the key, it never appears in the output.
func TestKeyNeverShows(t *testing.T) {
	t.Parallel()
	escaped := `sk_live_7f3a9c/b+2=d\"e`
	inQuery := "sk_live_7f3a9c%2Fb%2B2%3Dd%22e"
	echo := testKey + " " + escaped + " " + inQuery + " "
	setups := map[string]func(*network){
		"in a 401": func(n *network) { n.serve("p.test", "1.0.0.1", script(reply{status: 401, body: "bad key " + echo})) },
		"in a 500": func(n *network) { n.serve("p.test", "1.0.0.1", script(reply{status: 500, body: echo})) },
		"at the cut": func(n *network) {
			n.serve("p.test", "1.0.0.1", script(reply{status: 418, body: strings.Repeat("x", 190) + testKey}))
		},
		"again and again": func(n *network) {
			n.serve("p.test", "1.0.0.1", script(reply{status: 418, body: strings.Repeat(testKey, 1000)}))
		},
		"cut off": func(n *network) {
			n.serve("p.test", "1.0.0.1", script(reply{status: 418, body: strings.Repeat(testKey, 178) + testKey[:20] + strings.Repeat(" ", 9000)}))
		},
		"in a redirect": func(n *network) {
			n.serve("p.test", "1.0.0.1", script(reply{status: 302, header: http.Header{"Location": {"/" + testKey}}}))
		},
		"in a 200":   func(n *network) { n.serve("p.test", "1.0.0.1", script(reply{status: 200, body: "<html>" + echo})) },
		"in no HTTP": func(n *network) { n.raw("p.test", "1.0.0.1", true, answer("ERR "+testKey+"\r\n\r\n")) },
		"in an encoding": func(n *network) {
			n.serve("p.test", "1.0.0.1", script(reply{status: 200, header: http.Header{"Content-Encoding": {testKey}}}))
		},
	}
	for name, setup := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				setup(n)
				p := platform(n.client(fetch.Options{}), "https://p.test")
				req := fetch.Request{Path: "/traders/" + testKey[:3], Query: map[string][]string{"cursor": {testKey}}}
				_, err := p.Get(t.Context(), req, func(a fetch.Answer) error { return fmt.Errorf("%w: saw %s", alias.ErrSyntax, a.Body) })
				e := platformError(t, err)
				shown := fmt.Sprintf("%v | %+v | %#v | %v | %+v | %#v", err, *e, *e, e.Err, n.events, p)
				// The path holds the first three bytes, on purpose: they are not the key.
				for _, secret := range []string{testKey, escaped, inQuery, testKey[:12]} {
					if strings.Contains(shown, secret) {
						t.Errorf("%q shows in %s", secret, shown)
					}
				}
				for inner := error(e); inner != nil; inner = errors.Unwrap(inner) {
					if strings.Contains(inner.Error(), testKey[:12]) {
						t.Errorf("the key shows in cause %T", inner)
					}
				}
			})
		})
	}
}

// everyByte escapes each byte of a text by a format.
func everyByte(format, text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}

// If the key cannot be cut out of an escaping reliably, the quote is left out.
func TestEscapedKeyCostsTheQuote(t *testing.T) {
	t.Parallel()
	const key = testKey // sk_live_7f3a9c/b+2=d"e
	tests := []struct{ name, echo string }{
		{"JSON with an escaped slash", `sk_live_7f3a9c\/b+2=d\"e`},
		{"JSON with one escaped letter", `\u0073k_live_7f3a9c/b+2=d\"e`},
		{"JSON in capitals", everyByte(`\u%04X`, key)},
		{"JSON in JSON", `sk_live_7f3a9c\\\/b+2=d\\\"e`},
		{"escapes of Python", everyByte(`\x%02x`, key)},
		{"percent, lower case", "sk_live_7f3a9c%2fb%2b2%3dd%22e"},
		{"percent, slash kept", "sk_live_7f3a9c/b%2B2%3Dd%22e"},
		{"percent, every byte", everyByte("%%%02x", key)},
		{"percent, twice", "sk_live_7f3a9c%252fb%252b2%253dd%2522e"},
		{"percent in JSON", `sk_live_7f3a9c\u00252fb%2b2=d\"e`},
		{"HTML", "sk_live_7f3a9c/b&#43;2=d&quot;e"},
		{"base64", base64.StdEncoding.EncodeToString([]byte(key))},
		{"base64 without padding", base64.RawStdEncoding.EncodeToString([]byte(key))},
		{"base64 for URLs", base64.URLEncoding.EncodeToString([]byte(key))},
		{"base64 of credentials", base64.StdEncoding.EncodeToString([]byte("u:" + key))},
		{"base64 of a header", base64.StdEncoding.EncodeToString([]byte("Bearer " + key))},
		{"base64, percent", url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(key)))},
		{"twelve characters", key[3:15]},
		{"twelve characters, escaped", everyByte("%%%02x", key[3:15])},
		{"escapes without end", "%" + strings.Repeat("25", 100) + "41"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(reply{status: 418, body: `{"token":"` + tt.echo + `"}`}))
				p := platform(n.client(fetch.Options{}), "https://p.test")
				_, _, err := get(t, p, fetch.Request{Path: "/traders", Query: url.Values{"cursor": {tt.echo}}})
				e := platformError(t, err)
				if want := "the platform answered with status 418; the answer begins: [withheld: it contains the API key]"; e.Message != want {
					t.Errorf("message %q", e.Message)
				}
				if want := "GET /traders?[withheld: it contains the API key]"; e.Endpoint != want {
					t.Errorf("endpoint %q", e.Endpoint)
				}
			})
		})
	}
}

// The same holds for the target of a redirect and for a decoder's messages.
func TestEscapedKeyInOtherTexts(t *testing.T) {
	t.Parallel()
	echo := everyByte(`\u%04x`, testKey)
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.serve("p.test", "1.0.0.1", script(
			reply{status: 302, header: http.Header{"Location": {"/" + base64.URLEncoding.EncodeToString([]byte(testKey))}}},
			reply{status: 200, body: "{}"},
		))
		p := platform(n.client(fetch.Options{}), "https://p.test")
		_, _, err := get(t, p, fetch.Request{Path: "/a"})
		if e := platformError(t, err); e.Message != "the platform answered with status 302 to [withheld: it contains the API key]" {
			t.Errorf("message %q", e.Message)
		}
		_, err = p.Get(t.Context(), fetch.Request{Path: "/a"}, func(fetch.Answer) error {
			return &connectors.Error{Code: connectors.CodeInvalidRecords, Message: "saw " + echo, Err: errors.New("read " + echo)}
		})
		const want = "[withheld: it contains the API key]"
		if e := platformError(t, err); e.Message != want || e.Err == nil || e.Err.Error() != want {
			t.Errorf("message %q, cause %v", e.Message, e.Err)
		}
	})
}

// Texts without the key are not changed, whatever they look like.
func TestRedactLeavesOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "sk_live_", testKey[:11], `{"a":"\u0073\/%2b%"}`, `\`, `\u`, `\u12`, `\ud83d\u`, "%", "%u", "%4", "&amp", "100%25", strings.Repeat(`\`, 64),
		base64.StdEncoding.EncodeToString([]byte("another key altogether")),
	} {
		if got := fetch.Redact(testKey, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := fetch.Redact("", `\u0073`); got != `\u0073` {
		t.Errorf("without a key: %q", got)
	}
}

// FuzzRedact escapes each byte of a key in a different way.
func FuzzRedact(f *testing.F) {
	f.Add("sk_live_7f3a9c/b", []byte{0, 1, 2, 3, 4, 5}, "before ", " after")
	f.Add(`a%2fb\u0041\\/c`, []byte{3, 3, 1}, `\`, "%")
	f.Fuzz(func(t *testing.T, key string, ways []byte, before, after string) {
		formats := []string{"%c", `\u%04x`, `\x%02X`, "%%%02x", "&#%d;", "%%25%02X"}
		if len(key) < 12 || len(ways) == 0 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) ||
			strings.ContainsAny(before+after+key, `\%&`) {
			fetch.Redact(key, before+after) // must end
			return
		}
		echo := ""
		for i := range len(key) {
			echo += fmt.Sprintf(formats[int(ways[i%len(ways)])%len(formats)], key[i])
		}
		if got := fetch.Redact(key, before+echo+after); strings.Contains(got, echo) {
			t.Errorf("%q shows in %q", echo, got)
		}
	})
}

func TestMessageQuotesTheAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"nothing", "", "the platform answered with status 418"},
		{"text", "<html>\n  <b>login</b>", "the platform answered with status 418; the answer begins: <html> <b>login</b>"},
		{"binary", "\x00\x01\xff\x7f\u202eabc", "the platform answered with status 418; the answer begins: \ufffd \ufffdabc"},
		{"long", strings.Repeat("é", 300), "the platform answered with status 418; the answer begins: " + strings.Repeat("é", 100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				n.serve("p.test", "1.0.0.1", script(reply{status: 418, body: tt.body}))
				_, _, err := get(t, platform(n.client(fetch.Options{}), "https://p.test"), fetch.Request{})
				if e := platformError(t, err); e.Message != tt.want {
					t.Errorf("got  %q\nwant %q", e.Message, tt.want)
				}
			})
		})
	}
}
