package statement

import (
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// Options are what the sender of a file says about it. All are optional; what
// the file itself states goes before them, except for the decimal mark and the
// order of dates, which a file states only by example, and the clock that is known
// of a format.
type Options struct {
	// Timezone is the zone of times without an offset: an IANA name such as
	// Europe/Prague, a fixed offset such as +02:00, NYClose or EET. If it is empty,
	// UTC is assumed.
	Timezone string
	// Currency is the account's currency, ISO 4217, where the file names none.
	Currency string
	// InitialBalance is passed on to the analysis; the reader only checks that
	// it is a number and not negative.
	InitialBalance record.Decimal
	// AccountLogin is the account of trades whose file names none.
	AccountLogin string
	// Platform is one of record.Platforms. If it is empty, the format decides.
	Platform string
	// DateOrder decides dates such as 03/04/2026. If it is empty, the file's dates
	// decide.
	DateOrder value.DateOrder
	// Decimal is the decimal mark. If it is empty, the file's numbers decide.
	Decimal value.DecimalMark
	// Now is the present. Trades after it are rejected. Zero rejects none.
	Now time.Time
}

// OptionError says which option cannot be used, and why.
type OptionError struct {
	Option string // name of the form's part, such as "timezone"
	Detail string // one sentence; repeats no value
}

// Error names the option.
func (e *OptionError) Error() string { return e.Option + ": " + e.Detail }

// Check returns everything that is wrong with the options, or nil if they can be
// used.
func (o Options) Check() []*OptionError {
	var faults []*OptionError
	fault := func(option, detail string) {
		faults = append(faults, &OptionError{Option: option, Detail: detail})
	}
	if _, err := value.ParseZone(o.Timezone); o.Timezone != "" && err != nil {
		fault("timezone", "Must be an IANA name such as Europe/Prague, an offset such as +02:00, ny_close or eet.")
	}
	if o.Currency != "" && !words.IsCurrency(o.Currency) {
		fault("currency", "Must be three capital letters, such as USD.")
	}
	if d, err := record.ParseDecimal(string(o.InitialBalance)); o.InitialBalance != "" && (err != nil || strings.HasPrefix(string(d), "-")) {
		fault("initial_balance", "Must be a number that is not negative, with a decimal point.")
	}
	if words.Clean(o.AccountLogin, table.MaxLoginBytes) != o.AccountLogin {
		fault("account_login", "Must be at most 64 bytes of text without control characters.")
	}
	if o.Platform != "" && !slices.Contains(record.Platforms(), o.Platform) {
		fault("platform", "Must be one of "+strings.Join(record.Platforms(), ", ")+".")
	}
	if o.DateOrder != "" && o.DateOrder != value.DMY && o.DateOrder != value.MDY {
		fault("date_order", "Must be dmy or mdy.")
	}
	if o.Decimal != "" && o.Decimal != value.Point && o.Decimal != value.Comma {
		fault("decimal", "Must be a point or a comma.")
	}
	return faults
}
