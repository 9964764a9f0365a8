package event

import (
	"slices"
	"strings"
)

// Kind names what has happened, such as trader.created.
type Kind string

// The kinds. Each is listed in the catalog (All).
const (
	InterviewCreated          Kind = "interview.created"
	InterviewOpened           Kind = "interview.opened"
	InterviewStarted          Kind = "interview.started"
	InterviewSubmitted        Kind = "interview.submitted"
	InterviewCompleted        Kind = "interview.completed"
	InterviewIncomplete       Kind = "interview.incomplete"
	InterviewDeclined         Kind = "interview.declined"
	InterviewExpired          Kind = "interview.expired"
	InterviewFailed           Kind = "interview.failed"
	InterviewDeleted          Kind = "interview.deleted"
	InterviewReportReady      Kind = "interview.report_ready"
	InterviewDecisionRecorded Kind = "interview.decision_recorded"
	InterviewAssigned         Kind = "interview.assigned"
	InterviewUnassigned       Kind = "interview.unassigned"
	InterviewCommunicated     Kind = "interview.communicated"
	InterviewInviteReissued   Kind = "interview.invite_reissued"
	InterviewShareCreated     Kind = "interview.share_created"
	InterviewShareRevoked     Kind = "interview.share_revoked"
	InterviewSubtitlesReady   Kind = "interview.subtitles_ready"
	InterviewCommentAdded     Kind = "interview.comment_added"

	InterviewTranscriptCorrected Kind = "interview.transcript_corrected"

	TraderCreated   Kind = "trader.created"
	TraderUpdated   Kind = "trader.updated"
	TraderNoteAdded Kind = "trader.note_added"

	ActivityFileProcessed Kind = "activity_file.processed"
	ActivityFileFailed    Kind = "activity_file.failed"

	AccountStatusChanged Kind = "account.status_changed"
	PayoutStatusChanged  Kind = "payout.status_changed"

	IntegrationCreated        Kind = "integration.created"
	IntegrationConnected      Kind = "integration.connected"
	IntegrationCheckFailed    Kind = "integration.check_failed"
	IntegrationDegraded       Kind = "integration.degraded"
	IntegrationFailing        Kind = "integration.failing"
	IntegrationRecovered      Kind = "integration.recovered"
	IntegrationBlocked        Kind = "integration.blocked"
	IntegrationSyncCompleted  Kind = "integration.sync_completed"
	IntegrationSyncFailed     Kind = "integration.sync_failed"
	IntegrationFindingOpened  Kind = "integration.finding_opened"
	IntegrationAuditCompleted Kind = "integration.audit_completed"
	IntegrationDeleted        Kind = "integration.deleted"

	APIKeyCreated  Kind = "api_key.created"
	APIKeyExpiring Kind = "api_key.expiring" //nolint:gosec // the name of an event
	APIKeyRevoked  Kind = "api_key.revoked"

	WebhookEndpointFailing  Kind = "webhook.endpoint_failing"
	WebhookEndpointDisabled Kind = "webhook.endpoint_disabled"

	Ping Kind = "ping"
)

// Everything is the pattern that all kinds match.
const Everything = "*"

// Group returns the object that the kind is about: its name up to the dot.
func (k Kind) Group() string {
	group, _, _ := strings.Cut(string(k), ".")
	return group
}

// Patterns lists the patterns with which an endpoint subscribes to the kind: the kind, its group,
// and everything.
func (k Kind) Patterns() []string {
	if group, _, dotted := strings.Cut(string(k), "."); dotted {
		return []string{string(k), group + ".*", Everything}
	}
	return []string{string(k), Everything}
}

// Patterns lists every pattern to which an endpoint may subscribe: everything, the groups, and the
// kinds in the catalog's order.
func Patterns() []string {
	list := []string{Everything}
	var kinds []string
	for _, d := range All() {
		if group := d.Kind.Group() + ".*"; group != string(d.Kind)+".*" && !slices.Contains(list, group) {
			list = append(list, group)
		}
		kinds = append(kinds, string(d.Kind))
	}
	return append(list, kinds...)
}
