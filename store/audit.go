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
	AuditOrganizationCreated       AuditAction = "organization.created"        // The organization was created (name).
	AuditOrganizationRekeyed       AuditAction = "organization.rekeyed"        // Stored secrets were re-encrypted with another key of the keyring (primary: the ID of that key).
	AuditUserCreated               AuditAction = "user.created"                // A person was added (email, role).
	AuditUserUpdated               AuditAction = "user.updated"                // A person was changed, or an account of the OpenID Connect provider was linked (those of email, name, role, and oidc_linked that changed).
	AuditUserRemoved               AuditAction = "user.removed"                // A person was removed (email, role).
	AuditUserPasswordReset         AuditAction = "user.password_reset"         // The person's password was replaced with an initial password.
	AuditUserPasswordChanged       AuditAction = "user.password_changed"       // The person chose another password.
	AuditUserSignedIn              AuditAction = "user.signed_in"              // The person signed in (method).
	AuditUserSignInFailed          AuditAction = "user.sign_in_failed"         // Someone tried to sign in as the person with a wrong password (attempts: the number since the last such entry).
	AuditUserSignedOut             AuditAction = "user.signed_out"             // The person signed out.
	AuditUserSessionsEnded         AuditAction = "user.sessions_ended"         // Sessions of the person were ended because the person signed out everywhere or the password changed (sessions: how many).
	AuditAPIKeyCreated             AuditAction = "api_key.created"             // An API key was created (name, prefix, scopes, expires_at).
	AuditAPIKeyRevoked             AuditAction = "api_key.revoked"             // An API key was revoked (revoked_at).
	AuditIntegrationCreated        AuditAction = "integration.created"         // A platform was connected (its settings, health_status).
	AuditIntegrationUpdated        AuditAction = "integration.updated"         // Settings were changed (the changed settings, and health_status if the live check of the new settings changed it).
	AuditIntegrationChecked        AuditAction = "integration.checked"         // A live check that someone requested changed something (health_status, polled).
	AuditIntegrationRequested      AuditAction = "integration.sync_requested"  // Someone requested a sync, and it was queued.
	AuditIntegrationAuditRequested AuditAction = "integration.audit_requested" // Someone requested an audit, and it was queued.
	AuditIntegrationDeleted        AuditAction = "integration.deleted"         // A platform was disconnected (its settings, health_status).
	AuditTraderCreated             AuditAction = "trader.created"              // A trader was added manually (the members that were given, status).
	AuditTraderUpdated             AuditAction = "trader.updated"              // A person changed members of a trader (the changed members).
	AuditTraderMerged              AuditAction = "trader.merged"               // Two traders were merged because a change showed that they are the same person (merged_id: the ID that no longer works, and the members that the merge changed).
	AuditTraderNoteAdded           AuditAction = "trader.note_added"           // A note about the trader was added (note_id).
	AuditTraderNoteDeleted         AuditAction = "trader.note_deleted"         // A note about the trader was deleted (note_id).
	AuditActivityFileKept          AuditAction = "activity_file.kept"          // A file of trades was uploaded for a trader and read (trader_id, sha256, bytes, trades, name).
	AuditActivityFileRefused       AuditAction = "activity_file.refused"       // A file that was uploaded for the trader could not be read (code).
	AuditActivityFileDeleted       AuditAction = "activity_file.deleted"       // A file of trades was deleted (the same members as when it was kept).
	AuditRulesetReplaced           AuditAction = "ruleset.replaced"            // The organization's thresholds were replaced (number, hash).
	AuditCalendarReplaced          AuditAction = "calendar.replaced"           // The organization's calendar of news was replaced (number, hash, events).
	AuditWebhookCreated            AuditAction = "webhook.created"             // A webhook endpoint was created (origin of its URL, because the rest of the URL may hold a secret; events).
	AuditWebhookUpdated            AuditAction = "webhook.updated"             // A webhook endpoint was changed (those of url with origin, events, and is_active that the request named).
	AuditWebhookDisabled           AuditAction = "webhook.disabled"            // A webhook endpoint was disabled automatically (is_active, reason, failures, failing_since).
	AuditWebhookDeleted            AuditAction = "webhook.deleted"             // A webhook endpoint was deleted (origin, events, is_active).
	AuditWebhookSecretRotated      AuditAction = "webhook.secret_rotated"      // A new signing secret was created (grace_period_seconds).
	AuditWebhookTested             AuditAction = "webhook.tested"              // A ping was sent (delivery_id).
	AuditWebhookRetried            AuditAction = "webhook.delivery_retried"    // Someone requested another attempt (delivery_id).

	AuditOrganizationUpdated         AuditAction = "organization.updated"          // The organization's settings were changed (those of name, contact, lawful_basis, off_box_speech, and off_box_prose that the request named).
	AuditTraderErased                AuditAction = "trader.erased"                 // A trader was erased, or was deleted with the last of the interviews that had added the trader.
	AuditTraderExported              AuditAction = "trader.exported"               // Everything that is stored about a trader was exported.
	AuditInterviewCreated            AuditAction = "interview.created"             // An interview was created (trader_id, reason, window_hours, retention_days, assignee_user_id, retake_of_id).
	AuditInterviewReissued           AuditAction = "interview.invite_reissued"     // The invite was replaced (status, window_hours).
	AuditInterviewDecided            AuditAction = "interview.decision_recorded"   // A decision was recorded (decision, reason).
	AuditInterviewAssigned           AuditAction = "interview.assigned"            // The interview was assigned to someone, or unassigned (assignee_user_id).
	AuditInterviewCommunicated       AuditAction = "interview.communicated"        // Whether the trader was informed of the outcome was recorded or corrected (done).
	AuditInterviewShared             AuditAction = "interview.share_created"       // A link to a read-only page was created (share_id, expires_at, include_decision).
	AuditInterviewShareRevoked       AuditAction = "interview.share_revoked"       // The link was revoked (share_id).
	AuditInterviewPlayed             AuditAction = "interview.played"              // URLs to play the recording were issued.
	AuditInterviewExported           AuditAction = "interview.exported"            // Everything that is stored about the interview was exported.
	AuditInterviewRegenerated        AuditAction = "interview.report_requested"    // A new version of the report was requested (job_id).
	AuditInterviewSubtitlesRequested AuditAction = "interview.subtitles_requested" // Captions were requested (job_id).
	AuditInterviewClaimConfirmed     AuditAction = "interview.claim_confirmed"     // A reviewer confirmed the quote of a claim (claim_id).
	AuditInterviewFileUploaded       AuditAction = "interview.activity_file_added" // A file of trades was uploaded (sha256, bytes, rows).
	AuditInterviewHeld               AuditAction = "interview.held"                // A legal hold was placed, or its reason changed (held, reason).
	AuditInterviewReleased           AuditAction = "interview.released"            // The legal hold was released (held).
	AuditInterviewPurged             AuditAction = "interview.purged"              // The retention period of a part ended, and the part was deleted (purged: media or record).
	AuditInterviewDeleted            AuditAction = "interview.deleted"             // The interview was deleted (status).
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
