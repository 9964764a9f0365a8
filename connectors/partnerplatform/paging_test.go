package partnerplatform_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

// between returns the ids from first to below end.
func between(first, end int) []int {
	var ids []int
	for id := first; id < end; id++ {
		ids = append(ids, id)
	}
	return ids
}

// cut returns the ids of page n of a list.
func cut(ids []int, n, size int) []int {
	first := min((n-1)*size, len(ids))
	return ids[first:min(first+size, len(ids))]
}

// body is a page of payouts with the ids. envelope is added to the members of the
// page.
func body(ids []int, envelope string) []byte {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = fmt.Sprintf(`{"payoutId":%d}`, id)
	}
	return []byte(`{"data":[` + strings.Join(items, ",") + `]` + envelope + `}`)
}

func total(n int) string { return fmt.Sprintf(`,"metadata":{"total_count":%d}`, n) }

// reading is the result of reading a list to its end.
type reading struct {
	asked []int // page numbers
	ids   map[int]bool
	rules map[string]int // findings, and on how many pages they were
	err   error
}

// read reads a list to its end as a run does. page returns the ids and the envelope
// of each page. All requests must differ.
func read(t *testing.T, stream record.Stream, page func(n int) (ids []int, envelope string)) reading {
	t.Helper()
	r := reading{ids: map[int]bool{}, rules: map[string]int{}}
	cursors := map[string]bool{}
	for cursor := ""; ; {
		if cursors[cursor] {
			t.Fatalf("cursor %q came back", cursor)
		}
		cursors[cursor] = true
		n, ok := partnerplatform.Position(cursor)
		if !ok {
			t.Fatalf("cursor %q cannot be read", cursor)
		}
		if r.asked = append(r.asked, n); len(r.asked) > 5000 {
			t.Fatal("the list does not end")
		}
		ids, envelope := page(n)
		for _, id := range ids {
			r.ids[id] = true
		}
		got, err := partnerplatform.DecodePage(body(ids, envelope), connectors.PageRequest{Stream: stream, Cursor: cursor, Backfill: true})
		if err != nil {
			r.err = err
			return r
		}
		for _, f := range got.Findings {
			r.rules[f.Rule]++
		}
		if cursor = got.Next; cursor == "" {
			return r
		}
	}
}

func (r reading) code() connectors.Code {
	var e *connectors.Error
	if errors.As(r.err, &e) {
		return e.Code
	}
	return ""
}

// A cursor must be exactly as the connector has written it.
func TestCursorIsReadStrictly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		cursor string
		page   int
		ok     bool
	}{
		{"the beginning", "", 1, true},
		{"after the first page", "2.1.1.0.0.1.0", 2, true},
		{"going back", "2.5.5.rt.2q.zz.2", 2, true},
		{"leading zero", "2.1.1.0.0.01.0", 1, false},
		{"capital letter", "2.1.1.0.0.A.0", 1, false},
		{"sign", "+2.1.1.0.0.1.0", 1, false},
		{"negative", "-2.1.1.0.0.1.0", 1, false},
		{"missing part", "2.1.1.0.0.1", 1, false},
		{"additional part", "2.1.1.0.0.1.0.0", 1, false},
		{"empty part", "2.1.1..0.1.0", 1, false},
		{"no page", "0.1.1.0.0.1.0", 1, false},
		{"page beyond the next", "3.1.1.0.0.1.0", 1, false},
		{"pages that were not read", "2.1.2.0.0.1.0", 1, false},
		{"lost rows beyond the last page", "2.1.1.0.2t.1.0", 1, false},
		{"no anchor", "2.1.1.0.0.0.0", 1, false},
		{"met too often", "2.1.1.0.0.1.3", 1, false},
		{"number without end", "2.1.1.0.0.zzzzzzzzzzzzzzzz.0", 1, false},
		{"page number without end", "3w5e11264sgsf.3w5e11264sgsf.3w5e11264sgsf.0.0.1.0", 1, false},
		{"another platform's", "eyJwIjoyfQ", 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if page, ok := partnerplatform.Position(test.cursor); page != test.page || ok != test.ok {
				t.Errorf("page %d, read %t", page, ok)
			}
		})
	}
}

func TestPagingDecision(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		page     int // after page-1 full pages without a total
		rows     int
		envelope string
		next     bool
		findings string
	}{
		{"full page, more to come", 1, 100, total(101), true, ""},
		{"one full page, nothing to come", 1, 100, total(100), false, ""},
		{"full page, nothing to come", 2, 100, total(200), false, ""},
		{"full third page, nothing to come", 3, 100, total(300), false, ""},
		{"full third page, more to come", 3, 100, total(301), true, ""},
		{"total at the top", 1, 100, `,"total_count":101`, true, ""},
		{"total in both places", 2, 100, `,"metadata":{"total_count":200},"total_count":500`, false, ""},
		{"total before the list", 2, 100, `,"metadata":{"page":2,"total_count":200,"x":[]}`, false, ""},
		{"total as a string", 2, 100, `,"metadata":{"total_count":"200"}`, false, ""},
		{"total as a float", 2, 100, `,"metadata":{"total_count":200.0}`, false, ""},
		{"no total", 1, 100, "", true, ""},
		{"no total, short page", 2, 99, "", false, ""},
		{"no total, empty page", 2, 0, "", false, ""},
		{"total is null", 1, 100, `,"metadata":{"total_count":null}`, true, ""},
		{"metadata is null", 1, 100, `,"metadata":null`, true, ""},
		{"metadata is a list", 1, 100, `,"metadata":[]`, true, ""},
		{"total is blank", 1, 100, `,"total_count":""`, true, ""},

		{"empty list", 1, 0, total(0), false, ""},
		{"short last page", 2, 30, total(130), false, ""},
		{"short page, more to come", 2, 50, total(500), false, "page_size_ignored"},
		{"short first page, a little more to come", 1, 50, total(80), false, "page_size_ignored"},
		{"empty page, rows left", 2, 0, total(500), false, "total_count_wrong"},
		{"empty page behind the end", 2, 0, total(100), false, ""},

		{"total is negative", 1, 100, total(-1), true, "total_count_wrong"},
		{"total is a word", 1, 100, `,"total_count":"many"`, true, "total_count_wrong"},
		{"total has a fraction", 1, 100, `,"total_count":100.5`, true, "total_count_wrong"},
		{"total is an object", 1, 100, `,"total_count":{"value":100}`, true, "total_count_wrong"},
		{"total is beyond all numbers", 1, 100, `,"total_count":1e40`, true, "total_count_wrong"},
		{"total is as large as can be", 2, 100, `,"total_count":9223372036854775807`, true, ""},
		{"total too low", 1, 100, total(99), true, "total_count_wrong"},
		{"total too low on a later page", 3, 100, total(299), true, "total_count_wrong"},
		{"total of the page", 2, 100, total(100), true, "total_count_wrong"},
		{"total too low, short page", 2, 40, total(100), false, "total_count_wrong"},

		{"pages of a thousand", 1, 1000, total(2500), true, "limit_ignored"},
		{"pages of a thousand, no total", 2, 1000, "", true, "limit_ignored"},
		{"everything on one page", 1, 1000, total(1000), false, "limit_ignored"},
		{"one row too many", 1, 101, total(101), false, "limit_ignored"},
		{"total named twice", 2, 100, `,"total_count":5,"total_count":200`, false, "duplicate_member"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cursor := ""
			for n := range test.page - 1 {
				page, err := partnerplatform.DecodePage(body(between(n*100, n*100+100), ""), connectors.PageRequest{Stream: record.StreamPayouts, Cursor: cursor})
				if err != nil {
					t.Fatal(err)
				}
				cursor = page.Next
			}
			first := (test.page - 1) * 100
			page, err := partnerplatform.DecodePage(body(between(first, first+test.rows), test.envelope), connectors.PageRequest{Stream: record.StreamPayouts, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			if (page.Next != "") != test.next || rules(page) != test.findings || page.Seen != test.rows {
				t.Errorf("next %q, findings %q, %d seen", page.Next, rules(page), page.Seen)
			}
			if n, ok := partnerplatform.Position(page.Next); test.next && (!ok || n != test.page+1) {
				t.Errorf("next page %d, want %d", n, test.page+1)
			}
		})
	}
}

// No page is requested that the total rules out, however full the last one is.
func TestTotalEndsTheList(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 40, 100, 101, 200, 300, 2000} {
		all := between(0, rows)
		r := read(t, record.StreamPayouts, func(n int) ([]int, string) { return cut(all, n, 100), total(rows) })
		if want := max((rows+99)/100, 1); r.err != nil || len(r.ids) != rows || len(r.asked) != want || len(r.rules) > 0 {
			t.Errorf("%d rows: error %v, %d of them read with %d requests, want %d; findings %v", rows, r.err, len(r.ids), len(r.asked), want, r.rules)
		}
	}
}

// A platform that itself decides how long a page is.
func TestLimitIgnored(t *testing.T) {
	t.Parallel()
	all := between(0, 2500)
	tests := []struct {
		name  string
		size  int
		total string
		asked int
		ids   int
		rule  string
	}{
		{"a thousand", 1000, total(len(all)), 4, 2500, "limit_ignored"},
		{"a thousand, no total", 1000, "", 4, 2500, "limit_ignored"},
		{"everything", 5000, total(len(all)), 1, 2500, "limit_ignored"},
		{"fifty", 50, total(len(all)), 1, 50, "page_size_ignored"},
		{"fifty, no total", 50, "", 1, 50, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, record.StreamPayouts, func(n int) ([]int, string) { return cut(all, n, test.size), test.total })
			if r.err != nil || len(r.asked) != test.asked || len(r.ids) != test.ids || test.rule != "" && r.rules[test.rule] == 0 {
				t.Errorf("error %v, asked %v, %d ids, findings %v", r.err, r.asked, len(r.ids), r.rules)
			}
		})
	}
}

func TestOpenTradesEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		stream    record.Stream
		rows      int
		asked     int
		truncated bool
	}{
		{"fifty pages", record.StreamTradesOpen, 5000, 50, false},
		{"one more", record.StreamTradesOpen, 5001, 50, true},
		{"another list", record.StreamPayouts, 5001, 51, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all := between(0, test.rows)
			r := read(t, test.stream, func(n int) ([]int, string) { return cut(all, n, 100), total(len(all)) })
			if r.err != nil || len(r.asked) != test.asked || (r.rules["open_trades_truncated"] > 0) != test.truncated {
				t.Errorf("error %v, asked %v, findings %v", r.err, r.asked, r.rules)
			}
		})
	}
}

// A list that loops is distinguished from one that moves while it is read.
func TestRepeatedPages(t *testing.T) {
	t.Parallel()
	first := between(0, 100)
	circle := between(0, 1300)
	tests := []struct {
		name  string
		page  func(n int) ([]int, string)
		code  connectors.Code
		asked int // at most
		ids   int
	}{
		{"page ignored", func(int) ([]int, string) { return first, "" }, connectors.CodeCursorLoop, 4, 100},
		{"page ignored, large total", func(int) ([]int, string) { return first, total(1e6) }, connectors.CodeCursorLoop, 4, 100},
		{"page ignored, total of two pages", func(int) ([]int, string) { return first, total(200) }, connectors.CodeCursorLoop, 2, 100},
		{"page ignored, total of three pages", func(int) ([]int, string) { return first, total(300) }, connectors.CodeCursorLoop, 3, 100},
		{"page ignored, nothing more", func(int) ([]int, string) { return first, total(100) }, "", 1, 100},
		{"page ignored, short page", func(int) ([]int, string) { return first[:70], "" }, "", 1, 70},
		{"page and limit ignored", func(int) ([]int, string) { return circle, total(1300) }, "", 1, 1300},
		{"page and limit ignored, no total", func(int) ([]int, string) { return circle, "" }, connectors.CodeCursorLoop, 4, 1300},
		{"begins anew", func(n int) ([]int, string) { return cut(circle, (n-1)%13+1, 100), "" }, connectors.CodeCursorLoop, 8 * 13, 1300},
		{"begins anew, large total", func(n int) ([]int, string) { return cut(circle, (n-1)%13+1, 100), total(1e6) }, connectors.CodeCursorLoop, 8 * 13, 1300},
		{"last page for ever", func(n int) ([]int, string) { return cut(circle, min(n, 13), 100), "" }, connectors.CodeCursorLoop, 3 * 13, 1300},
		{
			"moves by one page", func(n int) ([]int, string) {
				if n > 1 {
					n--
				}
				return cut(circle, n, 100), total(1400)
			}, "", 14, 1300,
		},
		{
			"moves by one page, twice", func(n int) ([]int, string) {
				n -= min(n-1, 2)
				return cut(circle, n, 100), total(1500)
			}, "", 15, 1300,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, record.StreamPayouts, test.page)
			if r.code() != test.code || test.code == "" && r.err != nil || len(r.asked) > test.asked || len(r.ids) != test.ids {
				t.Errorf("error %v, asked %d pages, %d ids", r.err, len(r.asked), len(r.ids))
			}
		})
	}
}

// If a list becomes shorter while it is read, rows move to pages that have been
// read. These pages are read again.
func TestShrinkingList(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rows int
		gone map[int][2]int // before the request of this index: how many rows are removed, and from where
		want []int          // pages that are requested
	}{
		{"nothing goes", 500, nil, []int{1, 2, 3, 4, 5}},
		{"one row", 500, map[int][2]int{2: {1, 0}}, []int{1, 2, 3, 2, 3, 4, 5}},
		{"a page and a row", 800, map[int][2]int{3: {101, 0}}, []int{1, 2, 3, 4, 2, 3, 4, 5, 6, 7}},
		{"behind what was read", 500, map[int][2]int{2: {100, 400}}, []int{1, 2, 3, 2, 3, 4}},
		{"before the last page", 450, map[int][2]int{4: {60, 0}}, []int{1, 2, 3, 4, 5, 4}},
		{"the last page goes", 410, map[int][2]int{4: {20, 0}}, []int{1, 2, 3, 4, 5, 4}},
		{"while pages are read again", 500, map[int][2]int{2: {1, 0}, 4: {1, 0}}, []int{1, 2, 3, 2, 3, 4, 2, 3, 4, 5}},
		{"all but one row", 500, map[int][2]int{3: {499, 0}}, []int{1, 2, 3, 4, 1}},
		{"everything", 500, map[int][2]int{3: {500, 0}}, []int{1, 2, 3, 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := between(0, test.rows)
			requests := 0
			r := read(t, record.StreamPayouts, func(n int) ([]int, string) {
				gone := test.gone[requests]
				requests++
				rows = append(append([]int(nil), rows[:gone[1]]...), rows[gone[1]+gone[0]:]...)
				return cut(rows, n, 100), total(len(rows))
			})
			if diff := cmp.Diff(test.want, r.asked); diff != "" || r.err != nil {
				t.Errorf("error %v, pages (-want +got)\n%s", r.err, diff)
			}
			for _, id := range rows {
				if !r.ids[id] {
					t.Fatalf("row %d was never read", id)
				}
			}
		})
	}
}

// Whichever rows are removed between whichever requests, all that stay are read.
func TestShrinkingListLosesNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		rows := between(0, random.IntN(1500))
		events := random.IntN(5)
		r := read(t, record.StreamPayouts, func(n int) ([]int, string) {
			if events > 0 && random.IntN(3) == 0 && len(rows) > 0 {
				events--
				for range 1 + random.IntN(min(len(rows), 250)) {
					i := random.IntN(len(rows))
					rows = append(append([]int(nil), rows[:i]...), rows[i+1:]...)
				}
			}
			return cut(rows, n, 100), total(len(rows))
		})
		if r.err != nil {
			t.Fatalf("seed %d: %v", seed, r.err)
		}
		for _, id := range rows {
			if !r.ids[id] {
				t.Fatalf("seed %d: row %d of %d was never read; pages %v", seed, id, len(rows), r.asked)
			}
		}
	}
}

// A total that goes up and down must not keep a run busy for ever.
func TestFlickeringTotal(t *testing.T) {
	t.Parallel()
	const pages = 200
	all := between(0, pages*100)
	for _, swing := range []int{1, 150, 5000} {
		requests := 0
		r := read(t, record.StreamPayouts, func(n int) ([]int, string) {
			requests++
			return cut(all, n, 100), total(len(all) + swing*(1+requests%2))
		})
		if r.err != nil || len(r.ids) != len(all) || len(r.asked) > 4*pages {
			t.Errorf("swing %d: error %v, %d rows with %d requests", swing, r.err, len(r.ids), len(r.asked))
		}
	}
}

// The two-hour rule: an incremental run of closed trades ends where everything
// is known already.
func TestClosedTradesStop(t *testing.T) {
	t.Parallel()
	since := at(10, 0, 0)
	// page is 100 trades; the close times are minutes before 12:00.
	page := func(minutes ...int) string {
		items := make([]string, 100)
		for i := range items {
			m := minutes[min(i*len(minutes)/100, len(minutes)-1)]
			items[i] = with(bareClosed, "ticket", fmt.Sprint(i), "openDate", `"2025-03-03 00:00:00"`, "closeDate", fmt.Sprintf("%d", at(12, 0, 0).Unix()-int64(m)*60))
		}
		return `{"data":[` + strings.Join(items, ",") + `],"total_count":1000}`
	}
	incremental := connectors.PageRequest{Stream: record.StreamTradesClosed, UpdatedSince: since}
	backfill := incremental
	backfill.Backfill = true
	unbounded := connectors.PageRequest{Stream: record.StreamTradesClosed}
	tests := []struct {
		name string
		req  connectors.PageRequest
		body string
		next bool
		rule string
	}{
		{"all are newer", incremental, page(0, 60, 119), true, ""},
		{"the oldest is as old", incremental, page(0, 120), true, ""},
		{"the oldest is older", incremental, page(0, 60, 121), false, ""},
		{"all are older", incremental, page(500, 600), false, ""},
		{"all at one time", incremental, page(500), false, ""},
		{"a little out of order", incremental, page(0, 200, 100, 210), false, ""},
		{"oldest first", incremental, page(500, 400, 0), true, "order_violated"},
		{"oldest first, all newer", incremental, page(60, 0), true, "order_violated"},
		{"backfill", backfill, page(600, 500), true, ""},
		{"backfill, whatever the order", backfill, page(0, 500), true, ""},
		{"no bound", unbounded, page(0, 500), true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := partnerplatform.DecodePage([]byte(test.body), test.req)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Next != "") != test.next || rules(got) != test.rule {
				t.Errorf("next %q, findings %q", got.Next, rules(got))
			}
		})
	}
}

func TestUpdatedGTEIgnored(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		stream  record.Stream
		members []string
		want    string
	}{
		{"honoured", record.StreamTraders, []string{"updatedAt", `"2025-03-04T10:00:00Z"`}, ""},
		{"honoured to the second", record.StreamTraders, []string{"updatedAt", `"2025-03-04T09:59:59Z"`}, ""},
		{"ignored", record.StreamAccounts, []string{"updatedAt", `"2025-03-04T09:59:58Z"`}, "updated_gte_ignored"},
		{"no time", record.StreamAccounts, nil, ""},
		{"never asked of trades", record.StreamTradesOpen, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := `[` + with(bare(test.stream), test.members...) + `]`
			page, err := partnerplatform.DecodePage([]byte(text), connectors.PageRequest{Stream: test.stream, UpdatedSince: at(10, 0, 0)})
			if err != nil || rules(page) != test.want {
				t.Errorf("error %v, findings %q", err, rules(page))
			}
		})
	}
}

// Trades that close while the list is read, newest first, move the others towards
// its end. None of the earlier ones is missed, and trades older than the run's
// bound are not read.
func TestClosedTradesMoveWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	item := func(n int) string { // trade n closes n seconds after midnight
		return with(bareClosed, "ticket", fmt.Sprint(n), "openDate", `"2025-03-03 00:00:00"`, "closeDate", fmt.Sprint(at(0, 0, 0).Unix()+int64(n)))
	}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		const bound = 4000
		newest := 4400 + random.IntN(400)
		first, asked, seen, cursor := newest, 0, map[string]bool{}, ""
		for {
			n, _ := partnerplatform.Position(cursor)
			var items []string
			for i := newest - (n-1)*100; i > 0 && len(items) < 100; i-- {
				items = append(items, item(i))
			}
			page, err := partnerplatform.DecodePage([]byte(fmt.Sprintf(`{"data":[%s],"total_count":%d}`, strings.Join(items, ","), newest)),
				connectors.PageRequest{Stream: record.StreamTradesClosed, Cursor: cursor, UpdatedSince: at(0, 0, 0).Add(bound * time.Second)})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, trade := range page.Trades {
				seen[trade.ID] = true
			}
			asked++
			if cursor = page.Next; cursor == "" {
				break
			}
			newest += random.IntN(3) * random.IntN(60)
		}
		for n := bound; n <= first; n++ {
			if !seen[fmt.Sprint(n)] {
				t.Fatalf("seed %d: trade %d of %d was never read", seed, n, first)
			}
		}
		if most := (newest-bound)/100 + 2; asked > most {
			t.Errorf("seed %d: %d requests, at most %d are needed", seed, asked, most)
		}
	}
}
