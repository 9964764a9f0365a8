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

// WaitRequested is the Schedule.WaitReason after somebody has requested a sync.
const WaitRequested = "requested"
