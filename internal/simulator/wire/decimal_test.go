package wire_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/wire"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		unscaled int64
		scale    int
		want     string
	}{
		{"zero", 0, 0, "0"},
		{"zero cents", 0, 2, "0.00"},
		{"cent", 1, 2, "0.01"},
		{"minus five cents", -5, 2, "-0.05"},
		{"money", 3150, 2, "31.50"},
		{"negative money", -123456, 2, "-1234.56"},
		{"price", 108542, 5, "1.08542"},
		{"whole", -42, 0, "-42"},
		{"largest", math.MaxInt64, 18, "9.223372036854775807"},
		{"smallest", math.MinInt64, 1, "-922337203685477580.8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := wire.NewDecimal(tt.unscaled, tt.scale)
			if got := d.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if b, err := json.Marshal(d); err != nil || string(b) != tt.want {
				t.Errorf("JSON %s, %v", b, err)
			}
		})
	}
	if got := (wire.Decimal{}).String(); got != "null" {
		t.Errorf("the zero Decimal is %s", got)
	}
}

func TestDecimalEqual(t *testing.T) {
	t.Parallel()
	number := wire.NewDecimal
	tests := []struct {
		name string
		a, b wire.Decimal
		want bool
	}{
		{"zeros at the end", number(15, 1), number(1500, 3), true},
		{"zero", number(0, 2), number(0, 0), true},
		{"other", number(15, 1), number(151, 2), false},
		{"sign", number(-1, 0), number(1, 0), false},
		{"null and zero", wire.Decimal{}, number(0, 0), false},
		{"null", wire.Decimal{}, wire.Decimal{}, true},
		{"tens", number(100, 0), number(10, 0), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.a.Equal(tt.b); got != tt.want {
				t.Errorf("%s equals %s: %v", tt.a, tt.b, got)
			}
		})
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0": "0", "999.50": "999.50", "1000": "1,000", "-1234567.891": "-1,234,567.891", "-100": "-100", "100000": "100,000",
	} {
		if got := wire.Grouped(number); got != want {
			t.Errorf("%s is grouped as %s, want %s", number, got, want)
		}
	}
}

func TestTimesAreSentInMicroseconds(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 1000, time.UTC),
		time.Date(2000, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 2, 28, 12, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 0, 0, 5000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2026, 3, 4, 1, 2, 3, 40_000, time.FixedZone("", 7200)),
	} {
		for days := range 800 {
			at := at.AddDate(0, 0, -days)
			want := at.UTC().Format("2006-01-02T15:04:05.000000Z")
			if got := string(wire.AppendTime(nil, at)); got != `"`+want+`"` {
				t.Fatalf("%s is sent as %s", want, got)
			}
		}
	}
}
