package auth_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/storetest"
)

// TestSprayingFromOneSite checks that a client with a /48 of IPv6 does not get the attempts of
// its 65,536 networks, and does not use up those of others.
func TestSprayingFromOneSite(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, registry := storetest.Open(t, url), prometheus.NewRegistry()
	a, err := auth.New(db, nil, nil, time.Now, registry)
	if err != nil {
		t.Fatal(err)
	}
	address := netip.MustParseAddr("2001:db8:7::1").As16()
	passed, began := 0, time.Now()
	for i := range 400 {
		address[6], address[7] = byte(i>>8), byte(i) // another /64
		if _, err := a.BeginAttempt(t.Context(), fmt.Sprintf("person-%d@example.com", i), netip.AddrFrom16(address), ""); err == nil {
			passed++
		}
	}
	// In the meantime, one more is allowed every two seconds.
	if most := 301 + int(time.Since(began)/(2*time.Second)); passed < 300 || passed > most {
		t.Errorf("%d attempts passed, want 300 to %d", passed, most)
	}
	if _, err := a.BeginAttempt(t.Context(), "zoe@example.com", netip.MustParseAddr("2001:db8:8::1"), ""); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
}
