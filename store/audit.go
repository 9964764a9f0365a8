package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/auditlog/action"
)

// ActorKind says who did something.
type ActorKind string

// The kinds of actors.
const (
	ActorAPIKey ActorKind = "api_key" // An API key.
	ActorPerson ActorKind = "person"  // A person who is signed in.
	ActorSystem ActorKind = "system"  // A command that the operator ran, or assay itself.
)

// AuditRecord is a row of the audit log.
type AuditRecord struct {
	OrganizationID uuid.UUID       `bun:"organization_id"`
	Number         int64           `bun:"number"`   // from 1, without gaps, within the organization
	Encoding       int16           `bun:"encoding"` // how the other members were put together for the hash
	At             time.Time       `bun:"at"`       // on the database's clock
	ActorKind      ActorKind       `bun:"actor_kind"`
	ActorID        *uuid.UUID      `bun:"actor_id"` // of the key or the person; nil for the system
	ActorName      string          `bun:"actor_name"`
	Action         action.Kind     `bun:"action"`
	ObjectKind     string          `bun:"object_kind"`
	ObjectID       *uuid.UUID      `bun:"object_id"`
	RequestID      *string         `bun:"request_id"`     // nil if no request asked for it
	ClientAddress  *string         `bun:"client_address"` // of the request; nil if unknown
	Before         json.RawMessage `bun:"before"`         // an object; nil if there was nothing
	After          json.RawMessage `bun:"after"`          // an object; nil if there is nothing
	Previous       []byte          `bun:"previous"`       // hash of the previous row; zeros if there is none
	Hash           []byte          `bun:"hash"`           // SHA-256 over all of the above
}

type auditRow struct {
	bun.BaseModel `bun:"table:audit_log,alias:a"`
	AuditRecord
}

// Masked replaces a secret or personal value in an audit row.
const Masked = "***"

// addresses matches the parts of a text that may be email addresses, in any script. The first
// alternative matches escapes of JSON, which are not part of an address.
var addresses = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)|[^\s"\\@:<>(),;\[\]]+@[^\s"\\@<>(),;]+`)

// withoutAddresses masks the email addresses in a text or in JSON text. People use them as names
// for themselves, for keys and for integrations.
func withoutAddresses(text []byte) []byte {
	return addresses.ReplaceAllFunc(text, func(part []byte) []byte {
		if part[0] == '\\' {
			return part
		}
		return []byte(Masked)
	})
}

// MaskSet shows only whether there is a value.
func MaskSet(there bool) any {
	if there {
		return Masked
	}
	return nil
}

// AuditFields are members of an object, with their values as in JSON. Nil means that there is no
// object.
type AuditFields map[string]any

// Pick returns the named members.
func (f AuditFields) Pick(names []string) AuditFields {
	picked := make(AuditFields, len(names))
	for _, name := range names {
		picked[name] = f[name]
	}
	return picked
}

// ListChangedFields returns the given names, and those of members that differ.
func ListChangedFields(before, after AuditFields, named ...string) ([]string, error) {
	for name := range after {
		was, err := json.Marshal(before[name])
		if err != nil {
			return nil, err
		}
		is, err := json.Marshal(after[name])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(was, is) {
			named = append(named, name)
		}
	}
	return named, nil
}

// encodeJSON returns the column's text, which is deterministic. Nil fields become null.
func (f AuditFields) encodeJSON() (json.RawMessage, error) {
	if f == nil {
		return nil, nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return nil, fmt.Errorf("encode for the audit log: %w", err)
	}
	return withoutAddresses(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil
}

// AuditEntry is what a change did to an object. See Tx.Audit.
type AuditEntry struct {
	Action        action.Kind
	Object        uuid.UUID
	Before, After AuditFields
}

// ledger collects the audit entries that a transaction has to write, and what else it has changed.
type ledger struct {
	entries []AuditEntry
	touched Changed
}

func newLedger(entries ...AuditEntry) *ledger {
	return &ledger{entries: entries, touched: make(Changed)}
}

// Audit records what the change did to an object. Every function that takes a Change calls it once
// for each object that it has changed, and not at all if it has changed nothing.
//
// The rows are written as the last statements before the commit, because the lock on the
// organization's chain must come after all others: its holder waits for nobody, so there are no
// deadlocks. A rolled-back change leaves no row. before and after must hold no secret, and of
// people only ids: use MaskSet. Email addresses in them are masked in any case.
func (l *ledger) Audit(action action.Kind, object uuid.UUID, before, after AuditFields) {
	l.entries = append(l.entries, AuditEntry{action, object, before, after})
}

// WriteAudit writes an entry in a transaction that is not a Tx. No statement that takes a lock may
// follow: see Tx.Audit.
func WriteAudit(ctx context.Context, tx bun.IDB, c Change, e AuditEntry) error {
	return newLedger(e).writeEntries(ctx, tx, c)
}

// auditActor returns the actor in whose name the change is made.
func (c Change) auditActor() (kind ActorKind, id *uuid.UUID, name string) {
	switch {
	case c.PersonID != uuid.Nil:
		return ActorPerson, &c.PersonID, c.By
	case c.KeyID != uuid.Nil:
		return ActorAPIKey, &c.KeyID, c.By
	}
	return ActorSystem, nil, c.By
}

// writeEntries appends the collected entries to the organization's chain, and notifies the
// listeners. No statement that takes a lock may follow in the transaction.
func (l *ledger) writeEntries(ctx context.Context, tx bun.IDB, c Change) error {
	for _, e := range l.entries {
		l.touched.Add(TopicAudit, uuid.Nil)
		switch topic, named := topicOf(e.Action); {
		case named:
			l.touched.Add(topic, e.Object)
		case topic != "":
			l.touched.Add(topic, uuid.Nil)
		}
	}
	notices := l.touched.Notices(c.OrganizationID)
	if len(l.entries) == 0 {
		return sendNotices(ctx, tx, notices)
	}
	return l.appendToChain(ctx, tx, c, notices)
}

// appendToChain appends the entries, and sends the notices in the same statement.
func (l *ledger) appendToChain(ctx context.Context, tx bun.IDB, c Change, notices []Notice) error {
	var head struct {
		Number int64     `bun:"number"`
		Hash   []byte    `bun:"hash"`
		At     time.Time `bun:"at"`
	}
	err := tx.NewRaw(`SELECT number, hash, clock_timestamp() AS at FROM audit_chains WHERE organization_id = ? FOR UPDATE`, c.OrganizationID).Scan(ctx, &head)
	if err != nil {
		return fmt.Errorf("lock the audit chain of organization %s: %w", c.OrganizationID, err)
	}
	rows := make([]auditRow, len(l.entries))
	for i, e := range l.entries {
		head.Number++
		r, err := e.newRecord(c)
		if err != nil {
			return err
		}
		r.Number, r.At, r.Previous = head.Number, head.At.UTC(), head.Hash
		if head.Hash, err = r.Sum(); err != nil {
			return err
		}
		r.Hash = head.Hash
		rows[i] = auditRow{AuditRecord: r}
	}
	_, err = tx.NewRaw(`WITH added AS (?) UPDATE audit_chains SET number = ?, hash = ? WHERE organization_id = ? RETURNING (SELECT count(pg_notify(?, n)) FROM unnest(?::text[]) AS n)`,
		tx.NewInsert().Model(&rows), head.Number, head.Hash, c.OrganizationID, noticeChannel, TextArray(encodeNotices(notices))).Exec(ctx)
	if err != nil {
		return fmt.Errorf("append to the audit chain of organization %s: %w", c.OrganizationID, err)
	}
	return nil
}

// newRecord returns the entry as a row without a place in the chain yet.
func (e AuditEntry) newRecord(c Change) (r AuditRecord, err error) {
	kind, id, name := c.auditActor()
	r = AuditRecord{
		OrganizationID: c.OrganizationID, Encoding: newestEncoding, ActorKind: kind, ActorID: id, ActorName: string(withoutAddresses([]byte(name))),
		Action: e.Action, ObjectKind: e.Action.ObjectKind(), ObjectID: &e.Object,
		RequestID: TextOrNil(c.RequestID), ClientAddress: addressOrNil(c.Client),
	}
	if r.Before, err = e.Before.encodeJSON(); err != nil {
		return r, err
	}
	r.After, err = e.After.encodeJSON()
	return r, err
}

// addressOrNil is the column's value of an address.
func addressOrNil(a netip.Addr) *string {
	if !a.IsValid() {
		return nil
	}
	return TextOrNil(a.String())
}
