package syncing

import (
	"time"

	"github.com/google/uuid"
)

// ClaimStatement returns ClaimDue's statement and its arguments.
func ClaimStatement(limit int, within time.Duration) (statement string, args []any) {
	due, args := Selection{Within: within}.writeCondition()
	return claimSQL(due), append([]any{"owner", limit, time.Minute, make([]uuid.UUID, limit)}, args...)
}
