package store

import (
	"time"

	"github.com/google/uuid"
)

// Page is one page of a list.
type Page struct {
	Number int // 1 is the first
	Limit  int // rows on a page
}

// SyncRun is one resource within a cycle. Consecutive scheduled runs that
// succeeded without a change share one row (Repeats).
type SyncRun struct {
	ID                 uuid.UUID
	IntegrationID      uuid.UUID
	CycleID            uuid.UUID
	Resource           string
	Trigger            string // schedule, manual, backfill, audit
	Mode               string // backfill, incremental
	Status             string // running, succeeded, partial, throttled, skipped, failed, blocked, interrupted
	Pages              int64
	Requests           int64
	RecordsSeen        int64
	RecordsInserted    int64
	RecordsUpdated     int64
	RecordsUnchanged   int64
	RecordsQuarantined int64
	ThrottledMS        int64
	Repeats            int64 // how many further runs the row stands for
	UpdatedSince       *time.Time
	Error              *SyncError
	StartedAt          time.Time
	FinishedAt         *time.Time
}

// RecordsUpserted counts the rows that the run wrote.
func (r SyncRun) RecordsUpserted() int64 { return r.RecordsInserted + r.RecordsUpdated }

// Quarantined is a record that could not be used.
type Quarantined struct {
	Resource    string
	Key         string // record.Rejected.Key
	Raw         string // JSON text as received, cut at record.MaxRawBytes
	Pointer     string // JSON pointer to the faulty member
	Rule        string
	Detail      string
	Count       int64 // how often it was met
	FirstSeenAt time.Time
	LastSeenAt  time.Time
}

// Finding is a broken rule of the contract that made no record unusable.
type Finding struct {
	Resource    string
	Rule        string
	Count       int64
	Samples     []string // ids of a few records that show it
	FirstSeenAt time.Time
	LastSeenAt  time.Time
}
