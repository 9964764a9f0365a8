package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assayhq/assay/apiserver/auth"
)

func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		remaining int
		reset     time.Duration
		want      string
	}{
		{"first request", 599, time.Minute, `"default";r=599;t=60`},
		{"rounded up", 12, 1001 * time.Millisecond, `"default";r=12;t=2`},
		{"a moment is a second", 0, time.Microsecond, `"default";r=0;t=1`},
		{"whole seconds stay", 0, 59 * time.Second, `"default";r=0;t=59`},
		{"never more than the window", 600, time.Hour, `"default";r=600;t=60`},
		{"never negative", -1, -time.Second, `"default";r=0;t=0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := make(http.Header)
			auth.RateLimitHeaders(h, tt.remaining, tt.reset)
			want := http.Header{"Ratelimit": {tt.want}, "Ratelimit-Policy": {`"default";q=600;w=60`}}
			if diff := cmp.Diff(want, h); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reset time.Duration
		want  string
	}{
		{"nothing left to wait", 0, "1"},
		{"a moment", time.Microsecond, "1"},
		{"a whole second", time.Second, "1"},
		{"a little more", time.Second + time.Microsecond, "2"},
		{"the whole window", time.Minute, "60"},
		{"never longer", time.Hour, "60"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, p := range []interface {
				Error() string
				Status() int
			}{auth.Limited(tt.reset), auth.Throttled(tt.reset)} {
				if p.Status() != http.StatusTooManyRequests || p.Error() != "rate_limited" {
					t.Errorf("answers %d %s", p.Status(), p)
				}
			}
			if got := auth.Limited(tt.reset).Header.Get("Retry-After"); got != tt.want {
				t.Errorf("Retry-After %q, want %q", got, tt.want)
			}
			if got := auth.Throttled(tt.reset).Header.Get("Retry-After"); got != tt.want {
				t.Errorf("Retry-After %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRateLimitedMetric(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	c, err := auth.NewRateLimited(registry)
	if err != nil {
		t.Fatal(err)
	}
	c.Inc()
	got, err := testutil.GatherAndCount(registry, "assay_apiserver_rate_limited_total")
	if err != nil || got != 1 {
		t.Errorf("%d series, %v", got, err)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	if _, err := auth.NewRateLimited(registry); err == nil || !strings.Contains(err.Error(), "duplicate") {
		t.Errorf("registered twice: %v", err)
	}
}
