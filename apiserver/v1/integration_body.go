package v1

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// integrationBody is an Integration: a connection to a platform that traders,
// accounts, trades and payouts are read from.
type integrationBody struct {
	ID                  uuid.UUID      `json:"id"`                                                                        // the API's own id
	Kind                record.Kind    `json:"kind"`                                                                      // what sort of platform it is
	Name                string         `json:"name" api:"min=1,max=100" example:"Trading desk"`                           // label shown to people
	BaseURL             string         `json:"base_url" api:"max=2048,format=uri" example:"https://platform.example.com"` // where the platform's API lies, without a trailing slash
	APIKey              string         `json:"api_key" api:"max=8" pattern:"^[*]{4}[!-~]{0,4}$" example:"****ab12"`       // a preview of the platform's key: its last four characters, or none of a short key
	AccountScope        *scopeBody     `json:"account_scope"`                                                             // which accounts and payouts are read; null: all
	SyncIntervalSeconds int            `json:"sync_interval_seconds" api:"min=60,max=3600" example:"300"`                 // seconds from the beginning of a cycle to that of the next
	IsActive            bool           `json:"is_active"`                                                                 // whether the platform is polled, unless its health forbids it
	HealthStatus        syncing.Health `json:"health_status" example:"healthy"`                                           // how the connection is doing
	LastError           *errorBody     `json:"last_error"`                                                                // the newest failure of a live check or of a resource that has not succeeded since; null: there is none
	LastSyncStartedAt   *time.Time     `json:"last_sync_started_at"`                                                      // when the last cycle began; null: none has
	LastSyncFinishedAt  *time.Time     `json:"last_sync_finished_at"`                                                     // when the last cycle ended; null: none has
	LastSuccessAt       *time.Time     `json:"last_success_at"`                                                           // when a cycle last ended without a failure; null: none has
	NextSyncAt          *time.Time     `json:"next_sync_at"`                                                              // when the next cycle is due; null: it is not polled
	Counters            countersBody   `json:"counters"`                                                                  // what it has brought
	CreatedAt           time.Time      `json:"created_at"`                                                                // when the platform was first connected
	UpdatedAt           time.Time      `json:"updated_at"`                                                                // when the settings last changed
}

// createdBody is an Integration that was just made, with what its live check
// found.
//
//openapi:name IntegrationCreated
type createdBody struct {
	integrationBody `json:",inline"`
	Report          reportBody `json:"report"` // what the live check found
}

// scopeBody is which accounts and payouts an integration of the kind
// partner_platform reads. Its customers and trades are always read. An empty list
// does not narrow.
//
//openapi:name AccountScope
type scopeBody struct {
	PlanCategoryIDs []number `json:"plan_category_ids" api:"nonnull,items=100" example:"[3, 7]"`  // plan categories whose accounts, and payouts from them, are read; none: all
	Platforms       []string `json:"platforms" api:"min=1,max=100,items=100" example:"[\"mt5\"]"` // platforms whose accounts, and payouts from them, are read; none: all
}

// countersBody is how many records an integration has brought.
type countersBody struct {
	Traders  int64 `json:"traders" example:"1200"`  // traders in the directory
	Accounts int64 `json:"accounts" example:"1840"` // accounts
	Trades   int64 `json:"trades" example:"96000"`  // trades
	Payouts  int64 `json:"payouts" example:"310"`   // payouts
}

// errorBody is a failure on the way to a platform, and who must do what.
//
//openapi:name SyncError
type errorBody struct {
	Code       string  `json:"code" api:"of=connectors.Code,open" example:"server_error"`                                                     // what went wrong, for a program; stable
	Message    string  `json:"message" api:"max=4096" example:"the platform answered with status 500"`                                        // what was seen, for a person; may quote the start of the platform's answer
	HTTPStatus *int    `json:"http_status" api:"min=100,max=999" example:"500"`                                                               // the platform's status; null: there was no answer
	Endpoint   *string `json:"endpoint" api:"max=8192" example:"GET /trades?limit=200"`                                                       // method, path and query of the request; null: there was none
	Hint       string  `json:"hint" api:"max=4096" example:"The platform failed to answer. Look for the request in the platform's own logs."` // who must do what
}

func integrationOf(i syncing.Integration) integrationBody {
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

func scopeOf(s *syncing.AccountScope) *scopeBody {
	if s == nil {
		return nil
	}
	return &scopeBody{
		PlanCategoryIDs: convertRows(s.PlanCategoryIDs, func(n json.Number) number { return number(n) }),
		Platforms:       s.Platforms,
	}
}

func errorOf(e *syncing.SyncError) *errorBody {
	if e == nil {
		return nil
	}
	return &errorBody{e.Code, e.Message, orNull(e.HTTPStatus), orNull(e.Endpoint), e.Hint}
}

// connectorConfig returns the configuration for a live check of an integration. The id is empty
// until the integration is saved.
func connectorConfig(id string, p integrationParams) connectors.Config {
	cfg := connectors.Config{IntegrationID: id, BaseURL: p.BaseURL, APIKey: p.APIKey}
	if p.AccountScope != nil {
		cfg.Scope = &connectors.AccountScope{PlanCategoryIDs: p.AccountScope.PlanCategoryIDs, Platforms: p.AccountScope.Platforms}
	}
	return cfg
}

// queuedBody is the answer to a request for a sync, and to one for an audit that
// cannot be made.
//
//openapi:name SyncQueued
type queuedBody struct {
	Queued bool                 `json:"queued" example:"false"`               // whether this request queued anything
	Reason *syncing.SyncRefusal `json:"reason" api:"open" example:"inactive"` // why it queued nothing; null: it did
}

func queuedOf(reason syncing.SyncRefusal) queuedBody {
	return queuedBody{Queued: reason == "", Reason: orNull(reason)}
}
