package refplatform

// The statuses of a payout, in the order of payoutNames.
const (
	payoutPending uint8 = iota
	payoutApproved
	payoutPaid
	payoutRejected
	payoutCancelled
)

var payoutNames = [...]string{"pending", "approved", "paid", "rejected", "cancelled"}

// profitSplit is the trader's share of a withdrawn profit, in percent.
const profitSplit = 80

// payoutRow is one payout. Amounts are cents.
type payoutRow struct {
	requested, paid int64
	gross, amount   int64
	trader, account uint32
	status          uint8
	currency        uint8
}

func (w *world) schedulePayout() {
	at, n := w.payoutStream.next(w.seed, forPayoutStream)
	w.agenda.push(event{at: at, ref: n, kind: payoutRequested})
}

// requestPayout asks for the profit of a funded account, which leaves the
// balance at once. When no account is found that has one, it is a commission
// for an affiliate, and comes from no account.
func (w *world) requestPayout(n uint32, at int64) {
	d := newDice(w.seed, forPayout, uint64(n))
	row := payoutRow{requested: at, account: noAccount}
	inProfit := func(a *accountRow) bool { return a.phase == phaseFunded && a.balance-a.initial > a.initial/200 }
	if ref, ok := w.pickAccount(&d, at, inProfit, 24); ok {
		account := &w.accounts.rows[ref]
		row.account, row.trader, row.currency = ref, account.trader, account.currency
		row.gross = (account.balance - account.initial) / 100 * d.between(50, 100)
		row.amount = row.gross / 100 * profitSplit
		account.balance -= row.gross
		w.refresh(ref, at)
	} else {
		row.trader = uint32(d.below(len(w.traders.rows)))
		for w.traders.rows[row.trader].registered > at {
			row.trader /= 2 // ends at trader 0, who was there before everything
		}
		row.amount = d.between(50_00, 900_00)
	}
	ref := w.payouts.add(row, 0)
	w.payouts.touch(ref, w.stamp(at))
	decision := at + w.span(at, hour+d.skewed(30*hour))
	if last := w.payoutStream.history; n < last && last-n <= max(last/50, 1) {
		decision = max(decision, w.start+w.span(w.start, minute+d.skewed(12*hour)))
	}
	w.agenda.push(event{at: decision, ref: ref, kind: payoutMoves})
}

// movePayout decides on a pending payout or pays an approved one.
func (w *world) movePayout(ref uint32, at int64) {
	row := &w.payouts.rows[ref]
	d := newDice(w.seed, forPayout, uint64(ref)|uint64(row.status+1)<<40)
	switch row.status {
	case payoutPending:
		row.status = [...]uint8{payoutApproved, payoutRejected, payoutCancelled}[d.pick([]int{89, 8, 3})]
	case payoutApproved:
		row.status, row.paid = payoutPaid, at
	default:
		return
	}
	if row.status == payoutApproved {
		w.agenda.push(event{at: at + w.span(at, 2*hour+d.skewed(36*hour)), ref: ref, kind: payoutMoves})
	} else if row.status != payoutPaid && row.account != noAccount {
		w.accounts.rows[row.account].balance += row.gross
		w.settle(row.account, at)
	}
	if w.payouts.mine(ref) {
		w.payouts.touch(ref, w.stamp(at))
	}
}

// payout builds the record of a generated payout.
func (w *world) payout(ref uint32) Payout {
	row := &w.payouts.rows[ref]
	p := Payout{
		ID: w.payouts.generatedID(ref), TraderID: w.traders.id(row.trader), Status: payoutNames[row.status],
		UpdatedAt: moment(w.payouts.updated[ref]), Amount: NewDecimal(row.amount, 2), Currency: currencies[row.currency].code,
		RequestedAt: moment(row.requested), PaidAt: moment(row.paid),
	}
	if row.account != noAccount {
		p.AccountID = w.accounts.id(row.account)
	}
	return p
}
