package ingest

import (
	"io"

	"github.com/assayhq/assay/store"
)

// copyChunk is about how much of a page is encoded before it is sent. It is small, so that the
// server processes the first rows while the others are encoded.
const copyChunk = 8 << 10

// copyReader is a page in COPY's text format, encoded as it is read.
type copyReader[R any] struct {
	w      *pageWriter[R]
	next   int // row to encode
	buffer []byte
	rest   []byte // unread part of buffer
	prefix []byte
}

func newCopyReader[R any](w *pageWriter[R]) *copyReader[R] {
	return &copyReader[R]{
		w: w, buffer: make([]byte, 0, copyChunk+1024),
		prefix: append([]byte(w.p.Claim.IntegrationID.String()), '\t'),
	}
}

// Read implements io.Reader.
func (c *copyReader[R]) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.next == len(c.w.rows) {
			return 0, io.EOF
		}
		c.encodeNext()
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// encodeNext encodes the next rows.
func (c *copyReader[R]) encodeNext() {
	body := c.buffer[:0]
	for c.next < len(c.w.rows) && len(body) < copyChunk {
		row := &c.w.rows[c.next]
		body = append(body, c.prefix...)
		if c.w.t.owned {
			body = append(append(body, store.NewID().String()...), '\t')
			body = append(append(body, c.w.p.Claim.OrganizationID.String()...), '\t')
		}
		body = appendValues(body, c.w.t.Key, row)
		body = appendValues(body, c.w.t.Beside, row)
		from := len(body)
		body = appendValues(body, c.w.t.Content, row)
		body = appendCopyHash(body, c.hashOf(row, body[from:]))
		if c.w.t.sourced {
			body = append(append(body, '\t'), c.w.p.Claim.Kind...)
		}
		body = append(body, '\n')
		c.next++
	}
	c.buffer, c.rest = body, body
}

// hashOf returns the hash of a row whose content has been encoded.
func (c *copyReader[R]) hashOf(row *R, content []byte) [hashBytes]byte {
	if t := c.w.t; t.asHashed != nil && t.asHashed(row) != row {
		content = t.appendHashed(nil, row)
	}
	return rowHash(content)
}
