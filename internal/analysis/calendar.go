package analysis

// Calendar lists scheduled news.
type Calendar struct {
	Events []NewsEvent // in order of time
}

// NewsEvent is one scheduled publication.
type NewsEvent struct {
	Time     int64  // microseconds of the epoch, UTC
	Currency string // ISO 4217, upper case
	Impact   Impact
	Title    string
}

// Impact is how much an event is expected to move prices.
type Impact string

// The impacts that calendars distinguish.
const (
	LowImpact    Impact = "low"
	MediumImpact Impact = "medium"
	HighImpact   Impact = "high"
)
