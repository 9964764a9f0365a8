package reference_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

type shower = func(t *testing.T, p, sound *reference.Platform)

// showsInLists are the checks of the faults of lists and their records.
var showsInLists = map[string]shower{
	"data-null":         pageIs(`^\{"data":null,"next_cursor":"[^"]+"\}$`),
	"bare-array":        pageIs(`^\[\{"id".*\}\]$`),
	"envelope-items":    pageIs(`^\{"items":\[\{.*\],"next_cursor":"[^"]+"\}$`),
	"envelope-results":  pageIs(`^\{"results":\[\{.*\],"next_cursor":"[^"]+"\}$`),
	"envelope-records":  pageIs(`^\{"records":\[\{.*\],"next_cursor":"[^"]+"\}$`),
	"envelope-unknown":  pageIs(`^\{"rows":\[\{.*\],"next_cursor":"[^"]+"\}$`),
	"two-lists":         pageIs(`^\{"data":\[\{.*\],"items":\[\{.*\],"next_cursor":"[^"]+"\}$`),
	"cursor-absent":     lastPageIs(`\}\]\}$`),
	"cursor-empty":      lastPageIs(`\}\],"next_cursor":""\}$`),
	"cursor-false":      lastPageIs(`\}\],"next_cursor":false\}$`),
	"unordered":         showUnordered,
	"duplicate-records": showDuplicates,
	"overlapping-pages": func(t *testing.T, p, sound *reference.Platform) {
		want, got := walk(t, sound, "/trades", 100, nil), walk(t, p, "/trades", 100, nil)
		if len(got) < len(want)*3/2 || !cmp.Equal(want, distinct(got)) {
			t.Errorf("%d records, %d distinct, want %d", len(got), len(distinct(got)), len(want))
		}
	},
	"skipped-records": func(t *testing.T, p, sound *reference.Platform) {
		want, got := walk(t, sound, "/trades", 100, nil), walk(t, p, "/trades", 100, nil)
		if len(got) != len(want)-11 {
			t.Errorf("%d of %d records", len(got), len(want))
		}
	},
	"short-pages": func(t *testing.T, p, sound *reference.Platform) {
		if n := len(getPage(t, p, "/trades", nil).Data); n != 33 {
			t.Errorf("%d records on a page", n)
		}
		sameWalk(t, p, sound)
	},
	"ignores-limit": func(t *testing.T, p, _ *reference.Platform) {
		if n := len(getPage(t, p, "/trades", url.Values{"limit": {"5"}}).Data); n != 500 {
			t.Errorf("%d records on a page", n)
		}
	},
	"ignores-updated-since": func(t *testing.T, p, sound *reference.Platform) {
		got := walk(t, p, "/trades", 100, url.Values{"updated_since": {"2030-01-01T00:00:00Z"}})
		if !cmp.Equal(walk(t, sound, "/trades", 100, nil), got) {
			t.Errorf("%d records", len(got))
		}
	},
	"updated-since-exclusive": func(t *testing.T, p, sound *reference.Platform) {
		all := walk(t, sound, "/trades", 500, nil)
		since := url.Values{"updated_since": {headOf(t, all[600]).UpdatedAt.Format(time.RFC3339Nano)}}
		if got := walk(t, p, "/trades", 500, since); slices.Contains(got, all[600]) || len(got) == 0 {
			t.Errorf("%d records", len(got))
		}
	},
	"ignores-cursor": func(t *testing.T, p, _ *reference.Platform) {
		first := getPage(t, p, "/trades", nil)
		second := getPage(t, p, "/trades", url.Values{"cursor": {*first.NextCursor}})
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
	},
	"cyclic-cursor": func(t *testing.T, p, _ *reference.Platform) {
		cursors, pages := follow(t, p, 8)
		for i, cursor := range cursors {
			if again := cursor == cursors[i%3]; !again || i > 0 && i < 3 && cursor == cursors[0] {
				t.Errorf("cursors %v", cursors)
			}
		}
		if pages[0] != pages[3] || pages[0] == pages[1] || pages[1] == pages[2] {
			t.Errorf("first ids %v", pages)
		}
	},
	"endless-list": func(t *testing.T, p, _ *reference.Platform) {
		cursors, pages := follow(t, p, 40) // the list has 12 pages of 100
		if len(distinct(cursors)) != 40 || len(distinct(pages)) != 12 {
			t.Errorf("%d cursors, %d pages", len(distinct(cursors)), len(distinct(pages)))
		}
	},
	"empty-pages": func(t *testing.T, p, sound *reference.Platform) {
		if first := getPage(t, p, "/trades", nil); len(first.Data) != 0 || first.NextCursor == nil {
			t.Errorf("the first page is %+v", first)
		}
		sameWalk(t, p, sound)
	},
	"repeated-pages": func(t *testing.T, p, sound *reference.Platform) {
		cursors, pages := follow(t, p, 10)
		if len(distinct(cursors)) != 10 || len(distinct(pages)) != 5 || pages[0] != pages[1] {
			t.Errorf("cursors %v, first ids %v", cursors, pages)
		}
		if diff := cmp.Diff(walk(t, sound, "/payouts", 7, nil), distinct(walk(t, p, "/payouts", 7, nil))); diff != "" {
			t.Error(diff)
		}
	},
	"stale-updated-at": func(t *testing.T, p, _ *reference.Platform) {
		for _, record := range getPage(t, p, "/trades", nil).Data {
			var trade struct {
				OpenTime  string `json:"open_time"`
				UpdatedAt string `json:"updated_at"`
			}
			if err := json.Unmarshal(record, &trade); err != nil || trade.OpenTime != trade.UpdatedAt {
				t.Fatalf("%v: %s", err, record)
			}
		}
	},
	"numeric-ids":      records("/accounts", `^\{"id":([1-9]\d*|0),"trader_id":([1-9]\d*|0),`),
	"huge-numeric-ids": records("/trades", `^\{"id":900719925474099\d{10},"account_id":900719925474099\d{8},`),
	"missing-id":       records("/payouts", `^\{"trader_id":`),
	"null-id":          records("/traders", `^\{"id":null,`),
	"empty-id":         records("/traders", `^\{"id":"",`),
	"missing-updated-at": func(t *testing.T, p, _ *reference.Platform) {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/trades")); strings.Contains(got, "updated_at") {
			t.Errorf("%.300s", got)
		}
	},
	"bad-updated-at": records("/trades", `"updated_at":"yesterday"`),
	"offset-times": func(t *testing.T, p, sound *reference.Platform) {
		records("/trades", `"open_time":"[-0-9]+T[0-9:]+\.\d{6}\+02:00","updated_at":"[-0-9]+T[0-9:]+\.\d{6}\+02:00"`)(t, p, sound)
		want, got := walk(t, sound, "/trades", 500, nil), walk(t, p, "/trades", 500, nil)
		for i := range want {
			if !headOf(t, want[i]).UpdatedAt.Equal(headOf(t, got[i]).UpdatedAt) {
				t.Fatalf("another time: %s", got[i])
			}
		}
	},
	"zoneless-times":    records("/trades", `"updated_at":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"`),
	"second-times":      records("/trades", `"updated_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`),
	"unknown-enum":      records("/payouts", `"status":"sideways"`),
	"upper-case-enum":   records("/trades", `"side":"(BUY|SELL)"`),
	"side-synonyms":     records("/trades", `"side":("long"|"short"|0|1|"0"|"1"),`),
	"field-aliases":     records("/traders", `"full_name":"\pL+ [^"]+".*"created_at":"`),
	"float-ids":         records("/trades", `^\{"id":\d+\.0,"account_id":\d+\.0,`),
	"numeric-texts":     records("/payouts", `"currency":840\b`),
	"numeric-strings":   records("/accounts", `"initial_balance":"(\d{1,2},|\d00,)?\d{3}\.00","balance":"(\d{1,3},)?\d{1,3}\.\d\d"`),
	"huge-number":       records("/accounts", `"balance":1e1000000000,`),
	"float-noise":       records("/payouts", `"amount":\d+\.\d\d00000000000004,`),
	"lone-surrogate":    records("/trades", `"symbol":"\\ud83d[A-Z]`),
	"nul":               records("/trades", `"symbol":"\\u0000[A-Z]`),
	"record-not-object": records("/trades", `^"record"$`),
	"unknown-fields":    records("/trades", `,"internal_row":\{"shard":\d,"flags":\[1,null,"x"\]\}\}$`),
	"half-closed":       records("/trades", `"close_price":null,`),
	"invalid-utf8": func(t *testing.T, p, _ *reference.Platform) {
		for _, path := range lists() {
			if got := platformtest.ReadBody(t, platformtest.Get(t, p, path)); utf8.ValidString(got) || !json.Valid([]byte(strings.ToValidUTF8(got, "?"))) {
				t.Errorf("%s is fine", path)
			}
		}
	},
	"deep-nesting": func(t *testing.T, p, _ *reference.Platform) {
		got := platformtest.ReadBody(t, platformtest.Get(t, p, "/traders"))
		if !strings.Contains(got, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+"}") || strings.Count(got, "]]]") > 40_000 {
			t.Errorf("%d bytes", len(got))
		}
	},
	"huge-record": func(t *testing.T, p, _ *reference.Platform) {
		if got := getPage(t, p, "/trades", nil).Data; len(got[0]) < 2<<20 || len(got[1]) > 1000 {
			t.Errorf("records of %d and %d bytes", len(got[0]), len(got[1]))
		}
	},
}

// pageIs checks the text of a page that is not the last.
func pageIs(pattern string) shower {
	return func(t *testing.T, p, _ *reference.Platform) {
		for _, path := range lists() {
			if got := platformtest.ReadBody(t, platformtest.Get(t, p, path+"?limit=3")); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: %s", path, got)
			}
		}
	}
}

// lastPageIs checks the text of the last page.
func lastPageIs(pattern string) shower {
	return func(t *testing.T, p, _ *reference.Platform) {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/traders?limit=500")); !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s", got)
		}
	}
}

// records checks every record of a list.
func records(path, pattern string) shower {
	return func(t *testing.T, p, _ *reference.Platform) {
		match := regexp.MustCompile(pattern)
		for _, record := range walk(t, p, path, 500, nil) {
			if !match.MatchString(record) {
				t.Fatalf("%s does not match %s", record, pattern)
			}
		}
	}
}

func showUnordered(t *testing.T, p, sound *reference.Platform) {
	want, got := getPage(t, sound, "/trades", nil), getPage(t, p, "/trades", nil)
	slices.Reverse(got.Data)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func showDuplicates(t *testing.T, p, sound *reference.Platform) {
	want, got := getPage(t, sound, "/trades", nil), getPage(t, p, "/trades", nil)
	if diff := cmp.Diff(append(want.Data, want.Data...), got.Data); diff != "" {
		t.Error(diff)
	}
}

// sameWalk checks that a fault that the contract allows loses nothing.
func sameWalk(t *testing.T, p, sound *reference.Platform) {
	t.Helper()
	for _, path := range lists() {
		if diff := cmp.Diff(walk(t, sound, path, 100, nil), walk(t, p, path, 100, nil)); diff != "" {
			t.Errorf("%s (-sound +faulty):\n%s", path, diff)
		}
	}
}

// follow reads pages of trades and returns their cursors and first ids.
func follow(t *testing.T, p *reference.Platform, pages int) (cursors, firstIDs []string) {
	t.Helper()
	query := url.Values{}
	for range pages {
		got := getPage(t, p, "/trades", query)
		if got.NextCursor == nil {
			t.Fatal("the list ends")
		}
		cursors = append(cursors, *got.NextCursor)
		firstIDs = append(firstIDs, headOf(t, string(got.Data[0])).ID)
		query.Set("cursor", *got.NextCursor)
	}
	return cursors, firstIDs
}

func distinct(all []string) []string {
	seen := make(map[string]bool)
	var list []string
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}
