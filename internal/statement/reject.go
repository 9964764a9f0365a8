package statement

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/amount"
	"github.com/assayhq/assay/internal/statement/refusal"
)

const (
	// clocksAhead is by how much clocks differ that are in one zone, with an
	// hour of daylight saving time that one of them does not know.
	clocksAhead = 65 * time.Minute
	// zonesAhead is by how much the clock of a platform, with clocksAhead, may be
	// ahead of UTC if the zone of the times is not known.
	zonesAhead = 14*time.Hour + clocksAhead
)

// inFuture reports whether a time is in the future on any clock by which the file may have been
// written.
func (b *builder) inFuture(at time.Time) bool {
	ahead := clocksAhead
	if b.file.TimezoneBasis == ZoneAssumedUTC {
		ahead = zonesAhead
	}
	return !b.options.Now.IsZero() && at.After(b.options.Now.Add(ahead))
}

// rejectRow lists a row that looks like a trade and is not taken for one.
func (b *builder) rejectRow(reason RejectReason, line int) {
	b.counts[string(reason)]++
	b.file.RejectedRows++
	if len(b.file.Rejected) < maxRejected {
		b.file.Rejected = append(b.file.Rejected, Rejected{line, reason})
	}
}

// moves counts the profitable trades by whether the price moved to their side. Costs only lower
// a result, so that a profit against the side tells a wrong one.
type moves struct{ with, against, firstLine int }

func (m *moves) add(t *record.Trade, line int) {
	if t.Open() || t.Profit == "" || t.Profit == "0" || t.Profit[0] == '-' {
		return
	}
	opened, opens := amount.ToUnits(t.OpenPrice)
	closed, closes := amount.ToUnits(t.ClosePrice)
	switch {
	case !opens || !closes || t.OpenPrice == "" || t.ClosePrice == "" || opened == closed:
	case closed > opened == (t.Side == record.Buy):
		m.with++
	default:
		if m.against++; m.against == 1 {
			m.firstLine = line
		}
	}
}

// refuseSides refuses a file whose sides are those of the orders that closed the positions; nil
// for others. A single trade may have earned more by its swap than it lost.
func (m *moves) refuseSides() error {
	if m.against < 2 || m.against <= m.with {
		return nil
	}
	return refusal.New(refusal.NotUnderstood, "In %d of %d profitable trades, the price moved against the side, first in line %d. If the column has the sides of the orders that closed the positions, exchange buy and sell, and send the file again.",
		m.against, m.with+m.against, m.firstLine)
}
