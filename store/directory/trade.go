package directory

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// Trade is a position from open to close.
type Trade struct {
	ID                string          `bun:"id"`         // the platform's; unique only within its account
	AccountID         *uuid.UUID      `bun:"account_id"` // nil until the account has arrived
	AccountExternalID string          `bun:"account_external_id"`
	Symbol            string          `bun:"symbol"`
	Side              record.Side     `bun:"side"`
	Volume            *record.Decimal `bun:"volume"`     // lots
	OpenTime          *time.Time      `bun:"open_time"`  // nil if the partner's time could not be read
	CloseTime         *time.Time      `bun:"close_time"` // nil while open
	OpenPrice         *record.Decimal `bun:"open_price"`
	ClosePrice        *record.Decimal `bun:"close_price"`
	StopLoss          *record.Decimal `bun:"stop_loss"`
	TakeProfit        *record.Decimal `bun:"take_profit"`
	Commission        *record.Decimal `bun:"commission"` // account currency
	Swap              *record.Decimal `bun:"swap"`       // account currency
	Profit            *record.Decimal `bun:"profit"`     // net, account currency
	PlatformUpdatedAt *time.Time      `bun:"platform_updated_at"`
	MissingSince      *time.Time      `bun:"missing_since"` // see Trader.MissingSince
}

// Values of TradeFilter.State.
const (
	TradeOpen   = "open"
	TradeClosed = "closed"
)

// TradeFilter narrows a trader's trades. A zero field does not filter.
type TradeFilter struct {
	AccountID *uuid.UUID
	Symbol    string     // exact
	State     string     // TradeOpen or TradeClosed
	From, To  *time.Time // open time, From inclusive, To exclusive
	Sort      TradeSort
}

// TradeSort is an order of a trader's trades.
type TradeSort string

// The orders of trades, which TradeSorts lists. LastOpened is the default, and the only one that an
// index has: for the others, all trades that match the filter are sorted.
const (
	LastOpened     TradeSort = "-open_time"
	firstOpened    TradeSort = "open_time"
	lastClosed     TradeSort = "-close_time"
	firstClosed    TradeSort = "close_time"
	highestProfit  TradeSort = "-profit"
	lowestProfit   TradeSort = "profit"
	largestVolume  TradeSort = "-volume"
	smallestVolume TradeSort = "volume"
	bySymbol       TradeSort = "symbol"
	symbolsFromZ   TradeSort = "-symbol"
)

// TradeSorts lists the orders.
func TradeSorts() []TradeSort {
	return []TradeSort{LastOpened, firstOpened, lastClosed, firstClosed, highestProfit, lowestProfit, largestVolume, smallestVolume, bySymbol, symbolsFromZ}
}

// column returns the name of the column that comes first in the order, and whether it descends.
func (s TradeSort) column() (name string, descending bool) {
	if s == "" {
		s = LastOpened
	}
	name, descending = strings.CutPrefix(string(s), "-")
	return name, descending
}

// order returns the columns of the order. All trades of a trader are of one integration.
func (s TradeSort) order() keyset.Order {
	name, descending := s.column()
	kind := keyset.Time
	switch name {
	case "profit", "volume":
		kind = keyset.Decimal
	case "symbol":
		kind = keyset.Text
	}
	return keyset.Order{
		{SQL: "t." + name, Type: kind, Descending: descending, Nullable: name != "symbol", Unindexed: name != "open_time" || !descending},
		{SQL: "t.account_external_id", Type: keyset.Text},
		{SQL: "t.id", Type: keyset.Text, Descending: true},
	}
}

// PositionOf returns the trade's position among those of its trader in this order.
func (s TradeSort) PositionOf(t Trade) keyset.Position {
	switch name, _ := s.column(); name {
	case "close_time":
		return keyset.PositionOf(t.CloseTime, t.AccountExternalID, t.ID)
	case "profit":
		return keyset.PositionOf((*string)(t.Profit), t.AccountExternalID, t.ID)
	case "volume":
		return keyset.PositionOf((*string)(t.Volume), t.AccountExternalID, t.ID)
	case "symbol":
		return keyset.PositionOf(t.Symbol, t.AccountExternalID, t.ID)
	}
	return keyset.PositionOf(t.OpenTime, t.AccountExternalID, t.ID)
}

// accountCondition selects the trader's accounts that match the filter.
func (f TradeFilter) accountCondition(o Owner) (condition string, args []any) {
	condition, args = `a.integration_id = ? AND a.trader_external_id = ?`, []any{o.IntegrationID, o.ExternalID}
	if f.AccountID != nil {
		condition, args = condition+` AND a.id = ?`, append(args, *f.AccountID)
	}
	return condition, args
}

// tradeCondition selects the trades of an account a that match the filter.
func (f TradeFilter) tradeCondition() (condition string, args []any) {
	// All rows meet the condition on updated_at, which lets the query use the index trades_opened.
	condition = `t.integration_id = a.integration_id AND t.account_external_id = a.external_id AND t.updated_at > '-infinity'`
	add := func(clause string, values ...any) {
		condition, args = condition+" AND "+clause, append(args, values...)
	}
	if f.Symbol != "" {
		add(`t.symbol = ?`, f.Symbol)
	}
	switch f.State {
	case TradeOpen:
		add(`t.close_time IS NULL`)
	case TradeClosed:
		add(`t.close_time IS NOT NULL`)
	}
	if f.From != nil {
		add(`t.open_time >= ?`, *f.From)
	}
	if f.To != nil {
		add(`t.open_time < ?`, *f.To)
	}
	return condition, args
}

// countQuery counts the trades. The aggregate inside of LATERAL forces the planner to use one index
// scan per account, as in sumUp.
func (f TradeFilter) countQuery(o Owner) (query string, args []any) {
	accounts, accountArgs := f.accountCondition(o)
	trades, args := f.tradeCondition()
	return `SELECT coalesce(sum(x.n), 0)::bigint FROM accounts AS a
CROSS JOIN LATERAL (SELECT count(*) AS n FROM trades AS t WHERE ` + trades + `) AS x WHERE ` + accounts, append(args, accountArgs...)
}

// tradeColumns selects a Trade from t and its account a.
const tradeColumns = `t.id, a.id AS account_id, t.account_external_id, t.symbol, t.side, t.volume, t.open_time, t.close_time, t.open_price,
    t.close_price, t.stop_loss, t.take_profit, t.commission, t.swap, t.profit, t.platform_updated_at, t.missing_since`

// pageQuery returns what follows the selected columns in the query for a page: from each account as many
// trades as the page can need, those of the default order from the index, and among those the page's.
func (f TradeFilter) pageQuery(o Owner, p store.Page) (query string, args []any, err error) {
	accounts, accountArgs := f.accountCondition(o)
	trades, tradeArgs := f.tradeCondition()
	order := f.Sort.order()
	on, onArgs, err := p.Where(order)
	if err != nil {
		return "", nil, err
	}
	within := keyset.Order{order[0], order[2]} // the account is the same
	var parts []string
	for _, part := range order.Parts(p.After) {
		parts = append(parts, `(SELECT t.* FROM trades AS t WHERE `+trades+part.Condition+` AND `+on+`
    `+within.SQL()+` LIMIT ?)`)
		args = append(append(append(append(args, tradeArgs...), part.Args...), onArgs...), p.Offset()+p.MaxRows())
	}
	return `
FROM accounts AS a CROSS JOIN LATERAL (` + strings.Join(parts, ` UNION ALL `) + `) AS t WHERE ` + accounts + order.SQL() + ` LIMIT ? OFFSET ?`,
		append(append(args, accountArgs...), p.MaxRows(), p.Offset()), nil
}

// ListTrades lists the trades of a trader in the order of the filter, with the number of all that match the
// filter. They are those of the trader's accounts: a trade belongs to nobody until its account has
// arrived. It returns ErrNotFound if the organization has no such trader.
func ListTrades(ctx context.Context, reader store.Reader, orgID, traderID uuid.UUID, f TradeFilter, p store.Page) (trades []Trade, total int, err error) {
	defer store.WrapError(&err, "list trades of trader %s", traderID)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		trades, total = []Trade{}, 0
		o, err := FindOwner(ctx, tx, orgID, traderID)
		if err != nil || !o.Synced() || strings.ContainsRune(f.Symbol, 0) {
			return err
		}
		query, args := f.countQuery(o)
		if total, err = p.CountRows(ctx, tx, query, args...); err != nil || p.Offset() >= int64(total) {
			return err
		}
		if query, args, err = f.pageQuery(o, p); err != nil {
			return err
		}
		if done, err := p.ScanPositions(ctx, tx, f.Sort.order(), query, args...); done {
			return err
		}
		if err := tx.NewRaw(`SELECT `+tradeColumns+query, args...).Scan(ctx, &trades); err != nil {
			return err
		}
		return ExactTrades(trades)
	})
	return trades, total, err
}

// ExactTrades refuses trades with numbers that the database did not store exactly.
func ExactTrades(trades []Trade) error {
	for _, t := range trades {
		if err := canonicalizeNumbers(t.Volume, t.OpenPrice, t.ClosePrice, t.StopLoss, t.TakeProfit, t.Commission, t.Swap, t.Profit); err != nil {
			return err
		}
	}
	return nil
}
