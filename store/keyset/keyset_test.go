package keyset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/keyset"
)

var (
	at = time.Date(2026, 1, 2, 3, 4, 5, 678_000, time.UTC)
	id = uuid.MustParse("0190a3c0-0000-7000-8000-000000000001")
)

func TestAfter(t *testing.T) {
	t.Parallel()
	created := keyset.Column{SQL: "c", Type: keyset.Time, Descending: true}
	due := keyset.Column{SQL: "d", Type: keyset.Time, Nullable: true}
	tests := []struct {
		name   string
		order  keyset.Order
		values []any
		sql    string
		args   []any
	}{
		{
			"one direction",
			keyset.Order{created, {SQL: "i", Type: keyset.UUID, Descending: true}},
			[]any{at, id},
			"(c, i) < (?::timestamptz, ?::uuid)",
			[]any{at, id},
		},
		{
			"two directions",
			keyset.Order{created, {SQL: "k", Type: keyset.Text}},
			[]any{at, "a"},
			"c <= ?::timestamptz AND ((c < ?::timestamptz OR c = ?::timestamptz AND (k > ?::text OR k = ?::text AND false)))",
			[]any{at, at, at, "a", "a"},
		},
		{
			"before nulls",
			keyset.Order{due, {SQL: "n", Type: keyset.Number}},
			[]any{&at, 7},
			"(d > ?::timestamptz OR d IS NULL OR d = ?::timestamptz AND (n > ?::bigint OR n = ?::bigint AND false))",
			[]any{at, at, int64(7), int64(7)},
		},
		{
			"among nulls",
			keyset.Order{due, {SQL: "n", Type: keyset.Number}},
			[]any{(*time.Time)(nil), 7},
			"(d IS NULL AND (n > ?::bigint OR n = ?::bigint AND false))",
			[]any{int64(7), int64(7)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sql, args, err := tt.order.After(keyset.PositionOf(tt.values...))
			if err != nil {
				t.Fatal(err)
			}
			if sql != tt.sql {
				t.Errorf("condition %s\nwant      %s", sql, tt.sql)
			}
			if diff := cmp.Diff(tt.args, args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidPositions(t *testing.T) {
	t.Parallel()
	order := keyset.Order{{SQL: "c", Type: keyset.Time}, {SQL: "i", Type: keyset.UUID}, {SQL: "n", Type: keyset.Number}, {SQL: "k", Type: keyset.Text}}
	good := keyset.PositionOf(at, id, 3, "x")
	if _, err := order.Values(good); err != nil {
		t.Fatal(err)
	}
	for i, bad := range []string{"yesterday", "1", "1.5", "a\x00b"} {
		p := append(keyset.Position(nil), good...)
		p[i] = &bad
		if _, _, err := order.After(p); !errors.Is(err, keyset.ErrInvalid) {
			t.Errorf("%q in column %d: %v, want %v", bad, i, err, keyset.ErrInvalid)
		}
		p[i] = nil
		if _, err := order.Values(p); !errors.Is(err, keyset.ErrInvalid) {
			t.Errorf("null in column %d: %v, want %v", i, err, keyset.ErrInvalid)
		}
	}
	if _, err := order.Values(good[:2]); !errors.Is(err, keyset.ErrInvalid) {
		t.Errorf("two of four values: %v, want %v", err, keyset.ErrInvalid)
	}
	if condition, args, err := order.After(nil); condition != "true" || args != nil || err != nil {
		t.Errorf("no position: %q, %v, %v", condition, args, err)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	due := keyset.Column{SQL: "d", Type: keyset.Time, Nullable: true}
	latest := keyset.Column{SQL: "d", Type: keyset.Time, Nullable: true, Descending: true}
	unindexed := keyset.Column{SQL: "d", Type: keyset.Time, Nullable: true, Unindexed: true}
	number := keyset.Column{SQL: "n", Type: keyset.Number}
	none := keyset.Part{Condition: " AND d IS NULL"}
	for _, tt := range []struct {
		name  string
		first keyset.Column
		after keyset.Position
		want  []keyset.Part
	}{
		{"the first page", due, nil, []keyset.Part{{}}},
		{"after a value", due, keyset.Position{text("a"), text("7")}, []keyset.Part{{Condition: " AND d >= ?::timestamptz", Args: []any{"a"}}, none}},
		{"descending", latest, keyset.Position{text("a"), text("7")}, []keyset.Part{{Condition: " AND d <= ?::timestamptz", Args: []any{"a"}}, none}},
		{"after a null", due, keyset.Position{nil, text("7")}, []keyset.Part{none}},
		{"no nulls", number, keyset.Position{text("7"), text("7")}, []keyset.Part{{}}},
		{"no index", unindexed, keyset.Position{text("a"), text("7")}, []keyset.Part{{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, keyset.Order{tt.first, number}.Parts(tt.after)); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}
