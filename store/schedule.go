package store

import (
	"time"

	"github.com/google/uuid"
)

// Schedule answers why an integration did or did not run.
type Schedule struct {
	SlotAt         *time.Time // when the next scheduled cycle begins
	ClaimableAt    *time.Time // when a process may take it on; nil: it is not polled
	LeaseOwner     *string    // the process that has it in hand; nil: none
	LeaseUntil     *time.Time
	Token          int64 // the fencing token; rises with each claim
	PeriodMS       int64
	PhaseMS        int64   // place of the slots within the period
	WaitReason     *string // why ClaimableAt is not SlotAt; nil: it is
	ManualNoted    bool    // another cycle was asked for
	CycleID        *uuid.UUID
	CycleStartedAt *time.Time
	Failures       int           // cycles in a row without any success
	Streams        []StreamState // by name
	Transitions    []Transition  // the last twenty, newest first
}

// StreamState is how far a stream has been read.
type StreamState struct {
	Stream        string
	Watermark     *time.Time // nil: never read completely
	Backfilling   bool
	LastStatus    *string
	LastSuccessAt *time.Time
	AskAgainAt    *time.Time // an optional stream that is not there is left alone until then
}

// Transition is one change of an integration's schedule or health.
type Transition struct {
	At     time.Time
	Kind   string // health, lease, wait, request, settings
	From   *string
	To     *string
	Reason string
}
