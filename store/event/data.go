package event

import (
	"time"

	"github.com/google/uuid"
)

// The tags of the fields below appear in the documentation: about is the description, enum lists
// all values, and example is an example if that of the type is not suitable.

// interviewStatuses are the statuses of an interview.
const interviewStatuses = "invited,declined,in_progress,expired,incomplete,processing,completed,failed"

// Interview is the data of all events about interviews.
type Interview struct {
	InterviewID     uuid.UUID  `json:"interview_id" about:"The interview."`
	TraderID        uuid.UUID  `json:"trader_id" about:"The trader of the interview."`
	Reference       *string    `json:"reference" about:"The firm's own reference of the interview. Null if it has none." example:"PO-2041"`
	Status          string     `json:"status" about:"The status of the interview." enum:"@interviewStatuses" example:"completed"`
	Partial         bool       `json:"partial" about:"Whether time ran out before all questions were answered." example:"false"`
	Decision        *string    `json:"decision" about:"The current decision. Null if there is none." enum:"approved,rejected,needs_review" example:"approved"`
	AssigneeID      *uuid.UUID `json:"assignee_id" about:"The user to whom the interview is assigned. Null if it is unassigned." example:"null"`
	ReportVersion   int        `json:"report_version" about:"The latest version of the report. 0 if there is none." example:"1"`
	InviteExpiresAt time.Time  `json:"invite_expires_at" about:"The time until which the trader can start."`
	CompleteBy      *time.Time `json:"complete_by" about:"The time by which the trader has to submit. Null if the trader has not started."`
	RetakeOfID      *uuid.UUID `json:"retake_of_id" about:"The interview that this one is a retake of. Null if it is not a retake." example:"null"`
	Path            string     `json:"path" about:"The path of the interview in the API. It may have been deleted." example:"/v1/interviews/01980000-0000-7000-8000-000000000004"`
}

// InterviewComment is the data of interview.comment_added.
type InterviewComment struct {
	InterviewID uuid.UUID       `json:"interview_id" about:"The interview."`
	CommentID   uuid.UUID       `json:"comment_id" about:"The comment."`
	AtMS        *int            `json:"at_ms" about:"The moment of the recording that the comment is about, in milliseconds. Null if it is about the whole interview." example:"83000"`
	Mentions    []MentionedUser `json:"mentions" about:"The users whom the comment mentions."`
	Path        string          `json:"path" about:"The path of the interview in the API." example:"/v1/interviews/01980000-0000-7000-8000-000000000004"`
}

// MentionedUser is a user whom an InterviewComment mentions.
type MentionedUser struct {
	UserID uuid.UUID `json:"user_id" about:"The user."`
}

// Trader is the data of trader.created and trader.updated.
type Trader struct {
	TraderID      uuid.UUID  `json:"trader_id" about:"The trader."`
	IntegrationID *uuid.UUID `json:"integration_id" about:"The integration from which the trader is read. Null if the trader was created by hand."`
	ExternalID    *string    `json:"external_id" about:"The platform's id of the trader. Null if there is none." example:"T-1001"`
	Source        string     `json:"source" about:"The source of the trader." enum:"custom_api,partner_platform,manual"`
	Status        string     `json:"status" about:"The trader's status in the directory." enum:"active,under_review,restricted,archived"`
	MergedID      *uuid.UUID `json:"merged_id" about:"The id of a duplicate that was merged into this trader and no longer exists. Null if none was." example:"null"`
	Path          string     `json:"path" about:"The path of the trader in the API." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// TraderNote is the data of trader.note_added.
type TraderNote struct {
	TraderID uuid.UUID `json:"trader_id" about:"The trader."`
	NoteID   uuid.UUID `json:"note_id" about:"The note."`
	Path     string    `json:"path" about:"The path of the trader, with the notes, in the API." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// ActivityFile is the data of activity_file.processed.
type ActivityFile struct {
	FileID   uuid.UUID `json:"file_id" about:"The file."`
	TraderID uuid.UUID `json:"trader_id" about:"The trader whose trades the file contains."`
	Trades   int64     `json:"trades" about:"The number of trades that were imported from the file." example:"240"`
	Path     string    `json:"path" about:"The path of the file in the API." example:"/v1/traders/01980000-0000-7000-8000-000000000001/activity-files/01980000-0000-7000-8000-000000000002"`
}

// ActivityFileFailure is the data of activity_file.failed.
type ActivityFileFailure struct {
	TraderID uuid.UUID `json:"trader_id" about:"The trader for whom the file was uploaded."`
	Code     string    `json:"code" about:"Why the file could not be imported: the code of the problem in the response to the upload." example:"ambiguous_dates"`
	Path     string    `json:"path" about:"The path of the trader in the API." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// AccountStatus is the data of account.status_changed.
type AccountStatus struct {
	AccountID        uuid.UUID `json:"account_id" about:"The account."`
	IntegrationID    uuid.UUID `json:"integration_id" about:"The integration from which the account is read."`
	ExternalID       string    `json:"external_id" about:"The platform's id of the account." example:"A-2002"`
	TraderExternalID *string   `json:"trader_external_id" about:"The platform's id of the account's trader. Null if the platform does not send it." example:"T-1001"`
	Status           *string   `json:"status" about:"The account's status, as the platform calls it. Null if it has none." example:"breached"`
	PreviousStatus   *string   `json:"previous_status" about:"The previous status. Null if there was none or the account is new." example:"active"`
}

// PayoutStatus is the data of payout.status_changed.
type PayoutStatus struct {
	PayoutID          uuid.UUID `json:"payout_id" about:"The payout."`
	IntegrationID     uuid.UUID `json:"integration_id" about:"The integration from which the payout is read."`
	ExternalID        string    `json:"external_id" about:"The platform's id of the payout." example:"P-3003"`
	TraderExternalID  *string   `json:"trader_external_id" about:"The platform's id of the payout's trader. Null if the platform does not send it." example:"T-1001"`
	AccountExternalID *string   `json:"account_external_id" about:"The platform's id of the payout's account. Null if the platform does not send it." example:"A-2002"`
	Status            *string   `json:"status" about:"The payout's status, as the platform calls it. Null if it has none." example:"paid"`
	PreviousStatus    *string   `json:"previous_status" about:"The previous status. Null if there was none or the payout is new." example:"requested"`
}

// healths are the values of an integration's health.
const healths = "check_failed,pending,healthy,degraded,failing,blocked"

// Integration is the data of integration.created, integration.connected and
// integration.deleted.
type Integration struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	Kind          string    `json:"kind" about:"The kind of platform that it connects." enum:"custom_api,partner_platform"`
	HealthStatus  string    `json:"health_status" about:"The health of the integration." enum:"@healths"`
	Path          string    `json:"path" about:"The path of the integration in the API. It may have been deleted." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Check is the data of integration.check_failed.
type Check struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	HealthStatus  string    `json:"health_status" about:"The health of the integration after the check." enum:"@healths" example:"check_failed"`
	Code          string    `json:"code" about:"What went wrong, as in the integration's last_error." example:"connect_failed"`
	HTTPStatus    *int      `json:"http_status" about:"The HTTP status of the platform's response. Null if there was none." example:"null"`
	Path          string    `json:"path" about:"The path of the integration in the API." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Health is the data of integration.degraded, failing, recovered and blocked.
type Health struct {
	IntegrationID        uuid.UUID `json:"integration_id" about:"The integration."`
	HealthStatus         string    `json:"health_status" about:"The health of the integration." enum:"@healths" example:"degraded"`
	PreviousHealthStatus string    `json:"previous_health_status" about:"The previous health of the integration." enum:"@healths" example:"healthy"`
	Path                 string    `json:"path" about:"The path of the integration in the API." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Sync is the data of integration.sync_completed and integration.sync_failed.
type Sync struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	CycleID       uuid.UUID `json:"cycle_id" about:"The cycle, as in the integration's runs."`
	Trigger       string    `json:"trigger" about:"Why the cycle began." enum:"schedule,manual,backfill"`
	StartedAt     time.Time `json:"started_at" about:"When the cycle began."`
	Runs          []Run     `json:"runs" about:"What the cycle read, by resource."`
	Path          string    `json:"path" about:"The path of the integration's runs in the API." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/runs"`
}

// Run is a resource within a Sync.
type Run struct {
	Resource           string  `json:"resource" about:"The resource that was read." enum:"traders,accounts,trades,payouts"`
	Mode               string  `json:"mode" about:"Whether everything was read, or only what has changed." enum:"backfill,incremental"`
	Status             string  `json:"status" about:"How the run ended." enum:"succeeded,partial,throttled,skipped,failed,blocked,interrupted"`
	RecordsUpserted    int64   `json:"records_upserted" about:"The number of records that were added or changed." example:"12"`
	RecordsQuarantined int64   `json:"records_quarantined" about:"The number of records that could not be used." example:"0"`
	Code               *string `json:"code" about:"What went wrong. Null if nothing did." example:"null"`
}

// Finding is the data of integration.finding_opened.
type Finding struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	Resource      string    `json:"resource" about:"The resource that the platform sent." enum:"traders,accounts,trades,payouts"`
	Rule          string    `json:"rule" about:"The stable name of the broken rule." example:"numeric_string"`
	Count         int64     `json:"count" about:"How often the rule has been broken so far." example:"3"`
	Path          string    `json:"path" about:"The path of the integration's findings in the API." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/findings"`
}

// Audit is the data of integration.audit_completed.
type Audit struct {
	IntegrationID uuid.UUID         `json:"integration_id" about:"The integration."`
	AuditID       uuid.UUID         `json:"audit_id" about:"The audit, which is also the cycle_id of its runs."`
	Trigger       string            `json:"trigger" about:"Why the audit began." enum:"schedule,manual"`
	Status        string            `json:"status" about:"Whether all resources could be compared (succeeded), some (partial) or none (failed), or a change of settings ended the audit (interrupted)." enum:"succeeded,partial,failed,interrupted"`
	Resources     []AuditedResource `json:"resources" about:"What the audit found, by resource."`
	Path          string            `json:"path" about:"The path of the integration's latest audits in the API." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/audit"`
}

// AuditedResource is a resource within an Audit.
type AuditedResource struct {
	Resource          string   `json:"resource" about:"The resource that was compared." enum:"traders,accounts,trades,payouts"`
	Status            string   `json:"status" about:"How reading the resource ended." enum:"succeeded,partial,throttled,skipped,failed,blocked"`
	CompletenessRatio *float64 `json:"completeness_ratio" about:"The share of the platform's records that were stored correctly, from 0 to 1. Null if the platform did not show everything." example:"0.9998"`
	Repaired          int64    `json:"repaired" about:"The number of records that were missing or stale and have been repaired." example:"2"`
	Missing           int64    `json:"missing" about:"The number of stored records that are newly marked as missing because the platform no longer shows them." example:"1"`
}

// APIKey is the data of api_key.created, api_key.expiring and api_key.revoked.
type APIKey struct {
	APIKeyID  uuid.UUID  `json:"api_key_id" about:"The id of the key, not its secret."`
	Name      string     `json:"name" about:"The name of the key." example:"Reporting"`
	ExpiresAt *time.Time `json:"expires_at" about:"When the key expires. Null if it never does."`
	RevokedAt *time.Time `json:"revoked_at" about:"When the key was revoked. Null if it was not." example:"null"`
	Path      string     `json:"path" about:"The path of the keys in the API." example:"/v1/api-keys"`
}

// Endpoint is the data of webhook.endpoint_failing and webhook.endpoint_disabled.
type Endpoint struct {
	EndpointID   uuid.UUID  `json:"endpoint_id" about:"The failing or disabled webhook endpoint. The event is sent to other endpoints."`
	Reason       string     `json:"reason" about:"Why: the endpoint returned 410 (gone), or all of its deliveries fail (failing)." enum:"gone,failing" example:"failing"`
	Failures     int        `json:"failures" about:"The number of failed attempts since the last success." example:"12"`
	FailingSince *time.Time `json:"failing_since" about:"When the first of these attempts was made. Null if there was none."`
	DisabledAt   *time.Time `json:"disabled_at" about:"When the endpoint was disabled, or, if it is still enabled, when it will be disabled unless a delivery succeeds. Null if that is not known."`
	Path         string     `json:"path" about:"The path of the endpoint's deliveries in the API." example:"/v1/webhooks/01980000-0000-7000-8000-000000000003/deliveries"`
}

// PingData is the data of ping.
type PingData struct {
	EndpointID uuid.UUID `json:"endpoint_id" about:"The webhook endpoint that is being tested."`
}
