package queue

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// complainEvery is how often the queue may say the same.
const complainEvery = time.Minute

// queueLog is the log of the job queue. What the queue calls an error is mostly a
// database that is away, and said ten times a second; it goes on by itself, so it
// is a warning, once a minute. Its routine is left out. Errors of jobs are logged
// where they are made.
type queueLog struct {
	slog.Handler
	said *said
}

// said is when which message was logged last.
type said struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func newLog(log *slog.Logger) *slog.Logger {
	return slog.New(queueLog{log.Handler(), &said{last: make(map[string]time.Time)}})
}

// Enabled implements slog.Handler.
func (q queueLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, slog.LevelWarn)
}

// Handle implements slog.Handler.
func (q queueLog) Handle(ctx context.Context, r slog.Record) error {
	if !q.said.mayLog(r.Message, r.Time) {
		return nil
	}
	r.Level = slog.LevelWarn
	return q.Handler.Handle(ctx, r)
}

// mayLog reports whether the message may be logged, and notes that it is.
func (s *said) mayLog(message string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.last[message]) < complainEvery {
		return false
	}
	s.last[message] = now
	return true
}

// WithAttrs implements slog.Handler.
func (q queueLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return queueLog{q.Handler.WithAttrs(attrs), q.said}
}

// WithGroup implements slog.Handler.
func (q queueLog) WithGroup(name string) slog.Handler {
	return queueLog{q.Handler.WithGroup(name), q.said}
}
