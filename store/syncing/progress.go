package syncing

import (
	"time"
)

// ListProgress describes how far a list has been read, as far as that is known: most platforms do
// not report the length of their lists. It is stored with the checkpoint.
type ListProgress struct {
	// FirstAt is the updated_at of the list's first record. It is zero if no record has been read
	// yet, or if the list is not in that order.
	FirstAt time.Time `json:"first_at,omitzero"`
	// Read and Total are the number of records read so far and in the whole list, as reported by
	// the platform. Total is 0 if it reports none.
	Read  int64 `json:"list_read,omitempty"`
	Total int64 `json:"list_total,omitempty"`
	// BaseAt is when the first page of this run was written, on the database's clock, and Base the
	// share that had been read then. The pace is measured from there. BaseAt is zero if no page was
	// written.
	BaseAt time.Time `json:"base_at,omitzero"`
	Base   float64   `json:"base,omitempty"`
}

// Share returns the share of the list that has been read, 0 to 1. It is an estimate from the
// platform's total, or otherwise from how far updated_at has advanced towards the moment from which
// the list is read. known is false if neither is available.
func (r *OpenRun) Share() (share float64, known bool) {
	switch {
	case r.Total > 0:
		share = float64(r.Read) / float64(r.Total)
	case !r.FirstAt.IsZero() && r.ReadFrom.After(r.FirstAt):
		share = float64(r.LastAt.Sub(r.FirstAt)) / float64(r.ReadFrom.Sub(r.FirstAt))
	default:
		return 0, false
	}
	return max(0, min(share, 1)), true
}

// Paced records the newest page. If it is the first of its run, the pace is measured from it.
func (r *OpenRun) Paced() {
	if share, known := r.Share(); known && r.BaseAt.IsZero() {
		r.Base, r.BaseAt = share, r.SavedAt
	}
}

// tooLittle is the share of a list that must be read before its pace means anything.
const tooLittle = 0.01

// EndsAt estimates when the list will have been read, at the pace of the run so far. It returns nil
// if too little was read for an estimate. The estimate changes only with pages, not with time.
func (r *OpenRun) EndsAt() *time.Time {
	share, known := r.Share()
	if !known || r.BaseAt.IsZero() || share-r.Base < tooLittle {
		return nil
	}
	took := r.SavedAt.Sub(r.BaseAt)
	at := r.SavedAt.Add(time.Duration(float64(took) * (1 - share) / (share - r.Base))).Round(time.Second)
	return &at
}

// StreamReading describes an open run of a stream.
type StreamReading struct {
	Pages     int64
	Seen      int64 // records
	Total     int64 // records of the whole list, as reported by the platform; 0 if it reports none
	Share     *float64
	StartedAt time.Time
	EndsAt    *time.Time // an estimate; nil if there is none
}

// Reading returns the description of an open run for people.
func (r *OpenRun) Reading() StreamReading {
	reading := StreamReading{Pages: r.Pages, Seen: r.Seen, Total: r.Total, StartedAt: r.StartedAt, EndsAt: r.EndsAt()}
	if share, known := r.Share(); known {
		reading.Share = &share
	}
	return reading
}

// Rewind makes a run read its list from the beginning.
func (r *OpenRun) Rewind() {
	r.Cursor, r.Anchor, r.CursorPages, r.EmptyPages, r.LastAt, r.ListProgress = "", "", 0, 0, time.Time{}, ListProgress{}
	r.Unproven, r.Unusable = true, 0
}
