package firm

import "github.com/assayhq/assay/internal/simulator/wire"

// kyc is a trader's identity check. Its order is that of kycNames.
type kyc uint8

const (
	kycNotStarted kyc = iota
	kycPending
	kycVerified
	kycFailed
)

var kycNames = [...]string{"not_started", "pending", "verified", "failed"}

// traderRow is what changes about a trader; the rest follows from its number.
type traderRow struct {
	registered int64
	kyc        kyc
	funded     bool
}

// oldTrader adds a trader who registered before the start, most of them before
// the window of the history, and lets the identity check come as far as it has.
func (w *World) oldTrader(n uint32, window int64) {
	d := newDice(w.seed, forSignUp, uint64(n))
	registered := d.int64Between(w.start-730*day, window-30*day)
	if n > 0 && d.hitsPercent(15) {
		registered = d.int64Between(window-30*day, w.start-hour)
	}
	row, updated := traderRow{registered: registered}, registered
	pendingAt, doneAt, result := w.kycCourse(n, registered)
	if pendingAt < w.start {
		row.kyc, updated = kycPending, pendingAt
	}
	if doneAt < w.start && row.kyc == kycPending {
		row.kyc, updated = result, doneAt
	}
	if d.hitsPercent(15) { // a change of address, say, which the list does not show
		updated = d.int64Between(updated, w.start-1)
	}
	w.traders.add(row, updated)
	if pendingAt >= w.start && pendingAt < never {
		w.agenda.push(event{at: pendingAt, ref: n, kind: kycMoves})
	}
	if doneAt >= w.start && doneAt < never {
		w.agenda.push(event{at: doneAt, ref: n, kind: kycMoves})
	}
}

// never is later than everything.
const never = int64(1) << 62

// kycCourse is when a trader's identity check begins and ends, and how.
func (w *World) kycCourse(n uint32, registered int64) (pendingAt, doneAt int64, result kyc) {
	d := newDice(w.seed, forSignUp, uint64(n)|1<<40)
	if d.hitsPercent(8) {
		return never, never, kycNotStarted
	}
	pendingAt = registered + w.scaledSpan(registered, minute+d.skewedAround(day))
	doneAt = pendingAt + w.scaledSpan(pendingAt, 10*minute+d.skewedAround(2*day))
	if d.hitsPercent(6) {
		return pendingAt, doneAt, kycFailed
	}
	return pendingAt, doneAt, kycVerified
}

// moveKYC takes a trader's identity check one step further.
func (w *World) moveKYC(ref uint32, at int64) {
	row := &w.traders.rows[ref]
	if !w.traders.isChangeable(ref) {
		return
	}
	switch row.kyc {
	case kycNotStarted:
		row.kyc = kycPending
	case kycPending:
		_, _, row.kyc = w.kycCourse(ref, row.registered)
	default:
		return
	}
	w.traders.recordChange(ref, w.updateTime(at))
}

func (w *World) scheduleSignUp() {
	at, n := w.signUps.next(w.seed, forSignUp)
	w.agenda.push(event{at: at, ref: n, kind: traderSignsUp})
}

// signUp adds a trader, who opens an account a little later.
func (w *World) signUp(at int64) {
	ref := w.traders.add(traderRow{registered: at}, 0)
	w.traders.recordChange(ref, w.updateTime(at))
	pendingAt, doneAt, _ := w.kycCourse(ref, at)
	if pendingAt < never {
		w.agenda.push(event{at: pendingAt, ref: ref, kind: kycMoves})
		w.agenda.push(event{at: doneAt, ref: ref, kind: kycMoves})
	}
	d := newDice(w.seed, forOpening, uint64(ref))
	w.agenda.push(event{at: at + w.scaledSpan(at, 5*minute+d.skewedAround(12*hour)), ref: ref, kind: accountOpens})
}

// Trader returns a generated trader as it is now, for callers of Read.
func (w *World) Trader(ref uint32) Trader {
	row := &w.traders.rows[ref]
	t := Trader{UpdatedAt: wire.Moment(w.traders.updated[ref]), RegisteredAt: wire.Moment(row.registered), KYCStatus: kycNames[row.kyc]}
	w.fillPerson(ref, &t)
	if row.funded {
		t.Tags = append(t.Tags, "funded")
	}
	return t
}
