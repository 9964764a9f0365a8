package schedule

import (
	"fmt"
	"log/slog"
)

// cronLog sends cron's messages to slog. It drops cron's routine messages.
type cronLog struct{ log *slog.Logger }

// Info implements cron.Logger.
func (l cronLog) Info(string, ...any) {}

// Error implements cron.Logger; cron reports panics of jobs here.
func (l cronLog) Error(err error, msg string, keysAndValues ...any) {
	l.log.Error("job failed", append([]any{"error", err, "what", msg}, keysAndValues...)...)
}

// panicError is a panic in a slice.
type panicError struct {
	value any
	stack []byte
}

func (p panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }
