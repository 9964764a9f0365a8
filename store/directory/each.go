package directory

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// EachTrader calls visit for all traders that match the filter, in its order. See store.EachRow.
func EachTrader(ctx context.Context, reader store.Reader, orgID uuid.UUID, f TraderFilter, visit func(Trader) error) (err error) {
	defer store.WrapError(&err, "read all traders of organization %s", orgID)
	if f.isUnmatchable() {
		return nil
	}
	read := func(p store.Page) (traders []Trader, _ int, err error) {
		after, err := f.Sort.order().Values(p.After)
		if err != nil {
			return nil, 0, err
		}
		err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) (err error) {
			traders, err = (&listing{tx: tx, orgID: orgID, f: f, p: p, after: after}).scanPage(ctx, p.MaxRows(), p.Limit)
			return err
		})
		return alignNames(traders), 0, err
	}
	return store.EachRow(f.Sort.order(), read, f.Sort.PositionOf, visit)
}

// EachTrade calls visit for all trades of a trader that match the filter, in its order and with the
// errors of ListTrades. See store.EachRow.
func EachTrade(ctx context.Context, reader store.Reader, orgID, traderID uuid.UUID, f TradeFilter, visit func(Trade) error) error {
	read := func(p store.Page) ([]Trade, int, error) { return ListTrades(ctx, reader, orgID, traderID, f, p) }
	return store.EachRow(f.Sort.order(), read, f.Sort.PositionOf, visit)
}

// EachPayout calls visit for all payouts that match the filter, in its order. See store.EachRow.
func EachPayout(ctx context.Context, reader store.Reader, orgID uuid.UUID, f PayoutFilter, visit func(ListedPayout) error) error {
	read := func(p store.Page) ([]ListedPayout, int, error) { return ListPayouts(ctx, reader, orgID, f, p) }
	return store.EachRow(f.Sort.order(), read, f.Sort.PositionOf, visit)
}
