package v1

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// integrationBody is an Integration (service API; the timestamps and counters
// are named in sync.md).
type integrationBody struct {
	ID                  uuid.UUID    `json:"id"`
	Kind                record.Kind  `json:"kind"`
	Name                string       `json:"name"`
	BaseURL             string       `json:"base_url"`
	APIKey              string       `json:"api_key"` // the preview
	AccountScope        *scopeBody   `json:"account_scope"`
	SyncIntervalSeconds int          `json:"sync_interval_seconds"`
	IsActive            bool         `json:"is_active"`
	HealthStatus        store.Health `json:"health_status"`
	LastError           *errorBody   `json:"last_error"`
	LastSyncStartedAt   *time.Time   `json:"last_sync_started_at"`
	LastSyncFinishedAt  *time.Time   `json:"last_sync_finished_at"`
	LastSuccessAt       *time.Time   `json:"last_success_at"`
	NextSyncAt          *time.Time   `json:"next_sync_at"` // null: not polled
	Counters            countersBody `json:"counters"`
	CreatedAt           time.Time    `json:"created_at"`
	UpdatedAt           time.Time    `json:"updated_at"`
}

// createdBody is an IntegrationCreated.
type createdBody struct {
	integrationBody `json:",inline"`
	Report          reportBody `json:"report"`
}

// scopeBody is an account_scope; an empty list does not narrow.
type scopeBody struct {
	PlanCategoryIDs []number `json:"plan_category_ids"`
	Platforms       []string `json:"platforms"`
}

// countersBody counts what an integration has brought.
type countersBody struct {
	Traders  int64 `json:"traders"`
	Accounts int64 `json:"accounts"`
	Trades   int64 `json:"trades"`
	Payouts  int64 `json:"payouts"`
}

// errorBody is a last_error, or the error of a run.
type errorBody struct {
	Code       string  `json:"code"`
	Message    string  `json:"message"`
	HTTPStatus *int    `json:"http_status"` // null: there was no answer
	Endpoint   *string `json:"endpoint"`
	Hint       string  `json:"hint"`
}

func integrationOf(i store.Integration) integrationBody {
	return integrationBody{
		ID: i.ID, Kind: i.Kind, Name: i.Name, BaseURL: i.BaseURL, APIKey: i.APIKeyPreview,
		AccountScope: scopeOf(i.AccountScope), SyncIntervalSeconds: i.SyncIntervalSeconds,
		IsActive: i.IsActive, HealthStatus: i.HealthStatus, LastError: errorOf(i.LastError),
		LastSyncStartedAt: i.LastSyncStartedAt, LastSyncFinishedAt: i.LastSyncFinishedAt,
		LastSuccessAt: i.LastSuccessAt, NextSyncAt: i.NextSyncAt,
		Counters:  countersBody(i.Counters),
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
}

func scopeOf(s *store.AccountScope) *scopeBody {
	if s == nil {
		return nil
	}
	return &scopeBody{
		PlanCategoryIDs: convert(s.PlanCategoryIDs, func(n json.Number) number { return number(n) }),
		Platforms:       s.Platforms,
	}
}

func errorOf(e *store.SyncError) *errorBody {
	if e == nil {
		return nil
	}
	return &errorBody{e.Code, e.Message, orNull(e.HTTPStatus), orNull(e.Endpoint), e.Hint}
}

// connectorConfig is what a live check of an integration needs. The id is
// empty while it is not saved.
func connectorConfig(id string, p integrationParams) connectors.Config {
	cfg := connectors.Config{IntegrationID: id, BaseURL: p.BaseURL, APIKey: p.APIKey}
	if p.AccountScope != nil {
		cfg.Scope = &connectors.AccountScope{PlanCategoryIDs: p.AccountScope.PlanCategoryIDs, Platforms: p.AccountScope.Platforms}
	}
	return cfg
}

// queuedBody answers a request for a sync.
type queuedBody struct {
	Queued bool `json:"queued"` // false: one was queued before
}
