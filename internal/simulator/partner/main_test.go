package partner_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = platformtest.Key

// small are options of a frozen world that has some of everything.
func small(seed uint64) partner.Options {
	return partner.Options{
		Key:  key,
		Firm: firm.Options{Seed: seed, Start: platformtest.Wednesday(), Traders: 130, AccountsPerTrader: 2, Trades: 1_250, Payouts: 140},
	}
}

func newPlatform(t testing.TB, o partner.Options) *partner.Platform {
	t.Helper()
	p, err := partner.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// page is a list response.
type page struct {
	Data     []json.RawMessage `json:"data"`
	Total    *int              `json:"total_count"`
	Metadata *struct {
		Total *int `json:"total_count"`
	} `json:"metadata"`
}

func path(list partner.List) string { return "/v1/" + string(list) }

func getPage(t testing.TB, p http.Handler, list partner.List, query url.Values) page {
	t.Helper()
	r := platformtest.Get(t, p, path(list)+"?"+query.Encode())
	text := platformtest.ReadBody(t, r)
	var got page
	if err := json.Unmarshal([]byte(text), &got); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("GET %s?%s: status %d, %v: %.200s", path(list), query.Encode(), r.StatusCode, err, text)
	}
	return got
}

// walk reads a list page after page until one is not full, and returns the
// records as sent.
func walk(t testing.TB, p http.Handler, list partner.List, limit int, query url.Values) []string {
	t.Helper()
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, values := range query {
		q[name] = values
	}
	var records []string
	for n := 1; ; n++ {
		q.Set("page", strconv.Itoa(n))
		got := getPage(t, p, list, q)
		if len(got.Data) > limit {
			t.Fatalf("a page of %s has %d records, limit is %d", list, len(got.Data), limit)
		}
		for _, record := range got.Data {
			records = append(records, string(record))
		}
		if len(got.Data) < limit {
			return records
		}
	}
}
