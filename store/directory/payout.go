package directory

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// ListedPayout is a payout in a list of all traders' payouts.
type ListedPayout struct {
	Payout
	TraderID    *uuid.UUID `bun:"trader_id"`    // nil until the trader has arrived, and if the platform names none
	TraderName  *string    `bun:"trader_name"`  // full name
	TraderEmail *string    `bun:"trader_email"` // see Trader
	TraderKey   *string    `bun:"trader_key"`   // what orders by trader compare; nil like TraderID
}

// PayoutFilter narrows the organization's payouts. A zero field does not filter.
type PayoutFilter struct {
	TraderID *uuid.UUID
	Status   string     // exact
	From, To *time.Time // time of the request, From inclusive, To exclusive
	Sort     PayoutSort
}

// PayoutSort is an order of payouts.
type PayoutSort string

// LastRequested is the default order, and the only one that an index has. Amounts are compared
// regardless of their currencies.
const LastRequested PayoutSort = "-requested_at"

// PayoutSorts lists the orders.
func PayoutSorts() []PayoutSort {
	return []PayoutSort{LastRequested, "requested_at", "-amount", "amount", "trader", "-trader", "status", "-status", "-paid_at", "paid_at", "account", "-account", "external_id", "-external_id"}
}

// payoutTraderKey is what the trader of a payout p is compared by.
const payoutTraderKey = `(SELECT ` + nameKey + ` FROM traders AS t WHERE t.integration_id = p.integration_id AND t.external_id = p.trader_external_id)`

// first returns the column that comes first in the order, and what gives its value in a payout.
func (s PayoutSort) first() (column keyset.Column, value func(ListedPayout) any) {
	if s == "" {
		s = LastRequested
	}
	name, descending := strings.CutPrefix(string(s), "-")
	column = keyset.Column{SQL: "p." + name, Type: keyset.Time, Descending: descending, Nullable: true, Unindexed: s != LastRequested}
	switch name {
	case "amount":
		column.Type, value = keyset.Decimal, func(p ListedPayout) any { return (*string)(p.Amount) }
	case "trader":
		column.SQL, column.Type, value = payoutTraderKey, keyset.Text, func(p ListedPayout) any { return p.TraderKey }
	case "status":
		column.Type, value = keyset.Text, func(p ListedPayout) any { return p.Status }
	case "account":
		column.SQL, column.Type, value = "p.account_external_id", keyset.Text, func(p ListedPayout) any { return p.AccountExternalID }
	case "external_id":
		column.Type, value = keyset.Text, func(p ListedPayout) any { return p.ExternalID }
	case "paid_at":
		value = func(p ListedPayout) any { return p.PaidAt }
	default: // The index of LastRequested has nulls last, which its reverse has first.
		value = func(p ListedPayout) any { return p.RequestedAt }
	}
	return column, value
}

// order returns the columns of the order.
func (s PayoutSort) order() keyset.Order {
	column, _ := s.first()
	return keyset.Order{column, {SQL: "p.id", Type: keyset.UUID, Descending: true}}
}

// PositionOf returns the payout's position in a list of this order.
func (s PayoutSort) PositionOf(p ListedPayout) keyset.Position {
	_, value := s.first()
	return keyset.PositionOf(value(p), p.ID)
}

// whereConditions selects the payouts p that match the filter. All rows meet the condition on
// created_at, which lets the query use the index payouts_requested.
func (f PayoutFilter) whereConditions(orgID uuid.UUID) (condition string, args []any) {
	condition, args = `p.organization_id = ? AND p.created_at > '-infinity'`, []any{orgID}
	add := func(clause string, values ...any) {
		condition, args = condition+" AND "+clause, append(args, values...)
	}
	if f.TraderID != nil {
		add(`(p.integration_id, p.trader_external_id) = (SELECT t.integration_id, t.external_id FROM traders AS t WHERE t.id = ? AND t.organization_id = ?)`, *f.TraderID, orgID)
	}
	if f.Status != "" {
		add(`p.status = ?`, f.Status)
	}
	if f.From != nil {
		add(`p.requested_at >= ?`, *f.From)
	}
	if f.To != nil {
		add(`p.requested_at < ?`, *f.To)
	}
	return condition, args
}

// pageQuery returns what follows the selected columns in the query for a page of the payouts p that meet
// the condition.
func (f PayoutFilter) pageQuery(p store.Page, condition string, conditionArgs []any) (query string, args []any, err error) {
	order := f.Sort.order()
	on, onArgs, err := p.Where(order)
	if err != nil {
		return "", nil, err
	}
	var parts []string
	for _, part := range order.Parts(p.After) {
		parts = append(parts, `(SELECT * FROM payouts AS p WHERE `+condition+part.Condition+` AND `+on+order.SQL()+` LIMIT ?)`)
		args = append(append(append(append(args, conditionArgs...), part.Args...), onArgs...), p.Offset()+p.MaxRows())
	}
	return ` FROM (` + strings.Join(parts, ` UNION ALL `) + `) AS p` + order.SQL() + ` LIMIT ? OFFSET ?`, append(args, p.MaxRows(), p.Offset()), nil
}

// ListPayouts lists the payouts of all traders in the order of the filter, with the number of all
// that match it.
func ListPayouts(ctx context.Context, reader store.Reader, orgID uuid.UUID, f PayoutFilter, p store.Page) (payouts []ListedPayout, total int, err error) {
	defer store.WrapError(&err, "list payouts of organization %s", orgID)
	payouts = []ListedPayout{}
	if strings.ContainsRune(f.Status, 0) {
		return payouts, 0, nil
	}
	where, args := f.whereConditions(orgID)
	page, pageArgs, err := f.pageQuery(p, where, args)
	if err != nil {
		return nil, 0, err
	}
	order := f.Sort.order()
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		if total, err = p.CountRows(ctx, tx, `SELECT count(*) FROM payouts AS p WHERE `+where, args...); err != nil || p.Offset() >= int64(total) {
			return err
		}
		if done, err := p.ScanPositions(ctx, tx, order, page, pageArgs...); done {
			return err
		}
		return tx.NewRaw(`SELECT p.id, p.external_id, a.id AS account_id, p.account_external_id, p.status, p.amount, p.currency, p.requested_at, p.paid_at, p.metadata, p.missing_since,
    t.id AS trader_id, coalesce(t.override_full_name, t.full_name) AS trader_name, coalesce(t.override_email, t.email) AS trader_email,
    CASE WHEN t.id IS NOT NULL THEN `+nameKey+` END AS trader_key
FROM (SELECT *`+page+`) AS p
LEFT JOIN accounts AS a ON a.integration_id = p.integration_id AND a.external_id = p.account_external_id
LEFT JOIN traders AS t ON t.integration_id = p.integration_id AND t.external_id = p.trader_external_id`+order.SQL(), pageArgs...).Scan(ctx, &payouts)
	})
	if err != nil {
		return nil, 0, err
	}
	for _, p := range payouts {
		if err := canonicalizeNumbers(p.Amount); err != nil {
			return nil, 0, err
		}
	}
	return payouts, total, nil
}
