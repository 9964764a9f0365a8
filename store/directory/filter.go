package directory

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// MaxFilterText is how many characters of a country and of a kyc_status can be
// told apart by a filter.
const MaxFilterText = 60

// TraderFilter narrows the directory. Empty fields do not narrow.
type TraderFilter struct {
	// Search is a part of the full name, email or external id, in any case and
	// whether composed or decomposed. It looks at the whole external id, the
	// first 254 characters of the email and the first 200 of the name; where the
	// three are not of ASCII alone, at the first 512 of them together, in this
	// order.
	Search    string
	Source    string // one of custom_api, partner_platform and manual
	Country   string // in any case; at most MaxFilterText characters
	KYCStatus string // exactly; at most MaxFilterText characters
	Tag       string // exactly
	// Statuses are those to list; empty: all but archived.
	Statuses []string
}

// filterTexts lists what the filter compares text with.
func (f TraderFilter) filterTexts() []string {
	return append([]string{f.Search, f.Source, f.Country, f.KYCStatus, f.Tag}, f.Statuses...)
}

// isUnmatchable reports whether no text in the database can match.
func (f TraderFilter) isUnmatchable() bool {
	return slices.ContainsFunc(f.filterTexts(), func(s string) bool { return strings.ContainsRune(s, 0) || !utf8.ValidString(s) })
}

// hasFacets reports whether the filter has more than a search.
func (f TraderFilter) hasFacets() bool {
	return f.Source != "" || f.Country != "" || f.KYCStatus != "" || f.Tag != "" || len(f.Statuses) > 0
}

// isCounted reports whether the directory's counters know the total.
func (f TraderFilter) isCounted() bool {
	return f.Search == "" && f.Country == "" && f.KYCStatus == "" && f.Tag == "" && len(f.Statuses) == 0
}

// directoryParts lists the halves of the directory that the filter looks into.
// Each has an index of its own.
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
const directoryArguments = 9

// queryArguments returns the arguments of all statements over the directory.
func (f TraderFilter) queryArguments(orgID uuid.UUID, limit, offset int64) []any {
	args := make([]any, 0, directoryArguments+maxRuns)
	args = append(args, orgID, "%"+escapeLike(f.foldedSearch())+"%", f.Source, f.Country, f.KYCStatus,
		store.Array([]string{f.Tag}), bun.List(f.Statuses), limit, offset)
	for _, run := range f.searchRuns() {
		args = append(args, "%"+run+"%")
	}
	return args
}

// rowCondition returns what a row t has to meet beside its part.
func (f TraderFilter) rowCondition() string {
	conditions := f.facetConditions()
	if f.Search != "" {
		// The pattern is folded by the database, which folded the column.
		conditions = append(conditions, `t.search LIKE lower(normalize(?1, NFC))`)
	}
	return joinConditions(conditions)
}

// indexCondition returns the part of the condition that the index over all
// filters can tell without a look at the row. Of a search, these are its runs of
// letters and digits.
func (f TraderFilter) indexCondition() string {
	conditions := f.facetConditions()
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

// facetConditions returns the conditions but the search.
func (f TraderFilter) facetConditions() (conditions []string) {
	add := func(set bool, condition string) {
		if set {
			conditions = append(conditions, condition)
		}
	}
	add(f.Source != "", `t.source = ?2`)
	add(f.Country != "", `t.country_key = lower(?3)`)
	add(f.KYCStatus != "", `t.kyc_key = ?4`)
	add(f.Tag != "", `coalesce(t.override_tags, t.tags) @> ?5::text[]`)
	add(len(f.Statuses) > 0, `t.status IN (?6)`)
	return conditions
}

// separators become letters in the column that is searched (00004_directory.sql),
// and in what is searched for.
const separators = " ʛ.ʝ-ʞ_ʠ@ʡ+ʢ'ʣ"

// foldedSearch returns the search with its separators as letters.
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

// fitsFilterIndex reports whether the index over all filters can serve this one.
// The index knows texts by the trigrams of their letters and digits. letters is
// false in a database that knows those of ASCII alone.
func (f TraderFilter) fitsFilterIndex(letters bool) bool {
	return f.hasFacets() || slices.ContainsFunc(f.searchRuns(), func(run string) bool { return letters || len(run) == utf8.RuneCountInString(run) })
}

// maxRuns bounds how many runs of a search are looked at.
const maxRuns = 9

// searchRuns lists runs of letters and digits in the folded search, of at least a
// trigram's length.
func (f TraderFilter) searchRuns() []string {
	const trigram = 3
	fields := strings.FieldsFunc(f.foldedSearch(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	fields = slices.DeleteFunc(fields, func(s string) bool { return utf8.RuneCountInString(s) < trigram })
	return fields[:min(len(fields), maxRuns)]
}

// escapeLike takes their meaning from the characters that LIKE gives one.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}
