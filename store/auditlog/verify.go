package auditlog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// Head is the newest row of a chain. Noted outside of the database, it later shows whether the
// chain up to it is unchanged.
type Head struct {
	Number int64             // 0 if the chain has no row
	Hash   [sha256.Size]byte // zeros if the chain has no row
}

// String returns the form that ParseHead reads, such as 118:3f2c….
func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Number, h.Hash) }

// ParseHead reads the text of a Head.
func ParseHead(text string) (h Head, err error) {
	number, hash, found := strings.Cut(text, ":")
	h.Number, err = strconv.ParseInt(number, 10, 64)
	raw, hexErr := hex.DecodeString(hash)
	if !found || err != nil || hexErr != nil || len(raw) != len(h.Hash) || h.Number < 0 {
		return Head{}, errors.New("a head is NUMBER:HASH, with the hash in 64 hexadecimal digits")
	}
	copy(h.Hash[:], raw)
	return h, nil
}

// FaultKind is what is wrong with a chain.
type FaultKind string

// The faults of a chain. Together they detect every change, unless all rows after some point and
// the head were rewritten. A head that was recorded before detects that, too.
const (
	Changed    FaultKind = "changed"    // the row is not as it was written
	Missing    FaultKind = "missing"    // the rows are gone
	Unexpected FaultKind = "unexpected" // the row was never part of the chain
	Unlinked   FaultKind = "unlinked"   // the next row, or the head, follows another row than this one
	HeadGone   FaultKind = "head_gone"  // nothing says where the chain ends
	NotNoted   FaultKind = "not_noted"  // the row is not the noted one
	Orphaned   FaultKind = "orphaned"   // the organization is gone, but its chain is not
	Gone       FaultKind = "gone"       // the organization is gone with its chain, whose head was noted
	Unknown    FaultKind = "unknown"    // this release does not know the row's encoding
)

// Fault is one thing that is wrong with a chain.
type Fault struct {
	Kind FaultKind
	// First and Last are the numbers of the first and the last row of the fault, which are equal
	// unless it concerns several consecutive rows. Both are 0 if the fault is the head's.
	First, Last int64
}

// String describes the fault in a line.
func (f Fault) String() string {
	row := fmt.Sprintf("row %d", f.First)
	rows := row + " is"
	if f.Last > f.First {
		rows = fmt.Sprintf("rows %d to %d are", f.First, f.Last)
	}
	switch f.Kind {
	case Changed:
		return row + " was changed: its content does not match its hash"
	case Missing:
		return rows + " missing"
	case Unexpected:
		return rows + " not part of the chain: it begins with row 1 and ends with its head"
	case Unlinked:
		return row + " was replaced: the row after it follows one with a different hash"
	case Orphaned:
		return "the organization was deleted, but not its audit log"
	case Gone:
		return fmt.Sprintf("the organization was deleted with its audit log, although row %d was recorded elsewhere", f.Last)
	case HeadGone:
		return "the head of the chain is missing"
	case NotNoted:
		return row + " is not the row whose hash was recorded: the chain up to it was rewritten"
	case Unknown:
		return row + " was written by a newer release, or its encoding was changed"
	}
	return row + ": " + string(f.Kind)
}

// Report is the result of verifying a chain.
type Report struct {
	Rows   int64 // that were verified
	Faults int64
	Head   Head // as stored in the database; meaningless if there are faults
}

// Verification specifies what to verify.
type Verification struct {
	OrganizationID uuid.UUID
	// Noted is a head that the chain had at some time, or nil if none was noted.
	Noted *Head
	// Found is called with each fault, in the order of the rows. Required.
	Found func(Fault)
	// Progress is called from time to time with the number of rows read. It may be nil.
	Progress func(rows int64)
}

// verifyBatch is how many rows are read at a time.
const verifyBatch = 2000

// Verify reads the whole chain of an organization from one snapshot, and reports each fault. Faults
// are not errors. Memory is bounded, regardless of the length. It returns ErrNotFound if there is
// neither an organization nor a chain, and no head is noted.
func Verify(ctx context.Context, db *store.DB, v Verification) (report Report, err error) {
	defer store.WrapError(&err, "verify audit log of organization %s", v.OrganizationID)
	err = pgx.BeginTxFunc(ctx, db.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		c := &chain{v: v, last: link{hash: make([]byte, sha256.Size)}}
		head, organization, err := readHead(ctx, tx, v.OrganizationID)
		if errors.Is(err, pgx.ErrNoRows) && v.Noted != nil {
			c.addFault(Gone, v.Noted.Number, v.Noted.Number)
			report = c.report
			return nil
		}
		if err != nil {
			return err
		}
		if !organization {
			c.addFault(Orphaned, 0, 0)
		}
		if err := c.readAll(ctx, tx); err != nil {
			return err
		}
		c.checkEnd(head)
		report = c.report
		return nil
	})
	return report, err
}

// ListOrganizations returns the ids of all organizations, and of deleted ones that have left a
// chain or rows.
func ListOrganizations(ctx context.Context, db *store.DB) (ids []uuid.UUID, err error) {
	defer store.WrapError(&err, "list organizations")
	// The query finds one row of each organization through the index.
	err = db.Bun.NewRaw(`WITH RECURSIVE logged AS (
    (SELECT organization_id FROM audit_log ORDER BY organization_id LIMIT 1)
    UNION ALL
    SELECT n.organization_id FROM logged AS l, LATERAL
        (SELECT organization_id FROM audit_log WHERE organization_id > l.organization_id ORDER BY organization_id LIMIT 1) AS n
) SELECT id FROM organizations UNION SELECT organization_id FROM audit_chains UNION SELECT organization_id FROM logged ORDER BY 1`).Scan(ctx, &ids)
	return ids, err
}

// readHead reads the head of the chain, which is nil if the organization has none. organization
// reports whether the organization still exists.
func readHead(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (head *link, organization bool, err error) {
	var (
		number *int64
		hash   []byte
	)
	err = tx.QueryRow(ctx, `SELECT c.number, c.hash, o.id IS NOT NULL FROM (SELECT $1::uuid AS id) AS i
LEFT JOIN organizations AS o ON o.id = i.id LEFT JOIN audit_chains AS c ON c.organization_id = i.id
WHERE o.id IS NOT NULL OR c.organization_id IS NOT NULL OR EXISTS (SELECT FROM audit_log AS a WHERE a.organization_id = i.id)`, orgID).
		Scan(&number, &hash, &organization)
	if err != nil || number == nil {
		return nil, organization, err
	}
	return &link{number: *number, hash: hash}, organization, nil
}

// link is the place in a chain that the next row follows.
type link struct {
	number int64
	hash   []byte
	faulty bool // was reported already, or is not there
}

// chain checks the rows of a chain one after the other.
type chain struct {
	v      Verification
	last   link
	report Report
}

// readAll passes all rows to row, in the order of their numbers.
func (c *chain) readAll(ctx context.Context, tx pgx.Tx) error {
	after, begun := int64(0), false
	for {
		// Values that could not be read, and that assay never writes, become others that assay
		// never writes: infinite times, and nulls.
		rows, err := tx.Query(ctx, `SELECT number, coalesce(encoding, 0), CASE WHEN isfinite(at) THEN at ELSE timestamptz '0001-01-01 00:00:00Z' END,
    coalesce(actor_kind, ''), actor_id, coalesce(actor_name, E'\x01'), coalesce(action, ''), coalesce(object_kind, ''), object_id, request_id, client_address, before::text, after::text, previous, hash
FROM audit_log WHERE organization_id = $1 AND (number > $2 OR NOT $3) ORDER BY number LIMIT $4`, c.v.OrganizationID, after, begun, verifyBatch)
		if err != nil {
			return err
		}
		read := 0
		for rows.Next() {
			r := store.AuditRecord{OrganizationID: c.v.OrganizationID}
			if err := scanRecord(rows, &r); err != nil {
				rows.Close()
				return err
			}
			c.checkRow(r)
			after, begun = r.Number, true
			read++
		}
		if err := rows.Err(); err != nil || read < verifyBatch {
			return err
		}
		if c.v.Progress != nil {
			c.v.Progress(c.report.Rows)
		}
	}
}

func scanRecord(rows pgx.Rows, r *store.AuditRecord) error {
	var (
		at            time.Time
		before, after *string
	)
	err := rows.Scan(&r.Number, &r.Encoding, &at, &r.ActorKind, &r.ActorID, &r.ActorName, &r.Action, &r.ObjectKind, &r.ObjectID,
		&r.RequestID, &r.ClientAddress, &before, &after, &r.Previous, &r.Hash)
	r.At = at
	if before != nil {
		r.Before = []byte(*before)
	}
	if after != nil {
		r.After = []byte(*after)
	}
	return err
}

// checkRow checks the next row.
func (c *chain) checkRow(r store.AuditRecord) {
	c.report.Rows++
	if r.Number <= c.last.number {
		c.addFault(Unexpected, r.Number, r.Number)
		return
	}
	if gap := c.last.number + 1; r.Number > gap {
		c.addFault(Missing, gap, r.Number-1)
		c.last = link{number: r.Number - 1, faulty: true}
	}
	faulty := c.checkContent(r)
	if !faulty && !c.last.faulty && !bytes.Equal(r.Previous, c.last.hash) {
		// Each row is consistent in itself. The later one is the witness, but nothing precedes the
		// first.
		if faulty = c.last.number == 0; faulty {
			c.addFault(Changed, r.Number, r.Number)
		} else {
			c.addFault(Unlinked, c.last.number, c.last.number)
		}
	}
	c.checkNoted(r)
	c.last = link{number: r.Number, hash: r.Hash, faulty: faulty}
}

// checkContent reports whether the row itself is faulty.
func (c *chain) checkContent(r store.AuditRecord) (faulty bool) {
	sum, err := r.Sum()
	switch {
	case err != nil:
		c.addFault(Unknown, r.Number, r.Number)
		return true
	case !bytes.Equal(sum, r.Hash):
		c.addFault(Changed, r.Number, r.Number)
		return true
	}
	return false
}

// checkNoted compares the row with the noted head.
func (c *chain) checkNoted(r store.AuditRecord) {
	if n := c.v.Noted; n != nil && n.Number == r.Number && !bytes.Equal(n.Hash[:], r.Hash) {
		c.addFault(NotNoted, r.Number, r.Number)
	}
}

// checkEnd compares what was read with the head, which is nil if there is none, and with the noted
// head.
func (c *chain) checkEnd(head *link) {
	newest := c.last.number
	switch {
	case head == nil:
		c.addFault(HeadGone, 0, 0)
	case head.number > newest:
		c.addFault(Missing, newest+1, head.number)
		newest = head.number
	case head.number < newest:
		c.addFault(Unexpected, head.number+1, newest)
	case !c.last.faulty && !bytes.Equal(head.hash, c.last.hash):
		c.addFault(Unlinked, newest, newest)
	}
	if n := c.v.Noted; n != nil && n.Number > newest {
		c.addFault(Missing, newest+1, n.Number)
	}
	if head != nil {
		c.report.Head.Number = head.number
		copy(c.report.Head.Hash[:], head.hash)
	}
}

func (c *chain) addFault(kind FaultKind, first, last int64) {
	c.report.Faults++
	c.v.Found(Fault{Kind: kind, First: first, Last: last})
}
