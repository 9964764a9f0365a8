package customapi_test

import (
	"crypto/x509"
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
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
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
	}
	ids := []string{
		`-0`, `17.00`, `17.5`, `1E0`, `123456789012345.0`, `1234567890123456.0`, long("9", 512), long("9", 513), `" a "`, `"a\u0000b"`, `"\ud800"`, `"a\u001fb"`,
		`"` + long("x", 513) + `"`, `"` + long("ü", 256) + `"`, `"` + long(" ", 600) + `x"`, `"\u00a0"`, `"\ufeff"`, `".."`, `true`, `[]`, `null`, `"\t\n"`,
	}
	numbers := []string{
		`-0.0`, `1e-7`, `1e999`, `1e1000`, `1e-1001`, `0e99999999999`, `1.` + long("0", 2000), long("9", 1001), `0.1e1001`, `100e-1002`, `"1,234"`, `"1,23"`, `"1e1001"`, `"+5"`, `".5"`, `"5."`, `"0x10"`,
		`"Infinity"`, `"1_000"`, `true`, `""`,
	}
	return map[string][]string{
		"traders.updated_at": times, "trades.close_time": times, "accounts.id": ids, "trades.account_id": ids, "accounts.balance": numbers, "payouts.amount": numbers,
		"trades.symbol":       {`5.50`, `"\u0000"`, `"` + long("x", 4097) + `"`, `"\ud83d"`, `{}`, `" "`},
		"trades.side":         {`" Buy "`, `1.0`, `"0.0"`, `1e0`, `2`, `-0`, `true`, `null`, `"\u0062uy"`, `"ſell"`, `"buy\u0000"`},
		"payouts.status":      {`" PAID"`, `"settled"`, `"canceled"`, `1`, `null`, `["paid"]`, `"\u212aaid"`},
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
		case at == list: // the last of two members counts
			record = fmt.Sprintf(`%s,%q:%s}`, strings.TrimSuffix(record, "}"), name, *value)
		}
		fmt.Fprintf(w, `{"data":[%s],"next_cursor":%s}`, record, cursor)
	}
}

// The kit's profile live-check and the live check judge the same values alike.
func TestAgreementOnValues(t *testing.T) {
	t.Parallel()
	var member, value string
	server := httptest.NewTLSServer(valuePlatform(&member, &value))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := fetch.New(fetch.Options{RootCAs: roots, AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer client.Close()
	source := customapi.New(client).Open(connectors.Config{BaseURL: server.URL, APIKey: seal.NewSecret("key")})
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
