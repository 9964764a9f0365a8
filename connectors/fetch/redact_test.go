package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assayhq/assay/connectors/fetch"
)

// However a platform echoes the key, it comes out nowhere.
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
				_, err := p.Get(t.Context(), req, func(a fetch.Answer) error { return fmt.Errorf("%w: saw %s", fetch.ErrBroken, a.Body) })
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
