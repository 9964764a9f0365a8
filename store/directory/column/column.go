package column

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// Column is one column of a synced table: its name and type in Postgres, and the function that
// encodes a record's value as text. That function returns false for null.
type Column[R any] struct {
	Name string
	Cast string
	Text func(dst []byte, r *R) (out []byte, ok bool)
}

// Set holds the columns of a table with records of platforms.
type Set[R any] struct {
	Key     []Column[R] // identifies a row within its integration
	Beside  []Column[R] // stored with a row, but ignored in deciding whether a record has changed
	Content []Column[R] // what the platform sent
}

// ListNames lists the names of the columns.
func ListNames[R any](columns []Column[R]) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// OfTraders are the columns of traders.
func OfTraders() Set[record.Trader] {
	type r = record.Trader
	return Set[r]{
		Key:    []Column[r]{textColumn("external_id", func(t *r) string { return t.ID })},
		Beside: []Column[r]{jsonColumn("unrecognized", func(t *r) string { return t.Unrecognized })},
		Content: []Column[r]{
			textColumn("first_name", func(t *r) string { return t.FirstName }),
			textColumn("last_name", func(t *r) string { return t.LastName }),
			textColumn("full_name", func(t *r) string { return t.FullName() }),
			textColumn("email", func(t *r) string { return t.Email }),
			textColumn("country", func(t *r) string { return t.Country }),
			textColumn("phone", func(t *r) string { return t.Phone }),
			textColumn("kyc_status", func(t *r) string { return t.KYCStatus }),
			{"tags", "text[]", func(dst []byte, t *r) ([]byte, bool) { return AppendTextArray(dst, t.Tags) }},
			timeColumn("registered_at", func(t *r) time.Time { return t.RegisteredAt }),
			jsonColumn("metadata", func(t *r) string { return t.Metadata }),
			timeColumn("platform_updated_at", func(t *r) time.Time { return t.UpdatedAt }),
		},
	}
}

// OfAccounts are the columns of accounts.
func OfAccounts() Set[record.Account] {
	type r = record.Account
	return Set[r]{
		Key:    []Column[r]{textColumn("external_id", func(a *r) string { return a.ID })},
		Beside: []Column[r]{jsonColumn("unrecognized", func(a *r) string { return a.Unrecognized })},
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
	}
}

// OfTrades are the columns of trades.
func OfTrades() Set[record.Trade] {
	type r = record.Trade
	return Set[r]{
		Key: []Column[r]{
			textColumn("account_external_id", func(t *r) string { return t.AccountID }),
			textColumn("id", func(t *r) string { return t.ID }),
		},
		Beside: []Column[r]{textColumn("account_named", func(t *r) record.AccountName { return t.AccountName })},
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
	}
}

// OfPayouts are the columns of payouts.
func OfPayouts() Set[record.Payout] {
	type r = record.Payout
	return Set[r]{
		Key:    []Column[r]{textColumn("external_id", func(p *r) string { return p.ID })},
		Beside: []Column[r]{textColumn("account_named", func(p *r) record.AccountName { return p.AccountName })},
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
	}
}

// Shorthands for the columns above.
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
