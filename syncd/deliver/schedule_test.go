package deliver_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/syncd/deliver"
)

func TestSchedule(t *testing.T) {
	t.Parallel()
	for over, delay := range []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	} {
		for _, c := range []struct {
			chance float64
			want   time.Duration
		}{{0, delay * 8 / 10}, {0.5, delay}, {1, delay * 12 / 10}} {
			if got, ok := deliver.Wait(over, 0, c.chance); !ok || (got-c.want).Abs() > time.Millisecond {
				t.Errorf("attempt %d at chance %v waits %s, %v; want %s", over+1, c.chance, got, ok, c.want)
			}
		}
	}
	if _, ok := deliver.Wait(10, 0, 0); ok {
		t.Error("there is an eleventh attempt")
	}
	if got, _ := deliver.Wait(1, time.Minute, 1); got != time.Minute {
		t.Errorf("a receiver that asks for a minute gets %s", got)
	}
	if got, _ := deliver.Wait(2, time.Minute, 0.5); got != 5*time.Minute {
		t.Errorf("a receiver that asks for less than the schedule gets %s", got)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text string
		want time.Duration
	}{
		{"", 0},
		{"0", 0},
		{"120", 2 * time.Minute},
		{" 7 ", 7 * time.Second},
		{"86400", 24 * time.Hour},
		{"86401", 24 * time.Hour},
		{"99999999999999999999", 24 * time.Hour},
		{"-5", 0},
		{"soon", 0},
		{"1.5", 0},
		{now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour},
	} {
		if got := deliver.RetryAfter(http.Header{"Retry-After": {c.text}}, now); got != c.want {
			t.Errorf("Retry-After %q is %s, want %s", c.text, got, c.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "120", "-1", "9999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01-Jan-0001 00:00:00 GMT"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := deliver.RetryAfter(http.Header{"Retry-After": {text}}, time.Now()); got < 0 || got > 24*time.Hour {
			t.Errorf("Retry-After %q is %s", text, got)
		}
	})
}

// TestCodesAreExplained checks that the guide and the dashboard say what each code means.
func TestCodesAreExplained(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{
		"docs/guides/webhooks.md":                             "\n| `%s` | ",
		"apiserver/web/src/dashboard/pages/webhooks/state.ts": "\n  %s: ",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range deliver.Codes {
			if !strings.Contains(string(text), fmt.Sprintf(format, code)) {
				t.Errorf("%s does not explain %s", name, code)
			}
		}
	}
}
