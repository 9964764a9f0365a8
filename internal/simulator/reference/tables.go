package reference

import (
	"strconv"

	"github.com/assayhq/assay/internal/simulator/firm"
)

// tables are the world's lists as the contract has them: ordered by updated_at
// and then id, with ids of their own.
type tables struct {
	*firm.World
	traders  firm.Table[Trader]
	accounts firm.Table[Account]
	trades   firm.Table[Trade]
	payouts  firm.Table[Payout]
}

// newTables generates a world. The options are valid.
func newTables(o *Options) (*tables, error) {
	world, err := firm.New(o.Firm)
	if err != nil {
		return nil, err
	}
	w := &tables{World: world}
	w.traders = firm.Table[Trader]{
		Names: firm.Names{Prefix: "tr_", Width: 8}, Build: w.buildTrader, Encode: func(dst []byte, _ uint32, t *Trader) []byte { return t.AppendJSON(dst) },
	}
	w.accounts = firm.Table[Account]{
		Names: firm.Names{Prefix: "ac_", Width: 8}, Build: w.buildAccount, Encode: func(dst []byte, _ uint32, a *Account) []byte { return a.AppendJSON(dst) },
	}
	w.trades = firm.Table[Trade]{
		Names: firm.Names{Prefix: "t_", Width: 10}, Build: w.buildTrade, Encode: func(dst []byte, _ uint32, t *Trade) []byte { return t.AppendJSON(dst) },
	}
	w.payouts = firm.Table[Payout]{
		Names: firm.Names{Prefix: "po_", Width: 8}, Build: w.buildPayout, Encode: func(dst []byte, _ uint32, p *Payout) []byte { return p.AppendJSON(dst) },
	}
	if o.TradeIDsPerAccount {
		w.trades.Names.Number = world.TradeNumber
	}
	w.traders.Attach(world.Traders(), true, nil)
	w.accounts.Attach(world.Accounts(), true, nil)
	w.trades.Attach(world.Trades(), true, nil)
	w.payouts.Attach(world.Payouts(), true, nil)
	return w, nil
}

// buildTrader builds the record of a generated trader.
func (w *tables) buildTrader(ref uint32) Trader {
	r := w.Trader(ref)
	t := Trader{
		ID: w.traders.ID(ref), UpdatedAt: r.UpdatedAt, Email: r.Email, FirstName: r.FirstName, LastName: r.LastName, Country: r.Country,
		Phone: r.Phone, RegisteredAt: r.RegisteredAt, KYCStatus: r.KYCStatus, Tags: r.Tags,
	}
	if r.CRM != 0 {
		t.Metadata = `{"crm_id":` + strconv.Itoa(r.CRM) + `,"source":"` + r.Source + `"}`
	}
	return t
}

// buildAccount builds the record of a generated account.
func (w *tables) buildAccount(ref uint32) Account {
	r := w.Account(ref)
	a := Account{
		ID: w.accounts.ID(ref), TraderID: w.traders.ID(r.Trader), UpdatedAt: r.UpdatedAt, Platform: r.Platform, Login: r.Login,
		Program: r.Program + " " + r.Size, Phase: r.Phase, Status: r.Status, Currency: r.Currency,
		InitialBalance: r.InitialBalance, Balance: r.Balance, Equity: r.Equity, StartedAt: r.StartedAt,
	}
	if r.Server != "" {
		a.Metadata = `{"server":"` + r.Server + `","leverage":"` + r.Leverage + `"}`
	}
	return a
}

// buildTrade builds the record of a generated trade.
func (w *tables) buildTrade(ref uint32) Trade {
	r := w.Trade(ref)
	return Trade{
		ID: w.trades.ID(ref), AccountID: w.accounts.ID(r.Account), Symbol: r.Symbol, Side: r.Side, OpenTime: r.OpenTime, UpdatedAt: r.UpdatedAt,
		Volume: r.Volume, CloseTime: r.CloseTime, OpenPrice: r.OpenPrice, ClosePrice: r.ClosePrice, StopLoss: r.StopLoss, TakeProfit: r.TakeProfit,
		Commission: r.Commission, Swap: r.Swap, Profit: r.Profit,
	}
}

// buildPayout builds the record of a generated payout.
func (w *tables) buildPayout(ref uint32) Payout {
	r := w.Payout(ref)
	p := Payout{
		ID: w.payouts.ID(ref), TraderID: w.traders.ID(r.Trader), Status: r.Status, UpdatedAt: r.UpdatedAt, Amount: r.Amount,
		Currency: r.Currency, RequestedAt: r.RequestedAt, PaidAt: r.PaidAt,
	}
	if r.Account != firm.NoAccount {
		p.AccountID = w.accounts.ID(r.Account)
	}
	return p
}
