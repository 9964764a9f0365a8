package reference_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

func lists() []string { return []string{"/traders", "/accounts", "/trades", "/payouts"} }

func TestWalksOfAnyPageSizeAgree(t *testing.T) {
	t.Parallel()
	for _, perAccount := range []bool{false, true} {
		o := small(3)
		o.TradeIDsPerAccount = perAccount
		p := newPlatform(t, o)
		for _, path := range lists() {
			want := walk(t, p, path, 500, nil)
			for _, limit := range []int{1, 7, 100, 499} {
				if diff := cmp.Diff(want, walk(t, p, path, limit, nil)); diff != "" {
					t.Errorf("%s with limit %d (-500 +%d):\n%s", path, limit, limit, diff)
				}
			}
		}
		got := reference.Counts{
			Traders: len(walk(t, p, "/traders", 500, nil)), Accounts: len(walk(t, p, "/accounts", 500, nil)),
			Trades: len(walk(t, p, "/trades", 500, nil)), Payouts: len(walk(t, p, "/payouts", 500, nil)),
		}
		want := reference.Counts{Traders: 30, Accounts: 60, Trades: 1200, Payouts: 40}
		if got != want || p.Counts() != want {
			t.Errorf("walked %+v, counted %+v, want %+v", got, p.Counts(), want)
		}
	}
}

func TestListsAreOrdered(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(4))
	for _, path := range lists() {
		var last head
		for _, record := range walk(t, p, path, 100, nil) {
			h := headOf(t, record)
			if h.UpdatedAt.Before(last.UpdatedAt) || h.UpdatedAt.Equal(last.UpdatedAt) && h.ID <= last.ID {
				t.Fatalf("%s: %+v comes after %+v", path, h, last)
			}
			last = h
		}
	}
}

func TestTiesAcrossPageEdges(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(5))
	at := platformtest.Wednesday().Add(-time.Hour).Add(123456 * time.Microsecond)
	var want []string
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(25) {
		id := fmt.Sprintf("tie-%02d", i)
		p.PutTrade(reference.Trade{ID: id, AccountID: "ac_00000001", Symbol: "EURUSD", Side: "buy", OpenTime: at, UpdatedAt: at})
		want = append(want, id)
	}
	slices.Sort(want)
	since := url.Values{"updated_since": {at.Format(time.RFC3339Nano)}}
	for _, limit := range []int{1, 2, 5, 24, 25, 26} {
		var got []string
		for _, record := range walk(t, p, "/trades", limit, since) {
			if h := headOf(t, record); h.UpdatedAt.Equal(at) {
				got = append(got, h.ID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestSameTradeIDInTwoAccounts(t *testing.T) {
	t.Parallel()
	o := small(6)
	o.TradeIDsPerAccount = true
	p := newPlatform(t, o)
	seen := make(map[head]bool)
	ids := make(map[string]int)
	for _, record := range walk(t, p, "/trades", 3, nil) {
		h := headOf(t, record)
		h.UpdatedAt = time.Time{}
		if seen[h] {
			t.Fatalf("trade %+v comes twice", h)
		}
		seen[h] = true
		ids[h.ID]++
	}
	if ids["t_0000000001"] < 10 {
		t.Errorf("trade 1 is in %d accounts", ids["t_0000000001"])
	}
	if !p.DeleteTrade("ac_00000000", "t_0000000001") || p.DeleteTrade("ac_00000000", "t_0000000001") {
		t.Error("DeleteTrade did not delete the trade once")
	}
	if got := len(walk(t, p, "/trades", 500, nil)); got != 1199 {
		t.Errorf("%d trades after a deletion", got)
	}
}

func TestUpdatedSinceIsInclusive(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(7))
	for _, path := range lists() {
		all := walk(t, p, path, 500, nil)
		for _, i := range []int{0, 1, len(all) / 2, len(all) - 1} {
			at := headOf(t, all[i]).UpdatedAt
			first := slices.IndexFunc(all, func(r string) bool { return headOf(t, r).UpdatedAt.Equal(at) })
			tests := []struct {
				name  string
				since string
				want  []string
			}{
				{"at", at.Format(time.RFC3339Nano), all[first:]},
				{"at with offset", at.In(time.FixedZone("", -5*3600)).Format(time.RFC3339Nano), all[first:]},
				{"a nanosecond before", at.Add(-time.Nanosecond).Format(time.RFC3339Nano), all[first:]},
			}
			for _, tt := range tests {
				got := walk(t, p, path, 500, url.Values{"updated_since": {tt.since}})
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s %s %s (-want +got):\n%s", path, tt.name, tt.since, diff)
				}
			}
			after := walk(t, p, path, 500, url.Values{"updated_since": {at.Add(time.Nanosecond).Format(time.RFC3339Nano)}})
			if slices.Contains(after, all[i]) {
				t.Errorf("%s: a nanosecond after %s still shows it", path, at)
			}
		}
	}
}

func TestFirstSyncSeesAllTrades(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(8))
	since := url.Values{"updated_since": {platformtest.Wednesday().Add(-90 * 24 * time.Hour).Format(time.RFC3339)}}
	if got := len(walk(t, p, "/trades", 200, since)); got != 1200 {
		t.Errorf("90 days show %d trades, want all 1200", got)
	}
}

func TestTradesOfAnAccount(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(9))
	p.PutTrade(reference.Trade{ID: "mine", AccountID: "ac_00000001", Symbol: "EURUSD", Side: "buy"})
	p.PutTrade(reference.Trade{ID: "own", AccountID: "elsewhere", Symbol: "EURUSD", Side: "buy"})
	byAccount := make(map[string][]string)
	collect := func() {
		clear(byAccount)
		for _, record := range walk(t, p, "/trades", 500, nil) {
			h := headOf(t, record)
			byAccount[h.AccountID] = append(byAccount[h.AccountID], record)
		}
	}
	check := func() {
		t.Helper()
		collect()
		for account, want := range byAccount {
			for _, limit := range []int{2, 500} {
				got := walk(t, p, "/trades", limit, url.Values{"account_id": {account}})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("account %s (-want +got):\n%s", account, diff)
				}
			}
		}
	}
	check()
	p.Advance(24 * time.Hour)
	p.Delete(reference.Trades, headOf(t, byAccount["ac_00000000"][0]).ID)
	check()
	if got := walk(t, p, "/trades", 10, url.Values{"account_id": {"nobody"}}); len(got) != 0 {
		t.Errorf("an unknown account has trades: %v", got)
	}
}

func TestCursorBelongsToItsList(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(10))
	for _, path := range lists() {
		cursor := getPage(t, p, path, url.Values{"limit": {"1"}}).NextCursor
		for _, other := range lists() {
			want := 400
			if other == path {
				want = 200
			}
			if r := platformtest.Get(t, p, other+"?cursor="+*cursor); r.StatusCode != want {
				t.Errorf("cursor of %s on %s: %d, want %d", path, other, r.StatusCode, want)
			}
		}
	}
}

// A walk that began before records change must show every record that was
// there all the time, and come to an end.
func TestWalkWhileRecordsChange(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(11))
	random := rand.New(rand.NewPCG(11, 11))
	var before []reference.Trade
	before = append(before, p.Snapshot().Trades...)
	deleted := make(map[string]bool)
	seen := make(map[string]bool)
	query := url.Values{"limit": {"20"}}
	for pages := 0; ; pages++ {
		if pages > 200 {
			t.Fatal("the walk does not end")
		}
		got := getPage(t, p, "/trades", query)
		for _, record := range got.Data {
			seen[headOf(t, string(record)).ID] = true
		}
		if got.NextCursor == nil {
			break
		}
		query.Set("cursor", *got.NextCursor)
		for range 5 {
			changed := before[random.IntN(len(before))]
			if deleted[changed.ID] {
				continue
			}
			if random.IntN(8) == 0 {
				deleted[changed.ID] = p.Delete(reference.Trades, changed.ID)
				continue
			}
			changed.UpdatedAt = time.Time{}
			p.PutTrade(changed)
		}
		p.Advance(20 * time.Minute)
	}
	for _, trade := range before {
		if !seen[trade.ID] && !deleted[trade.ID] {
			t.Errorf("trade %s was never shown", trade.ID)
		}
	}
}

func FuzzListQuery(f *testing.F) {
	for _, seed := range []string{
		"limit=5&cursor=", "updated_since=2026-01-01T00:00:00Z", "cursor=AXRhAAY0eHl6", "limit=-1", "account_id=ac_00000001&limit=2",
		"updated_since=9999-12-31T23:59:59.999999999Z", "updated_since=0000-01-01T00:00:00Z", "%", "cursor=%00",
	} {
		f.Add(seed)
	}
	o := small(12)
	o.Firm.Trades = 50
	p := newPlatform(f, o)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/trades", nil)
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("status %d for %q: %s", w.Code, query, w.Body)
		}
	})
}
