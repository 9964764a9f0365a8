package store_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// firstRow returns a row as written by the first release.
func firstRow() store.AuditRecord {
	return store.AuditRecord{
		OrganizationID: uuid.MustParse("01900000-0000-7000-8000-000000000001"), Number: 7, Encoding: 1,
		At:        time.Date(2026, 11, 20, 12, 30, 0, 123456000, time.UTC),
		ActorKind: store.ActorAPIKey, ActorID: new(uuid.MustParse("01900000-0000-7000-8000-000000000002")), ActorName: "Zoë's key",
		Action: action.IntegrationUpdated, ObjectKind: "integration", ObjectID: new(uuid.MustParse("01900000-0000-7000-8000-000000000003")),
		RequestID: new("request-1"), ClientAddress: new("2001:db8::1"),
		Before: []byte(`{"name":"A"}`), After: []byte(`{"name":"B <&> ü"}`),
		Previous: bytes.Repeat([]byte{0xab}, 32),
	}
}

// TestAuditEncodingStays checks that hashes of earlier releases never change. Never change a sum
// here; a new encoding gets its own line.
func TestAuditEncodingStays(t *testing.T) {
	t.Parallel()
	bare := store.AuditRecord{Encoding: 1, At: time.UnixMicro(0), Previous: make([]byte, 32)}
	for _, c := range []struct {
		name string
		row  store.AuditRecord
		want string
	}{
		{"encoding 1, all columns", firstRow(), "bbfce9b3c48ba99a974a8edd9aad3fc19d32099c99de97df88e8e56d82c2b5c6"},
		{"encoding 1, nothing but zeros and nulls", bare, "26dd8e5ff59a3f19f8f3eb35472aa8916f674f46a31bab62f27cc45eacfc274a"},
	} {
		sum, err := c.row.Sum()
		if got := hex.EncodeToString(sum); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	r := firstRow()
	r.Encoding = 99
	var unknown *store.UnknownEncodingError
	if _, err := r.Sum(); !errors.As(err, &unknown) || unknown.Encoding != 99 {
		t.Errorf("an encoding of the future: %v", err)
	}
}

// decodeFirst decodes encoding 1. Because that is possible, no two rows have the same encoding.
func decodeFirst(text []byte) (r store.AuditRecord, err error) {
	text, ok := bytes.CutPrefix(text, []byte("assay audit row 1\n"))
	if !ok {
		return r, errors.New("another title")
	}
	next := func() []byte {
		if err != nil || len(text) == 0 {
			err = cmpError(err, "too short")
			return nil
		}
		null := text[0] == 0
		text = text[1:]
		if null {
			return nil
		}
		n := int(binary.BigEndian.Uint32(text))
		value := text[4 : 4+n : 4+n]
		text = text[4+n:]
		return append([]byte{}, value...)
	}
	integer := func() int64 { return int64(binary.BigEndian.Uint64(next())) }
	id := func() *uuid.UUID {
		if raw := next(); raw != nil {
			return new(uuid.UUID(raw))
		}
		return nil
	}
	optional := func() *string {
		if raw := next(); raw != nil {
			return new(string(raw))
		}
		return nil
	}
	r = store.AuditRecord{Encoding: 1, OrganizationID: *id(), Number: integer()}
	r.At = time.UnixMicro(integer()).UTC()
	r.ActorKind, r.ActorID, r.ActorName = store.ActorKind(next()), id(), string(next())
	r.Action, r.ObjectKind, r.ObjectID = action.Kind(next()), string(next()), id()
	r.RequestID, r.ClientAddress, r.Before, r.After, r.Previous = optional(), optional(), next(), next(), next()
	if len(text) > 0 {
		err = cmpError(err, fmt.Sprintf("%d bytes too many", len(text)))
	}
	return r, err
}

func cmpError(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}

func FuzzAuditEncoding(f *testing.F) {
	f.Add([]byte("organization"), int64(1), int64(0), "api_key", "A key", "api_key.created", "api_key", "request-1", "127.0.0.1", `{"a":1}`, `{}`, byte(0))
	f.Add([]byte{}, int64(-1), int64(-62135596800000000), "", "", "", "", "", "", "", "", byte(255))
	f.Add([]byte{1, 2}, int64(1)<<62, int64(1)<<60, "a\x00\x00\x00", "\x01\x00\x00\x00\x00", "\n", "\xff", "a", "b", "null", "\x00", byte(0b0101))
	f.Fuzz(func(t *testing.T, ids []byte, number, at int64, kind, name, done, object, request, client, before, after string, null byte) {
		id := func(n byte) uuid.UUID { return uuid.NewSHA1(uuid.Nil, append([]byte{n}, ids...)) }
		r := store.AuditRecord{
			OrganizationID: id(0), Number: number, Encoding: 1, At: time.UnixMicro(at).UTC(), ActorKind: store.ActorKind(kind), ActorName: name,
			Action: action.Kind(done), ObjectKind: object, Previous: ids,
		}
		if r.Previous == nil {
			r.Previous = []byte{}
		}
		for bit, set := range []func(){
			func() { r.ActorID = new(id(1)) }, func() { r.ObjectID = new(id(2)) }, func() { r.RequestID = &request },
			func() { r.ClientAddress = &client }, func() { r.Before = append([]byte{}, before...) }, func() { r.After = append([]byte{}, after...) },
		} {
			if null&(1<<bit) == 0 {
				set()
			}
		}
		text, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeFirst(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("the encoding does not tell the row (-row +read):\n%s", diff)
		}
	})
}
