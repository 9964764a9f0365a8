package host_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/host"
)

func TestIdentityCovers(t *testing.T) {
	t.Parallel()
	identity, err := host.NewIdentity("platform.example", "192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	other, err := host.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	mixed := identity
	mixed.CA = other.CA
	now := time.Now()
	tests := []struct {
		name     string
		identity host.Identity
		at       time.Time
		hosts    []string
		want     bool
	}{
		{"loopback", identity, now, nil, true},
		{"its hosts", identity, now, []string{"platform.example", "192.0.2.7"}, true},
		{"another host", identity, now, []string{"192.0.2.8"}, false},
		{"two years on", identity, now.AddDate(2, 0, 0), nil, true},
		{"three years on", identity, now.AddDate(3, 0, 0), nil, false},
		{"another authority", mixed, now, nil, false},
		{"nothing", host.Identity{}, now, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.identity.Covers(tt.at, tt.hosts...); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
