package storetest

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchCount returns how many items a benchmark handles: the value of the variable
// ASSAY_TEST_BENCH_name, or otherwise short with -short, and usual without.
func BenchCount(b *testing.B, name string, usual, short int) int {
	b.Helper()
	return benchSetting(b, name, usual, short, strconv.Atoi)
}

// BenchTime returns how long a benchmark lasts, chosen like BenchCount.
func BenchTime(b *testing.B, name string, usual, short time.Duration) time.Duration {
	b.Helper()
	return benchSetting(b, name, usual, short, time.ParseDuration)
}

func benchSetting[T int | time.Duration](b *testing.B, name string, usual, short T, parse func(string) (T, error)) T {
	b.Helper()
	text := os.Getenv("ASSAY_TEST_BENCH_" + name)
	switch {
	case text == "" && testing.Short():
		return short
	case text == "":
		return usual
	}
	v, err := parse(text)
	if err != nil || v < 1 {
		b.Fatalf("ASSAY_TEST_BENCH_%s is %q: it has to be above zero", name, text)
	}
	return v
}

// progressEvery is the interval of Progress.
const progressEvery = 15 * time.Second

// Progress reports how far a benchmark has come, every 15 seconds at most. It is called in the
// benchmark's loops.
func Progress(said *time.Time, format string, args ...any) {
	if time.Since(*said) < progressEvery {
		return
	}
	*said = time.Now()
	fmt.Fprintf(os.Stderr, "    "+format+"\n", args...)
}

// coldStarts is how often ColdStarts starts its program.
const coldStarts = 10

// ColdStarts starts a program ten times in succession. It reports how long it took from the start
// of the process until the address responded with 200, with a precision of 5 ms, or 2 % if that is
// more: "median_ms" and "worst_ms".
func ColdStarts(b *testing.B, ready string, command func() *exec.Cmd) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	var times []float64
	for range coldStarts {
		times = append(times, coldStart(b, client, ready, command()))
	}
	slices.Sort(times)
	b.ReportMetric((times[coldStarts/2-1]+times[coldStarts/2])/2, "median_ms")
	b.ReportMetric(times[coldStarts-1], "worst_ms")
}

// coldStart returns the time in milliseconds.
func coldStart(b *testing.B, client *http.Client, ready string, cmd *exec.Cmd) float64 {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, ready, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = cmd.Wait()                       // how it ended is not measured
	}()
	Eventually(b, "ready", func() bool {
		res, err := client.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close() // nothing was written
		return res.StatusCode == http.StatusOK
	})
	return float64(time.Since(began).Microseconds()) / 1000
}
