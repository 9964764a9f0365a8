package reference_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// showsHabits are the checks of the faults of platforms that were made for
// people and not for the contract.
var showsHabits = map[string]shower{
	"any-key": func(t *testing.T, p, _ *reference.Platform) {
		if got := [2]int{platformtest.Do(t, p, "GET", "/traders", "Bearer wrong").StatusCode, platformtest.Do(t, p, "GET", "/traders", "").StatusCode}; got != [2]int{200, 401} {
			t.Errorf("statuses %v", got)
		}
	},
	"rate-limit": func(t *testing.T, p, _ *reference.Platform) {
		var got []int
		for range 3 {
			got = append(got, platformtest.Get(t, p, "/health").StatusCode)
		}
		if got[0] != 200 || got[2] != 429 {
			t.Errorf("statuses %v", got)
		}
	},
	"bare-errors": func(t *testing.T, p, _ *reference.Platform) {
		if got := platformtest.ReadBody(t, platformtest.Do(t, p, "GET", "/traders", "")); got != "Unauthorized" {
			t.Error(got)
		}
	},
	"unknown-trader-200": func(t *testing.T, p, _ *reference.Platform) {
		if r := platformtest.Get(t, p, "/traders/nobody"); r.StatusCode != 200 || platformtest.ReadBody(t, r) != "{}" {
			t.Errorf("status %d", r.StatusCode)
		}
	},
	"trader-envelope": func(t *testing.T, p, _ *reference.Platform) {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/traders/tr_00000001")); !strings.HasPrefix(got, `{"data":{"id":"tr_00000001"`) {
			t.Error(got)
		}
	},
	"large-default": pageSize(nil, 500),
	"limit-refused": func(t *testing.T, p, _ *reference.Platform) {
		if got := [2]int{platformtest.Get(t, p, "/trades?limit=200").StatusCode, platformtest.Get(t, p, "/trades?limit=201").StatusCode}; got != [2]int{200, 400} {
			t.Errorf("statuses %v", got)
		}
	},
	"ties-lost": func(t *testing.T, p, _ *reference.Platform) {
		at := platformtest.Wednesday().Add(time.Hour)
		for i := range 3 {
			p.PutTrader(reference.Trader{ID: "tie" + strconv.Itoa(i), UpdatedAt: at})
		}
		if got := walk(t, p, "/traders", 1, url.Values{"updated_since": {at.Format(time.RFC3339)}}); len(got) != 1 {
			t.Errorf("%d of 3 records", len(got))
		}
	},
	"no-cursor": pageIs(`"next_cursor":null\}$`),
	"hides-open-trades": func(t *testing.T, p, sound *reference.Platform) {
		want, got := walk(t, sound, "/trades", 500, nil), walk(t, p, "/trades", 500, nil)
		if len(got) == 0 || len(got) >= len(want) || strings.Contains(strings.Join(got, ""), `"close_time":null`) {
			t.Errorf("%d of %d trades", len(got), len(want))
		}
	},
	"refuses-offsets": func(t *testing.T, p, _ *reference.Platform) {
		since := url.Values{"updated_since": {"2026-03-04T15:00:00+02:00"}}
		if got := [2]int{platformtest.Get(t, p, "/trades?"+since.Encode()).StatusCode, platformtest.Get(t, p, "/trades?updated_since=2026-03-04T15:00:00Z").StatusCode}; got != [2]int{400, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"refuses-future": func(t *testing.T, p, _ *reference.Platform) {
		if got := [2]int{platformtest.Get(t, p, "/trades?updated_since=2026-03-05T00:00:00Z").StatusCode, platformtest.Get(t, p, "/trades?updated_since=2026-03-04T00:00:00Z").StatusCode}; got != [2]int{400, 200} {
			t.Errorf("statuses %v", got)
		}
	},
	"since-rounded-up": func(t *testing.T, p, _ *reference.Platform) {
		at := platformtest.Wednesday().Add(time.Hour + 700*time.Millisecond)
		p.PutTrader(reference.Trader{ID: "late", UpdatedAt: at})
		if got := walk(t, p, "/traders", 10, url.Values{"updated_since": {at.Format(time.RFC3339Nano)}}); len(got) != 0 {
			t.Errorf("%d records", len(got))
		}
	},
	"short-history": func(t *testing.T, p, _ *reference.Platform) {
		got := walk(t, p, "/trades", 500, url.Values{"updated_since": {"2025-12-05T00:00:00Z"}})
		if first := headOf(t, got[0]).UpdatedAt; first.Before(platformtest.Wednesday().AddDate(0, 0, -30)) {
			t.Errorf("the oldest is of %s", first)
		}
	},
	"cursor-drops-since": func(t *testing.T, p, sound *reference.Platform) {
		since := url.Values{"limit": {"5"}, "updated_since": {"2026-03-01T00:00:00Z"}}
		page := getPage(t, p, "/trades", since)
		since.Set("cursor", *page.NextCursor)
		first := getPage(t, sound, "/trades", url.Values{"limit": {"1"}}).Data[0]
		if got := getPage(t, p, "/trades", since).Data[0]; string(got) != string(first) {
			t.Errorf("%s", got)
		}
	},
	"orphans": records("/trades", `"account_id":"gone"`),
	"reused-ids": func(t *testing.T, p, sound *reference.Platform) {
		if got := distinct(idsOf(t, p)); len(got) != 15 || len(idsOf(t, sound)) != 30 {
			t.Errorf("%d ids", len(got))
		}
	},
	"mixed-ids":             records("/payouts", `^\{"id":(\d*[13579]|0|"po_\d*[02468]"),`),
	"wrong-types":           records("/traders", `"tags":"vip"`),
	"free-codes":            records("/accounts", `"currency":"usd"`),
	"unix-times":            records("/traders", `"updated_at":\d{10},`),
	"zero-close-price":      records("/trades", `"close_time":(null,.*"close_price":0,|")`),
	"closes-before-opening": closesEarlier,
	"closes-renamed":        records("/trades", `^\{"id":"t_\d+(-closed".*"close_time":"|".*"close_time":null)`),
	"paid-early":            records("/payouts", `"paid_at":"`),
}

func pageSize(query url.Values, want int) shower {
	return func(t *testing.T, p, _ *reference.Platform) {
		if n := len(getPage(t, p, "/trades", query).Data); n != want {
			t.Errorf("%d records on a page", n)
		}
	}
}

func idsOf(t *testing.T, p *reference.Platform) []string {
	t.Helper()
	var ids []string
	for _, record := range walk(t, p, "/traders", 500, nil) {
		ids = append(ids, headOf(t, record).ID)
	}
	return ids
}

func closesEarlier(t *testing.T, p, _ *reference.Platform) {
	earlier := 0
	for _, record := range walk(t, p, "/trades", 500, nil) {
		var trade struct {
			OpenTime  time.Time  `json:"open_time"`
			CloseTime *time.Time `json:"close_time"`
		}
		if err := json.Unmarshal([]byte(record), &trade); err != nil {
			t.Fatal(err)
		}
		if trade.CloseTime != nil && trade.CloseTime.Before(trade.OpenTime) {
			earlier++
		} else if !regexp.MustCompile(`"close_time":null`).MatchString(record) {
			t.Fatalf("closes after opening: %s", record)
		}
	}
	if earlier == 0 {
		t.Error("no trade closes before it opens")
	}
}
