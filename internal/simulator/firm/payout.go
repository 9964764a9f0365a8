package firm

import "github.com/assayhq/assay/internal/simulator/wire"

// The statuses of a payout, in the order of payoutNames.
const (
	payoutPending uint8 = iota
	payoutApproved
	payoutPaid
	payoutRejected
	payoutCancelled
)

var payoutNames = [...]string{"pending", "approved", "paid", "rejected", "cancelled"}

// ProfitSplit is the trader's share of a withdrawn profit, in percent.
const ProfitSplit = 80

// payoutRow is one payout. Amounts are cents.
type payoutRow struct {
	requested, paid int64
	gross, amount   int64
	trader, account uint32
	status          uint8
	currency        uint8
}

func (w *World) schedulePayout() {
	at, n := w.payoutStream.next(w.seed, forPayoutStream)
	w.agenda.push(event{at: at, ref: n, kind: payoutRequested})
}

// requestPayout asks for the profit of a funded account, which leaves the
// balance at once. When no account is found that has one, it is a commission
// for an affiliate, and comes from no account.
func (w *World) requestPayout(n uint32, at int64) {
	d := newDice(w.seed, forPayout, uint64(n))
	row := payoutRow{requested: at, account: NoAccount}
	inProfit := func(a *accountRow) bool { return a.phase == phaseFunded && a.balance-a.initial > a.initial/200 }
	if ref, ok := w.pickAccount(&d, at, inProfit, 24); ok {
		account := &w.accounts.rows[ref]
		row.account, row.trader, row.currency = ref, account.trader, account.currency
		row.gross = (account.balance - account.initial) / 100 * d.int64Between(50, 100)
		row.amount = row.gross / 100 * ProfitSplit
		account.balance -= row.gross
		w.refreshEquity(ref, at)
	} else {
		row.trader = uint32(d.below(len(w.traders.rows)))
		for w.traders.rows[row.trader].registered > at {
			row.trader /= 2 // ends at trader 0, who was there before everything
		}
		row.amount = d.int64Between(50_00, 900_00)
	}
	ref := w.payouts.add(row, 0)
	w.payouts.recordChange(ref, w.updateTime(at))
	decision := at + w.scaledSpan(at, hour+d.skewedAround(30*hour))
	if last := w.payoutStream.history; n < last && last-n <= max(last/50, 1) {
		decision = max(decision, w.start+w.scaledSpan(w.start, minute+d.skewedAround(12*hour)))
	}
	w.agenda.push(event{at: decision, ref: ref, kind: payoutMoves})
}

// movePayout decides on a pending payout or pays an approved one.
func (w *World) movePayout(ref uint32, at int64) {
	row := &w.payouts.rows[ref]
	d := newDice(w.seed, forPayout, uint64(ref)|uint64(row.status+1)<<40)
	switch row.status {
	case payoutPending:
		row.status = [...]uint8{payoutApproved, payoutRejected, payoutCancelled}[d.pickWeighted([]int{89, 8, 3})]
	case payoutApproved:
		row.status, row.paid = payoutPaid, at
	default:
		return
	}
	if row.status == payoutApproved {
		w.agenda.push(event{at: at + w.scaledSpan(at, 2*hour+d.skewedAround(36*hour)), ref: ref, kind: payoutMoves})
	} else if row.status != payoutPaid && row.account != NoAccount {
		w.accounts.rows[row.account].balance += row.gross
		w.updateBalance(row.account, at)
	}
	if w.payouts.isChangeable(ref) {
		w.payouts.recordChange(ref, w.updateTime(at))
	}
}

// Payout returns a generated payout as it is now, for callers of Read.
func (w *World) Payout(ref uint32) Payout {
	row := &w.payouts.rows[ref]
	return Payout{
		Trader: row.trader, Account: row.account, Status: payoutNames[row.status],
		UpdatedAt: wire.Moment(w.payouts.updated[ref]), Gross: wire.NewDecimal(row.gross, 2), Amount: wire.NewDecimal(row.amount, 2),
		Currency: currencies[row.currency].code, RequestedAt: wire.Moment(row.requested), PaidAt: wire.Moment(row.paid),
	}
}
