package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// newestEncoding is the encoding of new rows. Existing rows keep theirs: an encoding is never
// changed, and a new column or another form of one gets a new number and its own function.
const newestEncoding = 1

// UnknownEncodingError means that a row of the audit log was written by a newer release, or that
// somebody has changed its encoding.
type UnknownEncodingError struct{ Encoding int16 }

func (e *UnknownEncodingError) Error() string {
	return fmt.Sprintf("audit rows of encoding %d can't be checked by this release", e.Encoding)
}

// Sum computes the row's hash, which covers everything except the hash itself.
func (r AuditRecord) Sum() ([]byte, error) {
	text, err := r.Encode()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// Encode serializes the row for its hash, so that no two rows have the same result.
func (r AuditRecord) Encode() ([]byte, error) {
	if r.Encoding == 1 {
		return r.encodeFirst(), nil
	}
	return nil, &UnknownEncodingError{r.Encoding}
}

// encodeFirst is encoding 1: a fixed title, then the columns in this order. Each begins with a
// byte, 0 for null and otherwise 1. In the latter case the length of the value follows in four
// bytes, and then the value: numbers as eight bytes, times as microseconds since 1970, ids as their
// sixteen bytes, texts and JSON as they are stored. Integers are big-endian.
func (r AuditRecord) encodeFirst() []byte {
	e := auditEncoder{text: []byte("assay audit row 1\n")}
	e.addBytes(r.OrganizationID[:])
	e.addInteger(r.Number)
	e.addInteger(r.At.UnixMicro())
	e.addBytes([]byte(r.ActorKind))
	e.addID(r.ActorID)
	e.addBytes([]byte(r.ActorName))
	e.addBytes([]byte(r.Action))
	e.addBytes([]byte(r.ObjectKind))
	e.addID(r.ObjectID)
	e.addOptional(r.RequestID)
	e.addOptional(r.ClientAddress)
	e.addJSON(r.Before)
	e.addJSON(r.After)
	e.addBytes(r.Previous)
	return e.text
}

// auditEncoder appends values with their lengths.
type auditEncoder struct{ text []byte }

func (e *auditEncoder) addNull() { e.text = append(e.text, 0) }

func (e *auditEncoder) addBytes(value []byte) {
	e.text = append(e.text, 1)
	e.text = binary.BigEndian.AppendUint32(e.text, uint32(len(value)))
	e.text = append(e.text, value...)
}

func (e *auditEncoder) addInteger(n int64) { e.addBytes(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func (e *auditEncoder) addID(id *uuid.UUID) {
	if id == nil {
		e.addNull()
		return
	}
	e.addBytes(id[:])
}

func (e *auditEncoder) addOptional(text *string) {
	if text == nil {
		e.addNull()
		return
	}
	e.addBytes([]byte(*text))
}

func (e *auditEncoder) addJSON(value []byte) {
	if value == nil {
		e.addNull()
		return
	}
	e.addBytes(value)
}
