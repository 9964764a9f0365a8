// Package micros computes with moments and spans in whole microseconds. Moments count from
// the Unix epoch, UTC. What is compared and summed a million times is cheaper in them than
// in time.Time.
package micros

import (
	"math"
	"time"
)

// Spans in microseconds.
const (
	Second = 1_000_000
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// Clock returns the local time of moments. It remembers the offset of the period
// that it used last, because trades come in order of time and zones change twice a
// year. It is not for concurrent use.
type Clock struct {
	loc      *time.Location
	from, to int64 // microseconds in which offset holds
	offset   int64 // seconds east of UTC
}

// NewClock returns the clock of a zone.
func NewClock(loc *time.Location) *Clock { return &Clock{loc: loc, from: 1} }

// LocalMicros returns the moment's wall clock, as microseconds since 1970-01-01 on it.
func (c *Clock) LocalMicros(micros int64) int64 {
	if micros < c.from || micros >= c.to {
		c.loadOffset(micros)
	}
	return micros + c.offset*Second
}

func (c *Clock) loadOffset(micros int64) {
	t := time.UnixMicro(micros).In(c.loc)
	_, offset := t.Zone()
	c.offset, c.from, c.to = int64(offset), math.MinInt64, math.MaxInt64
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		c.from = start.UnixMicro()
	}
	if !end.IsZero() {
		c.to = end.UnixMicro()
	}
}

// DayOf returns the days since 1970-01-01 of the moment's date.
func (c *Clock) DayOf(micros int64) int32 { return int32(FloorDiv(c.LocalMicros(micros), Day)) }

// DayAndHour returns the day, and the hour, 0 to 23.
func (c *Clock) DayAndHour(micros int64) (date int32, oclock int) {
	local := c.LocalMicros(micros)
	d := FloorDiv(local, Day)
	return int32(d), int((local - d*Day) / Hour)
}

// WeekdayOf returns 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday.
func WeekdayOf(d int32) int { return int(((d+3)%7 + 7) % 7) }

// FloorDiv returns a/b, rounded down also where a is before the epoch. b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// TimeOf returns the moment as a time in UTC.
func TimeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// FormatDate writes a day, counted from 1970-01-01, as YYYY-MM-DD.
func FormatDate(day int32) string {
	return time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly)
}
