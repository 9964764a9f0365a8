package result

import "time"

// TimezoneBasis says how the timezone of an analysis is known. Platforms send
// UTC, so times that were synced are Given; a file often states no timezone, and
// its times, taken for UTC, may then be hours off: bursts, holding times and
// sides stay right, and what needs the hour is not checkable.
type TimezoneBasis string

// The ways in which a timezone is known.
const (
	Given      TimezoneBasis = "given"       // Someone specified the timezone.
	FromFile   TimezoneBasis = "file"        // The file states its offset from UTC.
	AssumedUTC TimezoneBasis = "assumed_utc" // The timezone is unknown, and UTC is assumed.
)

// Source is where trades came from.
type Source struct {
	Kind string `json:"kind" api:"max=20" example:"integration"` // kind of source: `integration` or `file`
	ID   string `json:"id" api:"max=36,format=uuid"`             // unique identifier of the integration or the file
	Rows int    `json:"rows"`                                    // number of trades read from the source
	// When the source was last read completely. Null for files.
	LastSync *time.Time `json:"last_sync"`
}
