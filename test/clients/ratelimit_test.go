package clients_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/auth"
)

// TestRateLimit reads the headers of the rate limit as a client would that knows
// structured fields (RFC 9651).
func TestRateLimit(t *testing.T) {
	t.Parallel()
	h := make(http.Header)
	auth.RateLimitHeaders(h, 12, 1001*time.Millisecond)
	for name, want := range map[string]map[string]int64{
		"RateLimit":        {"r": 12, "t": 2},
		"RateLimit-Policy": {"q": 600, "w": 60},
	} {
		if diff := cmp.Diff(want, parameters(t, h.Values(name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// parameters returns the parameters of the only member of the list, which is
// the policy's name.
func parameters(t *testing.T, values []string) map[string]int64 {
	t.Helper()
	list, err := httpsfv.UnmarshalList(values)
	if err != nil || len(list) != 1 {
		t.Fatalf("%q is a list of %d members, %v", values, len(list), err)
	}
	item, ok := list[0].(httpsfv.Item)
	if !ok || item.Value != "default" {
		t.Fatalf("%q: the member is %v, want the policy's name", values, list[0])
	}
	got := make(map[string]int64)
	for _, name := range item.Params.Names() {
		value, _ := item.Params.Get(name)
		if got[name], ok = value.(int64); !ok {
			t.Fatalf("%q: %s is %v, no integer", values, name, value)
		}
	}
	return got
}
