package directory

import (
	"strings"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// TraderSort is an order of the directory.
type TraderSort string

// The orders of traders, which TraderSorts lists. NewestTraders is the default. Each has an index,
// which is read in either direction.
const (
	NewestTraders TraderSort = "-created_at"
	oldestTraders TraderSort = "created_at"
	tradersByName TraderSort = "name"
	tradersFromZ  TraderSort = "-name"
)

// TraderSorts lists the orders.
func TraderSorts() []TraderSort {
	return []TraderSort{NewestTraders, oldestTraders, tradersByName, tradersFromZ}
}

// nameKey is what the indexes traders_named and traders_archived_named sort a trader t by: the
// beginning of what lists show as the name.
const nameKey = `lower(left(coalesce(t.override_full_name, t.full_name, t.override_email, t.email, t.override_external_id COLLATE "default", t.external_id COLLATE "default", ''), 200))`

// inNamed is true for all rows. Statements that contain it can use the indexes of nameKey.
const inNamed = ` AND t.created_at > '-infinity'`

func (s TraderSort) isByName() bool { return s == tradersByName || s == tradersFromZ }

// order returns the columns of the order. The key of a name is compared in SQL: see afterCondition.
func (s TraderSort) order() keyset.Order {
	if s.isByName() {
		descending := s == tradersFromZ
		return keyset.Order{{SQL: nameKey, Type: keyset.Text, Descending: descending}, {SQL: "t.id", Type: keyset.UUID, Descending: descending}}
	}
	descending := s != oldestTraders
	return keyset.Order{{SQL: "t.created_at", Type: keyset.Time, Descending: descending}, {SQL: "t.id", Type: keyset.UUID, Descending: descending}}
}

// reverse returns the opposite order.
func (s TraderSort) reverse() TraderSort {
	if s == "" {
		return oldestTraders
	}
	if ascending, found := strings.CutPrefix(string(s), "-"); found {
		return TraderSort(ascending)
	}
	return "-" + s
}

// PositionOf returns the trader's position in a directory of this order.
func (s TraderSort) PositionOf(t Trader) keyset.Position {
	if !s.isByName() {
		return keyset.PositionOf(t.CreatedAt, t.ID)
	}
	for _, name := range []*string{t.FullName, t.Email, t.ExternalID} {
		if name != nil {
			return keyset.PositionOf(*name, t.ID)
		}
	}
	return keyset.PositionOf("", t.ID)
}

// afterCondition limits rows t to those after the position in arguments 9 and 10.
func (s TraderSort) afterCondition() string {
	comparison := ` < `
	if s == oldestTraders || s == tradersByName {
		comparison = ` > `
	}
	if s.isByName() {
		return ` AND (` + nameKey + `, t.id)` + comparison + `(lower(left(?9::text, 200)), ?10::uuid)`
	}
	return ` AND (t.created_at, t.id)` + comparison + `(?9, ?10)`
}

// The orders of the directory as SQL that a sample of it is taken in.
var (
	newestFirst = NewestTraders.order().SQL()
	oldestFirst = oldestTraders.order().SQL()
)

// isFront reports whether readFront reads the page.
func (f TraderFilter) isFront(p store.Page) bool {
	return !f.hasFacets() && f.Search == "" && f.Sort.order()[0] == NewestTraders.order()[0] && p.After == nil && p.Offset() <= frontRows
}
