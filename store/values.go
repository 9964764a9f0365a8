package store

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// NewID returns the id of a new row. Ids are ordered by time, so that rows that are listed by
// creation are stored together.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// OldestID returns the smallest time-ordered id that can have been created at the time.
func OldestID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(max(at.UnixMilli(), 0))<<16)
	return id
}

// TextOrNil returns the value of a text column in which empty is null.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// OrNil returns a pointer to v, or nil for the zero value.
func OrNil[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Deref dereferences p. It returns the zero value for nil.
func Deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// IntervalText returns a duration in a form that Postgres reads.
func IntervalText(d time.Duration) string { return fmt.Sprintf("%d microseconds", d.Microseconds()) }

// TextArray returns the value of a text[] column that is never null.
func TextArray(list []string) any {
	if list == nil {
		list = []string{}
	}
	return Array(list)
}

// CountAffected returns how many rows a statement has written.
func CountAffected(r sql.Result) int64 {
	n, _ := r.RowsAffected() // pgx always knows
	return n
}
