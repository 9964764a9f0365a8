package directory

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// readTraderInterviews reads the newest interviews of a trader.
func readTraderInterviews(ctx context.Context, tx bun.IDB, trader uuid.UUID) ([]TraderInterview, error) {
	interviews := []TraderInterview{}
	err := tx.NewRaw(`SELECT id, reference, reason, status, partial, attention_level, decision, created_at, completed_at, retake_of_id FROM interviews
WHERE trader_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`, trader, maxTraderInterviews).Scan(ctx, &interviews)
	return interviews, err
}

// maxTraderInterviews is the most interviews that a trader's detail shows.
const maxTraderInterviews = 200

// TraderInterview is an interview in a trader's detail.
type TraderInterview struct {
	ID             uuid.UUID  `bun:"id"`
	Reference      *string    `bun:"reference"`
	Reason         string     `bun:"reason"`
	Status         string     `bun:"status"`
	Partial        bool       `bun:"partial"`
	AttentionLevel *string    `bun:"attention_level"`
	Decision       *string    `bun:"decision"`
	CreatedAt      time.Time  `bun:"created_at"`
	CompletedAt    *time.Time `bun:"completed_at"`
	RetakeOfID     *uuid.UUID `bun:"retake_of_id"`
}
