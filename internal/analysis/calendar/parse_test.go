package calendar_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/analysis/calendar"
)

func event(text, currency string, impact calendar.Impact, title string) calendar.Event {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return calendar.Event{Time: at.UnixMicro(), Currency: currency, Impact: impact, Title: title}
}

func TestParse(t *testing.T) {
	t.Parallel()
	nfp := event("2026-01-09T13:30:00Z", "USD", calendar.High, "")
	for _, c := range []struct {
		name, text string
		want       []calendar.Event
	}{
		{"plain", "time,currency,impact\n2026-01-09T13:30:00Z,USD,high\n", []calendar.Event{nfp}},
		{"no last line end", "time,currency,impact\n2026-01-09T13:30:00Z,USD,high", []calendar.Event{nfp}},
		{"as spreadsheets write", "\ufeffTime, Currency ,IMPACT\r\n\"2026-01-09T13:30:00Z\",usd, High\r\n", []calendar.Event{nfp}},
		{"an offset", "time,currency,impact\n2026-01-09 08:30-05:00,USD,high\n", []calendar.Event{nfp}},
		{"other columns and orders", "impact,forecast,time,title,currency\nhigh,180K,2026-01-09T13:30:00Z,\" Non-farm, payrolls\",USD\n", []calendar.Event{event("2026-01-09T13:30:00Z", "USD", calendar.High, "Non-farm, payrolls")}},
		{"in order, and once", "time,currency,impact\n2026-01-10T13:30:00Z,USD,low\n2026-01-09T13:30:00Z,USD,high\n2026-01-09T14:30:00+01:00,USD,high\n", []calendar.Event{nfp, event("2026-01-10T13:30:00Z", "USD", calendar.Low, "")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := calendar.Parse(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Events); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const head = "time,currency,impact\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "calendar: empty; the first line must name the columns time, currency and impact"},
		{"names only", head, "calendar: no event below the line of column names"},
		{"no names", "2026-01-09T13:30:00Z,USD,high\n", "calendar: line 1: no column time; time, currency and impact are needed, separated by commas"},
		{"semicolons", "time;currency;impact\n", "calendar: line 1: no column time; time, currency and impact are needed, separated by commas"},
		{"a column twice", "time,currency,impact,Time\n", "calendar: line 1: column time appears twice"},
		{"a time without an offset", head + "2026-01-09T13:30:00,USD,high\n", "calendar: line 2: time must be like 2026-01-09T13:30:00Z, with an offset"},
		{"a date that may be two", head + "01/09/2026 13:30,USD,high\n", "calendar: line 2: time must be like 2026-01-09T13:30:00Z, with an offset"},
		{"all currencies", head + "2026-01-09T13:30:00Z,All,high\n2026-01-09T13:30:00Z,,high\n", "calendar: line 3: currency must be three letters"},
		{"several faults", head + "x,USD,high\n2026-01-09T13:30:00Z,US$,high\n2026-01-09T13:30:00Z,USD,red\n2026-01-09T13:30:00Z,USD\n", "calendar: line 2: time must be like 2026-01-09T13:30:00Z, with an offset; line 3: currency must be three letters; line 4: impact must be low, medium or high; line 5: 2 columns are too few"},
		{"an open quote", head + "\"2026-01-09T13:30:00Z,USD,high\n", `calendar: line 2: extraneous or missing " in quoted-field`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := calendar.Parse(strings.NewReader(c.text))
			var faults calendar.Faults
			if !errors.As(err, &faults) || got != nil {
				t.Fatalf("calendar %v, error %v; want faults", got, err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	const head, row = "time,currency,impact\n", "2026-01-09T13:30:00Z,USD,high\n"
	for _, c := range []struct{ name, text, want string }{
		{"faults", head + strings.Repeat("x,USD,high\n", 1000), "line 21"},
		{"events", head + strings.Repeat(row, calendar.MaxEvents+1), fmt.Sprintf("more than %d events", calendar.MaxEvents)},
		{"bytes", head + "\"" + strings.Repeat("x", calendar.MaxBytes), "larger than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := calendar.Parse(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 4000 {
				t.Errorf("error %.200v, want %q", err, c.want)
			}
		})
	}
	title := strings.Repeat("é", 500)
	got, err := calendar.Parse(strings.NewReader("title,time,currency,impact\n" + title + "," + row))
	if err != nil || got.Events[0].Title != title[:200] {
		t.Errorf("a long title: %v, %v", got, err)
	}
}

// FuzzParse: whatever is accepted is in order.
func FuzzParse(f *testing.F) {
	f.Add("time,currency,impact\n2026-01-09T13:30:00Z,USD,high\n")
	f.Add("\ufeffimpact,title,time,currency\r\nlow,\"a,\"\"b\"\"\",2026-01-09 13:30+02:00,eur\r\n")
	f.Add("time,currency,impact\n\"")
	f.Add("time,currency,impact\n2026-01-09T13:30:00Z,U\x00D,high\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := calendar.Parse(strings.NewReader(text))
		if err != nil {
			var faults calendar.Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("error without faults: %v", err)
			}
			return
		}
		if len(c.Events) == 0 || !slices.IsSortedFunc(c.Events, func(a, b calendar.Event) int { return int(min(max(a.Time-b.Time, -1), 1)) }) {
			t.Fatalf("events %v", c.Events)
		}
	})
}
