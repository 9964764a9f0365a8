package firm

// Times inside the world are microseconds since the Unix epoch, UTC.
const (
	microsecond int64 = 1
	second            = 1_000_000 * microsecond
	minute            = 60 * second
	hour              = 60 * minute
	day               = 24 * hour
)

// calendar says how busy each hour of the week is. Weights are relative; zero
// means closed.
type calendar struct {
	hours    [24]int64
	weekends bool // Saturday and Sunday like the other days
}

// tradingHours follows the sessions in Tokyo (00–09 UTC), London (07–16) and
// New York (13–21), with the overlap of the last two as the day's peak.
func tradingHours(weekends bool) calendar {
	return calendar{weekends: weekends, hours: [24]int64{
		3, 4, 4, 3, 2, 2, 4, 8, 12, 11, 9, 8, 10, 14, 15, 13, 10, 7, 6, 5, 3, 1, 1, 2,
	}}
}

// officeHours is when people ask for payouts and sign up: at day, on weekdays.
func officeHours() calendar {
	return calendar{hours: [24]int64{6: 2, 7: 5, 8: 9, 9: 10, 10: 10, 11: 9, 12: 7, 13: 9, 14: 10, 15: 9, 16: 6, 17: 3, 18: 2}}
}

// weekdayOf returns 0 for Sunday to 6 for Saturday.
func weekdayOf(at int64) int { return int((at/day + 4) % 7) }

// weekEnd is the hour on Friday at which the markets close.
const weekEnd = 21

// hourWeight returns the weight of the hour that holds the moment.
func (c *calendar) hourWeight(at int64) int64 {
	h := int(at % day / hour)
	if !c.weekends {
		switch weekdayOf(at) {
		case 0, 6:
			return 0
		case 5:
			if h >= weekEnd {
				return 0
			}
		}
	}
	return c.hours[h]
}

// sumWeights sums the weights over the microseconds from one moment to another.
func (c *calendar) sumWeights(from, to int64) int64 {
	var sum int64
	for from < to {
		end := min((from/hour+1)*hour, to)
		sum += (end - from) * c.hourWeight(from)
		from = end
	}
	return sum
}

// advanceBy walks on from a moment until the mass has gone by.
func (c *calendar) advanceBy(from, mass int64) int64 {
	for {
		end := (from/hour + 1) * hour
		weight := c.hourWeight(from)
		inHour := (end - from) * weight
		if inHour > mass {
			return from + mass/weight
		}
		mass -= inHour
		from = end
	}
}

// isOpen reports whether there is trading at the moment.
func (c *calendar) isOpen(at int64) bool { return c.hourWeight(at) > 0 }

// nextOpen is the first moment at or after at with trading.
func (c *calendar) nextOpen(at int64) int64 {
	for !c.isOpen(at) {
		at = (at/hour + 1) * hour
	}
	return at
}
