package partner

import (
	"slices"

	"github.com/assayhq/assay/internal/simulator/fault"
)

// FaultOptions say when a fault strikes and how hard. Zero values mean each
// fault's own defaults, which its description names.
type FaultOptions = fault.Options

// FaultInfo describes a fault of the registry.
type FaultInfo = fault.Info

// breach is one way to break this contract, activeFaults are those that strike
// a request.
type (
	breach       = fault.Fault[listQuery, listPage]
	activeFaults = fault.Active[listQuery, listPage]
)

// Faults describes every fault there is.
func Faults() []FaultInfo { return fault.Describe(listFaults()) }

// ParseFault reads a fault as the command line writes it, see fault.Parse.
func ParseFault(text string) (name string, o FaultOptions, err error) { return fault.Parse(text) }

// SetFault switches a fault on, or changes the options of one that is on and resets
// its counts. An unknown name, an endpoint that the fault cannot strike or an
// option out of range is an error that names the choices. Several faults may be on
// at once.
func (p *Platform) SetFault(name string, o FaultOptions) error { return p.faults.Switch(name, o) }

// ClearFault switches a fault off and reports whether it was on.
func (p *Platform) ClearFault(name string) bool { return p.faults.Clear(name) }

// ClearFaults switches every fault off.
func (p *Platform) ClearFaults() { p.faults.Clear("") }

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
