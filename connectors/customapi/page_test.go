package customapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
)

// bare is an array of n traders.
func bare(n int) string { return "[" + strings.Repeat(bareTrader+",", n-1) + bareTrader + "]" }

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		seen int
		next string
		want string // findings
		err  error
	}{
		{"contract", `{"data":[` + bareTrader + `],"next_cursor":"c"}`, 1, "c", "", nil},
		{"last page", `{"data":[],"next_cursor":null}`, 0, "", "", nil},
		{"items", `{"next_cursor":"c","items":[` + bareTrader + `]}`, 1, "c", "", nil},
		{"bare array", `[` + bareTrader + `]`, 1, "", "", nil},
		{"bare array below the limit", bare(199), 199, "", "", nil},
		{"bare array, full", bare(200), 200, "", "bare_array_full", nil},
		{"bare array beyond the limit", bare(201), 201, "", "limit_ignored bare_array_full", nil},
		{"full page with a cursor", `{"data":` + bare(200) + `,"next_cursor":"c"}`, 200, "c", "", nil},
		{"full last page", `{"data":` + bare(200) + `,"next_cursor":null}`, 200, "", "", nil},
		{"full last page with an empty cursor", `{"data":` + bare(200) + `,"next_cursor":""}`, 200, "", "", nil},
		{"full page without next_cursor", `{"data":` + bare(200) + `,"nextCursor":"c"}`, 200, "", "next_cursor_missing", nil},
		{"last page without next_cursor", `{"data":` + bare(199) + `}`, 199, "", "", nil},
		{"short page that says that there is more", `{"data":[` + bareTrader + `],"has_more":true}`, 1, "", "next_cursor_missing", nil},
		{"short page with a total", `{"data":[` + bareTrader + `],"meta":{"total":"301","last_page":4}}`, 1, "", "next_cursor_missing", nil},
		{"short page with a link to the next", `{"results":[` + bareTrader + `],"count":1,"next":"https://x.example/traders?page=2"}`, 1, "", "next_cursor_missing", nil},
		{"short page with a link among links", `{"data":[` + bareTrader + `],"links":{"next":"https://x.example/traders?page=2"}}`, 1, "", "next_cursor_missing", nil},
		{"short last page", `{"data":[` + bareTrader + `],"has_more":false,"total":1,"links":{"next":null},"next":""}`, 1, "", "", nil},
		{"null beside a total", `{"data":[` + bareTrader + `],"total":301,"next_cursor":null}`, 1, "", "", nil},
		{"cursor as a number", `{"data":[],"next_cursor":12}`, 0, "12", "cursor_format", nil},
		{"full page whose cursor is the number of a page", `{"data":` + bare(200) + `,"next_cursor":"2"}`, 200, "2", "cursor_format", nil},
		{"full page whose cursor is an offset", `{"data":` + bare(200) + `,"next_cursor":"200"}`, 200, "200", "cursor_format", nil},
		{"full page whose cursor is another number", `{"data":` + bare(200) + `,"next_cursor":"1764288000"}`, 200, "1764288000", "", nil},
		{"repeated cursor", `{"data":[],"next_cursor":"a","next_cursor":"b"}`, 0, "b", "duplicate_member", nil},
		{"not a number in one record", `{"data":[` + bareTrader + `,{"id":"n","updated_at":"2026-01-01T00:00:00Z","metadata":{"score":NaN}}],"next_cursor":null}`, 2, "", "invalid_json", nil},
		{"control character in one record", `{"data":[` + bareTrader + `,{"id":"n","updated_at":"2026-01-01T00:00:00Z","full_name":"A` + "\t" + `B"}],"next_cursor":null}`, 2, "", "invalid_text invalid_json", nil},
		{"empty list beside an error", `{"data":[],"error":{"code":"internal","message":"the database is down"},"next_cursor":null}`, 0, "", "", alias.ErrShape},
		{"null list", `{"data":null}`, 0, "", "", alias.ErrShape},
		{"cursor of the wrong type", `{"data":[],"next_cursor":false}`, 0, "", "", alias.ErrShape},
		{"HTML", `<html>`, 0, "", "", alias.ErrSyntax},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page, err := customapi.DecodePage([]byte(test.body), record.StreamTraders, time.Time{}, 200)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err != nil {
				return
			}
			if page.Seen != test.seen || page.Next != test.next || rules(page) != test.want {
				t.Errorf("seen %d, next %q, findings %q", page.Seen, page.Next, rules(page))
			}
		})
	}
}

// A total says that a list goes on only if it is the whole list's.
func TestTotalOfAFilteredList(t *testing.T) {
	t.Parallel()
	page, err := customapi.DecodePage([]byte(`{"data":[`+bareTrader+`],"total":301}`), record.StreamTraders, at(0, 0, 0), 200)
	if err != nil || rules(page) != "" {
		t.Errorf("findings %q, error %v", rules(page), err)
	}
}

// trader is a trader with a raw id and a raw updated_at.
func trader(id, updatedAt string) string {
	return fmt.Sprintf(`{"id":%s,"updated_at":%q}`, id, updatedAt)
}

func TestPageRules(t *testing.T) {
	t.Parallel()
	const early, late = "2025-03-04T10:00:00Z", "2025-03-04T10:00:01Z"
	type find = record.Finding
	tests := []struct {
		name  string
		items []string
		since time.Time
		limit int
		want  []find
	}{
		{"in order", []string{trader(`"b"`, early), trader(`"a"`, late), trader(`"c"`, late)}, time.Time{}, 3, nil},
		{"a duplicate is harmless", []string{trader(`"a"`, early), trader(`"a"`, early)}, time.Time{}, 9, nil},
		{
			"times descend",
			[]string{trader(`"a"`, late), trader(`"b"`, early), trader(`"c"`, late)},
			time.Time{},
			9,
			[]find{{Rule: "order_violated", Count: 1, Samples: []string{"b"}}},
		},
		{
			"times differ below a microsecond",
			[]string{trader(`"b"`, "2025-03-04T10:00:00.0000001Z"), trader(`"a"`, "2025-03-04T10:00:00.0000002Z")},
			time.Time{},
			9,
			nil,
		},
		{
			"rejected records are not compared", []string{trader(`null`, late), trader(`"a"`, early)}, time.Time{}, 9, nil,
		},
		{"since honoured", []string{trader(`"a"`, early)}, at(10, 0, 0), 9, nil},
		{"since honoured to the second", []string{trader(`"a"`, early)}, at(10, 0, 0).Add(900 * time.Millisecond), 9, nil},
		{
			"since ignored",
			[]string{trader(`"a"`, early), trader(`"b"`, late)},
			at(10, 0, 2),
			9,
			[]find{{Rule: "updated_since_ignored", Count: 1, Samples: []string{"a"}}},
		},
		{"limit reached", []string{trader(`"a"`, early), trader(`"b"`, early)}, time.Time{}, 2, nil},
		{
			"limit ignored",
			[]string{trader(`"a"`, early), trader(`"b"`, early)},
			time.Time{},
			1,
			[]find{{Rule: "limit_ignored", Count: 1}},
		},
		{
			"ids of two types",
			[]string{trader(`"1"`, early), trader(`2`, early), trader(`"3"`, early), trader(`4`, early)},
			time.Time{},
			9,
			[]find{{Rule: "id_type_mixed", Count: 2, Samples: []string{"2", "4"}}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := `{"data":[` + strings.Join(test.items, ",") + `],"next_cursor":null}`
			page, err := customapi.DecodePage([]byte(body), record.StreamTraders, test.since, test.limit)
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.want {
				test.want[i].Resource = record.Traders
			}
			if diff := cmp.Diff(test.want, page.Findings); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestPageOrder: the order that the contract sets for a list is checked, and no
// order is checked for other lists.
func TestPageOrder(t *testing.T) {
	t.Parallel()
	const early, late = "2025-03-04T10:00:00Z", "2025-03-04T10:00:01Z"
	listed := func(id, updatedAt string) string {
		return fmt.Sprintf(`{"id":%q,"updated_at":%q,"trader_id":"t","account_id":"a","status":"paid","symbol":"EURUSD","side":"buy","open_time":"2025-03-04T09:00:00Z"}`, id, updatedAt)
	}
	backInTime := []string{listed("a", late), listed("b", early)}
	descendingIDs := []string{listed("b", early), listed("a", early), listed("12", early), listed("11", early)}
	for _, tt := range []struct {
		name   string
		stream record.Stream
		items  []string
		want   []string
	}{
		{"traders back in time", record.StreamTraders, backInTime, []string{"b"}},
		{"accounts back in time", record.StreamAccounts, backInTime, []string{"b"}},
		{"trades back in time", record.StreamTrades, backInTime, nil},
		{"payouts back in time", record.StreamPayouts, backInTime, nil},
		{"ids of traders descend", record.StreamTraders, descendingIDs, nil},
		{"ids of accounts descend", record.StreamAccounts, descendingIDs, nil},
		{"ids of trades descend", record.StreamTrades, descendingIDs, nil},
		{"ids of payouts descend", record.StreamPayouts, descendingIDs, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page, err := customapi.DecodePage([]byte(`{"data":[`+strings.Join(tt.items, ",")+`]}`), tt.stream, time.Time{}, 9)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Rejected) > 0 {
				t.Errorf("rejected %+v", page.Rejected)
			}
			var got []string
			for _, f := range page.Findings {
				if f.Rule == "order_violated" {
					got = append(got, f.Samples...)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("records out of order (-want +got)\n%s", diff)
			}
		})
	}
}
