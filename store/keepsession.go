package store

import (
	"context"
	"log/slog"
	"time"
)

// How KeptSession.Run opens sessions.
const (
	openSessionLimit    = 5 * time.Second
	firstSessionPause   = 50 * time.Millisecond
	longestSessionPause = 2 * time.Second
)

// KeptSession is a session on a database connection of its own, which is replaced when it is lost.
type KeptSession[S any] struct {
	// Purpose says in the log what the connection is for, and what happens without it.
	Purpose string
	Open    func(ctx context.Context) (S, error)
	// Serve returns once the session is lost or ctx has ended.
	Serve func(ctx context.Context, session S) error
	// Lost is called for each lost session.
	Lost func()
}

// Run opens and serves one session after the other, until ctx ends. It logs the beginning and the
// end of each outage.
func (k KeptSession[S]) Run(ctx context.Context, log *slog.Logger) {
	for pause, away := firstSessionPause, false; ; {
		opening, cancel := context.WithTimeout(ctx, openSessionLimit)
		session, err := k.Open(opening)
		cancel()
		if err == nil {
			if away {
				log.InfoContext(ctx, "there is a database connection again", "purpose", k.Purpose)
			}
			pause, away = firstSessionPause, false
			if err = k.Serve(ctx, session); ctx.Err() == nil {
				k.Lost()
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !away {
			log.WarnContext(ctx, "there is no database connection", "purpose", k.Purpose, "error", err)
		}
		away = true
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestSessionPause)
	}
}
