package postgres

import "testing"

func TestAvailableMemory(t *testing.T) {
	for meminfo, want := range map[string]uint64{
		"MemTotal:       24652640 kB\nMemFree:          524288 kB\nMemAvailable:    8388608 kB\n": 8 << 30,
		"MemTotal:       24652640 kB\n": 0,
		"MemAvailable:    many kB\n":    0,
		"":                              0,
	} {
		if got := availableMemory(meminfo); got != want {
			t.Errorf("availableMemory(%q) = %d, want %d", meminfo, got, want)
		}
	}
}
