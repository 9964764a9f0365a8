package storetest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// BenchCount is how many of something a benchmark handles: what the variable
// ASSAY_TEST_BENCH_name says, or else short with -short, and usual without.
func BenchCount(b *testing.B, name string, usual, short int) int {
	b.Helper()
	return benchSetting(b, name, usual, short, strconv.Atoi)
}

// BenchTime is how long a benchmark lasts, told in the same way.
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

// progressEvery is how often Progress says something.
const progressEvery = 15 * time.Second

// Progress says how far a benchmark has come, every quarter of a minute at most;
// it belongs into the benchmark's loops.
func Progress(said *time.Time, format string, args ...any) {
	if time.Since(*said) < progressEvery {
		return
	}
	*said = time.Now()
	fmt.Fprintf(os.Stderr, "    "+format+"\n", args...)
}
