package queue

import "log/slog"

// NewLog is newLog.
func NewLog(log *slog.Logger) *slog.Logger { return newLog(log) }
