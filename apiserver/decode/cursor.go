package decode

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// maxCursor is the most characters of a cursor.
const maxCursor = 16_384

// cursor is what a cursor says about the page that it stands for. It is encoded as JSON in base64.
type cursor struct {
	Number int             `json:"n"` // number of the page
	Total  int             `json:"t"` // number of items when the first page was read
	After  keyset.Position `json:"a"` // position of the item before the page; empty for a list that is read whole
	List   []byte          `json:"l"` // identifies the list: see hashList
}

// NextCursor returns the cursor of the page after p, whose last item has the given position.
func NextCursor(p store.Page, last keyset.Position, total int) string {
	if last == nil {
		last = keyset.Position{}
	}
	text, err := json.Marshal(cursor{p.Number + 1, total, last, p.List})
	if err != nil {
		panic(err) // cannot happen with these types
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// hashList returns a hash that identifies the list of a request: its path and its filters.
func (q *Query) hashList() []byte {
	h := sha256.New()
	h.Write([]byte(q.path))
	for _, name := range slices.Sorted(slices.Values(q.names)) {
		if name == "cursor" || name == "limit" || name == "page" {
			continue
		}
		for _, escaped := range q.raw[name] {
			value, err := url.QueryUnescape(escaped)
			if err != nil {
				value = escaped
			}
			h.Write([]byte("\x00" + name + "\x00" + value))
		}
	}
	return h.Sum(nil)[:8]
}

// readCursor reads the parameter cursor into the page.
func (q *Query) readCursor(p *store.Page) {
	p.List = q.hashList()
	text := q.Text("cursor", maxCursor)
	q.Note("cursor", Note{About: "The previous page's `meta.next_cursor`, with the same filters. Faster than `page` in a long list, and skips or repeats no item. Not with `page`."})
	if text == "" {
		return
	}
	c, ok := parseCursor(text)
	switch {
	case !ok:
		q.Parameter("cursor", problem.InvalidFormat, "Must be the next_cursor of a response.")
	case !bytes.Equal(c.List, p.List):
		q.Parameter("cursor", problem.InvalidFormat, "Belongs to another list or to other filters. Repeat the filters of the response that it comes from, or begin without a cursor.")
	case len(q.raw["page"]) > 0:
		q.Parameter("cursor", problem.InvalidFormat, "Cannot be combined with page.")
	default:
		p.Number, p.Total, p.After = c.Number, c.Total, c.After
	}
}

func parseCursor(text string) (c cursor, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return c, false
	}
	return c, c.Number >= 1 && c.Number <= maxPage && c.Total >= 0 && c.Total <= maxTotal && c.After != nil
}
