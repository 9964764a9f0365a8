package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

var errUnwritten = errors.New("not written yet")

func (db *DB) Bootstrap(ctx context.Context, b Bootstrap) (Organization, Person, APIKey, error) {
	return Organization{}, Person{}, APIKey{}, errUnwritten
}
func (db *DB) APIKeyBySecret(ctx context.Context, secretHash [32]byte) (APIKey, error) {
	return APIKey{}, errUnwritten
}
func (db *DB) CreateIntegration(ctx context.Context, n NewIntegration) (Integration, error) {
	return Integration{}, errUnwritten
}
func (db *DB) Integration(ctx context.Context, orgID, id uuid.UUID) (Integration, error) {
	return Integration{}, errUnwritten
}
func (db *DB) Integrations(ctx context.Context, orgID uuid.UUID) ([]Integration, error) {
	return nil, errUnwritten
}
func (db *DB) IntegrationConfig(ctx context.Context, orgID, id uuid.UUID) (IntegrationConfig, error) {
	return IntegrationConfig{}, errUnwritten
}
func (db *DB) UpdateIntegration(ctx context.Context, orgID, id uuid.UUID, p IntegrationPatch) (Integration, error) {
	return Integration{}, errUnwritten
}
func (db *DB) RecordCheck(ctx context.Context, orgID, id uuid.UUID, o CheckOutcome, reason string, saved bool) (Integration, error) {
	return Integration{}, errUnwritten
}
func (db *DB) DeleteIntegration(ctx context.Context, orgID, id uuid.UUID) error { return errUnwritten }
func (db *DB) RequestSync(ctx context.Context, orgID, id uuid.UUID) (queued bool, err error) {
	return false, errUnwritten
}
func (db *DB) SyncRuns(ctx context.Context, orgID, integrationID uuid.UUID, p Page) ([]SyncRun, int, error) {
	return nil, 0, errUnwritten
}
func (db *DB) Quarantine(ctx context.Context, orgID, integrationID uuid.UUID, p Page) ([]Quarantined, int, error) {
	return nil, 0, errUnwritten
}
func (db *DB) Findings(ctx context.Context, orgID, integrationID uuid.UUID, p Page) ([]Finding, int, error) {
	return nil, 0, errUnwritten
}
func (db *DB) Schedule(ctx context.Context, orgID, integrationID uuid.UUID) (Schedule, error) {
	return Schedule{}, errUnwritten
}
func (db *DB) Traders(ctx context.Context, orgID uuid.UUID, f TraderFilter, p Page) ([]Trader, int, error) {
	return nil, 0, errUnwritten
}
func (db *DB) Trader(ctx context.Context, orgID, id uuid.UUID) (TraderDetail, error) {
	return TraderDetail{}, errUnwritten
}
func (db *DB) Trades(ctx context.Context, orgID, traderID uuid.UUID, f TradeFilter, p Page) ([]Trade, int, error) {
	return nil, 0, errUnwritten
}
