package store

import "time"

// PoolStats describes the state of the connection pool.
type PoolStats struct {
	Open, InUse, Max int32
	Waited           time.Duration // total time of waiting for connections
}

// PoolStats returns the pool's state.
func (db *DB) PoolStats() PoolStats {
	s := db.Pool.Stat()
	return PoolStats{Open: s.TotalConns(), InUse: s.AcquiredConns(), Max: s.MaxConns(), Waited: s.AcquireDuration()}
}
