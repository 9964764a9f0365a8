package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

var errUnwritten = errors.New("not written yet")

func (db *DB) Traders(ctx context.Context, orgID uuid.UUID, f TraderFilter, p Page) ([]Trader, int, error) {
	return nil, 0, errUnwritten
}
func (db *DB) Trader(ctx context.Context, orgID, id uuid.UUID) (TraderDetail, error) {
	return TraderDetail{}, errUnwritten
}
func (db *DB) Trades(ctx context.Context, orgID, traderID uuid.UUID, f TradeFilter, p Page) ([]Trade, int, error) {
	return nil, 0, errUnwritten
}
