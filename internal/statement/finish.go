package statement

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
)

// finishFile draws the conclusions that need all trades.
func (b *builder) finishFile() (*File, error) {
	f := b.file
	each := b.eachAgain
	if b.chosen.IsPaired() {
		b.pairExecutions()
		if err := b.executions.RefuseUnclear(); err != nil {
			return nil, err
		}
		each = b.eachPaired
	}
	if b.kept == 0 {
		return nil, b.refuseEmpty()
	}
	if err := b.moves.refuseSides(); err != nil {
		return nil, err
	}
	f.Trades = &Trades{b.kept, each}
	if dropped := b.volumes.dropped(b.chosen.Format); dropped > 0 {
		b.counts["volume_in_units"] += dropped
	}
	if b.ids.parts > 0 {
		b.counts["partial_closes"] = b.ids.parts
	}
	f.Lacks = b.missingFields()
	f.NetBasis = b.netBasis()
	f.Net = b.sumResults()
	b.reconcileResults()
	b.addWarnings()
	slices.SortStableFunc(f.Skipped, func(a, c Skipped) int { return c.Count - a.Count })
	slices.SortStableFunc(f.Rejected, func(a, c Rejected) int { return a.Line - c.Line })
	return f, nil
}

// refuseEmpty refuses a file whose table holds no trade.
func (b *builder) refuseEmpty() error {
	r := refusal.New(refusal.NotUnderstood, "The file has a table for trades, but no trades. Export a longer period.")
	if n := b.counts[string(InFuture)]; n > 0 && n == b.file.RejectedRows {
		found := fmt.Sprintf("All %d trades in the file are in the future, the first one in line %d.", n, b.file.Rejected[0].Line)
		if n == 1 {
			found = fmt.Sprintf("The only trade in the file is in the future (line %d).", b.file.Rejected[0].Line)
		}
		r = refusal.New(refusal.NotUnderstood, "%s If the platform's clock is ahead, send the file with its timezone. Otherwise check the order of day and month.", found).SuggestOption("timezone")
	}
	for _, s := range b.file.Skipped {
		r = r.AddSeen(s.Reason + ": " + strconv.Itoa(s.Count))
	}
	if n := b.counts[string(CloseWithoutOpen)]; n > 0 {
		r = r.AddSeen(string(CloseWithoutOpen) + ": " + strconv.Itoa(n))
	}
	return r
}

// missingFields names the fields that no used table has a column for, and the profit if it is empty
// in every closed trade.
func (b *builder) missingFields() []string {
	fields := []struct {
		name string
		any  []format.Role
	}{
		{"id", []format.Role{format.RoleID, format.RoleBuyID}},
		{"open_time", []format.Role{format.RoleOpenTime, format.RoleBuyTime}},
		{"close_time", []format.Role{format.RoleCloseTime, format.RoleBuyTime}},
		{"volume", []format.Role{format.RoleVolume}},
		{"open_price", []format.Role{format.RoleOpenPrice, format.RoleBuyPrice}},
		{"close_price", []format.Role{format.RoleClosePrice, format.RoleBuyPrice}},
		{"stop_loss", []format.Role{format.RoleStop}},
		{"take_profit", []format.Role{format.RoleTarget}},
		{"commission", []format.Role{format.RoleCommission}},
		{"swap", []format.Role{format.RoleSwap}},
		{"profit", []format.Role{format.RoleProfit, format.RoleGross, format.RoleNet}},
	}
	paired := b.chosen.IsPaired()
	var lacks []string
	for _, f := range fields {
		has := paired && (f.name == "close_time" || f.name == "close_price")
		for _, r := range f.any {
			has = has || b.chosen.HasRole(r)
		}
		has = has && (f.name != "profit" || !b.statesNoResult())
		if !has {
			lacks = append(lacks, f.name)
		}
	}
	return lacks
}

// statesNoResult reports whether no closed trade has a result, whatever the columns are.
func (b *builder) statesNoResult() bool { return b.traded.Closed > 0 && b.traded.Stated == 0 }

func (b *builder) netBasis() NetBasis {
	t := b.chosen
	switch {
	case b.statesNoResult(), !t.HasRole(format.RoleNet) && !t.HasRole(format.RoleProfit) && !t.HasRole(format.RoleGross):
		return NoNet
	case t.HasRole(format.RoleNet):
		return StatedNet
	case t.HasRole(format.RoleGross), t.Profit == format.Gross:
		return Computed
	case t.Profit == format.Net:
		return StatedNet
	case b.costs:
		return Computed
	}
	return StatedNet
}

// accountSum is the sum of an account's results.
type accountSum struct {
	account int // index in file.Accounts
	sum     *amount.Sum
}

// addResult adds a trade to the period and, if it is closed, to the results.
func (b *builder) addResult(t *record.Trade) {
	b.file.widenPeriod(t.OpenTime)
	b.file.widenPeriod(t.CloseTime)
	b.traded.AddTrade(t)
	if t.Open() || t.Profit == "" {
		return
	}
	account := b.accounts[t.AccountID]
	at := slices.IndexFunc(b.results, func(r accountSum) bool { return r.account == account })
	if at < 0 {
		at = len(b.results)
		b.results = append(b.results, accountSum{account, &amount.Sum{}})
	}
	b.results[at].sum.Add(t.Profit)
}

// sumResults adds up the results of accounts by currency.
func (b *builder) sumResults() []Amount {
	var all []Amount
	for _, r := range b.results {
		currency := b.file.Accounts[r.account].Currency
		at := slices.IndexFunc(all, func(a Amount) bool { return a.Currency == currency })
		if at < 0 {
			at = len(all)
			all = append(all, Amount{Currency: currency, Value: "0"})
		}
		all[at].Value = amount.Add(all[at].Value, r.sum.Value())
	}
	return all
}

func (f *File) widenPeriod(t time.Time) {
	if t.IsZero() {
		return
	}
	if f.From.IsZero() || t.Before(f.From) {
		f.From = t
	}
	if t.After(f.To) {
		f.To = t
	}
}

// addWarnings adds what a reader of the analysis should know, in a fixed order.
func (b *builder) addWarnings() {
	f := b.file
	t := b.chosen
	warnIf := func(when bool, code, detail string) {
		if when {
			b.addWarning(code, detail, b.counts[code])
		}
	}
	counted := func(code, detail string) { warnIf(b.counts[code] > 0, code, detail) }
	warnIf(f.Confidence == format.Low && !t.IsPaired(), "low_confidence", "There is no documented export of this platform, so the columns were recognized by their names. Check the totals.")
	warnIf(f.Confidence == format.Low && t.IsPaired(), "low_confidence", "The file lists executions, which were paired by symbol, first in, first out. If the account had several positions of a symbol at once, their times and results may differ from the platform's. Check the totals.")
	warnIf(b.executions != nil && b.executions.AssumesFlat, "flat_start_assumed", "The list does not say what opens and what closes. If a position was open before the first execution, sides and results are wrong. Check that the account had none then.")
	warnIf(b.traded.Closed == 0, "only_open_positions", "The file has only open positions.")
	warnIf(!t.HasRole(format.RoleOpenTime) && !t.HasRole(format.RoleBuyTime), "no_open_time", "The export has no opening times, which the analysis requires, so these trades are excluded.")
	_, unnamed := b.accounts[""]
	warnIf(unnamed, "account_unknown", "The file does not name the account and none was given, so its trades count as a separate account unless they are found in another one. Send the file with its account_login.")
	given := Account{Login: b.options.AccountLogin, Currency: b.options.Currency}
	warnIf(given.Login != "" && !slices.ContainsFunc(f.Accounts, func(a Account) bool { return a.Login == given.Login }),
		"account_differs", "The file names a different account than the given one. The file's account was used.")
	warnIf(given.Currency != "" && !slices.ContainsFunc(f.Accounts, func(a Account) bool { return a.Currency == given.Currency }),
		"currency_differs", "The file names a different currency than the given one. The file's currency was used.")
	warnIf(len(f.Accounts) > 1, "several_accounts", "The file has trades of several accounts.")
	warnIf(slices.ContainsFunc(f.Net, func(a Amount) bool { return a.Currency == "" }), "currency_unknown", "The file does not name the account's currency and none was given. Send the file with its currency.")
	warnIf(f.NetBasis == Computed && t.Profit == format.Unknown && !t.HasRole(format.RoleGross), "profit_assumed_gross", "The file does not say whether profits are before or after costs, so commission and swap were added.")
	warnIf(f.NetBasis != NoNet && !t.HasRole(format.RoleCommission) && !t.HasRole(format.RoleNet) && t.Profit != format.Net, "no_costs", "The export has no commissions, so results may be before costs.")
	warnIf(t.Format.Name == "ibkr" && b.statesNoResult(), "no_results", "The export has no results, so wins and losses cannot be checked. Add the field FIFO P/L Realized to the Flex query and export again.")
	warnIf(f.NetBasis == NoNet && t.Kind == format.Positions && t.Format.Name != "ibkr" && b.traded.Closed > 0, "no_results", "The export has no column of results that is known, so wins and losses cannot be checked. If it has one, name it net_profit and send the file again.")
	warnIf(t.Format.Profit == format.Unknown && t.FlipsCommissions(), "costs_positive", "Commissions have no minus sign and were read as costs.")
	warnIf(f.Reconciled == Mismatch, "total_mismatch", "The file's own totals differ from the sum of the trades that were read.")
	counted("net_differs", "In some rows, the net result differs from the gross result plus costs.")
	counted("volume_in_units", b.volumes.describe(t.Format))
	counted("close_before_open", "Some trades close before they open. They are kept, but excluded from the analysis.")
	counted("nonexistent_time", "Some times do not exist in the timezone, because clocks were put forward then. The timezone is probably wrong: send the file with the right one.")
	counted("in_future", "Some trades are in the future and were skipped; their lines are listed. If the platform's clock is ahead, send the file with its timezone.")
	counted("close_without_open", "Some deals close positions that were opened before the file begins. They were skipped; their lines are listed.")
	counted("open_at_end", "Positions are open at the end of the list, which does not say what opens and what closes. If the account had none then, the list begins within a position, and the trades have wrong sides and times. Export the list from a moment without positions.")
	counted("shared_results", "Some fills closed several openings, and nothing shows how much each of these earned. Their results were divided by volume.")
	counted("fees_in_coins", "Some fees are in other coins than the results, so they were left out. Those results are before these fees.")
	counted("partial_closes", "Several rows share an id, as partial closes do. A suffix was added to the ids of the later ones.")
	counted("ids_rounded", "A spreadsheet rounded the ids of some trades, so they are identified by their content.")
}
