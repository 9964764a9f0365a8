package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// AuditAction names what was done, by the kind of object and, after a dot, what happened to it.
type AuditAction string

// The actions. Before and after hold the named members: those that the change was about, and those
// that changed with it. Values that are secret or identify a person are "***" if there is one,
// because the log cannot be rewritten when they have to be forgotten.
const (
	AuditOrganizationCreated       AuditAction = "organization.created"        // the organization was made: name
	AuditOrganizationRekeyed       AuditAction = "organization.rekeyed"        // stored secrets were moved to another key of the keyring: primary, the id of that key
	AuditUserCreated               AuditAction = "user.created"                // a person was added: email, role
	AuditUserUpdated               AuditAction = "user.updated"                // a person was changed, or an account of the OpenID Connect provider was linked: what differs of email, name, role, oidc_linked
	AuditUserRemoved               AuditAction = "user.removed"                // a person was removed: email, role
	AuditUserPasswordReset         AuditAction = "user.password_reset"         // a password to begin with was made in the place of the person's
	AuditUserPasswordChanged       AuditAction = "user.password_changed"       // the person has chosen another password
	AuditUserSignedIn              AuditAction = "user.signed_in"              // the person has signed in: method
	AuditUserSignInFailed          AuditAction = "user.sign_in_failed"         // somebody has tried to sign in as the person with another password: attempts, how many since the last such entry
	AuditUserSignedOut             AuditAction = "user.signed_out"             // the person has signed out
	AuditUserSessionsEnded         AuditAction = "user.sessions_ended"         // sessions of the person were ended, at a sign-out everywhere or for another password: sessions, how many
	AuditAPIKeyCreated             AuditAction = "api_key.created"             // an API key was made: name, prefix, scopes, expires_at
	AuditAPIKeyRevoked             AuditAction = "api_key.revoked"             // an API key was revoked: revoked_at
	AuditIntegrationCreated        AuditAction = "integration.created"         // a platform was connected: its settings, health_status
	AuditIntegrationUpdated        AuditAction = "integration.updated"         // settings were changed: these, and health_status when their live check changed it
	AuditIntegrationChecked        AuditAction = "integration.checked"         // a live check that somebody asked for changed something: health_status, polled
	AuditIntegrationRequested      AuditAction = "integration.sync_requested"  // somebody asked for a sync, and it was queued
	AuditIntegrationAuditRequested AuditAction = "integration.audit_requested" // somebody asked for an audit, and it was queued
	AuditIntegrationDeleted        AuditAction = "integration.deleted"         // a platform was disconnected: its settings, health_status
	AuditTraderCreated             AuditAction = "trader.created"              // a trader was added by hand: what was given, status
	AuditTraderUpdated             AuditAction = "trader.updated"              // a person changed members of a trader: these
	AuditTraderMerged              AuditAction = "trader.merged"               // a change showed two traders to be one: merged_id, the id that leads nowhere now, and what the other changed by it
	AuditTraderNoteAdded           AuditAction = "trader.note_added"           // a note was written on the trader: note_id
	AuditTraderNoteDeleted         AuditAction = "trader.note_deleted"         // a note on the trader was deleted: note_id
	AuditActivityFileKept          AuditAction = "activity_file.kept"          // a file of trades was uploaded for a trader and read: trader_id, sha256, bytes, trades, name
	AuditActivityFileRefused       AuditAction = "activity_file.refused"       // a file that was uploaded for the trader could not be read: code
	AuditActivityFileDeleted       AuditAction = "activity_file.deleted"       // a file of trades was deleted: as when it was kept
	AuditRulesetReplaced           AuditAction = "ruleset.replaced"            // the organization's thresholds were replaced: number, hash
	AuditCalendarReplaced          AuditAction = "calendar.replaced"           // the organization's calendar of news was replaced: number, hash, events
	AuditWebhookCreated            AuditAction = "webhook.created"             // a webhook endpoint was made: origin (of its URL, the rest of which may hold a secret), events
	AuditWebhookUpdated            AuditAction = "webhook.updated"             // a webhook endpoint was changed: what was named of url with origin, events, is_active
	AuditWebhookDisabled           AuditAction = "webhook.disabled"            // a webhook endpoint was switched off by itself: is_active, reason, failures, failing_since
	AuditWebhookDeleted            AuditAction = "webhook.deleted"             // a webhook endpoint was deleted: origin, events, is_active
	AuditWebhookSecretRotated      AuditAction = "webhook.secret_rotated"      // a new signing secret was made: grace_period_seconds
	AuditWebhookTested             AuditAction = "webhook.tested"              // a ping was sent: delivery_id
	AuditWebhookRetried            AuditAction = "webhook.delivery_retried"    // somebody asked for another attempt: delivery_id

	AuditOrganizationUpdated         AuditAction = "organization.updated"          // the organization's settings were changed: what was named of name, contact, lawful_basis, off_box_speech, off_box_prose
	AuditTraderErased                AuditAction = "trader.erased"                 // a trader was erased, or went with the last of the interviews that brought him
	AuditTraderExported              AuditAction = "trader.exported"               // all that is known of a trader was handed out
	AuditInterviewCreated            AuditAction = "interview.created"             // an interview was made: trader_id, reason, window_hours, retention_days, assignee_user_id, retake_of_id
	AuditInterviewReissued           AuditAction = "interview.invite_reissued"     // the invite was replaced: status, window_hours
	AuditInterviewDecided            AuditAction = "interview.decision_recorded"   // somebody decided: decision, reason
	AuditInterviewAssigned           AuditAction = "interview.assigned"            // the interview was given to somebody, or to nobody: assignee_user_id
	AuditInterviewCommunicated       AuditAction = "interview.communicated"        // that the trader was told the outcome was noted, or corrected: done
	AuditInterviewShared             AuditAction = "interview.share_created"       // a link to a read-only page was made: share_id, expires_at, include_decision
	AuditInterviewShareRevoked       AuditAction = "interview.share_revoked"       // the link was revoked: share_id
	AuditInterviewPlayed             AuditAction = "interview.played"              // addresses to play the recording were handed out
	AuditInterviewExported           AuditAction = "interview.exported"            // all that is known of the interview was handed out
	AuditInterviewRegenerated        AuditAction = "interview.report_requested"    // a new version of the report was asked for: job_id
	AuditInterviewSubtitlesRequested AuditAction = "interview.subtitles_requested" // captions were asked for: job_id
	AuditInterviewClaimConfirmed     AuditAction = "interview.claim_confirmed"     // a reviewer has confirmed the quote of a claim: claim_id
	AuditInterviewFileUploaded       AuditAction = "interview.activity_file_added" // a file of trades was uploaded: sha256, bytes, rows
	AuditInterviewHeld               AuditAction = "interview.held"                // a legal hold began, or its reason changed: held, reason
	AuditInterviewReleased           AuditAction = "interview.released"            // the legal hold ended: held
	AuditInterviewPurged             AuditAction = "interview.purged"              // the retention of a part was over: purged, media or record
	AuditInterviewDeleted            AuditAction = "interview.deleted"             // the interview was deleted: status
)

// AuditActions lists the actions.
func AuditActions() []AuditAction {
	return []AuditAction{
		AuditOrganizationCreated, AuditOrganizationRekeyed,
		AuditUserCreated, AuditUserUpdated, AuditUserRemoved, AuditUserPasswordReset, AuditUserPasswordChanged, AuditUserSignedIn, AuditUserSignInFailed, AuditUserSignedOut, AuditUserSessionsEnded,
		AuditAPIKeyCreated, AuditAPIKeyRevoked,
		AuditIntegrationCreated, AuditIntegrationUpdated, AuditIntegrationChecked, AuditIntegrationRequested, AuditIntegrationAuditRequested, AuditIntegrationDeleted,
		AuditTraderCreated, AuditTraderUpdated, AuditTraderMerged, AuditTraderNoteAdded, AuditTraderNoteDeleted,
		AuditActivityFileKept, AuditActivityFileRefused, AuditActivityFileDeleted, AuditRulesetReplaced, AuditCalendarReplaced,
		AuditWebhookCreated, AuditWebhookUpdated, AuditWebhookDisabled, AuditWebhookDeleted, AuditWebhookSecretRotated, AuditWebhookTested, AuditWebhookRetried,
		AuditOrganizationUpdated, AuditTraderErased, AuditTraderExported,
		AuditInterviewCreated, AuditInterviewReissued, AuditInterviewDecided, AuditInterviewAssigned, AuditInterviewCommunicated, AuditInterviewShared,
		AuditInterviewShareRevoked, AuditInterviewPlayed, AuditInterviewExported, AuditInterviewRegenerated, AuditInterviewSubtitlesRequested,
		AuditInterviewClaimConfirmed, AuditInterviewFileUploaded, AuditInterviewHeld, AuditInterviewReleased, AuditInterviewPurged, AuditInterviewDeleted,
	}
}

// ObjectKind is the kind of object that the action is about, such as api_key.
func (a AuditAction) ObjectKind() string {
	kind, _, _ := strings.Cut(string(a), ".")
	return kind
}

// ActorKind says who did something.
type ActorKind string

// The kinds of actors.
const (
	ActorAPIKey ActorKind = "api_key" // an API key
	ActorPerson ActorKind = "person"  // a person who is signed in
	ActorSystem ActorKind = "system"  // a command of the operator's, or assay itself
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
	Action         AuditAction     `bun:"action"`
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

// auditEntry is an entry that a change has recorded but not written yet.
type auditEntry struct {
	action        AuditAction
	object        uuid.UUID
	before, after AuditFields
}

// ledger collects the audit entries that a transaction has to write, and what else it has changed.
type ledger struct {
	entries []auditEntry
	touched Changed
}

func newLedger(entries ...auditEntry) *ledger {
	return &ledger{entries: entries, touched: make(Changed)}
}

// Audit records what the change did to an object. Every function that takes a Change calls it once
// for each object that it has changed, and not at all if it has changed nothing.
//
// The rows are written as the last statements before the commit, because the lock on the
// organization's chain must come after all others: its holder waits for nobody, so there are no
// deadlocks. A rolled-back change leaves no row. before and after must hold no secret, and of
// people only ids: use MaskSet. Email addresses in them are masked in any case.
func (l *ledger) Audit(action AuditAction, object uuid.UUID, before, after AuditFields) {
	l.entries = append(l.entries, auditEntry{action, object, before, after})
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
		switch topic, named := topicOf(e.action); {
		case named:
			l.touched.Add(topic, e.object)
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
func (e auditEntry) newRecord(c Change) (r AuditRecord, err error) {
	kind, id, name := c.auditActor()
	r = AuditRecord{
		OrganizationID: c.OrganizationID, Encoding: newestEncoding, ActorKind: kind, ActorID: id, ActorName: string(withoutAddresses([]byte(name))),
		Action: e.action, ObjectKind: e.action.ObjectKind(), ObjectID: &e.object,
		RequestID: TextOrNil(c.RequestID), ClientAddress: addressOrNil(c.Client),
	}
	if r.Before, err = e.before.encodeJSON(); err != nil {
		return r, err
	}
	r.After, err = e.after.encodeJSON()
	return r, err
}

// addressOrNil is the column's value of an address.
func addressOrNil(a netip.Addr) *string {
	if !a.IsValid() {
		return nil
	}
	return TextOrNil(a.String())
}
