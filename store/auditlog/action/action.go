package action

import "strings"

// Kind names what was done, by the kind of object and, after a dot, what happened to it.
type Kind string

// The actions. Before and after hold the named members: those that the change was about, and those
// that changed with it. Values that are secret or identify a person are "***" if there is one,
// because the log cannot be rewritten when they have to be forgotten.
const (
	OrganizationCreated       Kind = "organization.created"        // The organization was created (name).
	OrganizationRekeyed       Kind = "organization.rekeyed"        // Stored secrets were re-encrypted with another key of the keyring (primary: the ID of that key).
	UserCreated               Kind = "user.created"                // A person was added (email, role).
	UserUpdated               Kind = "user.updated"                // A person was changed, or an account of the OpenID Connect provider was linked (those of email, name, role, oidc_linked and active that changed).
	UserRemoved               Kind = "user.removed"                // A person was removed (email, role).
	UserPasswordReset         Kind = "user.password_reset"         // The person's password was replaced with an initial password.
	UserPasswordChanged       Kind = "user.password_changed"       // The person chose another password.
	UserSignedIn              Kind = "user.signed_in"              // The person signed in (method).
	UserSignInFailed          Kind = "user.sign_in_failed"         // Someone tried to sign in as the person with a wrong password (attempts: the number since the last such entry).
	UserSignedOut             Kind = "user.signed_out"             // The person signed out.
	UserSessionsEnded         Kind = "user.sessions_ended"         // Sessions of the person were ended because the person signed out everywhere or the password changed (sessions: how many).
	APIKeyCreated             Kind = "api_key.created"             // An API key was created (name, prefix, scopes, expires_at).
	APIKeyRevoked             Kind = "api_key.revoked"             // An API key was revoked (revoked_at).
	IntegrationCreated        Kind = "integration.created"         // A platform was connected (its settings, health_status).
	IntegrationUpdated        Kind = "integration.updated"         // Settings were changed (the changed settings, and health_status if the live check of the new settings changed it).
	IntegrationChecked        Kind = "integration.checked"         // A live check that someone requested changed something (health_status, polled), or the check of a new base_url sent the saved key to another host (base_url).
	IntegrationRequested      Kind = "integration.sync_requested"  // Someone requested a sync, and it was queued.
	IntegrationAuditRequested Kind = "integration.audit_requested" // Someone requested an audit, and it was queued.
	IntegrationDeleted        Kind = "integration.deleted"         // A platform was disconnected (its settings, health_status).
	TraderCreated             Kind = "trader.created"              // A trader was added manually (the members that were given, status).
	TraderUpdated             Kind = "trader.updated"              // A person changed members of a trader (the changed members).
	TraderMerged              Kind = "trader.merged"               // Two traders were merged, by a person or because a change showed that they are the same person (merged_id: the ID that no longer works, and the members that the merge changed).
	TraderDuplicateDismissed  Kind = "trader.duplicate_dismissed"  // A person said that two traders are not the same person (other_id).
	TraderDuplicateRestored   Kind = "trader.duplicate_restored"   // A person took that back (other_id).
	TraderNoteAdded           Kind = "trader.note_added"           // A note about the trader was added (note_id).
	TraderNoteDeleted         Kind = "trader.note_deleted"         // A note about the trader was deleted (note_id).
	ActivityFileKept          Kind = "activity_file.kept"          // A file of trades was uploaded for a trader and read (trader_id, sha256, bytes, trades, name).
	ActivityFileRefused       Kind = "activity_file.refused"       // A file that was uploaded for the trader could not be read (code).
	ActivityFileDeleted       Kind = "activity_file.deleted"       // A file of trades was deleted (the same members as when it was kept).
	RulesetReplaced           Kind = "ruleset.replaced"            // The organization's thresholds were replaced (number, hash).
	CalendarReplaced          Kind = "calendar.replaced"           // The organization's calendar of news was replaced (number, hash, events).
	WebhookCreated            Kind = "webhook.created"             // A webhook endpoint was created (origin of its URL, because the rest of the URL may hold a secret; events).
	WebhookUpdated            Kind = "webhook.updated"             // A webhook endpoint was changed (those of url with origin, events, is_active and paused that the request named).
	WebhookDisabled           Kind = "webhook.disabled"            // A webhook endpoint was disabled automatically (is_active, reason, failures, failing_since).
	WebhookDeleted            Kind = "webhook.deleted"             // A webhook endpoint was deleted (origin, events, is_active).
	WebhookSecretRotated      Kind = "webhook.secret_rotated"      // A new signing secret was created (grace_period_seconds).
	WebhookTested             Kind = "webhook.tested"              // A ping was sent (delivery_id).
	WebhookRetried            Kind = "webhook.delivery_retried"    // Someone requested another attempt (delivery_id), or one at each of many deliveries (deliveries).

	OrganizationUpdated          Kind = "organization.updated"           // The organization's settings were changed (those of name, contact, lawful_basis, off_box_speech, and off_box_prose that the request named).
	ListExported                 Kind = "organization.list_exported"     // A list was exported as CSV (list; filters: the names of the filters; trader_id, integration_id or webhook_id: whose rows they are).
	SymbolsReplaced              Kind = "organization.symbols_replaced"  // The symbol mappings were replaced (mappings: how many).
	ReasonsReplaced              Kind = "organization.reasons_replaced"  // The reasons for decisions that people choose from were replaced (reasons: how many).
	TraderErased                 Kind = "trader.erased"                  // A trader was erased, or was deleted with the last of the interviews that had added the trader.
	TraderExported               Kind = "trader.exported"                // Everything that is stored about a trader was exported.
	InterviewCreated             Kind = "interview.created"              // An interview was created (trader_id, reason, window_hours, retention_days, assignee_user_id, retake_of_id).
	InterviewReissued            Kind = "interview.invite_reissued"      // The invite was replaced (status, window_hours).
	InterviewDecided             Kind = "interview.decision_recorded"    // A decision was recorded (decision, reason).
	InterviewAssigned            Kind = "interview.assigned"             // The interview was assigned to someone, or unassigned (assignee_user_id).
	InterviewCommunicated        Kind = "interview.communicated"         // Whether the trader was informed of the outcome was recorded or corrected (done).
	InterviewShared              Kind = "interview.share_created"        // A link to a read-only page was created (share_id, expires_at, include_decision).
	InterviewShareRevoked        Kind = "interview.share_revoked"        // The link was revoked (share_id).
	InterviewPlayed              Kind = "interview.played"               // URLs to play the recording were issued.
	InterviewExported            Kind = "interview.exported"             // Everything that is stored about the interview was exported.
	InterviewRegenerated         Kind = "interview.report_requested"     // A new version of the report was requested (job_id).
	InterviewSubtitlesRequested  Kind = "interview.subtitles_requested"  // Captions were requested (job_id).
	InterviewClaimConfirmed      Kind = "interview.claim_confirmed"      // A reviewer confirmed the quote of a claim (claim_id).
	InterviewCommentAdded        Kind = "interview.comment_added"        // A comment was added (comment_id, mentions: the IDs of the people it mentions).
	InterviewCommentEdited       Kind = "interview.comment_edited"       // The author edited a comment (comment_id, mentions).
	InterviewCommentDeleted      Kind = "interview.comment_deleted"      // The author deleted a comment (comment_id).
	InterviewTranscriptCorrected Kind = "interview.transcript_corrected" // Words of the transcript were corrected (segment_id).
	InterviewFileUploaded        Kind = "interview.activity_file_added"  // A file of trades was uploaded (sha256, bytes, rows).
	InterviewHeld                Kind = "interview.held"                 // A legal hold was placed, or its reason changed (held, reason).
	InterviewReleased            Kind = "interview.released"             // The legal hold was released (held).
	InterviewPurged              Kind = "interview.purged"               // The retention period of a part ended, and the part was deleted (purged: media or record).
	InterviewDeleted             Kind = "interview.deleted"              // The interview was deleted (status).
)

// ObjectKind is the kind of object that the action is about, such as api_key.
func (a Kind) ObjectKind() string {
	kind, _, _ := strings.Cut(string(a), ".")
	return kind
}

// All lists the actions.
func All() []Kind {
	return []Kind{
		OrganizationCreated, OrganizationRekeyed,
		UserCreated, UserUpdated, UserRemoved, UserPasswordReset, UserPasswordChanged, UserSignedIn, UserSignInFailed, UserSignedOut, UserSessionsEnded,
		APIKeyCreated, APIKeyRevoked,
		IntegrationCreated, IntegrationUpdated, IntegrationChecked, IntegrationRequested, IntegrationAuditRequested, IntegrationDeleted,
		TraderCreated, TraderUpdated, TraderMerged, TraderDuplicateDismissed, TraderDuplicateRestored, TraderNoteAdded, TraderNoteDeleted,
		ActivityFileKept, ActivityFileRefused, ActivityFileDeleted, RulesetReplaced, CalendarReplaced,
		WebhookCreated, WebhookUpdated, WebhookDisabled, WebhookDeleted, WebhookSecretRotated, WebhookTested, WebhookRetried,
		OrganizationUpdated, ListExported, ReasonsReplaced, SymbolsReplaced, TraderErased, TraderExported,
		InterviewCreated, InterviewReissued, InterviewDecided, InterviewAssigned, InterviewCommunicated, InterviewShared,
		InterviewShareRevoked, InterviewPlayed, InterviewExported, InterviewRegenerated, InterviewSubtitlesRequested,
		InterviewClaimConfirmed, InterviewCommentAdded, InterviewCommentEdited, InterviewCommentDeleted, InterviewTranscriptCorrected, InterviewFileUploaded, InterviewHeld, InterviewReleased, InterviewPurged, InterviewDeleted,
	}
}
