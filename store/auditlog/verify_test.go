package auditlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/directory"
)

// tamper runs statements as a superuser who has disabled the triggers.
func (b orgDB) tamper(t *testing.T, statements ...string) {
	t.Helper()
	b.Exec(t, `ALTER TABLE audit_log DISABLE TRIGGER ALL`)
	b.Exec(t, `ALTER TABLE audit_chains DISABLE TRIGGER ALL`)
	for _, s := range statements {
		b.Exec(t, s)
	}
}

// rehash recomputes the hash of the row with the given previous hash. With nil it keeps the current
// one.
func (b orgDB) rehash(t *testing.T, number int64, previous []byte) (hash []byte) {
	t.Helper()
	rows := b.auditLog(t)
	for _, r := range rows {
		if r.Number != number {
			continue
		}
		if previous != nil {
			r.Previous = previous
		}
		hash, err := r.Sum()
		if err != nil {
			t.Fatal(err)
		}
		b.Exec(t, `UPDATE audit_log SET previous = $3, hash = $4 WHERE organization_id = $1 AND number = $2`, b.Org, number, r.Previous, hash)
		return hash
	}
	t.Fatalf("there is no row %d", number)
	return nil
}

// TestVerifyAudit tampers with a chain of ten rows in many ways. Each is detected, and reported for
// the row that was changed.
func TestVerifyAudit(t *testing.T) {
	t.Parallel()
	const rows = 10
	swap := `UPDATE audit_log AS a SET actor_kind = o.actor_kind, at = o.at, action = o.action, object_id = o.object_id, before = o.before, after = o.after, previous = o.previous, hash = o.hash
FROM audit_log AS o WHERE a.number IN (5, 7) AND o.number = 12 - a.number`
	tests := []struct {
		name string
		do   func(t *testing.T, b orgDB)
		want []string
	}{
		{"nothing", func(*testing.T, orgDB) {}, []string{}},
		{"who", by(`UPDATE audit_log SET actor_name = 'somebody else' WHERE number = 5`), []string{"changed 5-5"}},
		{"nobody", by(`ALTER TABLE audit_log ALTER actor_name DROP NOT NULL, ALTER action DROP NOT NULL, ALTER hash DROP NOT NULL, ALTER encoding DROP NOT NULL`,
			`UPDATE audit_log SET actor_name = NULL WHERE number = 4`, `UPDATE audit_log SET action = NULL WHERE number = 5`, `UPDATE audit_log SET hash = NULL WHERE number = 6`,
			`UPDATE audit_log SET encoding = NULL WHERE number = 7`), []string{"changed 4-4", "changed 5-5", "changed 6-6", "unknown 7-7"}},
		{"who it was by id", by(`UPDATE audit_log SET actor_id = organization_id WHERE number = 5`), []string{"changed 5-5"}},
		{"the kind of who", by(`UPDATE audit_log SET actor_kind = 'person' WHERE number = 5`), []string{"changed 5-5"}},
		{"when, by a microsecond", by(`UPDATE audit_log SET at = at + interval '1 microsecond' WHERE number = 5`), []string{"changed 5-5"}},
		{"when, without end", by(`UPDATE audit_log SET at = 'infinity' WHERE number = 5`, `UPDATE audit_log SET at = '-infinity' WHERE number = 6`), []string{"changed 5-5", "changed 6-6"}},
		{"what", by(`UPDATE audit_log SET action = 'trader.updated' WHERE number = 5`), []string{"changed 5-5"}},
		{"to what", by(`UPDATE audit_log SET object_id = NULL WHERE number = 5`), []string{"changed 5-5"}},
		{"to what kind", by(`UPDATE audit_log SET object_kind = '' WHERE number = 5`), []string{"changed 5-5"}},
		{"before", by(`UPDATE audit_log SET before = '{}' WHERE number = 5`), []string{"changed 5-5"}},
		{"after, by a space", by(`UPDATE audit_log SET after = (after::text || ' ')::json WHERE number = 5`), []string{"changed 5-5"}},
		{"the request", by(`UPDATE audit_log SET request_id = '' WHERE number = 5`), []string{"changed 5-5"}},
		{"the client", by(`UPDATE audit_log SET client_address = '127.0.0.1' WHERE number = 5`), []string{"changed 5-5"}},
		{"the encoding", by(`UPDATE audit_log SET encoding = 2 WHERE number = 5`), []string{"unknown 5-5"}},
		{"the hash", by(`UPDATE audit_log SET hash = sha256('') WHERE number = 5`), []string{"changed 5-5"}},
		{"no hash", by(`UPDATE audit_log SET hash = '' WHERE number = 5`), []string{"changed 5-5"}},
		{"the hash before", by(`UPDATE audit_log SET previous = '' WHERE number = 5`), []string{"changed 5-5"}},
		{"the first row", by(`UPDATE audit_log SET after = '{}' WHERE number = 1`), []string{"changed 1-1"}},
		{"the last row", by(`UPDATE audit_log SET after = '{}' WHERE number = 10`), []string{"changed 10-10"}},
		{"several rows", by(`UPDATE audit_log SET actor_name = 'x' WHERE number IN (2, 3, 9)`), []string{"changed 2-2", "changed 3-3", "changed 9-9"}},
		{"every row", by(`UPDATE audit_log SET hash = sha256(hash)`), []string{
			"changed 1-1", "changed 2-2", "changed 3-3", "changed 4-4", "changed 5-5", "changed 6-6", "changed 7-7", "changed 8-8", "changed 9-9", "changed 10-10",
		}},
		{"a row taken out", by(`DELETE FROM audit_log WHERE number = 5`), []string{"missing 5-5"}},
		{"rows taken out", by(`DELETE FROM audit_log WHERE number IN (1, 2, 5, 6, 7)`), []string{"missing 1-2", "missing 5-7"}},
		{"all rows taken out", by(`DELETE FROM audit_log`), []string{"missing 1-10"}},
		{"the end cut off", by(`DELETE FROM audit_log WHERE number > 8`), []string{"missing 9-10"}},
		{
			"a row taken out and the rest moved up", by(`DELETE FROM audit_log WHERE number = 5`, `UPDATE audit_log SET number = number + 1000 WHERE number > 5`,
				`UPDATE audit_log SET number = number - 1001 WHERE number > 1000`, `UPDATE audit_chains SET number = 9`),
			[]string{"changed 5-5", "changed 6-6", "changed 7-7", "changed 8-8", "changed 9-9"},
		},
		{"two rows in each other's place", by(swap), []string{"changed 5-5", "changed 7-7"}},
		{"a row put in at the end", by(`INSERT INTO audit_log SELECT organization_id, 11, encoding, at, actor_kind, actor_id, actor_name, action, object_kind, object_id,
    request_id, client_address, before, after, hash, sha256('') FROM audit_log WHERE number = 10`), []string{"changed 11-11", "unexpected 11-11"}},
		{"a row put in before the first", by(`UPDATE audit_log SET number = -3 WHERE number = 4`), []string{"unexpected -3--3", "missing 4-4"}},
		{"the head's hash", by(`UPDATE audit_chains SET hash = sha256('')`), []string{"unlinked 10-10"}},
		{"the head's number", by(`UPDATE audit_chains SET number = 7`), []string{"unexpected 8-10"}},
		{"the head taken away", by(`DELETE FROM audit_chains`), []string{"head_gone 0-0"}},
		{"everything taken away", by(`DELETE FROM audit_log`, `DELETE FROM audit_chains`), []string{"head_gone 0-0"}},
		{"a row with its hash", func(t *testing.T, b orgDB) {
			b.Exec(t, `UPDATE audit_log SET actor_name = 'x' WHERE number = 5`)
			b.rehash(t, 5, nil)
		}, []string{"unlinked 5-5"}},
		{"the last row with its hash", func(t *testing.T, b orgDB) {
			b.Exec(t, `UPDATE audit_log SET actor_name = 'x' WHERE number = 10`)
			b.rehash(t, 10, nil)
		}, []string{"unlinked 10-10"}},
		{"the first row with its hash, upon another beginning", func(t *testing.T, b orgDB) {
			b.rehash(t, 2, b.rehash(t, 1, bytes.Repeat([]byte{1}, 32)))
		}, []string{"changed 1-1", "unlinked 2-2"}},
		{"a row and all hashes after it, but the head", func(t *testing.T, b orgDB) {
			b.Exec(t, `UPDATE audit_log SET actor_name = 'x' WHERE number = 5`)
			hash := b.rehash(t, 5, nil)
			for n := int64(6); n <= rows; n++ {
				hash = b.rehash(t, n, hash)
			}
		}, []string{"unlinked 10-10"}},
	}
	for _, c := range sample.Cases(tests, 12) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for n := range rows - bootstrapped {
				b.CreateTrader(t, directory.NewTrader{FullName: fmt.Sprint("Trader ", n)})
			}
			b.tamper(t)
			c.do(t, b)
			_, got := b.verify(t, nil)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// by returns a function that tampers with the statements.
func by(statements ...string) func(*testing.T, orgDB) {
	return func(t *testing.T, b orgDB) {
		t.Helper()
		for _, s := range statements {
			b.Exec(t, s)
		}
	}
}

// TestVerifyAuditAgainstANotedHead checks that a consistent chain is still compared with its noted
// head.
func TestVerifyAuditAgainstANotedHead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 4 {
		b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	}
	report, _ := b.verify(t, nil)
	noted := report.Head
	if read, err := auditlog.ParseHead(noted.String()); err != nil || read != noted {
		t.Errorf("%s is read as %v, %v", noted, read, err)
	}
	b.CreateTrader(t, directory.NewTrader{FullName: "B"})
	for _, head := range []*auditlog.Head{&noted, {}} {
		if _, faults := b.verify(t, head); len(faults) > 0 {
			t.Errorf("a chain that has grown since %s: %v", head, faults)
		}
	}

	// The end is removed, including the head.
	b.tamper(t, `DELETE FROM audit_log WHERE number > 5`, `UPDATE audit_chains SET number = 5, hash = (SELECT hash FROM audit_log WHERE number = 5)`)
	if _, faults := b.verify(t, nil); len(faults) > 0 {
		t.Errorf("nobody could know that: %v", faults)
	}
	if _, faults := b.verify(t, &noted); !cmp.Equal(faults, []string{"missing 6-7"}) {
		t.Errorf("faults %v, want rows 6 and 7 missing", faults)
	}

	// The chain grows again.
	b.Exec(t, `ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only`)
	for range 3 {
		b.CreateTrader(t, directory.NewTrader{FullName: "C"})
	}
	if _, faults := b.verify(t, nil); len(faults) > 0 {
		t.Errorf("nobody could know that: %v", faults)
	}
	if _, faults := b.verify(t, &noted); !cmp.Equal(faults, []string{"not_noted 7-7"}) {
		t.Errorf("faults %v, want row 7 to be another", faults)
	}
}

func TestParseAuditHead(t *testing.T) {
	t.Parallel()
	hash := "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	for text, ok := range map[string]bool{
		"7:" + hash: true, "0:" + hash: true, "-1:" + hash: false, hash: false, "7:": false, "7:" + hash[2:]: false, "7:" + hash + "00": false,
		"7: " + hash: false, "x:" + hash: false, "": false, "7:zz" + hash[2:]: false,
	} {
		if h, err := auditlog.ParseHead(text); (err == nil) != ok || ok && h.String() != text {
			t.Errorf("%q: %s, %v", text, h, err)
		}
	}
}

func TestVerifyAuditOfNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := auditlog.Verify(t.Context(), b.DB, auditlog.Verification{OrganizationID: uuid.New(), Found: func(auditlog.Fault) {}})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v, want %v", err, store.ErrNotFound)
	}
	ids, err := auditlog.ListOrganizations(t.Context(), b.DB)
	if err != nil || !cmp.Equal(ids, []uuid.UUID{b.Org}) {
		t.Errorf("organizations %v, %v", ids, err)
	}
}

// lengthen adds rows to the chain until it has the given number.
func (b orgDB) lengthen(t *testing.T, rows int) {
	t.Helper()
	log := b.auditLog(t)
	last := log[len(log)-1]
	_, err := b.Conn.CopyFrom(t.Context(), pgx.Identifier{"audit_log"}, []string{
		"organization_id", "number", "encoding", "at", "actor_kind", "actor_name", "action", "object_kind", "object_id", "after", "previous", "hash",
	}, pgx.CopyFromFunc(func() ([]any, error) {
		if last.Number == int64(rows) {
			return nil, nil
		}
		r := store.AuditRecord{
			OrganizationID: b.Org, Number: last.Number + 1, Encoding: 1, At: last.At.Add(time.Second), ActorKind: store.ActorSystem, ActorName: "desk",
			Action: action.TraderCreated, ObjectKind: "trader", ObjectID: new(uuid.New()), After: []byte(`{"full_name":"***","status":"active"}`), Previous: last.Hash,
		}
		var err error
		r.Hash, err = r.Sum()
		last = r
		return []any{r.OrganizationID, r.Number, r.Encoding, r.At, string(r.ActorKind), r.ActorName, string(r.Action), r.ObjectKind, r.ObjectID, r.After, r.Previous, r.Hash}, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	b.Exec(t, `UPDATE audit_chains SET number = $2, hash = $3 WHERE organization_id = $1`, b.Org, last.Number, last.Hash)
}

// TestOneTamperedRowAmongAHundredThousand checks that the row is detected and named.
func TestOneTamperedRowAmongAHundredThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100,000 audit entries")
	}
	t.Parallel()
	const rows = 100_000
	b := setup(t)
	b.lengthen(t, rows)
	b.intact(t, rows)
	b.tamper(t, `UPDATE audit_log SET after = '{"full_name":"***","status":"archived"}' WHERE number = 61803`)
	var told []int64
	began := time.Now()
	report, err := auditlog.Verify(t.Context(), b.DB, auditlog.Verification{
		OrganizationID: b.Org, Progress: func(n int64) { told = append(told, n) },
		Found: func(f auditlog.Fault) {
			if f != (auditlog.Fault{Kind: auditlog.Changed, First: 61803, Last: 61803}) {
				t.Errorf("fault %+v", f)
			}
		},
	})
	if err != nil || report.Faults != 1 || report.Rows != rows {
		t.Errorf("%+v, %v; want one fault", report, err)
	}
	if len(told) < 10 {
		t.Errorf("progress was told at %v", told)
	}
	t.Logf("%d rows in %s", report.Rows, time.Since(began))
}
