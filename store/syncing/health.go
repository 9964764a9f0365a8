package syncing

import (
	"encoding/json"
	"time"
)

// Health is the state of an integration's connection.
type Health string

// The states of health. CheckFailed and Pending precede the first cycle. Only a successful live
// check ends CheckFailed and Blocked.
const (
	HealthCheckFailed Health = "check_failed" // The latest live check failed. The platform is not polled.
	HealthPending     Health = "pending"      // The live check passed, and the first cycle has not finished.
	HealthHealthy     Health = "healthy"      // Every resource succeeded in the last cycle.
	HealthDegraded    Health = "degraded"     // At least one resource did not succeed in the last cycle.
	HealthFailing     Health = "failing"      // No resource succeeds anymore, or the data is out of date.
	HealthBlocked     Health = "blocked"      // The platform refused the credential. The platform is not polled.
)

// AccountScope narrows which accounts and payouts of a partner platform are read (service API,
// Integration.account_scope). A nil or empty list does not narrow.
type AccountScope struct {
	PlanCategoryIDs []json.Number `json:"plan_category_ids"`
	Platforms       []string      `json:"platforms"`
}

// Error is an error between assay and a platform, as it is shown to the customer.
type Error struct {
	Resource   string    `json:"resource"` // empty for the live check
	Code       string    `json:"code"`
	Message    string    `json:"message"`
	HTTPStatus int       `json:"http_status"` // 0 if there was no response
	Endpoint   string    `json:"endpoint"`
	Hint       string    `json:"hint"`
	At         time.Time `json:"at"`
}
