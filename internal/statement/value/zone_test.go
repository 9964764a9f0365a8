package value_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/internal/statement/value"
)

func TestLoadZone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Europe/Prague": "Europe/Prague", "+02:00": "+02:00", "-05:30": "-05:30", "eet": "Europe/Athens", "UTC": "UTC", "ny_close": "ny_close", "NY_Close": "ny_close",
		"": "", "Local": "", "local": "", "Moon": "", "../etc/passwd": "", "+25:00": "", "2": "",
	} {
		got := ""
		if l := value.LoadZone(name); l != nil {
			got = l.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestClockOfNewYorksClose compares the servers' clock with New York's, which it is ahead of by
// seven hours.
func TestClockOfNewYorksClose(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for at := time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2038; at = at.Add(30 * time.Minute) {
		_, server := at.In(value.LoadZone("ny_close")).Zone()
		if _, offset := at.In(newYork).Zone(); server != offset+7*3600 {
			t.Fatalf("at %s the server is at UTC%+d, New York at UTC%+d", at, server/3600, offset/3600)
		}
	}
}
