package integrations

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// integrationBody is an Integration: a connected platform, from which traders, accounts, trades,
// and payouts are read.
type integrationBody struct {
	ID   uuid.UUID   `json:"id"`                                              // unique identifier of the integration
	Kind record.Kind `json:"kind"`                                            // kind of platform
	Name string      `json:"name" api:"min=1,max=100" example:"Trading desk"` // label shown to people
	// Base URL of the platform's API, without a trailing slash.
	BaseURL string `json:"base_url" api:"max=2048,format=uri" example:"https://platform.example.com"`
	// Preview of the platform's API key: its last four characters, or none if the key is short.
	APIKey              string         `json:"api_key" api:"max=8" pattern:"^[*]{4}[!-~]{0,4}$" example:"****ab12"`
	AccountScope        *scopeBody     `json:"account_scope"`                                             // Accounts and payouts to read. Null if all are read.
	SyncIntervalSeconds int            `json:"sync_interval_seconds" api:"min=60,max=3600" example:"300"` // seconds between the start of one cycle and the start of the next
	IsActive            bool           `json:"is_active"`                                                 // Whether the platform is polled. Even if true, its health may prevent polling.
	HealthStatus        syncing.Health `json:"health_status" example:"healthy"`                           // health of the integration
	LastError           *errorBody     `json:"last_error"`                                                // Most recent failure of a live check, or of a resource that has not succeeded since. Null if there is none.
	LastSyncStartedAt   *time.Time     `json:"last_sync_started_at"`                                      // When the last cycle began. Null if none has.
	LastSyncFinishedAt  *time.Time     `json:"last_sync_finished_at"`                                     // When the last cycle ended. Null if none has.
	LastSuccessAt       *time.Time     `json:"last_success_at"`                                           // When a cycle last ended without a failure. Null if none has.
	NextSyncAt          *time.Time     `json:"next_sync_at"`                                              // When the next cycle is due. Null if the platform is not polled.
	Counters            countersBody   `json:"counters"`                                                  // numbers of records that were read from the platform
	CreatedAt           time.Time      `json:"created_at"`                                                // when the platform was first connected
	UpdatedAt           time.Time      `json:"updated_at"`                                                // when the settings last changed
}

// createdBody is a new Integration with the result of its live check.
//
//openapi:name IntegrationCreated
type createdBody struct {
	integrationBody `json:",inline"`
	Report          reportBody `json:"report"` // result of the live check
}

// scopeBody is the accounts and payouts that an integration of the kind `partner_platform`
// reads. Customers and trades are always read. An empty list does not restrict anything.
//
//openapi:name AccountScope
type scopeBody struct {
	// Plan categories whose accounts, and payouts from those accounts, are read. If empty, all are
	// read.
	PlanCategoryIDs []response.Number `json:"plan_category_ids" api:"nonnull,items=100" example:"[3, 7]"`
	// Platforms whose accounts, and payouts from those accounts, are read. If empty, all are read.
	Platforms []string `json:"platforms" api:"min=1,max=100,items=100" example:"[\"mt5\"]"`
}

// countersBody is the numbers of records that were read from an integration's platform.
type countersBody struct {
	Traders   int64 `json:"traders" example:"1200"`   // number of traders in the directory
	Accounts  int64 `json:"accounts" example:"1840"`  // number of accounts
	Trades    int64 `json:"trades" example:"96000"`   // number of trades
	Payouts   int64 `json:"payouts" example:"310"`    // number of payouts
	NewTrades int64 `json:"new_trades" example:"420"` // number of trades that runs of the last 24 hours added
}

// errorBody is a failure to read from a platform, with advice on who must do what.
//
//openapi:name SyncError
type errorBody struct {
	Code string `json:"code" api:"of=connectors.Code,open" example:"server_error"` // Machine-readable code of what went wrong. Stable.
	// Human-readable description of what was observed. It may quote the start of the platform's
	// response.
	Message    string  `json:"message" api:"max=4096" example:"the platform answered with status 500"`
	HTTPStatus *int    `json:"http_status" api:"min=100,max=999" example:"500"`         // HTTP status of the platform's response. Null if there was no response.
	Endpoint   *string `json:"endpoint" api:"max=8192" example:"GET /trades?limit=200"` // Method, path, and query of the request. Null if no request was made.
	// Who must do what to fix the problem.
	Hint string `json:"hint" api:"max=4096" example:"The platform failed to answer. Look for the request in the platform's own logs."`
}

func integrationOf(i integrations.Integration) integrationBody {
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
		PlanCategoryIDs: response.ConvertRows(s.PlanCategoryIDs, func(n json.Number) response.Number { return response.Number(n) }),
		Platforms:       s.Platforms,
	}
}

func errorOf(e *syncing.Error) *errorBody {
	if e == nil {
		return nil
	}
	return &errorBody{e.Code, e.Message, store.OrNil(e.HTTPStatus), store.OrNil(e.Endpoint), e.Hint}
}

// connectorConfig returns the configuration for a live check of an integration. The id is empty
// until the integration is saved.
func connectorConfig(id string, p integrationParams) connectors.Config {
	return connectors.Config{IntegrationID: id, BaseURL: p.BaseURL, APIKey: p.APIKey, Scope: (*connectors.AccountScope)(p.AccountScope)}
}

// queuedBody is the response to a request for a sync, or for an audit that cannot be queued.
//
//openapi:name SyncQueued
type queuedBody struct {
	Queued bool                  `json:"queued" example:"false"`               // whether this request queued anything
	Reason *integrations.Refusal `json:"reason" api:"open" example:"inactive"` // Why nothing was queued. Null if something was.
}

func queuedOf(reason integrations.Refusal) queuedBody {
	return queuedBody{Queued: reason == "", Reason: store.OrNil(reason)}
}
