package partner

import (
	"slices"

	"github.com/assayhq/assay/internal/simulator/fault"
)

// breach is one way to break this contract, faultSet are all of them, and
// activeFaults those that strike a request.
type (
	faultSet     = fault.Set[listQuery, listPage]
	breach       = fault.Fault[listQuery, listPage]
	activeFaults = fault.Active[listQuery, listPage]
)

// Faults describes every fault there is.
func Faults() []fault.Info { return fault.Describe(listFaults()) }

// listFaults lists the faults in the order in which they apply.
func listFaults() []breach {
	list := func(p *listPage) *fault.List { return &p.List }
	fields := fault.Fields{
		Enum:   pickFields(customerKYC, accountPhase, tradeSide, payoutStatus),
		Text:   pickFields(customerLastName, accountCurrency, tradeSymbol, payoutCurrency),
		Number: pickFields(-1, accountBalance, tradePnL, payoutShareAmount),
	}
	updated := []string{Customers.urlPath(), Accounts.urlPath(), Payouts.urlPath()}
	scoped := []string{Accounts.urlPath(), Payouts.urlPath()}
	return slices.Concat(
		fault.Status[listQuery, listPage](),
		[]breach{fault.Hidden[listQuery, listPage]("payouts-404", Payouts.urlPath(), "does not expose payouts: answers 404, which the contract allows", "There is no such route.")},
		fault.Connection[listQuery, listPage](), fault.Body[listQuery, listPage](),
		fault.Shapes[listQuery](list), totalFaults(), fault.Selection[listQuery](list), pageFaults(),
		fault.At(updated, updateFaults()), fault.At(scoped, scopeFaults()), tradeFaults(),
		idFaults(), formFaults(), timeFaults(), fault.Records[listQuery, listPage](fields),
	)
}

// pickFields returns all names of one field of each record; a negative number is
// none.
func pickFields(customer, account, trade, payout int) fault.Field {
	field := make(fault.Field)
	for list, n := range map[List]int{Customers: customer, Accounts: account, ClosedTrades: trade, OpenTrades: trade, Payouts: payout} {
		if n >= 0 {
			field[string(list)] = list.fieldNames()[n]
		}
	}
	return field
}
