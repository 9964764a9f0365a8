package ingest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/assayhq/assay/store/directory/column"
)

// hashBytes is how many bytes of a record's SHA-256 are stored to recognize changed records.
const hashBytes = 16

// rowHash hashes a row's content in COPY's text format.
func rowHash(line []byte) [hashBytes]byte {
	sum := sha256.Sum256(line)
	return [hashBytes]byte(sum[:hashBytes])
}

// appendCopyHash appends a bytea in COPY's text format.
func appendCopyHash(dst []byte, hash [hashBytes]byte) []byte {
	dst = append(dst, '\\', '\\', 'x')
	return hex.AppendEncode(dst, hash[:])
}

// arrayLiteral returns a text[] literal of one column of the chosen rows.
func arrayLiteral[R any](c column.Column[R], rows []R, chosen []int) string {
	out := make([]byte, 0, 16*len(chosen)+2)
	out = append(out, '{')
	var value []byte
	for i, n := range chosen {
		if i > 0 {
			out = append(out, ',')
		}
		var ok bool
		if value, ok = c.Text(value[:0], &rows[n]); ok {
			out = column.AppendQuoted(out, value)
		} else {
			out = append(out, "NULL"...)
		}
	}
	return string(append(out, '}'))
}
