package directory

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// TraderDetail is a trader with the data of the platform and people's notes.
type TraderDetail struct {
	Trader
	Platform   *PlatformTrader   // nil if people have set nothing
	Notes      []Note            // newest first
	Interviews []TraderInterview // the newest first, at most two hundred
	Accounts   []Account         // last started first
	Payouts    []Payout          // last requested first
	Stats      TraderStats
}

// PlatformTrader holds the platform's values of the members that people may set. Nil means that the
// platform sends none.
type PlatformTrader struct {
	FullName   *string  `bun:"full_name"`
	Email      *string  `bun:"email"`
	ExternalID *string  `bun:"external_id"`
	Country    *string  `bun:"country"`
	Phone      *string  `bun:"phone"`
	Tags       []string `bun:"tags,array"`
}

// TraderStats sums up a trader's accounts, trades and payouts. What is missing on the platform does
// not count, nor do the trades of an account that is missing.
type TraderStats struct {
	Accounts     int64
	OpenTrades   int64
	ClosedTrades int64
	// NetProfitByCurrency is the net profit of closed trades by the currency of their account. The
	// key "" is for accounts without a currency.
	NetProfitByCurrency map[string]record.Decimal
	// FirstTradeAt and LastTradeAt are open times. They are nil without trades.
	FirstTradeAt, LastTradeAt *time.Time
	// PaidOutByCurrency sums up the paid payouts. The key "" has the same meaning as above.
	PaidOutByCurrency map[string]record.Decimal
}

// payoutPaid is the status of a payout that has reached the trader.
const payoutPaid = "paid"

// Owner identifies the rows that belong to a trader.
type Owner struct {
	IntegrationID *uuid.UUID `bun:"integration_id"` // nil if added by hand
	ExternalID    *string    `bun:"external_id"`    // the platform's id, regardless of what a person has set
}

// Synced reports whether a platform can have data of the trader.
func (o Owner) Synced() bool { return o.IntegrationID != nil && o.ExternalID != nil }

// Same reports whether both own the same rows.
func (o Owner) Same(p Owner) bool {
	return store.Deref(o.IntegrationID) == store.Deref(p.IntegrationID) && store.Deref(o.ExternalID) == store.Deref(p.ExternalID)
}

// FindOwner reads the owner. It returns sql.ErrNoRows if the organization has no such trader.
func FindOwner(ctx context.Context, tx bun.IDB, orgID, traderID uuid.UUID) (o Owner, err error) {
	err = tx.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ?`, traderID, orgID).Scan(ctx, &o)
	return o, err
}

// ReadTrader returns a trader of the organization with accounts, payouts, notes and sums, all from
// one snapshot. It also finds archived traders. It returns ErrNotFound if there is none.
func ReadTrader(ctx context.Context, reader store.Reader, orgID, id uuid.UUID) (d TraderDetail, err error) {
	defer store.WrapError(&err, "read trader %s", id)
	err = reader.ReadSnapshot(ctx, orgID, func(ctx context.Context, tx bun.Tx) error {
		d, _, err = ReadTraderIn(ctx, tx, orgID, id)
		return err
	})
	return d, err
}

// ReadTraderIn reads a trader with all details. It returns sql.ErrNoRows if the organization has no
// such trader.
func ReadTraderIn(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (d TraderDetail, o Owner, err error) {
	if o, err = readPerson(ctx, tx, orgID, id, &d); err != nil {
		return d, o, err
	}
	return d, o, readBelongings(ctx, tx, o, &d)
}

// rereadTrader reads a trader whose owner was o again. It reads the trader's belongings again only
// if the owner has changed.
func rereadTrader(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, d *TraderDetail, o *Owner) error {
	now, err := readPerson(ctx, tx, orgID, id, d)
	if err != nil || now.Same(*o) {
		return err
	}
	*o = now
	return readBelongings(ctx, tx, now, d)
}

// readPerson reads the trader and the notes, and returns the owner of the rest.
func readPerson(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, d *TraderDetail) (o Owner, err error) {
	if o, err = FindOwner(ctx, tx, orgID, id); err != nil {
		return o, err
	}
	if d.Trader, err = selectTrader(ctx, tx, orgID, id); err != nil {
		return o, err
	}
	if d.Platform = nil; len(d.Overrides) > 0 {
		d.Platform = &PlatformTrader{}
		query := `SELECT full_name, email, external_id, country, phone, tags FROM traders WHERE id = ? AND organization_id = ?`
		if err = tx.NewRaw(query, id, orgID).Scan(ctx, d.Platform); err != nil {
			return o, err
		}
	}
	if d.Notes, err = readNotes(ctx, tx, id); err != nil {
		return o, err
	}
	d.Interviews, err = readTraderInterviews(ctx, tx, id)
	return o, err
}

// readBelongings reads the platform's data that belongs to a trader.
func readBelongings(ctx context.Context, tx bun.IDB, o Owner, d *TraderDetail) (err error) {
	d.Accounts, d.Payouts = []Account{}, []Payout{}
	d.Stats = TraderStats{NetProfitByCurrency: map[string]record.Decimal{}, PaidOutByCurrency: map[string]record.Decimal{}}
	if !o.Synced() {
		return nil
	}
	if d.Accounts, err = readAccounts(ctx, tx, o); err != nil {
		return err
	}
	if d.Payouts, err = readPayouts(ctx, tx, o); err != nil {
		return err
	}
	for _, a := range d.Accounts {
		if a.MissingSince == nil {
			d.Stats.Accounts++
		}
	}
	return sumUp(ctx, tx, o, &d.Stats)
}

func readAccounts(ctx context.Context, tx bun.IDB, o Owner) ([]Account, error) {
	accounts := []Account{}
	err := tx.NewRaw(`SELECT id, external_id, platform, login, program, phase, status, currency, initial_balance, balance, equity,
    started_at, metadata, unrecognized, platform_updated_at, missing_since
FROM accounts WHERE integration_id = ? AND trader_external_id = ? ORDER BY started_at DESC NULLS LAST, external_id`,
		o.IntegrationID, o.ExternalID).Scan(ctx, &accounts)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if err := canonicalizeNumbers(a.InitialBalance, a.Balance, a.Equity); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

func readPayouts(ctx context.Context, tx bun.IDB, o Owner) ([]Payout, error) {
	payouts := []Payout{}
	err := tx.NewRaw(`SELECT p.id, p.external_id, a.id AS account_id, p.account_external_id, p.status, p.amount, p.currency, p.requested_at, p.paid_at, p.metadata, p.missing_since
FROM payouts AS p LEFT JOIN accounts AS a ON a.integration_id = p.integration_id AND a.external_id = p.account_external_id
WHERE p.integration_id = ? AND p.trader_external_id = ? ORDER BY p.requested_at DESC NULLS LAST, p.external_id`,
		o.IntegrationID, o.ExternalID).Scan(ctx, &payouts)
	if err != nil {
		return nil, err
	}
	for _, p := range payouts {
		if err := canonicalizeNumbers(p.Amount); err != nil {
			return nil, err
		}
	}
	return payouts, nil
}

// sumsSQL adds up the trades of a trader's accounts. The aggregate inside of LATERAL forces the
// planner to use one index scan per account, even if it has no statistics about a customer. All
// rows meet the condition on updated_at, which lets the query use the index trades_opened, which
// contains all columns of the query. Nobody needs the order, but it is that index's too and makes
// the planner use it. That index does not say which trades are missing on the platform: they are
// few, and have one of their own.
const sumsSQL = `SELECT coalesce(a.currency, '') AS currency, sum(x.open)::bigint AS open, sum(x.closed)::bigint AS closed,
    trim_scale(sum(x.profit))::text AS profit, min(x.first) AS first, max(x.last) AS last
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE t.close_time IS NULL) AS open, count(t.close_time) AS closed,
        sum(t.profit) FILTER (WHERE t.close_time IS NOT NULL) AS profit, min(t.open_time) AS first, max(t.open_time) AS last
    FROM (SELECT t.open_time, t.close_time, t.profit FROM trades AS t
        WHERE t.integration_id = a.integration_id AND t.account_external_id = a.external_id AND t.updated_at > '-infinity'
            AND t.id NOT IN (SELECT m.id FROM trades AS m
                WHERE m.integration_id = a.integration_id AND m.account_external_id = a.external_id AND m.missing_since IS NOT NULL)
        ORDER BY t.open_time DESC NULLS LAST, t.id DESC) AS t
) AS x
WHERE a.integration_id = ? AND a.trader_external_id = ? AND a.missing_since IS NULL GROUP BY 1 ORDER BY 1`

// sumUp adds up a trader's trades and payouts. The database returns the sums as canonical text,
// because a sum may have more digits than a single number may.
func sumUp(ctx context.Context, tx bun.IDB, o Owner, s *TraderStats) error {
	var byCurrency []struct {
		Currency string          `bun:"currency"`
		Open     int64           `bun:"open"`
		Closed   int64           `bun:"closed"`
		Profit   *record.Decimal `bun:"profit"` // nil if no closed trade has a profit
		First    *time.Time      `bun:"first"`
		Last     *time.Time      `bun:"last"`
	}
	err := tx.NewRaw(sumsSQL, o.IntegrationID, o.ExternalID).Scan(ctx, &byCurrency)
	if err != nil {
		return err
	}
	for _, c := range byCurrency {
		s.OpenTrades += c.Open
		s.ClosedTrades += c.Closed
		if c.Profit != nil {
			s.NetProfitByCurrency[c.Currency] = *c.Profit
		}
		if c.First != nil && (s.FirstTradeAt == nil || c.First.Before(*s.FirstTradeAt)) {
			s.FirstTradeAt = c.First
		}
		if c.Last != nil && (s.LastTradeAt == nil || c.Last.After(*s.LastTradeAt)) {
			s.LastTradeAt = c.Last
		}
	}
	return sumPayouts(ctx, tx, o, s)
}

func sumPayouts(ctx context.Context, tx bun.IDB, o Owner, s *TraderStats) error {
	var paid []struct {
		Currency string         `bun:"currency"`
		Amount   record.Decimal `bun:"amount"`
	}
	err := tx.NewRaw(`SELECT coalesce(currency, '') AS currency, trim_scale(sum(amount))::text AS amount FROM payouts
WHERE integration_id = ? AND trader_external_id = ? AND status = ? AND amount IS NOT NULL AND missing_since IS NULL GROUP BY 1 ORDER BY 1`,
		o.IntegrationID, o.ExternalID, payoutPaid).Scan(ctx, &paid)
	for _, p := range paid {
		s.PaidOutByCurrency[p.Currency] = p.Amount
	}
	return err
}
