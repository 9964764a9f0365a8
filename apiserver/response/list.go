package response

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// Collection is a list that is short enough to be returned whole.
//
//openapi:name List
type Collection[T any] struct {
	Data []T  `json:"data" api:"items=10000"` // All items of the list, or those of the requested page.
	Meta Meta `json:"meta"`                   // position of the items in the list
}

// Page is one page of a list.
type Page[T any] struct {
	Data []T  `json:"data" api:"items=100"` // Items of the page. Empty past the end of the list.
	Meta Meta `json:"meta"`                 // position of the page in the list
}

// Meta is the position of a page in its list.
//
//openapi:name PageMeta
type Meta struct {
	Page  int `json:"page" api:"min=1,max=1000000000"`          // page number, counted from 1
	Limit int `json:"limit" api:"min=1,max=10000" example:"25"` // maximum number of items on a page
	Total int `json:"total" example:"1"`                        // number of items in the entire list, exact at the time of the response; with a cursor, at the time of the first page
	// Cursor of the next page, for the parameter `cursor`. Null if this is the last page.
	NextCursor *string `json:"next_cursor" api:"max=16384" example:"null"`
}

// Number is an exact decimal number. The empty string is encoded as null.
type Number record.Decimal

// MarshalJSONTo implements json.MarshalerTo.
func (n Number) MarshalJSONTo(e *jsontext.Encoder) error {
	if n == "" {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteValue(jsontext.Value(n))
}

// NumberOf converts a number of the store. nil becomes null.
func NumberOf(d *record.Decimal) Number {
	if d == nil {
		return ""
	}
	return Number(*d)
}

// ConvertRows converts the rows of a list to their wire form.
func ConvertRows[From, To any](rows []From, wire func(From) To) []To {
	list := make([]To, len(rows))
	for i, row := range rows {
		list[i] = wire(row)
	}
	return list
}

// AnswerCollection answers with a list that was read whole, or with the requested page of it.
func AnswerCollection[T any](w http.ResponseWriter, r *http.Request, publicURL string, list []T, p store.Page) error {
	data, m := CutPage(w, r, publicURL, list, p)
	return AnswerJSON(w, Collection[T]{data, m})
}

// CutPage returns the requested page of a list that was read whole, and links to its neighbors.
func CutPage[T any](w http.ResponseWriter, r *http.Request, publicURL string, list []T, p store.Page) ([]T, Meta) {
	total := len(list)
	from := min((p.Number-1)*p.Limit, total)
	to := min(from+p.Limit, total)
	m := Meta{Page: p.Number, Limit: p.Limit, Total: total}
	if to < total {
		m.NextCursor = new(decode.NextCursor(p, nil, total))
	}
	w.Header().Add("Link", formatLinks(publicURL, r, p, m))
	return list[from:to], m
}

// Rows is a page of rows that the store has read.
type Rows[Row any] struct {
	List     []Row
	Page     store.Page                // the page that was requested
	Total    int                       // number of rows in the entire list
	Position func(Row) keyset.Position // position of a row in the list
}

// AnswerPage answers with the rows of one page of a list, and links to its neighbors.
func AnswerPage[Row, Body any](w http.ResponseWriter, r *http.Request, publicURL string, rows Rows[Row], wire func(Row) Body) error {
	m := LinkPage(w, r, publicURL, rows)
	return AnswerJSON(w, Page[Body]{ConvertRows(rows.List, wire), m})
}

// LinkPage adds links to the neighbors of a page to a response, and returns the position of the page
// in its list.
func LinkPage[Row any](w http.ResponseWriter, r *http.Request, publicURL string, rows Rows[Row]) Meta {
	p := rows.Page
	m := Meta{Page: p.Number, Limit: p.Limit, Total: rows.Total}
	// The total of a page after a position may be outdated.
	if n := len(rows.List); n == p.Limit && (p.After != nil || p.Offset()+p.MaxRows() < int64(rows.Total)) {
		m.NextCursor = new(decode.NextCursor(p, rows.Position(rows.List[n-1]), rows.Total))
	}
	w.Header().Add("Link", formatLinks(publicURL, r, p, m))
	return m
}

// formatLinks returns the Link header (RFC 8288) of a page: always first and last, and prev and next if
// such a page exists. A page that was requested by its cursor has first and next, and an uncounted one
// has last only if it is the last one. It preserves filters.
func formatLinks(publicURL string, r *http.Request, p store.Page, m Meta) string {
	last := max(1, (m.Total+p.Limit-1)/p.Limit)
	query := decode.QueryOf(r).Values()
	byCursor := query.Has("cursor")
	query.Del("cursor")
	query.Set("limit", strconv.Itoa(p.Limit))
	link := func(rel string, number int) string {
		query.Set("page", strconv.Itoa(number))
		return fmt.Sprintf("<%s%s?%s>; rel=%q", publicURL, r.URL.EscapedPath(), query.Encode(), rel)
	}
	list := []string{link("first", 1)}
	if byCursor {
		if m.NextCursor != nil {
			query.Del("page")
			query.Set("cursor", *m.NextCursor)
			list = append(list, fmt.Sprintf("<%s%s?%s>; rel=%q", publicURL, r.URL.EscapedPath(), query.Encode(), "next"))
		}
		return strings.Join(list, ", ")
	}
	if p.Number > 1 {
		list = append(list, link("prev", min(p.Number-1, last)))
	}
	if p.Number < last {
		list = append(list, link("next", p.Number+1))
		if p.Uncounted {
			return strings.Join(list, ", ")
		}
	}
	return strings.Join(append(list, link("last", last)), ", ")
}
