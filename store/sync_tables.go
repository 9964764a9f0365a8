package store

import (
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// Shorthands for the columns below.
func textColumn[R any, S ~string](name string, value func(*R) S) Column[R] {
	return Column[R]{name, "text", func(dst []byte, r *R) ([]byte, bool) { return appendText(dst, value(r)) }}
}

func numberColumn[R any](name string, value func(*R) record.Decimal) Column[R] {
	return Column[R]{name, "numeric", func(dst []byte, r *R) ([]byte, bool) { return appendText(dst, value(r)) }}
}

func timeColumn[R any](name string, value func(*R) time.Time) Column[R] {
	return Column[R]{name, "timestamptz", func(dst []byte, r *R) ([]byte, bool) { return AppendTime(dst, value(r)) }}
}

func jsonColumn[R any](name string, value func(*R) string) Column[R] {
	return Column[R]{name, "jsonb", func(dst []byte, r *R) ([]byte, bool) { return appendText(dst, value(r)) }}
}

// tables holds the synced tables of a DB.
type tables struct {
	traders  *table[record.Trader]
	accounts *table[record.Account]
	trades   *table[record.Trade]
	payouts  *table[record.Payout]
}

func newTables() tables {
	return tables{tradersTable(), accountsTable(), TradesTable(), payoutsTable()}
}

func tradersTable() *table[record.Trader] {
	type r = record.Trader
	t := &table[r]{
		name: "traders", resource: record.Traders, counter: "traders", owned: true, sourced: true,
		key:    []Column[r]{textColumn("external_id", func(t *r) string { return t.ID })},
		beside: []Column[r]{jsonColumn("unrecognized", func(t *r) string { return t.Unrecognized })},
		Content: []Column[r]{
			textColumn("first_name", func(t *r) string { return t.FirstName }),
			textColumn("last_name", func(t *r) string { return t.LastName }),
			textColumn("full_name", func(t *r) string { return t.FullName() }),
			textColumn("email", func(t *r) string { return t.Email }),
			textColumn("country", func(t *r) string { return t.Country }),
			textColumn("phone", func(t *r) string { return t.Phone }),
			textColumn("kyc_status", func(t *r) string { return t.KYCStatus }),
			{"tags", "text[]", func(dst []byte, t *r) ([]byte, bool) { return appendTextArray(dst, t.Tags) }},
			timeColumn("registered_at", func(t *r) time.Time { return t.RegisteredAt }),
			jsonColumn("metadata", func(t *r) string { return t.Metadata }),
			timeColumn("platform_updated_at", func(t *r) time.Time { return t.UpdatedAt }),
		},
		updatedAt: func(t *r) time.Time { return t.UpdatedAt },
		madeAt:    func(t *r) time.Time { return firstTime(t.UpdatedAt, t.RegisteredAt) },
		changedAt: func(t *r) time.Time { return t.UpdatedAt },
		recordKey: func(t *r) string { return t.ID },
		asHashed: func(t *r) *r {
			if t.Unrecognized == "" {
				return t
			}
			hashed := *t
			hashed.Metadata = withUnrecognized(t.Metadata, t.Unrecognized)
			return &hashed
		},
	}
	return t.withStatements()
}

func accountsTable() *table[record.Account] {
	type r = record.Account
	t := &table[r]{
		name: "accounts", resource: record.Accounts, counter: "accounts", owned: true,
		key:    []Column[r]{textColumn("external_id", func(a *r) string { return a.ID })},
		beside: []Column[r]{jsonColumn("unrecognized", func(a *r) string { return a.Unrecognized })},
		Content: []Column[r]{
			textColumn("trader_external_id", func(a *r) string { return a.TraderID }),
			textColumn("partner_id", func(a *r) string { return a.PartnerID }),
			textColumn("platform", func(a *r) string { return a.Platform }),
			textColumn("login", func(a *r) string { return a.Login }),
			textColumn("program", func(a *r) string { return a.Program }),
			textColumn("phase", func(a *r) string { return a.Phase }),
			textColumn("status", func(a *r) string { return a.Status }),
			textColumn("currency", func(a *r) string { return a.Currency }),
			numberColumn("initial_balance", func(a *r) record.Decimal { return a.InitialBalance }),
			numberColumn("balance", func(a *r) record.Decimal { return a.Balance }),
			numberColumn("equity", func(a *r) record.Decimal { return a.Equity }),
			timeColumn("started_at", func(a *r) time.Time { return a.StartedAt }),
			jsonColumn("metadata", func(a *r) string { return a.Metadata }),
			timeColumn("platform_updated_at", func(a *r) time.Time { return a.UpdatedAt }),
		},
		updatedAt: func(a *r) time.Time { return a.UpdatedAt },
		madeAt:    func(a *r) time.Time { return firstTime(a.UpdatedAt, a.StartedAt) },
		changedAt: func(a *r) time.Time { return a.UpdatedAt },
		recordKey: func(a *r) string { return a.ID },
		secondID:  func(a *r) string { return a.PartnerID },
		asHashed: func(a *r) *r {
			if a.Unrecognized == "" {
				return a
			}
			hashed := *a
			hashed.Metadata = withUnrecognized(a.Metadata, a.Unrecognized)
			return &hashed
		},
	}
	return t.withStatements()
}

// TradesTable is the table of trades that platforms send.
func TradesTable() *table[record.Trade] {
	type r = record.Trade
	t := &table[r]{
		name: "trades", resource: record.Trades, counter: "trades",
		key: []Column[r]{
			textColumn("account_external_id", func(t *r) string { return t.AccountID }),
			textColumn("id", func(t *r) string { return t.ID }),
		},
		beside: []Column[r]{textColumn("account_named", func(t *r) record.AccountName { return t.AccountName })},
		Content: []Column[r]{
			textColumn("symbol", func(t *r) string { return t.Symbol }),
			textColumn("side", func(t *r) record.Side { return t.Side }),
			numberColumn("volume", func(t *r) record.Decimal { return t.Volume }),
			timeColumn("open_time", func(t *r) time.Time { return t.OpenTime }),
			timeColumn("close_time", func(t *r) time.Time { return t.CloseTime }),
			numberColumn("open_price", func(t *r) record.Decimal { return t.OpenPrice }),
			numberColumn("close_price", func(t *r) record.Decimal { return t.ClosePrice }),
			numberColumn("stop_loss", func(t *r) record.Decimal { return t.StopLoss }),
			numberColumn("take_profit", func(t *r) record.Decimal { return t.TakeProfit }),
			numberColumn("commission", func(t *r) record.Decimal { return t.Commission }),
			numberColumn("swap", func(t *r) record.Decimal { return t.Swap }),
			numberColumn("profit", func(t *r) record.Decimal { return t.Profit }),
			timeColumn("platform_updated_at", func(t *r) time.Time { return t.UpdatedAt }),
		},
		updatedAt: func(t *r) time.Time { return t.UpdatedAt },
		madeAt:    func(t *r) time.Time { return firstTime(t.UpdatedAt, t.CloseTime, t.OpenTime) },
		changedAt: func(t *r) time.Time { return firstTime(t.UpdatedAt, t.CloseTime) },
		recordKey: func(t *r) string { return record.TradeKey(t.AccountID, t.ID) },
		open:      func(t *r) bool { return t.Open() },
		openedAt:  func(t *r) time.Time { return t.OpenTime },
	}
	return t.withStatements()
}

func payoutsTable() *table[record.Payout] {
	type r = record.Payout
	t := &table[r]{
		name: "payouts", resource: record.Payouts, counter: "payouts", owned: true,
		key:    []Column[r]{textColumn("external_id", func(p *r) string { return p.ID })},
		beside: []Column[r]{textColumn("account_named", func(p *r) record.AccountName { return p.AccountName })},
		Content: []Column[r]{
			textColumn("trader_external_id", func(p *r) string { return p.TraderID }),
			textColumn("account_external_id", func(p *r) string { return p.AccountID }),
			textColumn("status", func(p *r) string { return p.Status }),
			numberColumn("amount", func(p *r) record.Decimal { return p.Amount }),
			textColumn("currency", func(p *r) string { return p.Currency }),
			timeColumn("requested_at", func(p *r) time.Time { return p.RequestedAt }),
			timeColumn("paid_at", func(p *r) time.Time { return p.PaidAt }),
			jsonColumn("metadata", func(p *r) string { return p.Metadata }),
			timeColumn("platform_updated_at", func(p *r) time.Time { return p.UpdatedAt }),
		},
		updatedAt: func(p *r) time.Time { return p.UpdatedAt },
		madeAt:    func(p *r) time.Time { return firstTime(p.UpdatedAt, p.PaidAt, p.RequestedAt) },
		changedAt: func(p *r) time.Time { return p.UpdatedAt },
		recordKey: func(p *r) string { return p.ID },
	}
	return t.withStatements()
}

// withUnrecognized is metadata with the unrecognized values as a member. They lay
// there before they had a column of their own, and the hashes of rows from then
// cover them there: hashed in another way, the records would all seem to have
// changed without a new updated_at.
func withUnrecognized(metadata, unrecognized string) string {
	head := "{"
	if metadata != "" {
		head = strings.TrimRight(metadata[:len(metadata)-1], " \t\r\n")
	}
	if len(head) > 1 {
		head += ","
	}
	return head + `"unrecognized":` + unrecognized + "}"
}

// firstTime is the first of the times that is known; zero: none is.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
