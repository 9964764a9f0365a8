package analysis

import (
	"math"
	"time"
)

// clock returns the local time of moments. It remembers the offset of the period
// that it used last, because trades come in order of time and zones change twice a
// year. It is not for concurrent use.
type clock struct {
	loc      *time.Location
	from, to int64 // microseconds in which offset holds
	offset   int64 // seconds east of UTC
}

func newClock(loc *time.Location) *clock { return &clock{loc: loc, from: 1} }

// localMicros returns the moment's wall clock, as microseconds since 1970-01-01 on it.
func (c *clock) localMicros(micros int64) int64 {
	if micros < c.from || micros >= c.to {
		c.loadOffset(micros)
	}
	return micros + c.offset*second
}

func (c *clock) loadOffset(micros int64) {
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

// dayOf returns the days since 1970-01-01 of the moment's date.
func (c *clock) dayOf(micros int64) int32 { return int32(floorDiv(c.localMicros(micros), day)) }

// dayAndHour returns the day, and the hour, 0 to 23.
func (c *clock) dayAndHour(micros int64) (date int32, oclock int) {
	local := c.localMicros(micros)
	d := floorDiv(local, day)
	return int32(d), int((local - d*day) / hour)
}

// weekdayOf returns 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday.
func weekdayOf(d int32) int { return int(((d+3)%7 + 7) % 7) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// timeOf returns the moment as a time in UTC.
func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
