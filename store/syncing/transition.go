package syncing

import "time"

// Transition is one change of an integration's schedule or health.
type Transition struct {
	At     time.Time `bun:"at"`
	Kind   string    `bun:"kind"` // health, lease, wait, request, settings
	From   *string   `bun:"from_status"`
	To     *string   `bun:"to_status"`
	Reason string    `bun:"reason"`
}

// Reasons to wait, as Schedule.WaitReason has them.
const (
	WaitRequested = "requested" // somebody has requested a sync
	WaitRetry     = "retry"     // the platform has failed, and is asked again in a while
)
