package directory

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// eachChunk is how many rows EachTrader and EachTrade read at a time, so that a long list takes little
// memory.
const eachChunk = 1000

// EachTrader calls visit for all traders that match the filter, the newest first. It reads them in
// chunks, each from a snapshot of its own, so that a slow reader of the list holds no transaction
// open. Every trader comes at most once; those added meanwhile are left out.
func EachTrader(ctx context.Context, reader store.Reader, orgID uuid.UUID, f TraderFilter, visit func(Trader) error) (err error) {
	defer store.WrapError(&err, "read all traders of organization %s", orgID)
	if f.isUnmatchable() {
		return nil
	}
	p := store.Page{Limit: eachChunk}
	for {
		after, err := listOrder.Values(p.After)
		if err != nil {
			return err
		}
		var chunk []Trader
		err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) (err error) {
			chunk, err = (&listing{tx: tx, orgID: orgID, f: f, p: p, after: after}).scanPage(ctx, eachChunk)
			return err
		})
		if err != nil {
			return err
		}
		for _, t := range alignNames(chunk) {
			if err := visit(t); err != nil {
				return err
			}
		}
		if len(chunk) < eachChunk {
			return nil
		}
		p.After = chunk[len(chunk)-1].Position()
	}
}

// EachTrade calls visit for all trades of a trader that match the filter, in the order and with the
// errors of ListTrades. It reads them in chunks like EachTrader.
func EachTrade(ctx context.Context, reader store.Reader, orgID, traderID uuid.UUID, f TradeFilter, visit func(Trade) error) error {
	p := store.Page{Limit: eachChunk}
	for {
		chunk, total, err := ListTrades(ctx, reader, orgID, traderID, f, p)
		if err != nil {
			return err
		}
		for _, t := range chunk {
			if err := visit(t); err != nil {
				return err
			}
		}
		if len(chunk) < eachChunk {
			return nil
		}
		p.After, p.Total = chunk[len(chunk)-1].Position(), total
	}
}
