package syncing

import (
	"time"
)

// ListProgress is how far a list has been read, as far as it can be told: most
// platforms do not say how long their lists are. It is kept with the checkpoint.
type ListProgress struct {
	// FirstAt is the updated_at of the list's first record; zero: none was read
	// yet, or the list is in no such order.
	FirstAt time.Time `json:"first_at,omitzero"`
	// Read and Total count the list's records, those read so far and all, as the
	// platform tells; Total 0: it does not.
	Read  int64 `json:"list_read,omitempty"`
	Total int64 `json:"list_total,omitempty"`
	// BaseAt is when the first page of this run was written, on the database's
	// clock, and Base the share that had been read then: the pace is measured from
	// there. Zero: none was written.
	BaseAt time.Time `json:"base_at,omitzero"`
	Base   float64   `json:"base,omitempty"`
}

// Share is the share of the list that has been read, 0 to 1. It is an estimate:
// by the platform's total, or else by how far updated_at has come on its way to
// the moment from which the list is read. known is false when neither tells.
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

// Paced notes the newest page, from which the pace is measured if it is the
// first of its run.
func (r *OpenRun) Paced() {
	if share, known := r.Share(); known && r.BaseAt.IsZero() {
		r.Base, r.BaseAt = share, r.SavedAt
	}
}

// tooLittle is the share of a list that has to be read before its pace says
// anything.
const tooLittle = 0.01

// EndsAt estimates when the list will have been read, at the pace of the run so
// far; nil: too little was read to tell. It changes with pages alone, not with
// time.
func (r *OpenRun) EndsAt() *time.Time {
	share, known := r.Share()
	if !known || r.BaseAt.IsZero() || share-r.Base < tooLittle {
		return nil
	}
	took := r.SavedAt.Sub(r.BaseAt)
	at := r.SavedAt.Add(time.Duration(float64(took) * (1 - share) / (share - r.Base))).Round(time.Second)
	return &at
}

// StreamReading is a run of a stream that goes on.
type StreamReading struct {
	Pages     int64
	Seen      int64 // records
	Total     int64 // records of the whole list, as the platform tells; 0: it does not
	Share     *float64
	StartedAt time.Time
	EndsAt    *time.Time // an estimate; nil: none can be made
}

// Reading is what people are shown of a run that goes on.
func (r *OpenRun) Reading() StreamReading {
	reading := StreamReading{Pages: r.Pages, Seen: r.Seen, Total: r.Total, StartedAt: r.StartedAt, EndsAt: r.EndsAt()}
	if share, known := r.Share(); known {
		reading.Share = &share
	}
	return reading
}

// Rewind lets a run read its list from the beginning.
func (r *OpenRun) Rewind() {
	r.Cursor, r.Anchor, r.CursorPages, r.LastAt, r.ListProgress = "", "", 0, time.Time{}, ListProgress{}
}
