package decode

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// Limits of pages.
const (
	defaultLimit = 25
	maxLimit     = 100
	// maxCollection is the most items of a list that is returned whole.
	maxCollection = 10000
	maxPage       = 1_000_000_000 // keeps the offset far inside 64 bits
	maxTotal      = 1 << 50
)

// maxChoicesShown limits how many choices the detail of a fault lists.
const maxChoicesShown = 1000

// Query is a request's query whose parameters are read one by one. Their faults are noted in its
// Faults.
type Query struct {
	*Faults
	path       string
	raw        map[string][]string // encoded values by decoded name
	names      []string            // keys of raw, in the order of the query
	unreadable []string            // names that cannot be decoded, as they appear in the query
	known      map[string]bool
	parameters *[]*openapi.Parameter // not nil if the query only records what is read (DescribeQuery)
}

// NewQuery parses the request's query. It ignores empty pairs, as in a&&b.
func NewQuery(r *http.Request) *Query {
	q := &Query{Faults: new(Faults), path: r.URL.Path, raw: make(map[string][]string), known: make(map[string]bool)}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if pair == "" {
			continue
		}
		escaped, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escaped)
		if err != nil || name == "" || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			q.unreadable = append(q.unreadable, escaped)
			continue
		}
		if q.raw[name] == nil {
			q.names = append(q.names, name)
		}
		q.raw[name] = append(q.raw[name], value)
	}
	return q
}

// Unknown notes faults for the parameters that were not read: a misspelled filter would otherwise
// have no effect, and the response would include what it was meant to exclude.
func (q *Query) Unknown() {
	for _, name := range q.names {
		if !q.known[name] {
			q.Parameter(shownName(name), problem.UnknownField, "There is no such parameter.")
		}
	}
	for _, name := range q.unreadable {
		if name == "" {
			q.Parameter("=", problem.InvalidFormat, "A value must have a name before its equals sign.")
			continue
		}
		q.Parameter(shownName(name), problem.InvalidFormat, "The name must be percent-encoded UTF-8 without NUL.")
	}
}

// Finish notes the unknown parameters and returns a 422 problem with all faults, or nil if there
// are none.
func (q *Query) Finish() error {
	q.Unknown()
	return q.Err()
}

// shownName shortens a parameter's name for a response.
func shownName(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= maxNameShown {
		return name
	}
	return strings.ToValidUTF8(name[:maxNameShown], "") + "…"
}

// takeParameter returns a parameter's text. ok is false if it is absent, empty or unusable.
func (q *Query) takeParameter(name string) (text string, ok bool) {
	q.known[name] = true
	values := q.raw[name]
	switch len(values) {
	case 0:
		return "", false
	case 1:
	default:
		q.Parameter(name, problem.InvalidFormat, "Must be sent once.")
		return "", false
	}
	text, err := url.QueryUnescape(values[0])
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		q.Parameter(name, problem.InvalidFormat, "Must be percent-encoded UTF-8 without NUL.")
		return "", false
	}
	return text, text != ""
}

// Text reads a text of at most longest characters. It returns an empty string if the parameter is
// absent.
func (q *Query) Text(name string, longest int) string {
	if q.describeParameter(name, func() *openapi.Schema { return openapi.Text(longest) }) {
		return ""
	}
	text, ok := q.takeParameter(name)
	if ok && utf8.RuneCountInString(text) > longest {
		q.Parameter(name, problem.TooLong, fmt.Sprintf("At most %d characters.", longest))
		return ""
	}
	return text
}

// Choice reads one of the given words. It returns an empty string if the parameter is absent.
func (q *Query) Choice(name string, choices ...string) string {
	if q.describeParameter(name, func() *openapi.Schema { return openapi.Choice(choices...) }) {
		return ""
	}
	text, ok := q.takeParameter(name)
	if ok && !slices.Contains(choices, text) {
		detail := "Must be one of " + strings.Join(choices, ", ") + "."
		if len(detail) > maxChoicesShown {
			detail = "Must be one of the values that the OpenAPI document lists."
		}
		q.Parameter(name, problem.InvalidFormat, detail)
		return ""
	}
	return text
}

// UUID reads an id in canonical form. It returns nil if the parameter is absent.
func (q *Query) UUID(name string) *uuid.UUID {
	if q.describeParameter(name, openapi.UUID) {
		return nil
	}
	text, ok := q.takeParameter(name)
	if !ok {
		return nil
	}
	id, err := UUID(text)
	if err != nil {
		q.Parameter(name, problem.InvalidFormat, "Must be a UUID.")
		return nil
	}
	return &id
}

// Time reads an RFC 3339 time and converts it to UTC. It returns nil if the parameter is absent.
func (q *Query) Time(name string) *time.Time {
	if q.describeParameter(name, openapi.Time) {
		return nil
	}
	text, ok := q.takeParameter(name)
	if !ok {
		return nil
	}
	t, code, detail := parseTime(text)
	if code == problem.InvalidFormat {
		detail = "Must be an RFC 3339 time, such as 2026-01-31T12:00:00Z, with a plus sign encoded as %2B."
	}
	if code != "" {
		q.Parameter(name, code, detail)
		return nil
	}
	return &t
}

// parseTime reads a time (RFC 3339), or returns what is wrong with it.
func parseTime(text string) (t time.Time, code problem.FaultCode, detail string) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, problem.InvalidFormat, "Must be an RFC 3339 time, such as 2026-01-31T12:00:00Z."
	}
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return t, problem.OutOfRange, "Must be in the years 1 to 9999."
	}
	return t, "", ""
}

// Page reads the parameters page, cursor and limit.
func (q *Query) Page() store.Page {
	return q.readPage(defaultLimit, maxLimit, "Items per page.")
}

// Collection reads the parameters page, cursor and limit of a list that is returned whole by
// default. The page is found by its number, even with a cursor.
func (q *Query) Collection() store.Page {
	p := q.readPage(maxCollection, maxCollection, "Items per page. By default all items are returned.")
	p.After = nil
	return p
}

// readPage reads the parameters page, cursor and limit. Without limit, a page has usual items.
func (q *Query) readPage(usual, most int, about string) store.Page {
	p := store.Page{Number: q.Count("page", 1, maxPage), Limit: q.Count("limit", usual, most)}
	q.Note("page", Note{About: "Page number from 1. A page past the end is empty."})
	q.readCursor(&p)
	q.Note("limit", Note{About: about})
	return p
}

// Values returns all parameters that can be decoded, by name. It notes no faults: it serves pages, which
// accept whatever a browser sends, and what copies a query.
func (q *Query) Values() url.Values {
	values := make(url.Values, len(q.raw))
	for name, encoded := range q.raw {
		for _, one := range encoded {
			if text, err := url.QueryUnescape(one); err == nil {
				values.Add(name, text)
			}
		}
	}
	return values
}

type queryKey struct{}

// KeepQuery returns the request with its parsed query, for QueryOf.
func KeepQuery(r *http.Request, q *Query) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), queryKey{}, q))
}

// QueryOf returns the query that KeepQuery has kept, and parses that of any other request.
func QueryOf(r *http.Request) *Query {
	if q, ok := r.Context().Value(queryKey{}).(*Query); ok {
		return q
	}
	return NewQuery(r)
}

// Has reports whether a parameter is present, even without a value.
func (q *Query) Has(name string) bool { return len(q.raw[name]) > 0 }

// Count reads a whole number from 1 to high. It returns absent if the parameter is absent. A present
// but empty parameter is a fault, because a client that sends it does not mean the default.
func (q *Query) Count(name string, absent, high int) int {
	if q.describeParameter(name, func() *openapi.Schema { return openapi.Whole(1, int64(high)) }) {
		q.Note(name, Note{Default: absent})
		return absent
	}
	q.known[name] = true
	if len(q.raw[name]) == 0 {
		return absent
	}
	faults := len(q.list)
	text, _ := q.takeParameter(name)
	if len(q.list) > faults {
		return absent
	}
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		q.Parameter(name, problem.InvalidFormat, "Must be a whole number.")
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > high {
		q.Parameter(name, problem.OutOfRange, fmt.Sprintf("Must be from 1 to %d.", high))
		return absent
	}
	return n
}

// UUID parses an id in canonical form. It refuses other notations of a UUID.
func UUID(text string) (uuid.UUID, error) {
	const canonical = 36
	if len(text) != canonical {
		return uuid.UUID{}, fmt.Errorf("UUID of %d characters", len(text))
	}
	return uuid.Parse(text)
}
