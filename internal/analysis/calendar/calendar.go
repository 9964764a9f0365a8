// Package calendar reads calendars of scheduled news.
package calendar

// Calendar lists scheduled news.
type Calendar struct {
	Events []Event // in order of time
}

// Event is one scheduled publication.
type Event struct {
	Time     int64  // microseconds of the epoch, UTC
	Currency string // ISO 4217, upper case
	Impact   Impact
	Title    string
}

// Impact is how much an event is expected to move prices.
type Impact string

// The impacts that calendars distinguish.
const (
	Low    Impact = "low"
	Medium Impact = "medium"
	High   Impact = "high"
)
