package reference

import (
	"net/http"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// breach is one way to break this contract, faultSet are all of them, and
// activeFaults those that strike a request.
type (
	faultSet     = fault.Set[listQuery, listPage]
	breach       = fault.Fault[listQuery, listPage]
	activeFaults = fault.Active[listQuery, listPage]
)

// listFaults lists the faults in the order in which they apply. now is the world's
// time.
func listFaults(now func() time.Time) []breach {
	list := func(p *listPage) *fault.List { return &p.List }
	fields := fault.Fields{
		Enum:   fault.Field{"traders": {"kyc_status"}, "accounts": {"phase"}, "trades": {"side"}, "payouts": {"status"}},
		Text:   fault.Field{"traders": {"last_name"}, "accounts": {"program"}, "trades": {"symbol"}, "payouts": {"currency"}},
		Number: fault.Field{"accounts": {"balance"}, "trades": {"profit"}, "payouts": {"amount"}},
	}
	lists := []string{endpointTraders, endpointAccounts, endpointTrades, endpointPayouts}
	records := []string{endpointTraders, endpointTrader, endpointAccounts, endpointTrades, endpointPayouts}
	return slices.Concat(
		fault.Status[listQuery, listPage](), routeFaults(), []breach{clockSkew()},
		fault.Connection[listQuery, listPage](), fault.Body[listQuery, listPage](),
		fault.At(lists, slices.Concat(fault.Shapes[listQuery](list), cursorShapes(), fault.Selection[listQuery](list), placeFaults(), queryFaults(), cursorFaults())),
		fault.At(records, slices.Concat(idFaults(), timeFaults(), wordingFaults(), fault.Records[listQuery, listPage](fields), closeFaults())),
		habitFaults(now),
	)
}

// Faults describes every fault there is.
func Faults() []fault.Info { return fault.Describe(listFaults(time.Now)) }

// routeFaults give some routes an answer that means something there.
func routeFaults() []breach {
	return []breach{
		fault.Hidden[listQuery, listPage]("payouts-404", endpointPayouts, "does not expose payouts: answers 404, which the contract allows", "Payouts are not exposed."),
		{
			Name: "health-not-ok", Endpoints: []string{endpointHealth}, Description: `answers {"status": TEXT} with value=TEXT, degraded by default`,
			Defaults: fault.Options{Value: "degraded"},
			Answer: func(x *fault.Exchange, o *fault.Options) bool {
				x.Send(http.StatusOK, append(wire.AppendString([]byte(`{"status":`), o.Value), '}'))
				return true
			},
		},
		{
			Name: "expired-cursor", Endpoints: []string{endpointTraders, endpointAccounts, endpointTrades, endpointPayouts}, Description: "answers 400 to every request with a cursor",
			Answer: func(x *fault.Exchange, _ *fault.Options) bool {
				if !x.Request.URL.Query().Has("cursor") {
					return false
				}
				x.Fail(http.StatusBadRequest, "invalid_cursor", "The cursor has expired.")
				return true
			},
		},
	}
}

// clockSkew shifts the times that the platform sends and understands.
func clockSkew() breach {
	return breach{
		Name: "clock-skew", Description: "runs on a clock that is wrong by delay=DURATION (an hour ahead by default, negative is behind): Date, updated_at and updated_since",
		Defaults: fault.Options{Delay: time.Hour}, Backwards: true,
		Header: func(x *fault.Exchange, o *fault.Options) {
			x.Header().Set("Date", time.Now().Add(o.Delay).UTC().Format(http.TimeFormat))
		},
		Query: func(q *listQuery, o *fault.Options) {
			if q.since > 0 {
				q.since = max(q.since-o.Delay.Microseconds(), 0)
			}
		},
		Record: func(_ string, _ int, record []byte, o *fault.Options) []byte {
			return wire.EditMember(record, "updated_at", func(value []byte) []byte {
				at, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
				if err != nil {
					return value
				}
				return wire.AppendTime(nil, at.Add(o.Delay))
			})
		},
	}
}
