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
	TraderID        uuid.UUID  `json:"trader_id" about:"Its trader."`
	Reference       *string    `json:"reference" about:"The firm's own name of the interview; null: none." example:"PO-2041"`
	Status          string     `json:"status" about:"Where the interview is in its life." enum:"@interviewStatuses" example:"completed"`
	Partial         bool       `json:"partial" about:"Time ran out before all questions were answered." example:"false"`
	Decision        *string    `json:"decision" about:"The decision in force; null: none." enum:"approved,rejected,needs_review" example:"approved"`
	AssigneeID      *uuid.UUID `json:"assignee_id" about:"The person who has the interview in hand; null: nobody." example:"null"`
	ReportVersion   int        `json:"report_version" about:"The newest version of the report; 0: there is none." example:"1"`
	InviteExpiresAt time.Time  `json:"invite_expires_at" about:"Until when the trader can start."`
	CompleteBy      *time.Time `json:"complete_by" about:"Until when the trader has to submit; null: not started."`
	RetakeOfID      *uuid.UUID `json:"retake_of_id" about:"The interview that this one repeats; null: none." example:"null"`
	Path            string     `json:"path" about:"Where the API shows the interview, or did." example:"/v1/interviews/01980000-0000-7000-8000-000000000004"`
}

// Trader is the data of trader.created and trader.updated.
type Trader struct {
	TraderID      uuid.UUID  `json:"trader_id" about:"The trader."`
	IntegrationID *uuid.UUID `json:"integration_id" about:"The integration that the trader is read from; null: made by hand."`
	ExternalID    *string    `json:"external_id" about:"The platform's id of the trader; null: none." example:"T-1001"`
	Source        string     `json:"source" about:"Where the trader comes from." enum:"custom_api,partner_platform,manual"`
	Status        string     `json:"status" about:"The trader's status in the directory." enum:"active,under_review,restricted,archived"`
	MergedID      *uuid.UUID `json:"merged_id" about:"The id of another row of the same trader that has become part of this one and is gone; null: none has." example:"null"`
	Path          string     `json:"path" about:"Where the API shows the trader." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// TraderNote is the data of trader.note_added.
type TraderNote struct {
	TraderID uuid.UUID `json:"trader_id" about:"The trader."`
	NoteID   uuid.UUID `json:"note_id" about:"The note."`
	Path     string    `json:"path" about:"Where the API shows the trader with the notes." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// ActivityFile is the data of activity_file.processed.
type ActivityFile struct {
	FileID   uuid.UUID `json:"file_id" about:"The file."`
	TraderID uuid.UUID `json:"trader_id" about:"The trader whose trades it holds."`
	Trades   int64     `json:"trades" about:"How many trades were read from it." example:"240"`
	Path     string    `json:"path" about:"Where the API shows the file." example:"/v1/traders/01980000-0000-7000-8000-000000000001/activity-files/01980000-0000-7000-8000-000000000002"`
}

// ActivityFileFailure is the data of activity_file.failed.
type ActivityFileFailure struct {
	TraderID uuid.UUID `json:"trader_id" about:"The trader whose file it was to be."`
	Code     string    `json:"code" about:"Why it could not be read: the code of the problem that its sender was told." example:"ambiguous_dates"`
	Path     string    `json:"path" about:"Where the API shows the trader." example:"/v1/traders/01980000-0000-7000-8000-000000000001"`
}

// AccountStatus is the data of account.status_changed.
type AccountStatus struct {
	AccountID        uuid.UUID `json:"account_id" about:"The account."`
	IntegrationID    uuid.UUID `json:"integration_id" about:"The integration that the account is read from."`
	ExternalID       string    `json:"external_id" about:"The platform's id of the account." example:"A-2002"`
	TraderExternalID *string   `json:"trader_external_id" about:"The platform's id of the account's trader; null: not told." example:"T-1001"`
	Status           *string   `json:"status" about:"The account's status, as the platform calls it; null: none." example:"breached"`
	PreviousStatus   *string   `json:"previous_status" about:"The status before; null: none, or the account is new." example:"active"`
}

// PayoutStatus is the data of payout.status_changed.
type PayoutStatus struct {
	PayoutID          uuid.UUID `json:"payout_id" about:"The payout."`
	IntegrationID     uuid.UUID `json:"integration_id" about:"The integration that the payout is read from."`
	ExternalID        string    `json:"external_id" about:"The platform's id of the payout." example:"P-3003"`
	TraderExternalID  *string   `json:"trader_external_id" about:"The platform's id of the payout's trader; null: not told." example:"T-1001"`
	AccountExternalID *string   `json:"account_external_id" about:"The platform's id of the payout's account; null: not told." example:"A-2002"`
	Status            *string   `json:"status" about:"The payout's status, as the platform calls it; null: none." example:"paid"`
	PreviousStatus    *string   `json:"previous_status" about:"The status before; null: none, or the payout is new." example:"requested"`
}

// healths are the values of an integration's health.
const healths = "check_failed,pending,healthy,degraded,failing,blocked"

// Integration is the data of integration.created, integration.connected and
// integration.deleted.
type Integration struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	Kind          string    `json:"kind" about:"What sort of platform it connects." enum:"custom_api,partner_platform"`
	HealthStatus  string    `json:"health_status" about:"How the connection is doing." enum:"@healths"`
	Path          string    `json:"path" about:"Where the API shows the integration, or did." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Check is the data of integration.check_failed.
type Check struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	HealthStatus  string    `json:"health_status" about:"How the connection is doing after the check." enum:"@healths" example:"check_failed"`
	Code          string    `json:"code" about:"What went wrong, as in the integration's last_error." example:"connect_failed"`
	HTTPStatus    *int      `json:"http_status" about:"The platform's answer; null: there was none." example:"null"`
	Path          string    `json:"path" about:"Where the API shows the integration." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Health is the data of integration.degraded, failing, recovered and blocked.
type Health struct {
	IntegrationID        uuid.UUID `json:"integration_id" about:"The integration."`
	HealthStatus         string    `json:"health_status" about:"How the connection is doing." enum:"@healths" example:"degraded"`
	PreviousHealthStatus string    `json:"previous_health_status" about:"How it was doing before." enum:"@healths" example:"healthy"`
	Path                 string    `json:"path" about:"Where the API shows the integration." example:"/v1/integrations/01980000-0000-7000-8000-000000000002"`
}

// Sync is the data of integration.sync_completed and integration.sync_failed.
type Sync struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	CycleID       uuid.UUID `json:"cycle_id" about:"The cycle, as in the integration's runs."`
	Trigger       string    `json:"trigger" about:"Why the cycle began." enum:"schedule,manual,backfill"`
	StartedAt     time.Time `json:"started_at" about:"When it began."`
	Runs          []Run     `json:"runs" about:"What it read, by resource."`
	Path          string    `json:"path" about:"Where the API lists the integration's runs." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/runs"`
}

// Run is a resource within a Sync.
type Run struct {
	Resource           string  `json:"resource" about:"What was read." enum:"traders,accounts,trades,payouts"`
	Mode               string  `json:"mode" about:"Whether everything was read, or what has changed." enum:"backfill,incremental"`
	Status             string  `json:"status" about:"How it ended." enum:"succeeded,partial,throttled,skipped,failed,blocked,interrupted"`
	RecordsUpserted    int64   `json:"records_upserted" about:"Records that were added or changed." example:"12"`
	RecordsQuarantined int64   `json:"records_quarantined" about:"Records that could not be used." example:"0"`
	Code               *string `json:"code" about:"What went wrong; null: nothing." example:"null"`
}

// Finding is the data of integration.finding_opened.
type Finding struct {
	IntegrationID uuid.UUID `json:"integration_id" about:"The integration."`
	Resource      string    `json:"resource" about:"What the platform sent." enum:"traders,accounts,trades,payouts"`
	Rule          string    `json:"rule" about:"The rule that it breaks; stable." example:"numeric_string"`
	Count         int64     `json:"count" about:"How often it was met so far." example:"3"`
	Path          string    `json:"path" about:"Where the API lists the integration's findings." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/findings"`
}

// Audit is the data of integration.audit_completed.
type Audit struct {
	IntegrationID uuid.UUID         `json:"integration_id" about:"The integration."`
	AuditID       uuid.UUID         `json:"audit_id" about:"The audit, which is also the cycle of its runs."`
	Trigger       string            `json:"trigger" about:"Why it began." enum:"schedule,manual"`
	Status        string            `json:"status" about:"Whether every resource could be compared, some, or none; interrupted: other settings ended it." enum:"succeeded,partial,failed,interrupted"`
	Resources     []AuditedResource `json:"resources" about:"What it has found, by resource."`
	Path          string            `json:"path" about:"Where the API shows the integration's last audit." example:"/v1/integrations/01980000-0000-7000-8000-000000000002/audit"`
}

// AuditedResource is a resource within an Audit.
type AuditedResource struct {
	Resource          string   `json:"resource" about:"What was compared." enum:"traders,accounts,trades,payouts"`
	Status            string   `json:"status" about:"How its reading has ended." enum:"succeeded,partial,throttled,skipped,failed,blocked"`
	CompletenessRatio *float64 `json:"completeness_ratio" about:"The share of the platform's records that was stored as it should be, 0 to 1; null: not everything was shown." example:"0.9998"`
	Repaired          int64    `json:"repaired" about:"Records that were missing or stale, and no longer are." example:"2"`
	Missing           int64    `json:"missing" about:"Stored records that the platform no longer shows, newly marked so." example:"1"`
}

// APIKey is the data of api_key.created, api_key.expiring and api_key.revoked.
type APIKey struct {
	APIKeyID  uuid.UUID  `json:"api_key_id" about:"The key, not its secret."`
	Name      string     `json:"name" about:"The label of the key." example:"Reporting"`
	ExpiresAt *time.Time `json:"expires_at" about:"When it stops working; null: never."`
	RevokedAt *time.Time `json:"revoked_at" about:"When it was revoked; null: it is in force." example:"null"`
	Path      string     `json:"path" about:"Where the API lists the keys." example:"/v1/api-keys"`
}

// Endpoint is the data of webhook.endpoint_failing and webhook.endpoint_disabled.
type Endpoint struct {
	EndpointID   uuid.UUID  `json:"endpoint_id" about:"The webhook endpoint that it is about; another one is told."`
	Reason       string     `json:"reason" about:"gone: it answered 410. failing: none of its deliveries succeeds any more." enum:"gone,failing" example:"failing"`
	Failures     int        `json:"failures" about:"Failed attempts since the last success." example:"12"`
	FailingSince *time.Time `json:"failing_since" about:"When the first of them was made; null: there was none."`
	DisabledAt   *time.Time `json:"disabled_at" about:"When it was switched off; of one that is failing, when it will be unless it succeeds. Null: not known."`
	Path         string     `json:"path" about:"Where the API lists the endpoint's deliveries." example:"/v1/webhooks/01980000-0000-7000-8000-000000000003/deliveries"`
}

// PingData is the data of ping.
type PingData struct {
	EndpointID uuid.UUID `json:"endpoint_id" about:"The webhook endpoint that is tested."`
}
