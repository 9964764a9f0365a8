package storetest

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ServerCPU returns the processor time in seconds of the database's backends, and of all processes
// of the server that have ended, such as parallel workers of a query.
func (b OrgDB) ServerCPU(tb testing.TB) float64 {
	total, server := 0.0, ""
	for _, pid := range b.Texts(tb, `SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() ORDER BY pid`) {
		stat := procStat(pid)
		if stat == nil {
			continue // another machine's, or one that has just ended
		}
		total += ticks(tb, stat[11:13])
		server = stat[1] // their parent
	}
	if stat := procStat(server); server != "" && stat != nil {
		total += ticks(tb, stat[13:15]) // of its children
	}
	return total
}

// procStat lists the fields of /proc/PID/stat after the name, or nil if there is no such process.
func procStat(pid string) []string {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
}

// ticks adds up times of procStat, in seconds.
func ticks(tb testing.TB, fields []string) (seconds float64) {
	tb.Helper()
	for _, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			tb.Fatal(err)
		}
		seconds += v / 100
	}
	return seconds
}

// Quantile returns a quantile of times, in milliseconds.
func Quantile(took []time.Duration, part float64) float64 {
	slices.Sort(took)
	return float64(took[min(len(took)-1, int(part*float64(len(took))))].Microseconds()) / 1000
}

// Median returns the middle one of the values.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
