package review

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/interviews"
)

// KPIWindow selects the interviews for the figures by their creation, From inclusive, To exclusive.
type KPIWindow struct{ From, To *time.Time }

// kpiDays is how many days the figures cover by default.
const kpiDays = 30

// KPIs are figures over an organization's interviews.
type KPIs struct {
	From             time.Time                   `bun:"from_at"`
	To               time.Time                   `bun:"to_at"`
	Total            int                         `bun:"total"`
	AwaitingReview   int                         `bun:"awaiting_review"` // completed, and undecided or needing a review
	OverdueReview    int                         `bun:"overdue_review"`  // among them, for more than 48 hours
	Unassigned       int                         `bun:"unassigned"`
	CommunicationDue int                         `bun:"communication_pending"` // approved or rejected, and the trader was not informed
	Retakes          int                         `bun:"retakes"`
	WithHighFindings int                         `bun:"with_high_findings"`
	ReportFailures   int                         `bun:"report_failures"`
	CompletionRate   *float64                    `bun:"completion_rate"`                 // 0 to 1; nil if no interview has ended
	HoursToSubmit    *float64                    `bun:"median_hours_invite_to_submit"`   // nil if none was submitted
	HoursToDecision  *float64                    `bun:"median_hours_submit_to_decision"` // nil if none was decided on
	Queues           []Queue                     `bun:"-"`
	ByStatus         map[interviews.Status]int   `bun:"-"` // every status
	ByDecision       map[interviews.Decision]int `bun:"-"` // every decision; "" for interviews without one
}

// Queue is the completed interviews that wait for a decision of the person they are assigned to.
type Queue struct {
	PersonID uuid.UUID `bun:"assignee_id"`
	Name     *string   `bun:"name"` // nil for a former member
	Waiting  int       `bun:"waiting"`
}

// mostQueues is how many queues KPIs have at most.
const mostQueues = 50

// kpiRows selects the interviews i of the organization ?0 from ?1 to ?2.
const kpiRows = ` FROM interviews AS i WHERE i.organization_id = ?0 AND i.created_at >= ?1 AND i.created_at < ?2`

// readKPIs computes the figures.
func readKPIs(ctx context.Context, tx bun.IDB, orgID uuid.UUID, w KPIWindow) (k KPIs, err error) {
	var from, to time.Time
	err = tx.NewRaw(`SELECT coalesce(?0::timestamptz, greatest(coalesce(?1::timestamptz, now()) - make_interval(days => ?2), '0001-01-01T00:00:00Z')), coalesce(?1::timestamptz, now() + interval '1 microsecond')`,
		w.From, w.To, kpiDays).Scan(ctx, &from, &to)
	if err != nil {
		return k, err
	}
	err = tx.NewRaw(`SELECT ?1::timestamptz AS from_at, ?2::timestamptz AS to_at, count(*) AS total,
    count(*) FILTER (WHERE `+awaiting+`) AS awaiting_review,
    count(*) FILTER (WHERE `+awaiting+` AND i.completed_at < now() - `+reviewDue+`) AS overdue_review,
    count(*) FILTER (WHERE i.assignee_id IS NULL) AS unassigned,
    count(*) FILTER (WHERE i.decision IN ('approved', 'rejected') AND i.communicated_at IS NULL) AS communication_pending,
    count(*) FILTER (WHERE i.retake_of_id IS NOT NULL) AS retakes, count(*) FILTER (WHERE i.high_findings > 0) AS with_high_findings,
    count(*) FILTER (WHERE i.status = 'failed') AS report_failures,
    count(*) FILTER (WHERE i.status IN ('completed', 'failed', 'processing'))::float8
        / nullif(count(*) FILTER (WHERE i.status IN ('completed', 'failed', 'processing', 'incomplete', 'expired', 'declined')), 0) AS completion_rate,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM i.submitted_at - i.created_at) / 3600) AS median_hours_invite_to_submit,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM (SELECT min(d.decided_at) FROM interview_decisions AS d WHERE d.interview_id = i.id) - i.submitted_at) / 3600)
        AS median_hours_submit_to_decision`+kpiRows, orgID, from, to).Scan(ctx, &k)
	if err != nil {
		return k, err
	}
	k.From, k.To = k.From.UTC(), k.To.UTC()
	k.ByStatus, k.ByDecision = make(map[interviews.Status]int), make(map[interviews.Decision]int)
	for _, s := range interviews.Statuses() {
		k.ByStatus[s] = 0
	}
	for _, d := range append(interviews.Decisions(), "") {
		k.ByDecision[d] = 0
	}
	var groups []struct {
		Status   interviews.Status   `bun:"status"`
		Decision interviews.Decision `bun:"decision"`
		Count    int                 `bun:"count"`
	}
	err = tx.NewRaw(`SELECT i.status, coalesce(i.decision, '') AS decision, count(*) AS count`+kpiRows+` GROUP BY 1, 2 ORDER BY 1, 2`, orgID, from, to).Scan(ctx, &groups)
	for _, g := range groups {
		k.ByStatus[g.Status] += g.Count
		k.ByDecision[g.Decision] += g.Count
	}
	if err != nil {
		return k, err
	}
	err = tx.NewRaw(`SELECT i.assignee_id, p.name, count(*) AS waiting FROM interviews AS i LEFT JOIN people AS p ON p.id = i.assignee_id
WHERE i.organization_id = ? AND i.assignee_id IS NOT NULL AND `+awaiting+` GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT ?`, orgID, mostQueues).Scan(ctx, &k.Queues)
	return k, err
}
