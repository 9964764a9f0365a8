package refplatform

import (
	"strconv"

	"github.com/assayhq/assay/contracttest/world"
)

// tables are the world's lists as the contract has them: ordered by updated_at
// and then id, with ids of their own.
type tables struct {
	*world.World
	traders  world.Table[Trader]
	accounts world.Table[Account]
	trades   world.Table[Trade]
	payouts  world.Table[Payout]
}

// newTables generates a world. The options are valid.
func newTables(o *Options) (*tables, error) {
	firm, err := world.New(o.world())
	if err != nil {
		return nil, err
	}
	w := &tables{World: firm}
	w.traders = world.Table[Trader]{
		Names: world.Names{Prefix: "tr_", Width: 8}, Build: w.trader, Encode: func(dst []byte, _ uint32, t *Trader) []byte { return t.AppendJSON(dst) },
	}
	w.accounts = world.Table[Account]{
		Names: world.Names{Prefix: "ac_", Width: 8}, Build: w.account, Encode: func(dst []byte, _ uint32, a *Account) []byte { return a.AppendJSON(dst) },
	}
	w.trades = world.Table[Trade]{
		Names: world.Names{Prefix: "t_", Width: 10}, Build: w.trade, Encode: func(dst []byte, _ uint32, t *Trade) []byte { return t.AppendJSON(dst) },
	}
	w.payouts = world.Table[Payout]{
		Names: world.Names{Prefix: "po_", Width: 8}, Build: w.payout, Encode: func(dst []byte, _ uint32, p *Payout) []byte { return p.AppendJSON(dst) },
	}
	if o.TradeIDsPerAccount {
		w.trades.Names.Number = firm.TradeNumber
	}
	w.traders.Attach(firm.Traders(), true, nil)
	w.accounts.Attach(firm.Accounts(), true, nil)
	w.trades.Attach(firm.Trades(), true, nil)
	w.payouts.Attach(firm.Payouts(), true, nil)
	return w, nil
}

// trader builds the record of a generated trader.
func (w *tables) trader(ref uint32) Trader {
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

// account builds the record of a generated account.
func (w *tables) account(ref uint32) Account {
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

// trade builds the record of a generated trade.
func (w *tables) trade(ref uint32) Trade {
	r := w.Trade(ref)
	return Trade{
		ID: w.trades.ID(ref), AccountID: w.accounts.ID(r.Account), Symbol: r.Symbol, Side: r.Side, OpenTime: r.OpenTime, UpdatedAt: r.UpdatedAt,
		Volume: r.Volume, CloseTime: r.CloseTime, OpenPrice: r.OpenPrice, ClosePrice: r.ClosePrice, StopLoss: r.StopLoss, TakeProfit: r.TakeProfit,
		Commission: r.Commission, Swap: r.Swap, Profit: r.Profit,
	}
}

// payout builds the record of a generated payout.
func (w *tables) payout(ref uint32) Payout {
	r := w.Payout(ref)
	p := Payout{
		ID: w.payouts.ID(ref), TraderID: w.traders.ID(r.Trader), Status: r.Status, UpdatedAt: r.UpdatedAt, Amount: r.Amount,
		Currency: r.Currency, RequestedAt: r.RequestedAt, PaidAt: r.PaidAt,
	}
	if r.Account != world.NoAccount {
		p.AccountID = w.accounts.ID(r.Account)
	}
	return p
}
