package statement

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
)

// File is what was read from an activity file.
type File struct {
	// Format names the source, such as "mt5_report" or "generic".
	Format     string
	Confidence format.Confidence
	// Delimiter of a CSV file; empty for other kinds.
	Delimiter string
	// Encoding of a CSV, HTML or XML file, such as "utf-8" or "windows-1251"; of XLSX "xlsx".
	Encoding string
	Kind     sheet.Kind
	// Decimal is the mark of numbers written as text; empty when the file has none with a fraction.
	Decimal   value.DecimalMark
	DateOrder value.DateOrder
	// DateLine is the line of the first date that shows DateOrder, because one of its numbers
	// is no month. It is 0 if no date shows it.
	DateLine      int
	TimezoneBasis TimezoneBasis
	// Timezone is the zone in which times without an offset were read: "UTC", an
	// IANA name, an offset, ny_close or eet. It is empty if each time, or each
	// file of an archive, has its own offset.
	Timezone string
	// RowsRead counts the rows that hold anything, headers and totals included.
	RowsRead int
	// Trades come in the file's order. AccountID is the account's login, or
	// empty when neither the file nor the options name one. Profit is net of
	// commission and swap, and empty for open positions and where the file
	// states none. OpenTime is zero only when the file has no opening times
	// (Lacks names "open_time").
	Trades *Trades
	// Accounts that occur in Trades, in order of appearance.
	Accounts []Account
	// Lacks names the fields of a trade that the file has no column for, by
	// their names in the contract: no stop loss column is not the same as no
	// stop losses.
	Lacks []string
	// Skipped counts rows that are no trades, by reason, most frequent first.
	Skipped []Skipped
	// Rejected are rows that look like trades and are not in Trades, by line; at
	// most maxRejected of RejectedRows.
	Rejected     []Rejected
	RejectedRows int
	Reconciled   Reconciled
	NetBasis     NetBasis
	// Net is the sum of the closed trades' results by currency; amounts of
	// different currencies are never added. Empty when there are none.
	Net []Amount
	// From and To are the first and the last time of a trade, opening or
	// closing; zero without trades.
	From, To time.Time
	Warnings []sheet.Warning
}

// Account is one account of a file.
type Account struct {
	Login    string // as in the trades' AccountID
	Currency string // ISO 4217; empty when unknown
	Platform string // one of record.Platforms
	Trades   int
}

// Amount is a sum of money.
type Amount struct {
	Currency string // ISO 4217; empty when unknown
	Value    record.Decimal
}

// TimezoneBasis says where the zone of the times comes from.
type TimezoneBasis string

// Given in the options; stated by the file or fixed for its format; or nowhere,
// then hours, news and sessions cannot be checked.
const (
	ZoneGiven      TimezoneBasis = "given"
	ZoneOfFile     TimezoneBasis = "file"
	ZoneAssumedUTC TimezoneBasis = "assumed_utc"
)

// Reconciled says which of the file's own totals the trades were checked against.
type Reconciled string

// TotalRow: a row of totals agrees. ResultsBlock: a block of results agrees.
// NotReconciled: the file has neither. Mismatch: one disagrees.
const (
	TotalRow      Reconciled = "total_row"
	ResultsBlock  Reconciled = "results_block"
	NotReconciled Reconciled = "none"
	Mismatch      Reconciled = "mismatch"
)

// NetBasis says how Trade.Profit came to be net.
type NetBasis string

// StatedNet: the file's column is net. Computed: gross plus commission, swap
// and fees. VerifiedByTotal: computed, and the file's own net total agrees.
// NoNet: the file states no results.
const (
	StatedNet       NetBasis = "stated_net"
	Computed        NetBasis = "computed"
	VerifiedByTotal NetBasis = "verified_by_total"
	NoNet           NetBasis = "none"
)

// Skipped counts rows that are no trades.
type Skipped struct {
	Reason string // such as "balance", "pending_order" or "total"
	Count  int
	Lines  []int // of the first rows, at most MaxLines; from 1, within the sheet for XLSX
}

// Reasons for which rows are skipped that may be trades.
const (
	skipDuplicate = "duplicate"
	skipTable     = "other_table"
)

// MaxLines bounds Skipped.Lines.
const MaxLines = 5

// Rejected is a row that looks like a trade and is not taken for one.
type Rejected struct {
	Line   int // from 1, within the sheet for XLSX
	Reason RejectReason
}

// maxRejected bounds File.Rejected.
const maxRejected = 100

// RejectReason says why a row is not taken.
type RejectReason string

// InFuture: it opens or closes later than now. CloseWithoutOpen: it closes a
// position that was opened before the file begins.
const (
	InFuture         RejectReason = "in_future"
	CloseWithoutOpen RejectReason = "close_without_open"
)
