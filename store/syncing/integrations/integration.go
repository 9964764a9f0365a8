package integrations

import (
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
)

// Integration is a connection to a platform.
type Integration struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Kind           record.Kind
	Name           string
	BaseURL        string
	APIKeyPreview  string
	AccountScope   *syncing.AccountScope // nil means everything
	// SyncIntervalSeconds is the time from one cycle's slot to the next, 60 to 3600.
	SyncIntervalSeconds int
	IsActive            bool
	// SettingsVersion rises with each change of BaseURL, the credential, AccountScope or IsActive.
	// It identifies the settings of a live check.
	SettingsVersion int64
	HealthStatus    syncing.Health
	// LastError is the newest error of the live check and the streams that no success has followed.
	// It is nil if there is none.
	LastError          *syncing.Error
	LastSyncStartedAt  *time.Time
	LastSyncFinishedAt *time.Time
	LastSuccessAt      *time.Time
	NextSyncAt         *time.Time // nil if the integration is not polled
	Counters           Counters
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

// Counters are the numbers of rows that an integration has brought.
type Counters struct {
	Traders, Accounts, Trades, Payouts int64
	NewTrades                          int64 // that runs of the last 24 hours have brought
}

// auditFields returns the audit log's view of an integration, without the credential.
func (i Integration) auditFields() store.AuditFields {
	return store.AuditFields{
		"kind": i.Kind, "name": i.Name, "base_url": i.BaseURL, "api_key": store.Masked, "account_scope": i.AccountScope,
		"sync_interval_seconds": i.SyncIntervalSeconds, "is_active": i.IsActive, "health_status": i.HealthStatus,
	}
}

// Config is an integration with its credential, for a live check.
type Config struct {
	Integration
	APIKey seal.Secret
	// Unconfirmed reports that the address or the key was changed, and that it is not confirmed yet
	// that they still lead to the platform of the stored records.
	Unconfirmed bool
}

// New is an integration to create.
type New struct {
	Kind                record.Kind
	Name                string
	BaseURL             string // without a trailing slash
	APIKey              seal.Secret
	AccountScope        *syncing.AccountScope
	SyncIntervalSeconds int
	// Check is the outcome of the live check with these settings. Polling begins only if it passed.
	Check CheckOutcome
	// Traders is the first page of the platform's traders, read with these settings. It decides
	// whether a deleted integration is revived. If it is empty, none is.
	Traders []record.Trader
}

// Patch is a change of an integration. A nil field remains unchanged.
type Patch struct {
	Name                *string
	BaseURL             *string
	APIKey              *seal.Secret
	AccountScope        **syncing.AccountScope // a pointer to nil removes the scope
	SyncIntervalSeconds *int
	IsActive            *bool
	// If refuses the patch by returning an error about the current integration, which does not
	// change in between. Nil accepts any.
	If func(Integration) error
	// Check is the live check with the new settings, for a patch that NeedsCheck. Nil counts as a
	// failed check.
	Check *LiveCheck
}

// CheckOutcome is the result of a live check.
type CheckOutcome struct {
	OK     bool
	Denied bool           // the platform refused the credential
	Err    *syncing.Error // the error; nil if OK; its time is set when it is saved
}

// LiveCheck is a live check of a saved integration.
type LiveCheck struct {
	CheckOutcome
	// Traders is the first page of the platform's traders, for a patch with another address or key.
	// It is empty if they could not be read, or if there are none. In that case the first cycle
	// compares them before it writes anything.
	Traders []record.Trader
	// SettingsVersion is the Integration.SettingsVersion that was read before the check began. The
	// outcome is ignored if it has changed since.
	SettingsVersion int64
}
