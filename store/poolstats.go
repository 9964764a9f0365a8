package store

import "time"

// PoolStats describes the connection pool at a moment.
type PoolStats struct {
	Open, InUse, Max int32
	Waited           time.Duration // all waits for a connection so far
}

// PoolStats returns the pool's state.
func (db *DB) PoolStats() PoolStats {
	s := db.Pool.Stat()
	return PoolStats{Open: s.TotalConns(), InUse: s.AcquiredConns(), Max: s.MaxConns(), Waited: s.AcquireDuration()}
}
