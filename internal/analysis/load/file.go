package load

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/store/activity"
)

// reader is the version of how files are read. It increases with each change that
// makes a file give other trades: the same file is then read again when it is
// uploaded again.
const reader = 17

// Media types of files, which their content decides.
var media = map[sheet.Kind]string{
	sheet.CSV:  "text/csv",
	sheet.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	sheet.HTML: "text/html",
	sheet.ZIP:  "application/zip",
	sheet.XML:  "application/xml",
}

// MediaTypes lists the media types of files.
func MediaTypes() []string { return slices.Sorted(maps.Values(media)) }

// Upload is a file as it came.
type Upload struct {
	TraderID uuid.UUID
	Name     string // as the sender calls it; may be empty
	Size     int64  // bytes
	SHA256   [sha256.Size]byte
	Content  io.ReaderAt
	Options  statement.Options
	Now      time.Time // trades beyond it are rejected
}

// options are statement.Options as they are kept with a file: an object of
// those that are given.
type options struct {
	Timezone       string            `json:"timezone,omitempty"`
	Currency       string            `json:"currency,omitempty"`
	InitialBalance record.Decimal    `json:"initial_balance,omitempty"`
	AccountLogin   string            `json:"account_login,omitempty"`
	Platform       string            `json:"platform,omitempty"`
	DateOrder      value.DateOrder   `json:"date_order,omitempty"`
	Decimal        value.DecimalMark `json:"decimal,omitempty"`
}

// OptionsOf returns what the sender of a kept file said of it.
func OptionsOf(f activity.File) (statement.Options, error) {
	var o options
	if err := json.Unmarshal(f.Options, &o); err != nil {
		return statement.Options{}, fmt.Errorf("read options of activity file %s: %w", f.ID, err)
	}
	return statement.Options{
		Timezone: o.Timezone, Currency: o.Currency, InitialBalance: o.InitialBalance, AccountLogin: o.AccountLogin, Platform: o.Platform,
		DateOrder: o.DateOrder, Decimal: o.Decimal,
	}, nil
}

// keptOptions are the options of a sender as they are kept.
func keptOptions(o statement.Options) options {
	return options{o.Timezone, o.Currency, o.InitialBalance, o.AccountLogin, o.Platform, o.DateOrder, o.Decimal}
}

// Report is the result of reading a file, as it is stored with the file.
type Report struct {
	Format        string     `json:"format"`
	Confidence    string     `json:"confidence"`
	Delimiter     string     `json:"delimiter"`
	Encoding      string     `json:"encoding"`
	Decimal       string     `json:"decimal"`
	DateOrder     string     `json:"date_order"`
	DateLine      int        `json:"date_line,omitempty"`
	TimezoneBasis string     `json:"timezone_basis"`
	Timezone      string     `json:"timezone"`
	RowsRead      int        `json:"rows_read"`
	Trades        int        `json:"trades"`
	Lacks         []string   `json:"lacks"`
	Skipped       []Skipped  `json:"skipped"`
	Rejected      []Rejected `json:"rejected"`
	RejectedRows  int        `json:"rejected_rows"`
	Reconciled    string     `json:"reconciled"`
	NetBasis      string     `json:"net_basis"`
	Net           []Amount   `json:"net"`
	From          *time.Time `json:"from"`
	To            *time.Time `json:"to"`
	Warnings      []Warning  `json:"warnings"`
}

// Skipped counts rows that are no trades.
type Skipped struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	Lines  []int  `json:"lines"`
}

// Rejected is a row that looks like a trade and was not taken for one.
type Rejected struct {
	Line   int                    `json:"line"`
	Reason statement.RejectReason `json:"reason"`
}

// Amount is a sum of money.
type Amount struct {
	Currency string         `json:"currency"`
	Value    record.Decimal `json:"value"`
}

// Warning says what a reader of the analysis should know.
type Warning struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Count  int    `json:"count"`
}

// readStatement reads the trades of an upload.
func (u Upload) readStatement(ctx context.Context) (*statement.File, error) {
	given := u.Options
	given.Now = u.Now
	return statement.Read(ctx, u.Content, u.Size, u.Name, given)
}

// Read reads a file into what the store keeps. The errors are those of
// statement.Read.
func Read(ctx context.Context, u Upload) (n activity.NewFile, err error) {
	file, err := u.readStatement(ctx)
	if err != nil {
		return n, err
	}
	n = activity.NewFile{
		TraderID: u.TraderID, Name: u.Name, MediaType: media[file.Kind], SHA256: u.SHA256, Bytes: u.Size,
		Content: io.NewSectionReader(u.Content, 0, u.Size), Reader: reader, Trades: file.Trades,
	}
	if n.Options, err = json.Marshal(keptOptions(u.Options)); err != nil {
		return n, fmt.Errorf("encode options: %w", err)
	}
	if n.Report, err = json.Marshal(reportOf(file)); err != nil {
		return n, fmt.Errorf("encode report: %w", err)
	}
	number := make(map[string]int, len(file.Accounts))
	for i, a := range file.Accounts {
		number[a.Login] = i
		n.Accounts = append(n.Accounts, activity.FileAccount{Login: a.Login, Platform: a.Platform, Currency: a.Currency, InitialBalance: u.Options.InitialBalance})
	}
	n.Account = func(t *record.Trade) int { return number[t.AccountID] }
	return n, nil
}

// Known reports whether the file is there already, and reading it again would
// give the same.
func Known(f activity.File, u Upload) bool {
	given, err := json.Marshal(keptOptions(u.Options))
	return err == nil && f.Reader == reader && activity.SameJSON(f.Options, given)
}

func reportOf(f *statement.File) Report {
	r := Report{
		Format: f.Format, Confidence: string(f.Confidence), Delimiter: f.Delimiter, Encoding: f.Encoding, Decimal: string(f.Decimal),
		DateOrder: string(f.DateOrder), DateLine: f.DateLine, TimezoneBasis: string(f.TimezoneBasis), Timezone: f.Timezone, RowsRead: f.RowsRead, Trades: f.Trades.Len(),
		Lacks: append([]string{}, f.Lacks...), Skipped: []Skipped{}, Rejected: []Rejected{}, RejectedRows: f.RejectedRows, Reconciled: string(f.Reconciled), NetBasis: string(f.NetBasis), Net: []Amount{},
		From: orNull(f.From), To: orNull(f.To), Warnings: []Warning{},
	}
	for _, s := range f.Skipped {
		r.Skipped = append(r.Skipped, Skipped{s.Reason, s.Count, append([]int{}, s.Lines...)})
	}
	for _, x := range f.Rejected {
		r.Rejected = append(r.Rejected, Rejected(x))
	}
	for _, a := range f.Net {
		r.Net = append(r.Net, Amount{a.Currency, a.Value})
	}
	for _, w := range f.Warnings {
		r.Warnings = append(r.Warnings, Warning{w.Code, w.Detail, w.Count})
	}
	return r
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Microsecond)
	return &t
}

// ReportOf reads the report that is kept with a file.
func ReportOf(f activity.File) (r Report, err error) {
	if err := json.Unmarshal(f.Report, &r); err != nil {
		return r, fmt.Errorf("read report of activity file %s: %w", f.ID, err)
	}
	return r, nil
}
