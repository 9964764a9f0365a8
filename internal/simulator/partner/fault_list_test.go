package partner_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

// showsInLists are the checks of the faults of lists and their records.
var showsInLists = map[string]shower{
	"payouts-404": func(t *testing.T, p, _ *partner.Platform) {
		if got := [2]int{platformtest.Get(t, p, "/v1/payouts").StatusCode, platformtest.Get(t, p, "/v1/customers").StatusCode}; got != [2]int{404, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"data-null":        raw(200, `^\{"data":null,"metadata":\{"total_count":\d+\}\}$`),
	"bare-array":       raw(200, `^\[\{"\w.*\}\]$`),
	"envelope-items":   raw(200, `^\{"items":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-results": raw(200, `^\{"results":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-records": raw(200, `^\{"records":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"envelope-unknown": raw(200, `^\{"rows":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"two-lists":        raw(200, `^\{"data":\[\{.*\],"items":\[\{.*\],"metadata":\{"total_count":\d+\}\}$`),
	"total-too-high":   total(func(n int) string { return strconv.Itoa(n + 1000) }),
	"total-too-low":    total(func(n int) string { return strconv.Itoa(max(n-1000, 1)) }),
	"total-zero":       total(func(int) string { return "0" }),
	"total-negative":   total(func(int) string { return "-1" }),
	"total-null":       total(func(int) string { return "null" }),
	"total-word":       total(func(int) string { return `"many"` }),
	"total-string":     total(func(n int) string { return `"` + strconv.Itoa(n) + `"` }),
	"total-page":       total(func(n int) string { return strconv.Itoa(min(n, 100)) }),
	"total-absent":     raw(200, `\]\}$`),
	"total-moved":      raw(200, `\],"total_count":\d+\}$`),
	"unordered": func(t *testing.T, p, sound *partner.Platform) {
		want, got := getPage(t, sound, partner.ClosedTrades, nil), getPage(t, p, partner.ClosedTrades, nil)
		slices.Reverse(got.Data)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	},
	"duplicate-records": func(t *testing.T, p, sound *partner.Platform) {
		want, got := getPage(t, sound, partner.ClosedTrades, nil), getPage(t, p, partner.ClosedTrades, nil)
		if diff := cmp.Diff(append(want.Data, want.Data...), got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-page": func(t *testing.T, p, _ *partner.Platform) {
		first := getPage(t, p, partner.ClosedTrades, nil)
		if diff := cmp.Diff(first, getPage(t, p, partner.ClosedTrades, url.Values{"page": {"7"}})); diff != "" {
			t.Error(diff)
		}
	},
	"endless-list": func(t *testing.T, p, sound *partner.Platform) {
		total := p.Counts().ClosedTrades
		pages := (total + 99) / 100
		far := getPage(t, p, partner.ClosedTrades, url.Values{"page": {strconv.Itoa(40*pages + 3)}})
		if diff := cmp.Diff(getPage(t, sound, partner.ClosedTrades, url.Values{"page": {"3"}}).Data, far.Data); diff != "" || far.Metadata != nil {
			t.Errorf("metadata %v, %s", far.Metadata, diff)
		}
	},
	"ignores-limit": func(t *testing.T, p, sound *partner.Platform) {
		if n := len(getPage(t, p, partner.ClosedTrades, nil).Data); n != 1000 {
			t.Errorf("%d records on a page", n)
		}
		if err := p.SetFault("ignores-limit", fault.Options{Size: 50}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := 1; n <= 30; n++ {
			for _, record := range getPage(t, p, partner.ClosedTrades, url.Values{"page": {strconv.Itoa(n)}}).Data {
				got = append(got, string(record))
			}
		}
		if diff := cmp.Diff(walk(t, sound, partner.ClosedTrades, 100, nil), got); diff != "" {
			t.Errorf("by pages of 50:\n%s", diff)
		}
	},
	"short-pages": func(t *testing.T, p, sound *partner.Platform) {
		want, got := getPage(t, sound, partner.ClosedTrades, nil), getPage(t, p, partner.ClosedTrades, nil)
		if diff := cmp.Diff(want.Data[:50], got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"overlapping-pages": func(t *testing.T, p, sound *partner.Platform) {
		want := walk(t, sound, partner.ClosedTrades, 100, nil)
		for n, from := range map[int]int{1: 0, 2: 90, 3: 190} {
			var got []string
			for _, record := range getPage(t, p, partner.ClosedTrades, url.Values{"page": {strconv.Itoa(n)}}).Data {
				got = append(got, string(record))
			}
			if diff := cmp.Diff(want[from:from+100], got); diff != "" {
				t.Errorf("page %d:\n%s", n, diff)
			}
		}
	},
	"skipped-records": func(t *testing.T, p, sound *partner.Platform) {
		want, got := getPage(t, sound, partner.ClosedTrades, nil), getPage(t, p, partner.ClosedTrades, nil)
		if diff := cmp.Diff(want.Data[:99], got.Data); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-order": func(t *testing.T, p, sound *partner.Platform) {
		got := walk(t, p, partner.ClosedTrades, 100, url.Values{"sort_order": {"desc"}})
		if diff := cmp.Diff(walk(t, sound, partner.ClosedTrades, 100, nil), got); diff != "" {
			t.Error(diff)
		}
	},
	"ignores-updated-gte": func(t *testing.T, p, _ *partner.Platform) {
		if got := walk(t, p, partner.Customers, 100, url.Values{"updated_gte": {"2030-01-01T00:00:00Z"}}); len(got) != 130 {
			t.Errorf("%d customers", len(got))
		}
	},
	"nothing-updated": func(t *testing.T, p, _ *partner.Platform) {
		since := url.Values{"updated_gte": {"2000-01-01T00:00:00Z"}}
		if got := [2]int{len(walk(t, p, partner.Customers, 100, since)), len(walk(t, p, partner.Customers, 100, nil))}; got != [2]int{0, 130} {
			t.Errorf("%v customers", got)
		}
	},
	"ignores-scope": func(t *testing.T, p, _ *partner.Platform) {
		if got := walk(t, p, partner.Accounts, 100, url.Values{"platforms": {"nobody"}}); len(got) != 260 {
			t.Errorf("%d accounts", len(got))
		}
	},

	"lagging-open": func(t *testing.T, p, sound *partner.Platform) {
		if err := p.SetFault("lagging-open", fault.Options{Delay: 5 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		var want []string
		for r := range p.AllTrades() {
			if r.CloseDate.IsZero() || !r.CloseDate.Before(p.Now().Add(-5*time.Hour)) {
				want = append(want, r.Ticket)
			}
		}
		tickets := func(s sent) string { return s.str("ticket") }
		lagging := walk(t, p, partner.OpenTrades, 10, nil)
		if diff := cmp.Diff(want, readAll(t, partner.OpenTrades, lagging, tickets)); diff != "" || len(want) <= sound.Counts().OpenTrades {
			t.Errorf("%d open, %d listed:\n%s", sound.Counts().OpenTrades, len(want), diff)
		}
		records(partner.OpenTrades, `"closeDate":null,.*"closePrice":null,.*"pnl":null\}`)(t, p, sound)
	},
	"lagging-closed": func(t *testing.T, p, sound *partner.Platform) {
		if err := p.SetFault("lagging-closed", fault.Options{Delay: 5 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(walk(t, sound, partner.ClosedTrades, 100, nil), func(r string) bool {
			return !read(t, partner.ClosedTrades, r).time("closeDate").Before(sound.Now().Add(-5 * time.Hour))
		})
		if diff := cmp.Diff(want, walk(t, p, partner.ClosedTrades, 100, nil)); diff != "" || len(want) == sound.Counts().ClosedTrades {
			t.Errorf("(-want +got):\n%s", diff)
		}
	},

	"missing-id": records(partner.OpenTrades, `^\{"accountNr":"\d+"`),
	"null-id":    records(partner.Accounts, `^\{"accountNr":null,`),
	"empty-id":   records(partner.Customers, `^\{"customerId":"",`),
	"object-id":  records(partner.Payouts, `^\{"payoutId":\{"value":"pay-\d+"\},`),
	"huge-numeric-ids": func(t *testing.T, p, sound *partner.Platform) {
		records(partner.ClosedTrades, `^\{"ticket":900719925474099\d{11,},`)(t, p, sound)
		records(partner.Customers, `^\{"customerId":900719925474099\d{9},`)(t, p, sound)
	},
	"account-null":         records(partner.ClosedTrades, `^\{"ticket":\d+,"account":null,"symbol"`),
	"account-empty-object": records(partner.Payouts, `"customer":\{"customerId":"[^"]+"\},"account":\{\},"shareAmount"`),
	"customer-number":      records(partner.Accounts, `,"customer":17,`),
	"object-for-scalar":    records(partner.Accounts, `"phase":\{"value":"[a-z0-9 ]+"\}`),
	"record-number":        records(partner.OpenTrades, `^\d+$`),
	"record-null":          records(partner.OpenTrades, `^null$`),
	"record-list":          records(partner.Customers, `^\[\{.*\}\]$`),
	"offset-times":         records(partner.ClosedTrades, `"openDate":"[-0-9]+T[0-9:]+\+05:30","closeDate":"[-0-9]+T[0-9:]+\+05:30"`),
	"zoneless-times":       records(partner.ClosedTrades, `"closeDate":"[-0-9]+ [0-9:]+"`),
	"unix-times":           records(partner.ClosedTrades, `"closeDate":1[67]\d{8},`),
	"unix-milli-times":     records(partner.Customers, `"createdAt":1[67]\d{8}000,"updatedAt":1[67]\d{8}000,`),
	"local-times":          records(partner.ClosedTrades, `"closeDate":"\d\d\.\d\d\.20\d\d \d\d:\d\d"`),
	"word-times":           records(partner.Payouts, `"requestedAt":"yesterday"`),
	"missing-updated-at":   records(partner.Accounts, `"createdAt":"[^"]+","fundedAt"`),
	"unknown-enum":         records(partner.Payouts, `"status":"sideways"`),
	"upper-case-enum":      records(partner.ClosedTrades, `"side":"(BUY|SELL)"`),
	"huge-number":          records(partner.Accounts, `"currentBalance":1e1000000000,`),
	"float-noise":          records(partner.ClosedTrades, `"pnl":-?\d+\.\d\d00000000000004\}`),
	"lone-surrogate":       records(partner.ClosedTrades, `"symbol":"\\ud83d[A-Z]`),
	"nul":                  records(partner.ClosedTrades, `"symbol":"\\u0000[A-Z]`),
	"record-not-object":    records(partner.OpenTrades, `^"record"$`),
	"unknown-fields":       records(partner.OpenTrades, `,"internal_row":\{"shard":\d,"flags":\[1,null,"x"\]\}\}$`),
	"invalid-utf8": func(t *testing.T, p, _ *partner.Platform) {
		for _, list := range partner.Lists() {
			if got := platformtest.ReadBody(t, platformtest.Get(t, p, path(list))); utf8.ValidString(got) || !json.Valid([]byte(strings.ToValidUTF8(got, "?"))) {
				t.Errorf("%s is fine", list)
			}
		}
	},
	"deep-nesting": raw(200, `\[{1000}`),
	"huge-record": func(t *testing.T, p, _ *partner.Platform) {
		if got := getPage(t, p, partner.ClosedTrades, nil).Data; len(got[0]) < 2<<20 || len(got[1]) > 1000 {
			t.Errorf("records of %d and %d bytes", len(got[0]), len(got[1]))
		}
	},
}

// total checks the total of the closed trades.
func total(want func(n int) string) shower {
	return func(t *testing.T, p, sound *partner.Platform) {
		n := *getPage(t, sound, partner.ClosedTrades, nil).Metadata.Total
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/v1/trades/closed")); !strings.HasSuffix(got, `],"metadata":{"total_count":`+want(n)+`}}`) {
			t.Errorf("ends %s", got[len(got)-60:])
		}
	}
}

// records checks every record of a list.
func records(list partner.List, pattern string) shower {
	return func(t *testing.T, p, _ *partner.Platform) {
		match := regexp.MustCompile(pattern)
		all := walk(t, p, list, 100, nil)
		for _, record := range all {
			if !match.MatchString(record) {
				t.Fatalf("%s does not match %s", record, pattern)
			}
		}
		if len(all) == 0 {
			t.Error("no records")
		}
	}
}
