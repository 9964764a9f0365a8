package queue_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/assayhq/assay/syncd/queue"
)

// TestQueueLog: a queue that can't reach its database says so once, as a warning.
func TestQueueLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := queue.NewLog(slog.New(slog.NewTextHandler(&out, nil)))
	for range 100 {
		log.With("queue", "deliver").Error("fetching failed", "err", "gone")
		log.Info("routine")
	}
	log.Warn("something else")
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || strings.Contains(out.String(), "ERROR") || strings.Contains(out.String(), "routine") {
		t.Errorf("logged:\n%s", &out)
	}
}
