package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
)

// Filter narrows a list of interviews. A zero value does not filter.
type Filter struct {
	Statuses                   []interviews.Status
	Decisions                  []interviews.Decision
	Undecided                  bool // those without a decision, in addition to Decisions
	AssigneeID                 *uuid.UUID
	Unassigned                 bool
	TraderID                   *uuid.UUID
	Email                      string // of the trader, ignoring case
	Reference                  string
	MentionedID                *uuid.UUID // a person who was mentioned and has not responded
	Search                     string     // part of the trader's name or email, or of the reference, ignoring case
	Attention                  []string
	Finding                    string   // a kind
	Severities                 []string // the report has a finding of one of these, which are high, medium and low
	Reason                     string
	CreatedFrom, CreatedTo     *time.Time // from inclusive, to exclusive
	CompletedFrom, CompletedTo *time.Time
	Communicated               *bool
	Partial                    *bool
	Overdue                    *bool // waits for a review for more than 48 hours
	Sort                       Sort
}

// reviewDue is how long a completed interview may wait for a decision before it
// is overdue.
const reviewDue = `interval '48 hours'`

// awaiting is an SQL condition for an interview i that waits for a decision.
const awaiting = `i.status = 'completed' AND (i.decision IS NULL OR i.decision = 'needs_review')`

// conditions collects the parts of a WHERE clause.
type conditions struct {
	sql  []string
	args []any
}

func (c *conditions) add(sql string, args ...any) {
	c.sql, c.args = append(c.sql, sql), append(c.args, args...)
}

// addOneOf adds the condition that the column has one of the values, if there are any.
func addOneOf[T any](c *conditions, column string, values []T) {
	if len(values) > 0 {
		c.add(column+` IN (?)`, bun.List(values))
	}
}

// addIfGiven adds a condition for a value unless it is nil.
func addIfGiven[T any](c *conditions, sql string, v *T) {
	if v != nil {
		c.add(sql, *v)
	}
}

// addTruth adds a condition, or its opposite, unless v is nil.
func addTruth(c *conditions, sql string, v *bool) {
	if v != nil {
		c.add(`coalesce((`+sql+`), false) = ?`, *v)
	}
}

// whereConditions turns the filter into SQL.
func (f Filter) whereConditions(orgID uuid.UUID) conditions {
	var c conditions
	c.add(`i.organization_id = ?`, orgID)
	addOneOf(&c, `i.status`, f.Statuses)
	addOneOf(&c, `i.attention_level`, f.Attention)
	switch {
	case f.Undecided && len(f.Decisions) > 0:
		c.add(`(i.decision IS NULL OR i.decision IN (?))`, bun.List(f.Decisions))
	case f.Undecided:
		c.add(`i.decision IS NULL`)
	default:
		addOneOf(&c, `i.decision`, f.Decisions)
	}
	addIfGiven(&c, `i.assignee_id = ?`, f.AssigneeID)
	if f.Unassigned {
		c.add(`i.assignee_id IS NULL`)
	}
	addIfGiven(&c, `i.id IN (SELECT interview_id FROM interview_mentions WHERE person_id = ? AND done_at IS NULL)`, f.MentionedID)
	addIfGiven(&c, `i.trader_id = ?`, f.TraderID)
	addIfGiven(&c, `lower(coalesce(t.override_email, t.email)) = lower(?)`, store.TextOrNil(f.Email))
	addIfGiven(&c, `i.reference = ?`, store.TextOrNil(f.Reference))
	addIfGiven(&c, `i.reason = ?`, store.TextOrNil(f.Reason))
	addIfGiven(&c, `i.finding_kinds @> ARRAY[?]`, store.TextOrNil(f.Finding))
	if severe := f.severityCondition(); severe != "" {
		c.add(severe)
	}
	addIfGiven(&c, `i.created_at >= ?`, f.CreatedFrom)
	addIfGiven(&c, `i.created_at < ?`, f.CreatedTo)
	addIfGiven(&c, `i.completed_at >= ?`, f.CompletedFrom)
	addIfGiven(&c, `i.completed_at < ?`, f.CompletedTo)
	addTruth(&c, `i.communicated_at IS NOT NULL`, f.Communicated)
	addTruth(&c, `i.partial`, f.Partial)
	addTruth(&c, awaiting+` AND i.completed_at < now() - `+reviewDue, f.Overdue)
	if f.Search != "" {
		like := `%` + store.EscapeLike(f.Search) + `%`
		c.add(`(coalesce(t.override_full_name, t.full_name) ILIKE ? OR coalesce(t.override_email, t.email) ILIKE ? OR i.reference ILIKE ?)`, like, like, like)
	}
	return c
}

// Severities are those by which findings are counted.
func Severities() []string { return []string{"high", "medium", "low"} }

// severityCondition returns the SQL condition that a report has a finding of one of the severities, or nothing.
func (f Filter) severityCondition() string {
	var parts []string
	for _, s := range Severities() {
		if slices.Contains(f.Severities, s) {
			parts = append(parts, `i.`+s+`_findings > 0`)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return `(` + strings.Join(parts, ` OR `) + `)`
}

// Listed is a page of interviews with what is counted beside it, all from one snapshot.
type Listed struct {
	List     []interviews.Interview
	Total    int                      // exact number of interviews that match the filter
	Findings interviews.FindingCounts // in the newest reports of those
	KPIs     KPIs                     // of the organization, regardless of the filter
}

// List lists interviews of the organization.
func List(ctx context.Context, reader store.Reader, orgID uuid.UUID, f Filter, p store.Page, window KPIWindow) (l Listed, err error) {
	defer store.WrapError(&err, "list interviews of organization %s", orgID)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		if l.List, l.Total, err = f.readPage(ctx, tx, orgID, p); err != nil {
			return err
		}
		c := f.whereConditions(orgID)
		err := tx.NewRaw(`SELECT coalesce(sum(i.high_findings), 0)::bigint AS high_findings, coalesce(sum(i.medium_findings), 0)::bigint AS medium_findings,
    coalesce(sum(i.low_findings), 0)::bigint AS low_findings`+listedRows+strings.Join(c.sql, ` AND `), c.args...).Scan(ctx, &l.Findings)
		if err != nil {
			return err
		}
		l.KPIs, err = readKPIs(ctx, tx, orgID, window)
		return err
	})
	return l, err
}

// listedRows is what a filter's conditions and orders are about. Postgres leaves out a table that a statement does not need.
const listedRows = ` FROM interviews AS i LEFT JOIN traders AS t ON t.id = i.trader_id LEFT JOIN people AS p ON p.id = i.assignee_id WHERE `

// readPage reads a page of the interviews that match the filter, and the number of all.
func (f Filter) readPage(ctx context.Context, tx bun.Tx, orgID uuid.UUID, p store.Page) (list []interviews.Interview, total int, err error) {
	c, order := f.whereConditions(orgID), f.Sort.order()
	on, onArgs, err := p.Where(order)
	if err != nil {
		return nil, 0, err
	}
	where := strings.Join(c.sql, ` AND `)
	total, err = p.CountRows(ctx, tx, `SELECT count(*)`+listedRows+where, c.args...)
	if err != nil {
		return nil, 0, err
	}
	page, args := where+` AND `+on+order.SQL()+` LIMIT ? OFFSET ?`, append(append(c.args, onArgs...), p.MaxRows(), p.Offset())
	if done, err := p.ScanPositions(ctx, tx, order, listedRows+page, args...); done {
		return nil, total, err
	}
	list, err = interviews.Select(ctx, tx, page, args...)
	return list, total, err
}

// Each calls visit for all interviews that match the filter, in its order. See store.EachRow.
func Each(ctx context.Context, reader store.Reader, orgID uuid.UUID, f Filter, visit func(interviews.Interview) error) (err error) {
	defer store.WrapError(&err, "read all interviews of organization %s", orgID)
	read := func(p store.Page) (list []interviews.Interview, total int, err error) {
		err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
			list, total, err = f.readPage(ctx, tx, orgID, p)
			return err
		})
		return list, total, err
	}
	return store.EachRow(f.Sort.order(), read, f.Sort.PositionOf, visit)
}
