package reference_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = platformtest.Key

// small are options of a frozen world that has some of everything.
func small(seed uint64) reference.Options {
	return reference.Options{
		Key:  key,
		Firm: firm.Options{Seed: seed, Start: platformtest.Wednesday(), Traders: 30, AccountsPerTrader: 2, Trades: 1_200, Payouts: 40},
	}
}

func newPlatform(t testing.TB, o reference.Options) *reference.Platform {
	t.Helper()
	p, err := reference.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// page is a list response.
type page struct {
	Data       []json.RawMessage `json:"data"`
	NextCursor *string           `json:"next_cursor"`
}

func getPage(t testing.TB, p http.Handler, path string, query url.Values) page {
	t.Helper()
	r := platformtest.Get(t, p, path+"?"+query.Encode())
	text := platformtest.ReadBody(t, r)
	var got page
	if err := json.Unmarshal([]byte(text), &got); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("GET %s?%s: status %d, %v: %.200s", path, query.Encode(), r.StatusCode, err, text)
	}
	return got
}

// walk reads a list to its end and returns the records as sent.
func walk(t testing.TB, p http.Handler, path string, limit int, query url.Values) []string {
	t.Helper()
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, values := range query {
		q[name] = values
	}
	var records []string
	for range 100_000 {
		got := getPage(t, p, path, q)
		if len(got.Data) > limit {
			t.Fatalf("a page of %s has %d records, limit is %d", path, len(got.Data), limit)
		}
		for _, record := range got.Data {
			records = append(records, string(record))
		}
		if got.NextCursor == nil {
			return records
		}
		q.Set("cursor", *got.NextCursor)
	}
	t.Fatalf("the walk of %s does not end", path)
	return nil
}

// head is what all records have in common.
type head struct {
	ID        string    `json:"id"`
	AccountID string    `json:"account_id"`
	UpdatedAt time.Time `json:"updated_at"`
}

func headOf(t testing.TB, record string) head {
	t.Helper()
	var h head
	if err := json.Unmarshal([]byte(record), &h); err != nil {
		t.Fatalf("%v: %s", err, record)
	}
	return h
}
