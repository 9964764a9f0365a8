package syncing

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Health is the state of an integration's connection.
type Health string

// The states of health. CheckFailed and Pending precede the first cycle;
// CheckFailed and Blocked end only by a live check that passes.
const (
	HealthCheckFailed Health = "check_failed" // the newest live check failed; not polled
	HealthPending     Health = "pending"      // the live check passed; the first cycle is not done
	HealthHealthy     Health = "healthy"
	HealthDegraded    Health = "degraded" // some resource did not succeed in the last cycle
	HealthFailing     Health = "failing"  // nothing succeeds any more, or the data is old
	HealthBlocked     Health = "blocked"  // the platform refused the credential; not polled
)

// Integration is a connection to a platform.
type Integration struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Kind           record.Kind
	Name           string
	BaseURL        string
	APIKeyPreview  string
	AccountScope   *AccountScope // nil: everything
	// SyncIntervalSeconds is the time from one cycle's slot to the next, 60 to 3600.
	SyncIntervalSeconds int
	IsActive            bool
	// SettingsVersion rises with each change of BaseURL, the credential,
	// AccountScope or IsActive; it tells which settings a live check was made with.
	SettingsVersion int64
	HealthStatus    Health
	// LastError is the newest of the live check's and the streams' errors that
	// no success has followed; nil when there is none.
	LastError          *SyncError
	LastSyncStartedAt  *time.Time
	LastSyncFinishedAt *time.Time
	LastSuccessAt      *time.Time
	NextSyncAt         *time.Time // nil when the integration is not polled
	Counters           Counters
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

// Counters are the rows that an integration has brought.
type Counters struct {
	Traders, Accounts, Trades, Payouts int64
}

// AccountScope narrows which accounts and payouts of a partner platform are
// read (service API, Integration.account_scope). A nil or empty list does not narrow.
type AccountScope struct {
	PlanCategoryIDs []json.Number `json:"plan_category_ids"`
	Platforms       []string      `json:"platforms"`
}

// SyncError is what went wrong between assay and a platform, as it is shown to
// the customer.
type SyncError struct {
	Resource   string    `json:"resource"` // empty: the live check
	Code       string    `json:"code"`
	Message    string    `json:"message"`
	HTTPStatus int       `json:"http_status"` // 0: there was no answer
	Endpoint   string    `json:"endpoint"`
	Hint       string    `json:"hint"`
	At         time.Time `json:"at"`
}

// auditFields returns what the audit log holds of an integration. It holds no
// credential.
func (i Integration) auditFields() store.AuditFields {
	return store.AuditFields{
		"kind": i.Kind, "name": i.Name, "base_url": i.BaseURL, "api_key": store.Masked, "account_scope": i.AccountScope,
		"sync_interval_seconds": i.SyncIntervalSeconds, "is_active": i.IsActive, "health_status": i.HealthStatus,
	}
}

// IntegrationConfig is an integration with its credential, for a live check.
type IntegrationConfig struct {
	Integration
	APIKey seal.Secret
	// Unconfirmed says that the address or the key was changed, and that nobody has
	// seen yet whether it still leads to the platform that the records come from.
	Unconfirmed bool
}

// NewIntegration is a connection to be saved.
type NewIntegration struct {
	Kind                record.Kind
	Name                string
	BaseURL             string // without a trailing slash
	APIKey              seal.Secret
	AccountScope        *AccountScope
	SyncIntervalSeconds int
	// Check is the outcome of the live check with these settings. Polling
	// begins when it passed, and only then.
	Check CheckOutcome
	// Traders is the first page of the platform's traders, read with these
	// settings. It decides whether a deleted integration goes on; empty: none
	// does.
	Traders []record.Trader
}

// IntegrationPatch names what is to be changed; nil leaves a field as it is.
type IntegrationPatch struct {
	Name                *string
	BaseURL             *string
	APIKey              *seal.Secret
	AccountScope        **AccountScope // a pointer to nil removes the scope
	SyncIntervalSeconds *int
	IsActive            *bool
	// If refuses the patch by returning an error when it does not like the
	// integration as it is; nil: any will do. Nothing changes in between.
	If func(Integration) error
	// Check is the live check with the settings as they will be, for a patch
	// that NeedsCheck. Nil counts as one that did not pass.
	Check *LiveCheck
}

// CheckOutcome is the result of a live check.
type CheckOutcome struct {
	OK     bool
	Denied bool       // the platform refused the credential
	Err    *SyncError // what failed; nil when OK. Its time is set when it is saved
}

// LiveCheck is a live check of a saved integration.
type LiveCheck struct {
	CheckOutcome
	// Traders is the first page of the platform's traders, for a patch that
	// leads to another address or key. Empty: they could not be read, or there
	// are none; then the first cycle compares them before it writes anything.
	Traders []record.Trader
	// SettingsVersion is the Integration.SettingsVersion that was read before
	// the check began. The outcome counts only while it is still that.
	SettingsVersion int64
}
