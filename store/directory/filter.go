package directory

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// MaxFilterText is how many characters of a country and of a kyc_status a filter compares.
const MaxFilterText = 60

// TraderFilter narrows the directory. An empty field does not filter.
type TraderFilter struct {
	// Search is a part of the full name, email or external id, ignoring case and Unicode
	// composition. It searches the whole external id, the first 254 characters of the email and the
	// first 200 of the name. If the three are not all ASCII, it searches the first 512 characters
	// of them together, in this order.
	Search    string
	Source    string // one of custom_api, partner_platform and manual
	Country   string // ignoring case; at most MaxFilterText characters
	KYCStatus string // exact; at most MaxFilterText characters
	Tag       string // exact
	// Statuses are the statuses to list. Empty means all except archived.
	Statuses []string
	// CreatedFrom is when the traders came into the directory at the earliest.
	CreatedFrom *time.Time
	Sort        TraderSort
}

// filterTexts lists the texts that the filter compares.
func (f TraderFilter) filterTexts() []string {
	return append([]string{f.Search, f.Source, f.Country, f.KYCStatus, f.Tag}, f.Statuses...)
}

// isUnmatchable reports whether no text in the database can match.
func (f TraderFilter) isUnmatchable() bool {
	return slices.ContainsFunc(f.filterTexts(), func(s string) bool { return strings.ContainsRune(s, 0) || !utf8.ValidString(s) })
}

// hasFacets reports whether the filter has conditions other than a search.
func (f TraderFilter) hasFacets() bool {
	return f.Source != "" || f.Country != "" || f.KYCStatus != "" || f.Tag != "" || len(f.Statuses) > 0 || f.CreatedFrom != nil
}

// isCounted reports whether the directory's counters provide the total.
func (f TraderFilter) isCounted() bool {
	return f.Search == "" && f.Country == "" && f.KYCStatus == "" && f.Tag == "" && len(f.Statuses) == 0 && f.CreatedFrom == nil
}

// directoryParts lists the halves of the directory that the filter searches. Each has its own
// index.
func (f TraderFilter) directoryParts() []string {
	const live, archived = `t.status <> 'archived'`, `t.status = 'archived'`
	switch {
	case len(f.Statuses) == 0 || !slices.Contains(f.Statuses, TraderArchived):
		return []string{live}
	case slices.ContainsFunc(f.Statuses, func(s string) bool { return s != TraderArchived }):
		return []string{live, archived}
	}
	return []string{archived}
}

// directoryArguments is how many arguments come before the search's runs.
const directoryArguments = 12

// queryArguments returns the arguments of all statements over the directory. after are the
// values of the position of the trader before the page, or nil.
func (f TraderFilter) queryArguments(orgID uuid.UUID, limit, offset int64, after []any) []any {
	if after == nil {
		after = make([]any, len(f.Sort.order()))
	}
	args := make([]any, 0, directoryArguments+maxRuns)
	args = append(args, orgID, "%"+store.EscapeLike(f.foldedSearch())+"%", f.Source, f.Country, f.KYCStatus,
		store.Array([]string{f.Tag}), bun.List(f.Statuses), limit, offset)
	args = append(append(args, after...), f.CreatedFrom)
	for _, run := range f.searchRuns() {
		args = append(args, "%"+run+"%")
	}
	return args
}

// The tags of a row t of traders and of directory_filters.
const (
	tagsOfTrader  = `coalesce(t.override_tags, t.tags)`
	tagsInFilters = `t.tags`
)

// rowCondition returns the condition on a row t with those tags, except for its part.
func (f TraderFilter) rowCondition(tags string) string {
	conditions := f.facetConditions(tags)
	if f.CreatedFrom != nil {
		conditions = append(conditions, `t.created_at >= ?11`) // in the directory's index, but not in the one over all filters
	}
	if f.Search != "" {
		// The database folds the pattern, because it folded the column.
		conditions = append(conditions, `t.search LIKE lower(normalize(?1, NFC))`)
	}
	return joinConditions(conditions)
}

// indexCondition returns the part of the condition that the index over all filters can check
// without reading the row. For a search, these are its runs of letters and digits.
func (f TraderFilter) indexCondition() string {
	conditions := f.facetConditions(tagsOfTrader)
	for i := range f.searchRuns() {
		conditions = append(conditions, fmt.Sprintf(`t.search LIKE lower(normalize(?%d, NFC))`, directoryArguments+i))
	}
	return joinConditions(conditions)
}

func joinConditions(conditions []string) string {
	if len(conditions) == 0 {
		return `true`
	}
	return strings.Join(conditions, ` AND `)
}

// facetConditions returns the conditions except the search.
func (f TraderFilter) facetConditions(tags string) (conditions []string) {
	add := func(set bool, condition string) {
		if set {
			conditions = append(conditions, condition)
		}
	}
	add(f.Source != "", `t.source = ?2`)
	add(f.Country != "", `t.country_key = lower(?3)`)
	add(f.KYCStatus != "", `t.kyc_key = ?4`)
	add(f.Tag != "", tags+` @> ?5::text[]`)
	add(len(f.Statuses) > 0, `t.status IN (?6)`)
	return conditions
}

// separators maps separators to letters, in the searched column (00004_directory.sql) and in the
// search text.
const separators = " ʛ.ʝ-ʞ_ʠ@ʡ+ʢ'ʣ"

// foldedSearch returns the search with its separators replaced by letters.
func (f TraderFilter) foldedSearch() string {
	pairs := []rune(separators)
	return strings.Map(func(r rune) rune {
		for i := 0; i < len(pairs); i += 2 {
			if r == pairs[i] {
				return pairs[i+1]
			}
		}
		return r
	}, f.Search)
}

// fitsFilterIndex reports whether the index over all filters can serve this one. The index contains
// the trigrams of letters and digits in texts. letters is false for a database that only recognizes
// ASCII letters.
func (f TraderFilter) fitsFilterIndex(letters bool) bool {
	return f.hasFacets() || slices.ContainsFunc(f.searchRuns(), func(run string) bool { return letters || len(run) == utf8.RuneCountInString(run) })
}

// maxRuns is the most runs of a search that are used.
const maxRuns = 9

// searchRuns lists runs of letters and digits in the folded search that have at least a trigram's
// length.
func (f TraderFilter) searchRuns() []string {
	const trigram = 3
	fields := strings.FieldsFunc(f.foldedSearch(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	fields = slices.DeleteFunc(fields, func(s string) bool { return utf8.RuneCountInString(s) < trigram })
	return fields[:min(len(fields), maxRuns)]
}
