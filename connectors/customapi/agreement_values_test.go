package customapi_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/store/seal"
)

// listDisputed returns JSON values at the edges of what a member may hold.
func listDisputed() map[string][]string {
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	times := []string{
		`"2026-01-01t00:00:00z"`, `"2026-01-01T00:00:00+0000"`, `"2026-01-01T24:00:00Z"`, `"2016-12-31T18:59:60-05:00"`, `"2016-12-31T23:58:60Z"`,
		`"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:00+01:00"`, `"9999-12-31T23:59:59-01:00"`, `"2026-02-29T00:00:00Z"`, `"2026-01-01T00:00:00,5Z"`, `"2026-01-01T00:00:00.Z"`,
		`"2026-01-01T00:00:00.1234567890123Z"`, `"2026-01-01T00:00:00+23:59"`, `"2026-01-01T00:00:00+24:00"`, `"2026-01-01T00:00:00+14:60"`, `"2026-01-01T00:00:00-00:00"`,
		`"2026-01-01 00:00:00Z"`, `" 2026-01-01T00:00:00Z\n"`, `"\u0032026-01-01T00:00:00Z"`, `1767225600`, `"1767225600"`, `true`, `null`, `" "`,
		`"1970-01-01T00:00:00Z"`, `"1970-01-01T02:00:00+02:00"`, `0.0`, `"0.0"`, `" 0001-01-01T00:00:00Z"`, `false`, `{"$date":1767225600}`, `[]`,
	}
	ids := []string{
		`-0`, `17.00`, `17.5`, `1E0`, `123456789012345.0`, `1234567890123456.0`, long("9", 512), long("9", 513), `" a "`, `"a\u0000b"`, `"\ud800"`, `"a\u001fb"`, `"\ufffd"`, "\"m\xfcller\"", "\"a\x00b\"", "\"a\x1fb\"",
		`"` + long("x", 513) + `"`, `"` + long("ü", 256) + `"`, `"` + long(" ", 600) + `x"`, `"\u00a0"`, `"\ufeff"`, `".."`, `true`, `[]`, `null`, `"\t\n"`,
	}
	numbers := []string{
		`-0.0`, `1e-7`, `1e999`, `1e1000`, `1e-1001`, `0e99999999999`, `1.` + long("0", 2000), long("9", 1001), `0.1e1001`, `100e-1002`, `"1,234"`, `"1,23"`, `"1e1001"`, `"+5"`, `".5"`, `"5."`, `"0x10"`,
		`"Infinity"`, `NaN`, `-Infinity`, `"1_000"`, `true`, `""`,
	}
	return map[string][]string{
		"traders.updated_at": times, "trades.close_time": times, "accounts.id": ids, "trades.account_id": ids, "accounts.login": ids, "accounts.balance": numbers, "payouts.amount": numbers,
		"trades.symbol":  {`5.50`, "\"a\tb\"", "\"a\x00b\"", `"\u0000"`, `"` + long("x", 4097) + `"`, `"\ud83d"`, `{}`, `" "`},
		"trades.side":    {`" Buy "`, `1.0`, `"0.0"`, `1e0`, `2`, `-0`, `true`, `null`, `"\u0062uy"`, `"ſell"`, `"buy\u0000"`},
		"payouts.status": {`" PAID"`, `"settled"`, `"canceled"`, `1`, `null`, `["paid"]`, `"\u212aaid"`},
		"payouts.data": {
			`[],"error":{"code":"internal"}`, `[],"error":"internal error"`, `[],"error":[1]`, `[],"error":1e1`, `[],"error":true`, `[],"error":null`, `[],"error":" "`, `[],"error":{ }`, `[],"error":[]`, `[],"error":-0.0`, `[],"error":{"code":0,"message":"","details":[{}]}`, `[],"error":{"code":null}`, `[],"error":"\u004eone"`, `[],"error":"0"`, `[],"error":{"code":1}`, `[],"error":[{"a":[],"b":{"c":"x"}}]`, `[],"error":false`,
			`[],"error":{"code":200,"message":"OK"}`, `[],"error":{"code":"204","message":"Request was successful."}`, `[],"error":299`, `[],"error":300`, `[],"error":"not ok"`, `[],"error":"unsuccessful"`, `[],"error":"-"`,
			`[{"id":"P","trader_id":"T","status":"paid","updated_at":"2026-01-01T00:00:00Z"}],"error":{"code":"internal"}`, `null`, `[],"items":[]`,
		},
		"traders.next_cursor": {`"\ud83d"`, "\"\xff\"", `"\u0000"`, `"a b&c=%20é"`, `"` + long("x", 4097) + `"`, `"` + long(`\u00e9`, 2048) + `"`, `1.5`, `-1`, `true`, `{}`, `" "`, `null,"included":[` + long(`"x",`, 5<<18) + `1]`},
	}
}

// valuePlatform answers with one record on each list, of which one member has another value.
func valuePlatform(member, value *string) http.HandlerFunc {
	records := map[string]string{
		"traders":  `{"id":"T","updated_at":"2026-01-01T00:00:00Z"}`,
		"accounts": `{"id":"A","trader_id":"T","updated_at":"2026-01-01T00:00:00Z"}`,
		"trades":   `{"id":"X","account_id":"A","symbol":"EURUSD","side":"buy","open_time":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`,
		"payouts":  `{"id":"P","trader_id":"T","status":"paid","updated_at":"2026-01-01T00:00:00Z"}`,
	}
	return func(w http.ResponseWriter, r *http.Request) {
		list := strings.TrimPrefix(r.URL.Path, "/")
		at, name, _ := strings.Cut(*member, ".")
		record, cursor := records[list], "null"
		switch {
		case r.Header.Get("Authorization") != "Bearer key":
			w.WriteHeader(http.StatusUnauthorized)
			return
		case list == "health":
			_, _ = io.WriteString(w, `{"status":"ok"}`)
			return
		case at == list && name == "next_cursor" && !r.URL.Query().Has("cursor"):
			cursor = *value
		case at == list && name == "data":
			fmt.Fprintf(w, `{"data":%s,"next_cursor":null}`, *value)
			return
		case at == list: // the last of two members counts
			record = fmt.Sprintf(`%s,%q:%s}`, strings.TrimSuffix(record, "}"), name, *value)
		}
		fmt.Fprintf(w, `{"data":[%s],"next_cursor":%s}`, record, cursor)
	}
}

// openValuePlatform starts a platform that sends the value of the member, and opens it as assay does.
func openValuePlatform(t *testing.T, member, value *string) (server *httptest.Server, roots *x509.CertPool, source connectors.Source) {
	t.Helper()
	server = httptest.NewTLSServer(valuePlatform(member, value))
	t.Cleanup(server.Close)
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := fetch.New(fetch.Options{RootCAs: roots, AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Backoff: time.Millisecond})
	t.Cleanup(client.Close)
	return server, roots, customapi.New(client).Open(connectors.Config{BaseURL: server.URL, APIKey: seal.NewSecret("key")})
}

// The kit's profile live-check and the live check judge the same values alike.
func TestAgreementOnValues(t *testing.T) {
	t.Parallel()
	var member, value string
	server, roots, source := openValuePlatform(t, &member, &value)
	values := 0
	for of, list := range listDisputed() {
		for _, v := range list {
			values++
			member, value = of, v
			live := source.Check(t.Context(), nil)
			kit, err := contracttest.Check(t.Context(), contracttest.Options{
				URL: server.URL, Key: "key", RootCAs: roots, Profile: contracttest.LiveCheck, Timing: contracttest.Timing{Interval: -1, Backoff: time.Millisecond},
			})
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, step := range live.Steps {
				if step.Status == connectors.StepFailed {
					failed = append(failed, "live."+step.Name)
				}
			}
			if got := kit.Failures(); !slices.Equal(got, failed) {
				t.Errorf("%s %.60s: the live check fails %v, the kit %v", member, value, failed, got)
			}
		}
	}
	t.Logf("%d values", values)
}

// listLossy returns JSON values of optional members, some of which are lost in part.
func listLossy() map[string][]string {
	long := strings.Repeat
	return map[string][]string{
		"traders.tags": {
			`[]`, `["a",null,"b"]`, `[` + long(`" ",`, 101) + `"a"]`, `[7]`, `["` + long("x", 256) + `"]`, `["` + long("x", 257) + `"]`, `["` + long(" ", 300) + `x"]`,
			`[true]`, `[["a"]]`, `[` + long(`"a",`, 99) + `"a"]`, `[` + long(`"a",`, 100) + `"a"]`, `"a"`, `{}`, `null`,
		},
		"accounts.balance": {`"1,234"`, `"1,234,567.8"`, `"0,125"`, `"-0,500"`, `"0,123,456"`, `"0.5"`, `"00123"`, `"1,5"`},
		"accounts.login":   {`12345678`, `"12345678"`, `12345678.0`, `12345678.5`, `1.2e7`, `1234567890123456.0`, `"` + long("x", 512) + `"`, `"` + long("x", 513) + `"`, `true`, `" "`, "\"m\xfcller\"", `"a\ud800"`, `"a\u001fb"`, "\"a\x00\"", `"\ufffd"`},
		"trades.close_time": {
			`null`, `""`, `" "`, `0`, `0.0`, `-0`, `"0"`, `"0.0"`, `false`, `"0000-00-00 00:00:00"`, `"0001-01-01T00:00:00Z"`, `" 0001-01-01T00:00:00Z"`, `"1970-01-01T00:00:00Z"`,
			`"1970-01-01T02:00:00+02:00"`, `"1970-01-01T00:00:01Z"`, `"2026-01-02T00:00:00Z"`,
			`"9999-12-31T23:59:59Z"`, `"9999-12-31T23:59:59-01:00"`, `"9999-12-31 23:59:59"`, `"1900-01-01T00:00:00Z"`, `"2038-01-19T03:14:07Z"`, `"2035-12-30T00:00:00Z"`, `"2035-12-29T23:59:59Z"`,
			`"2016-01-04T00:00:00Z"`, `"2016-01-04T00:00:01Z"`,
		},
		"traders.registered_at": {`"1970-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"2026-01-01"`, `0`},
	}
}

// What the connector loses of an optional member, the kit reports as a broken type, and nothing else.
func TestAgreementOnLosses(t *testing.T) {
	t.Parallel()
	var member, value string
	server, roots, source := openValuePlatform(t, &member, &value)
	losses := []string{alias.RuleWrongType, alias.RuleInvalidID, alias.RuleInvalidTime, alias.RuleInvalidNumber, alias.RuleTooLong}
	for of, list := range listLossy() {
		for _, v := range list {
			member, value = of, v
			resource, _, _ := strings.Cut(of, ".")
			page, err := source.ReadPage(t.Context(), connectors.PageRequest{Stream: record.Stream(resource)})
			if err != nil || page.Len() != 1 {
				t.Fatalf("%s %.60s: %v, or the record was rejected", of, v, err)
			}
			page.Release()
			lost := slices.ContainsFunc(page.Findings, func(f record.Finding) bool { return slices.Contains(losses, f.Rule) })
			kit, err := contracttest.Check(t.Context(), contracttest.Options{
				URL: server.URL, Key: "key", RootCAs: roots, Only: []string{resource + ".types"}, Timing: contracttest.Timing{Interval: -1, Backoff: time.Millisecond},
			})
			if err != nil {
				t.Fatal(err)
			}
			if failed := len(kit.Failures()) > 0; failed != lost {
				t.Errorf("%s %.60s: the connector has the findings %v, the kit says %s: %s", of, v, page.Findings, kit.Results[0].Status, kit.Results[0].Message)
			}
		}
	}
}

// The kit refuses the base URLs that assay refuses, whatever their addresses.
func TestAgreementOnURLs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody is asked
	guard := fetch.New(fetch.Options{Resolver: nowhere{}})
	defer guard.Close()
	long := strings.Repeat
	for _, tt := range []struct {
		url     string
		refused bool
	}{
		{"https://api.example", false},
		{"https://api.example/assay/v1", false},
		{"https://API.Example:8443/a%20b", false},
		{"https://xn--mnchen-3ya.example", false},
		{"https://192.0.2.1", false},
		{"https://[2001:db8::1]:443/x", false},
		{"https://a_b.example", false},
		{"https://api.example/" + long("x", 2028), false},
		{"https://api.example/" + long("x", 2029), true},
		{"", true},
		{"http://api.example", true},
		{"https:api.example", true},
		{"https://", true},
		{"https://user@api.example", true},
		{"https://api.example/", true},
		{"https://api.example?x", true},
		{"https://api.example?", true},
		{"https://api.example#", true},
		{"https://münchen.example", true},
		{"https://api.example/x/../y", true},
		{"https://api.example/%2e%2e/y", true},
		{"https://api.example/%00", true},
		{"https://api.example/a b", true},
		{"https://api.example\\x", true},
		{"https://127.1", true},
		{"https://0x7f000001", true},
		{"https://a.0x", true},
		{"https://[1.2.3.4]", true},
		{"https://api.example:0", true},
		{"https://api.example:", true},
		{"https://api.example:99999", true},
		{"https://api.example:0443", true},
		{"https://a..b", true},
		{"https://a.example.", true},
		{"https://" + long("a", 64) + ".example", true},
		{"https://" + long("a.", 127) + "example", true},
		{"https://a\u00adb.example", true},
		{"https://a\xff.example", true},
	} {
		err := guard.Guard().CheckURL(t.Context(), tt.url)
		var refused *fetch.URLError
		if got := errors.As(err, &refused) && refused.Code != fetch.URLNotPublic; got != tt.refused {
			t.Errorf("assay says %v about %.60q", err, tt.url)
		}
		_, err = contracttest.Check(ctx, contracttest.Options{URL: tt.url, Key: "key"})
		if got := errors.As(err, new(*contracttest.UsageError)); got != tt.refused {
			t.Errorf("the kit says %v about %.60q", err, tt.url)
		}
	}
}

// nowhere is a resolver that knows no name.
type nowhere struct{}

func (nowhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return nil, nil }
