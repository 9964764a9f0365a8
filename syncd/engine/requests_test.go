package engine_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/syncd/enginetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// requestLog collects the requests that a platform gets.
type requestLog struct {
	mu   sync.Mutex
	list []fault.RequestInfo
}

func (l *requestLog) add(r fault.RequestInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

// take returns the requests so far, one a line, and forgets them.
func (l *requestLog) take(t *testing.T, key string, known map[string]string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, r := range l.list {
		authorization := "none"
		switch r.Header.Get("Authorization") {
		case "":
		case "Bearer " + key:
			authorization = "bearer"
		default:
			t.Errorf("%s %s carries another credential", r.Method, r.Path)
		}
		fmt.Fprintf(&b, "%s %s?%s authorization=%s accept=%s body=%d\n", r.Method, r.Path, named(t, r, known), authorization, r.Header.Get("Accept"), r.BodyBytes)
	}
	l.list = nil
	return b.String()
}

// named returns a request's query with the values that differ from run to run
// replaced by their meaning.
func named(t *testing.T, r fault.RequestInfo, known map[string]string) string {
	query, err := url.ParseQuery(r.RawQuery)
	if err != nil {
		t.Fatalf("query of %s: %v", r.Path, err)
	}
	if query.Has("cursor") {
		query.Set("cursor", "NEXT")
	}
	for _, name := range []string{"updated_since", "updated_gte"} {
		since := query.Get(name)
		if since == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, since)
		if err != nil {
			t.Errorf("%s %q is not RFC 3339: %v", name, since, err)
		}
		meaning, found := known[r.Path+" "+at.UTC().Format(time.RFC3339Nano)]
		if history := r.Time.Add(-90 * 24 * time.Hour).Sub(at).Abs(); !found && history < 5*time.Second {
			meaning, found = "NINETY_DAYS_AGO", true
		}
		if !found {
			meaning = "UNEXPECTED " + since
		}
		query.Set(name, meaning)
	}
	text, err := url.QueryUnescape(query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// watermarks maps each list and the time ten minutes before its watermark to
// the name of that time.
func watermarks(t *testing.T, w *enginetest.Fixture) map[string]string {
	t.Helper()
	known := make(map[string]string)
	for _, line := range w.Texts(t, `SELECT '/' || stream || ' ' || to_char((watermark - interval '10 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') FROM sync_streams`) {
		at, err := time.Parse("2006-01-02T15:04:05.000000", line[strings.IndexByte(line, ' ')+1:])
		if err != nil {
			t.Fatal(err)
		}
		known[line[:strings.IndexByte(line, ' ')]+" "+at.Format(time.RFC3339Nano)] = "WATERMARK_MINUS_10_MINUTES"
	}
	return known
}

// TestRequests compares what assay sends to a platform with a golden list, because
// customers build their platforms for exactly these requests.
func TestRequests(t *testing.T) {
	t.Parallel()
	var log requestLog
	options := reference.Options{Firm: firm.Options{Seed: 3, Traders: 12, AccountsPerTrader: 2, Trades: 450, Payouts: 3, Weekends: true}, OnRequest: log.add}
	w := enginetest.New(t, options)
	connector, _ := w.Connectors.Connector(record.CustomAPI)
	source := connector.Open(connectors.Config{BaseURL: w.Platform.URL, APIKey: seal.NewSecret(w.Platform.Key)})

	var b strings.Builder
	if report := source.Check(context.Background(), nil); !report.OK {
		t.Fatalf("live check failed: %+v", report)
	}
	fmt.Fprintf(&b, "# live check\n%s", log.take(t, w.Platform.Key, nil))
	w.Cycle(t)
	fmt.Fprintf(&b, "# first cycle\n%s", log.take(t, w.Platform.Key, nil))
	known := watermarks(t, w)
	w.Cycle(t)
	fmt.Fprintf(&b, "# second cycle\n%s", log.take(t, w.Platform.Key, known))

	const golden = "testdata/requests.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
