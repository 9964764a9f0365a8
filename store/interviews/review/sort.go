package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/keyset"
)

// Sort is an order of interviews: the name of a column, after "-" if it descends.
type Sort string

// Newest is the default order.
const Newest Sort = "-created_at"

// Sorts lists the orders.
func Sorts() []Sort {
	sorts := []Sort{Newest, "created_at"}
	for _, c := range sortColumns {
		sorts = append(sorts, c.name, "-"+c.name)
	}
	return sorts
}

// sortColumn is a column that an order begins with.
type sortColumn struct {
	name   Sort
	column keyset.Column
	value  func(interviews.Interview) any // see keyset.PositionOf
}

// decisionOrder lists the decisions as queues show them.
var decisionOrder = []interviews.Decision{interviews.DecisionNeedsReview, interviews.DecisionApproved, interviews.DecisionRejected}

// sortColumns are the columns that no index has the order of, so that a page sorts all interviews
// that match the filter.
var sortColumns = []sortColumn{
	{"trader", keyset.Column{SQL: interviews.TraderKey, Type: keyset.Text, Nullable: true}, func(i interviews.Interview) any { return i.TraderKey }},
	{"status", placeColumn("i.status", interviews.Statuses()), func(i interviews.Interview) any { return placeIn(interviews.Statuses(), &i.Status) }},
	{"decision", placeColumn("i.decision", decisionOrder), func(i interviews.Interview) any {
		if len(i.Decisions) == 0 {
			return placeIn(decisionOrder, nil)
		}
		return placeIn(decisionOrder, &i.Decisions[0].Decision)
	}},
	{"review_priority", keyset.Column{SQL: "i.review_priority", Type: keyset.Number, Nullable: true}, func(i interviews.Interview) any { return i.ReviewPriority }},
	{"complete_by", keyset.Column{SQL: "i.complete_by", Type: keyset.Time, Nullable: true}, func(i interviews.Interview) any { return i.CompleteBy }},
	{"assignee", keyset.Column{SQL: interviews.AssigneeKey, Type: keyset.Text, Nullable: true}, func(i interviews.Interview) any { return i.AssigneeKey }},
	{"created_by", keyset.Column{SQL: interviews.CreatorKey, Type: keyset.Text}, func(i interviews.Interview) any { return i.CreatorKey }},
	{"completed_at", keyset.Column{SQL: "i.completed_at", Type: keyset.Time, Nullable: true}, func(i interviews.Interview) any { return i.CompletedAt }},
}

// placeColumn orders by the place of a column's value among the words.
func placeColumn[T ~string](column string, words []T) keyset.Column {
	quoted := make([]string, len(words))
	for n, word := range words {
		quoted[n] = "'" + string(word) + "'"
	}
	return keyset.Column{SQL: fmt.Sprintf("array_position(ARRAY[%s], %s)", strings.Join(quoted, ", "), column), Type: keyset.Number, Nullable: true}
}

// placeIn returns the place of the word that placeColumn orders by, or nil.
func placeIn[T ~string](words []T, word *T) *int {
	if word == nil {
		return nil
	}
	return new(slices.Index(words, *word) + 1)
}

// column returns the column that the order begins with unless it is the time of creation, and
// whether that descends.
func (s Sort) column() (first *sortColumn, descending bool) {
	name, descending := strings.CutPrefix(string(s), "-")
	for n := range sortColumns {
		if string(sortColumns[n].name) == name {
			return &sortColumns[n], descending
		}
	}
	return nil, descending || s == ""
}

// order returns the columns of the order. Among equal interviews, the newest come first.
func (s Sort) order() keyset.Order {
	created, id := keyset.Column{SQL: "i.created_at", Type: keyset.Time, Descending: true}, keyset.Column{SQL: "i.id", Type: keyset.UUID, Descending: true}
	first, descending := s.column()
	if first == nil {
		created.Descending, id.Descending = descending, descending
		return keyset.Order{created, id}
	}
	column := first.column
	column.Descending, column.Unindexed = descending, true
	return keyset.Order{column, created, id}
}

// PositionOf returns the interview's position in a list of this order.
func (s Sort) PositionOf(i interviews.Interview) keyset.Position {
	if first, _ := s.column(); first != nil {
		return keyset.PositionOf(first.value(i), i.CreatedAt, i.ID)
	}
	return keyset.PositionOf(i.CreatedAt, i.ID)
}
