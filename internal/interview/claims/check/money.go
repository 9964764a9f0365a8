package check

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// minRisks is how many decisions are needed to see the risk per trade.
const minRisks = 20

// tolerance is the share by which a rounded number may be exceeded.
const tolerance = 0.05

// maxLeftOut is the share of what a claim is about that a comparison may leave out and
// still be consistent.
const maxLeftOut = 0.05

// leaveOut names what is not part of a comparison, and why. A trader who agrees with
// the rest only agrees in part if it is more than a little.
func (o *outcome) leaveOut(left, all int, what string) {
	if left == 0 {
		return
	}
	o.detail += wording.FormatText(" %d of %d %s", left, all, what)
	if o.verdict == Consistent && float64(left) > maxLeftOut*float64(all) {
		o.verdict = Partly
	}
}

// riskPerTrade: consistent if three quarters of the decisions risk no more,
// inconsistent if half of them risk more than twice as much. If most trades state
// no stop, losses are used in place of risks: consistent if nine tenths of the
// losses are no larger.
func (k *checker) riskPerTrade(c claims.Claim) outcome {
	currency, ok := k.claimCurrency(c)
	if !ok {
		return unclearOutcome(AmbiguousClaim, "The amount is in another currency than the accounts, or they have several.")
	}
	r := k.riskSizes(c, currency)
	if len(r.risks) < minRisks {
		return k.noRisk(c, r)
	}
	p50, _ := stat.Quantile(r.sorted, 0.5)
	upper, _ := stat.Quantile(r.sorted, r.quantile)
	o := outcome{verdict: Partly, observed: ownMetric(r.name+"_p50", unitOf(c), p50, len(r.sorted)), detail: wording.FormatText(
		"Of %d decisions, half %s %s or less and %.0f%% %s or less.", len(r.sorted), r.what, formatMoney(p50, c, currency), 100*r.quantile, formatMoney(upper, c, currency))}
	low, high := scaledInterval(c)
	if c.Approximate {
		high *= 1 + 5*tolerance
	}
	switch {
	case c.Op == claims.AtLeast && p50 >= low*(1-tolerance), c.Op != claims.AtLeast && upper <= high*(1+tolerance):
		o.verdict = Consistent
	case c.Op != claims.AtLeast && p50 > 2*high*(1+tolerance) && c.Modality != claims.Sometimes:
		o.verdict = Inconsistent
		for _, one := range r.risks {
			if amountOf(one, c) > 2*high {
				o.evidence.addDecision(one.Account, one.Cluster)
			}
		}
	}
	o.leaveOut(r.leftOut, k.view.Decisions, "decisions are in accounts in which the risk is not known this way, and are left out.")
	return o
}

// riskSizes is what decisions risk, in the unit and currency of a claim.
type riskSizes struct {
	risks    []trades.Risk // fewer than minRisks means that not enough is known
	sorted   []float64     // their sizes
	name     string        // of the metric
	quantile float64       // with which a claim is compared
	what     string
	planned  int    // decisions whose stops show the risk
	lost     int    // decisions with a loss
	leftOut  int    // decisions of accounts whose risks cannot be compared
	missing  string // why the stops show nothing
}

func (k *checker) riskSizes(c claims.Claim, currency string) riskSizes {
	key := string(c.Unit) + currency
	if r, ok := k.sizes[key]; ok {
		return r
	}
	planned, missing := k.view.Risks()
	compared := k.view.Accounts
	r := riskSizes{risks: risksIn(planned, c, currency), name: "decision_risk", quantile: 0.75, what: "risked at their stops", planned: len(planned), missing: missing}
	if m := k.data.Activity.Metrics["stop_share"]; len(r.risks) < minRisks || m.Value == nil || *m.Value < 0.5 {
		losses := k.view.Losses()
		compared = accountsOf(losses) // the others lost nothing
		r.risks = risksIn(losses, c, currency)
		r.name, r.quantile, r.what, r.lost = "decision_loss", 0.9, "lost", len(r.risks)
	}
	known := accountsOf(r.risks)
	for _, a := range compared {
		if !slices.Contains(known, a) {
			r.leftOut += len(a.Clusters)
		}
	}
	for _, one := range r.risks {
		r.sorted = append(r.sorted, amountOf(one, c))
	}
	slices.Sort(r.sorted)
	k.sizes[key] = r
	return r
}

// noRisk says why there is nothing to compare a claim about risk with.
func (k *checker) noRisk(c claims.Claim, r riskSizes) outcome {
	balances := slices.ContainsFunc(k.view.Accounts, func(a *trades.AccountView) bool {
		_, ok := a.Balance()
		return ok
	})
	switch {
	case c.Unit == claims.Percent && !balances:
		return notCheckable(NoBalance, "The initial balance of the account is not known.")
	case r.missing == result.ReasonNoContractSize && k.view.Trades >= minRisks:
		return missingData(&r.missing)
	case r.planned == 0 && k.view.Trades >= minRisks:
		return notCheckable(NoStopData, wording.FormatText("Too few trades have a stop, and only %d decisions closed at a loss.", r.lost))
	}
	return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d decisions are available.", max(r.planned, r.lost), minRisks))
}

// claimCurrency returns the currency of the amounts with which a claim is compared.
// ok is false if it is not that of the accounts.
func (k *checker) claimCurrency(c claims.Claim) (currency string, ok bool) {
	if c.Unit != claims.Money {
		return "", true
	}
	var all []string
	for _, a := range k.view.Accounts {
		if !slices.Contains(all, a.Currency) {
			all = append(all, a.Currency)
		}
	}
	if c.Currency != "" {
		return c.Currency, slices.Contains(all, c.Currency)
	}
	if len(all) != 1 {
		return "", false
	}
	return all[0], true
}

// risksIn returns the risks that can be compared with the claim.
func risksIn(risks []trades.Risk, c claims.Claim, currency string) (kept []trades.Risk) {
	for _, r := range risks {
		if c.Unit == claims.Money && r.Account.Currency == currency || c.Unit == claims.Percent && !math.IsNaN(r.Share) {
			kept = append(kept, r)
		}
	}
	return kept
}

// accountsOf returns the accounts of risks, which come in order of accounts.
func accountsOf(risks []trades.Risk) (accounts []*trades.AccountView) {
	for _, r := range risks {
		if n := len(accounts); n == 0 || accounts[n-1] != r.Account {
			accounts = append(accounts, r.Account)
		}
	}
	return accounts
}

func amountOf(r trades.Risk, c claims.Claim) float64 {
	if c.Unit == claims.Money {
		return r.Amount
	}
	return r.Share
}

func unitOf(c claims.Claim) string {
	if c.Unit == claims.Money {
		return "money"
	}
	return "share"
}

// scaledInterval returns the interval of a claim in the unit of the data:
// percents are shares.
func scaledInterval(c claims.Claim) (low, high float64) {
	low, high = c.StatedInterval()
	if c.Unit == claims.Percent {
		low, high = low/100, high/100
	}
	return low, high
}

func formatMoney(x float64, c claims.Claim, currency string) string {
	if c.Unit == claims.Percent {
		return fmt.Sprintf("%.2f%% of the initial balance", 100*x)
	}
	return fmt.Sprintf("%.2f %s", x, currency)
}

// stopLossUse: consistent from 95 % of the trades with a stop on; for "always",
// inconsistent below 70 %.
func (k *checker) stopLossUse(c claims.Claim) outcome {
	m, why, ok := k.findMetric("stop_share")
	if !ok {
		return why
	}
	x := *m.Value
	o := outcome{verdict: Partly, observed: activityMetric("stop_share", m), detail: wording.FormatText(
		"%s of %d trades had a stop when they were read. A stop that was removed earlier is not visible.", formatPercent(x), m.N)}
	firm := c.Modality == claims.Always || c.Modality == claims.Never
	switch {
	case !c.Bool && (x < 0.3 || c.Modality == claims.Sometimes && x < 1):
		o.verdict = Consistent
	case !c.Bool:
	case x >= 0.95, c.Modality == claims.Usually && x >= 0.7, c.Modality == claims.Sometimes && x > 0:
		o.verdict = Consistent
	case firm && x < 0.7:
		o.verdict, o.evidence = Inconsistent, k.withoutStop()
	}
	if c.Bool && c.Modality != claims.Sometimes {
		o.leaveOut(k.view.Trades-m.N, k.view.Trades, "trades are in accounts in which none has a stop, and are left out: there may be none, or the source does not include them.")
	}
	return o
}

// withoutStop returns trades without a stop, of accounts in which any trade has
// one.
func (k *checker) withoutStop() (all evidence) {
	for _, a := range k.view.Accounts {
		var e evidence
		for i := range a.Trades {
			if t := &a.Trades[i]; t.Has&trades.HasStopLoss == 0 {
				e.addTrade(a, t)
			}
		}
		if e.total == len(a.Trades) {
			continue
		}
		all.addAll(e)
	}
	return all
}

// maxLossDay: consistent up to a tenth above, inconsistent beyond one and a half
// times the stated loss. If that is only the usual or the approximate one, a tenth of
// the days may lose more.
func (k *checker) maxLossDay(c claims.Claim) outcome {
	currency, ok := k.claimCurrency(c)
	if !ok {
		return unclearOutcome(AmbiguousClaim, "The amount is in another currency than the accounts, or they have several.")
	}
	a, worst, left := k.lossDay(c, currency)
	if a == nil && c.Unit == claims.Percent {
		_, why, _ := k.findMetric("closed_daily_loss")
		return why
	}
	if a == nil {
		return notCheckable(InsufficientTrades, "No closed trade has a known result.")
	}
	seen, day := worst.Loss, worst.Day
	if c.Unit == claims.Percent {
		balance, _ := a.Balance()
		seen /= balance
	}
	o := outcome{verdict: Partly, observed: ownMetric("closed_daily_loss", unitOf(c), seen, worst.Days), detail: wording.FormatText(
		"The largest daily loss from closed trades in %d days is %s, on %s. Open positions are not included.", worst.Days, formatMoney(seen, c, currency), day)}
	if seen == 0 {
		o.detail = wording.FormatText("Closed trades came to no loss on any of %d days. Open positions are not included.", worst.Days)
	}
	_, high := scaledInterval(c)
	switch {
	case seen <= 1.1*high:
		o.verdict = Consistent
	case seen > 1.5*high && (c.Modality == claims.Usually || c.Approximate) && isSeldomBeyond(a, 1.5*high*worst.Loss/seen, worst.Days): // not always, or not exactly
	case seen > 1.5*high && c.Modality != claims.Sometimes:
		o.verdict = Inconsistent
		for _, i := range a.ByClose {
			t := &a.Trades[i]
			if time.UnixMicro(t.Close).In(a.Location).Format(time.DateOnly) == day {
				o.evidence.addTrade(a, t)
			}
		}
	}
	reason := "trades are in accounts in another currency, and are left out."
	if c.Unit == claims.Percent {
		reason = "trades are in accounts whose initial balance is not known, and are left out."
	}
	o.leaveOut(left, k.view.Trades, reason)
	return o
}

// mostBeyond is the share of the days up to which a trader may lose more than is usual.
const mostBeyond = 0.1

// isSeldomBeyond reports whether few days of an account lost more than an amount.
func isSeldomBeyond(a *trades.AccountView, amount float64, days int) bool {
	var (
		day    string
		net    float64
		beyond = map[string]bool{}
	)
	for _, i := range a.ByClose {
		t := &a.Trades[i]
		if on := time.UnixMicro(t.Close).In(a.Location).Format(time.DateOnly); on != day {
			day, net = on, 0
		}
		if result, ok := t.Net(); ok {
			net += result
		}
		if net < -amount {
			beyond[day] = true
		}
	}
	return float64(len(beyond)) <= mostBeyond*float64(days)
}

// lossDay returns the account with the largest loss of a day, in the unit of the claim, and that
// day. The account is nil if there is none with that currency or, for percents, a known balance.
// left counts the trades of accounts with results of which that is true.
func (k *checker) lossDay(c claims.Claim, currency string) (with *trades.AccountView, worst trades.WorstDay, left int) {
	most := -1.0
	for _, a := range k.view.Accounts {
		day, ok := a.FindWorstDay()
		if !ok {
			continue
		}
		loss, fits := day.Loss, a.Currency == currency
		if c.Unit == claims.Percent {
			balance, known := a.Balance()
			loss, fits = loss/balance, known
		}
		switch {
		case !fits:
			left += len(a.Trades)
		case loss > most:
			with, worst, most = a, day, loss
		}
	}
	return with, worst, left
}
