package partner

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// The first field of every record is its id.
const idField = 0

// idFaults send ids that are wrong or unusual.
func idFaults() []breach {
	ids := pickFields(idField, idField, idField, idField)
	change := func(name, description string, hook fault.Hook) breach {
		return breach{Name: name, Description: description, Record: hook}
	}
	return []breach{
		change("missing-id", "leaves the id out", ids.Change(func([]byte) []byte { return nil })),
		change("null-id", "sends null for the id", ids.Change(func([]byte) []byte { return []byte("null") })),
		change("empty-id", `sends "" for the id`, ids.Change(func([]byte) []byte { return []byte(`""`) })),
		change("object-id", "sends an object for the id", ids.Change(func(value []byte) []byte {
			return slices.Concat([]byte(`{"value":`), value, []byte{'}'})
		})),
		change("huge-numeric-ids", "sends the digits of ids as numbers beyond 2^53, which floats cannot tell apart", ids.Change(func(value []byte) []byte {
			return append([]byte("900719925474099"), valueDigits(value)...)
		})),
	}
}

// valueDigits returns the digits of a value, at least one.
func valueDigits(value []byte) []byte {
	return append(bytes.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, value), '0')
}

// formFaults send values of another kind than the contract's.
func formFaults() []breach {
	accounts := pickFields(-1, -1, tradeAccount, payoutAccount)
	owners := pickFields(-1, accountCustomer, -1, payoutCustomer)
	account := func(name, description, value string) breach {
		return breach{
			Name: name, Description: description, Endpoints: []string{ClosedTrades.urlPath(), OpenTrades.urlPath(), Payouts.urlPath()},
			Record: onOuter(accounts, func(string, []byte) (string, []byte) { return "account", []byte(value) }),
		}
	}
	return []breach{
		account("account-null", "sends account: null as the only name of a trade's or payout's account", "null"),
		account("account-empty-object", "sends account: {} as the only name of a trade's or payout's account", "{}"),
		{
			Name: "customer-number", Description: "sends customer: 17, a number where an object should be",
			Endpoints: []string{Accounts.urlPath(), Payouts.urlPath()},
			Record:    onOuter(owners, func(string, []byte) (string, []byte) { return "customer", []byte("17") }),
		},
		{
			Name: "object-for-scalar", Description: `sends {"value": …} where a KYC status, a phase, a symbol or a status should be`,
			Record: pickFields(customerKYC, accountPhase, tradeSymbol, payoutStatus).Change(func(value []byte) []byte {
				return slices.Concat([]byte(`{"value":`), value, []byte{'}'})
			}),
		},
		{Name: "record-number", Description: "sends a number in the place of a record", Record: func(_ string, i int, _ []byte, _ *fault.Options) []byte {
			return strconv.AppendInt(nil, int64(i), 10)
		}},
		{Name: "record-null", Description: "sends null in the place of a record", Record: func(string, int, []byte, *fault.Options) []byte {
			return []byte("null")
		}},
		{Name: "record-list", Description: "sends each record in a list of its own", Record: func(_ string, _ int, record []byte, _ *fault.Options) []byte {
			return slices.Concat([]byte{'['}, record, []byte{']'})
		}},
	}
}

// onOuter changes the outermost member of a field, whatever name it has.
func onOuter(field fault.Field, change func(name string, value []byte) (string, []byte)) fault.Hook {
	return func(list string, _ int, record []byte, _ *fault.Options) []byte {
		var outer []string
		for _, name := range field[list] {
			name, _, _ = strings.Cut(name, ".")
			outer = append(outer, name)
		}
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if slices.Contains(outer, name) {
				return change(name, value)
			}
			return name, value
		})
	}
}

// timeFaults send times in another form.
func timeFaults() []breach {
	form := func(name, description string, form int) breach {
		return breach{Name: name, Description: description, Record: editTimes(func(t time.Time) []byte { return appendMoment(nil, t, form) })}
	}
	return []breach{
		form("offset-times", "sends times with an offset of five and a half hours, which is accepted", timeOffset),
		form("zoneless-times", "sends times such as 2026-01-31 08:00:00, which mean UTC", timeZoneless),
		form("unix-times", "sends times in seconds since 1970, which is accepted", timeSeconds),
		form("unix-milli-times", "sends times in milliseconds since 1970, which is accepted", timeMillis),
		{Name: "local-times", Description: "sends times such as 31.01.2026 08:00", Record: editTimes(func(t time.Time) []byte {
			return t.AppendFormat(nil, `"02.01.2006 15:04"`)
		})},
		{Name: "word-times", Description: `sends "yesterday" for every time`, Record: editTimes(func(time.Time) []byte {
			return []byte(`"yesterday"`)
		})},
		{
			Name: "missing-updated-at", Description: "leaves updatedAt out", Endpoints: []string{Customers.urlPath(), Accounts.urlPath()},
			Record: pickFields(customerUpdatedAt, accountUpdatedAt, -1, -1).Change(func([]byte) []byte { return nil }),
		},
	}
}

// timeNames are the names of a list's times.
func timeNames(list List) []string {
	numbers := map[List][]int{
		Customers: {customerCreatedAt, customerUpdatedAt}, Accounts: {accountCreatedAt, accountUpdatedAt, accountFundedAt, accountBreachedAt},
		ClosedTrades: {tradeOpenDate, tradeCloseDate}, OpenTrades: {tradeOpenDate, tradeCloseDate}, Payouts: {payoutRequestedAt, payoutApprovedAt},
	}
	var names []string
	for _, n := range numbers[list] {
		names = append(names, list.fieldNames()[n]...)
	}
	return names
}

// editTimes rewrites every time of a record.
func editTimes(format func(time.Time) []byte) fault.Hook {
	return func(list string, _ int, record []byte, _ *fault.Options) []byte {
		names := timeNames(List(list))
		return wire.Edit(record, func(name string, value []byte) (string, []byte) {
			if t, ok := readMoment(value); ok && slices.Contains(names, name) {
				value = format(t)
			}
			return name, value
		})
	}
}

// readMoment is the inverse of appendMoment.
func readMoment(value []byte) (time.Time, bool) {
	text := strings.Trim(string(value), `"`)
	for _, layout := range []string{time.RFC3339, time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}, false
	case n > 100_000_000_000: // as seconds, that is the year 5138
		return time.UnixMilli(n).UTC(), true
	}
	return time.Unix(n, 0).UTC(), true
}
