package schedule

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// TestRunEvery: a job that panics is told and runs again, and one that takes longer than its period
// does not run twice at a time.
func TestRunEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		s := New(Config{Log: slog.New(slog.NewTextHandler(&told, nil)), Registerer: prometheus.NewRegistry()})
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var at []time.Duration
		s.wg.Go(func() {
			s.runEvery(ctx, time.Second, func(context.Context) {
				at = append(at, time.Since(began))
				switch len(at) {
				case 1:
					panic("the first time")
				case 2:
					time.Sleep(3500 * time.Millisecond)
				}
			})
		})
		time.Sleep(7500 * time.Millisecond)
		cancel()
		s.wg.Wait()
		want := []time.Duration{time.Second, 2 * time.Second, 5500 * time.Millisecond, 6 * time.Second, 7 * time.Second} // one tick waits until the second run is over
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("it ran at (-want +got):\n%s", diff)
		}
		if !strings.Contains(told.String(), "the first time") {
			t.Errorf("the log says %q", told.String())
		}
	})
}
