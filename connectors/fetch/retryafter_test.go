package fetch_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/fetch"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		want   time.Duration
	}{
		{"absent", nil, 10 * time.Second},
		{"empty", []string{""}, 10 * time.Second},
		{"blank", []string{" \t"}, 10 * time.Second},
		{"zero", []string{"0"}, time.Second},
		{"many zeros", []string{"0000"}, time.Second},
		{"one", []string{"1"}, time.Second},
		{"leading zeros", []string{"007"}, 7 * time.Second},
		{"blanks around", []string{" 30 "}, 30 * time.Second},
		{"just allowed", []string{"60"}, time.Minute},
		{"too long", []string{"61"}, time.Minute},
		{"an hour", []string{"3600"}, time.Minute},
		{"overflows seconds", []string{"9223372037"}, time.Minute},
		{"246 years and more", []string{"99999999999"}, time.Minute},
		{"beyond 64 bits", []string{strings.Repeat("9", 400)}, time.Minute},
		{"negative", []string{"-5"}, 10 * time.Second},
		{"signed", []string{"+5"}, 10 * time.Second},
		{"fraction", []string{"1.5"}, 10 * time.Second},
		{"exponent", []string{"1e1"}, 10 * time.Second},
		{"hexadecimal", []string{"0x10"}, 10 * time.Second},
		{"other digits", []string{"５"}, 10 * time.Second},
		{"with unit", []string{"5s"}, 10 * time.Second},
		{"two numbers", []string{"5, 6"}, 10 * time.Second},
		{"date", []string{"Wed, 21 Oct 2026 07:28:00 GMT"}, 10 * time.Second},
		{"far date", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, 10 * time.Second},
		{"two headers: the first", []string{"5", "6"}, 5 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fetch.RetryAfter(http.Header{"Retry-After": tt.values}); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "7", "60", "61", "-1", "1.5", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT", "５"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := fetch.RetryAfter(http.Header{"Retry-After": {s}})
		want := 10 * time.Second
		if n, ok := new(big.Int).SetString(strings.Trim(s, " \t"), 10); ok && !strings.ContainsAny(s, "+-_") {
			n.SetInt64(min(max(n.Int64(), 1), 60))
			if n2, _ := new(big.Int).SetString(strings.Trim(s, " \t"), 10); n2.Cmp(big.NewInt(60)) > 0 {
				n.SetInt64(60)
			}
			want = time.Duration(n.Int64()) * time.Second
		}
		if got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", s, got, want)
		}
	})
}

func TestBackoffIsFullJitter(t *testing.T) {
	t.Parallel()
	for retry, mean := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second} {
		var sum time.Duration
		const n = 2000
		for range n {
			d := fetch.Backoff(retry)
			if d < 0 || d >= 2*mean {
				t.Fatalf("retry %d waits %v", retry, d)
			}
			sum += d
		}
		if got := sum / n; got < mean*8/10 || got > mean*12/10 {
			t.Errorf("retry %d waits %v on average, want about %v", retry, got, mean)
		}
	}
}
