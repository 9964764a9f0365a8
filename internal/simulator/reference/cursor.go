package reference

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// A cursor is the place of the last record on the previous page: its updated_at and
// id. The next page begins after that place, wherever records have moved since. A
// cursor that counted rows would skip one for each record that leaves the pages
// already read, and every record leaves its place when it is updated.
//
// To callers it is an opaque text. This one holds a version, the list to which it
// belongs, the two parts of the place and the row.

const (
	cursorVersion = 1
	cursorFixed   = 1 + 1 + 8 + 4 // version, list, updated_at, row; the id follows
	maxCursor     = 1024          // bytes of text
)

var errBadCursor = errors.New("the cursor is not one of this list")

// cursorNumber distinguishes the lists in a cursor.
func (r Resource) cursorNumber() byte { return byte(slices.Index(Resources(), r)) }

// encodeCursor writes a place in a list.
func encodeCursor(list Resource, p firm.Position) string {
	b := make([]byte, 0, cursorFixed+len(p.ID))
	b = append(b, cursorVersion, list.cursorNumber())
	b = binary.BigEndian.AppendUint64(b, uint64(p.Updated))
	b = binary.BigEndian.AppendUint32(b, p.Ref)
	b = append(b, p.ID...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeCursor is the inverse of encodeCursor.
func decodeCursor(list Resource, text string) (firm.Position, error) {
	if len(text) > maxCursor {
		return firm.Position{}, errBadCursor
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < cursorFixed || b[0] != cursorVersion || b[1] != list.cursorNumber() {
		return firm.Position{}, errBadCursor
	}
	return firm.Position{
		Updated: int64(binary.BigEndian.Uint64(b[2:])),
		Ref:     binary.BigEndian.Uint32(b[10:]),
		ID:      string(b[cursorFixed:]),
	}, nil
}
