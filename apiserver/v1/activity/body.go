package activity

import (
	"encoding/hex"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
)

// activityFileBody is a file of trades that was uploaded for a trader, with the result of
// reading it.
type activityFileBody struct {
	ID        uuid.UUID `json:"id"`                                          // unique identifier of the file
	TraderID  uuid.UUID `json:"trader_id"`                                   // unique identifier of the trader whose trades the file holds
	Name      string    `json:"name" api:"max=255" example:"statement.csv"`  // File name given by the uploader, without a path. May be empty.
	MediaType string    `json:"media_type" api:"max=100" example:"text/csv"` // media type, determined from the file's content regardless of its name
	Bytes     int64     `json:"bytes" example:"18240"`                       // size of the file in bytes
	// SHA-256 hash of the file's bytes.
	SHA256     string              `json:"sha256" pattern:"^[0-9a-f]{64}$" api:"max=64" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Options    activityOptionsBody `json:"options"`                                  // options that the uploader gave for reading the file
	UploadedBy string              `json:"uploaded_by" api:"max=200" example:"Desk"` // name of the API key or person that uploaded the file
	CreatedAt  time.Time           `json:"created_at"`                               // when the file was first uploaded
	UpdatedAt  time.Time           `json:"updated_at"`                               // when the file was last read
	activityReportBody
}

// activityOptionsBody is the options that the uploader gave for reading a file. An option that
// was not given is null.
type activityOptionsBody struct {
	Timezone       *string         `json:"timezone" api:"max=64"`      // timezone of times that carry none
	Currency       *string         `json:"currency" api:"max=3"`       // currency of accounts for which the file names none
	InitialBalance response.Number `json:"initial_balance"`            // initial balance of the account
	AccountLogin   *string         `json:"account_login" api:"max=64"` // login of the account, for trades without an account in the file
	Platform       *string         `json:"platform" api:"max=20"`      // platform that the file comes from
	DateOrder      *string         `json:"date_order" api:"max=3"`     // which of the two numbers in a date is the day
	Decimal        *string         `json:"decimal" api:"max=1"`        // decimal mark
}

// activityReportBody is what reading a file found.
type activityReportBody struct {
	Format        string            `json:"format" api:"max=40" example:"mt5_report"`                 // source that the file's layout was recognized as, or `generic`
	Confidence    string            `json:"confidence" api:"of=internal/statement/format.Confidence"` // how certain the recognized format is
	Delimiter     string            `json:"delimiter" api:"max=1" example:";"`                        // Delimiter between the cells of CSV. Empty for XLSX and HTML.
	Encoding      string            `json:"encoding" api:"max=40" example:"utf-8"`                    // Character encoding of CSV and HTML. Otherwise `xlsx`.
	Decimal       string            `json:"decimal" api:"max=1" example:"."`                          // Decimal mark. Empty if no number has one.
	DateOrder     string            `json:"date_order" api:"max=3" example:"ymd"`                     // Order of the parts of dates: `dmy`, `mdy`, or `ymd`. Empty if there are no dates.
	DateOrderLine *int              `json:"date_order_line" api:"min=1" example:"14"`                 // Line of the first date that shows the order of day and month. Null if no date shows it.
	TimezoneBasis string            `json:"timezone_basis" api:"of=internal/statement.TimezoneBasis"` // how the timezone was determined
	Timezone      string            `json:"timezone" api:"max=64" example:"Europe/Prague"`            // timezone that was applied to times without an offset
	RowsRead      int               `json:"rows_read" example:"243"`                                  // number of non-empty rows, including headers and totals
	Trades        int               `json:"trades" example:"240"`                                     // number of trades that were read
	Lacks         []string          `json:"lacks" api:"items=20,max=40" example:"[\"stop_loss\"]"`    // data that the file has no column for
	Skipped       []skippedRowsBody `json:"skipped" api:"items=100"`                                  // rows that are not trades, by reason
	Rejected      []rejectedRowBody `json:"rejected" api:"items=100"`                                 // rows that look like trades but were rejected, by line
	RejectedRows  int               `json:"rejected_rows" example:"1"`                                // total number of rejected rows, including those beyond the list
	Reconciled    string            `json:"reconciled" api:"of=internal/statement.Reconciled"`        // which of the file's own totals the trades were compared with
	NetBasis      string            `json:"net_basis" api:"of=internal/statement.NetBasis"`           // how net results were obtained
	Net           []moneyBody       `json:"net" api:"items=200"`                                      // net results of closed trades, by currency
	From          *time.Time        `json:"from"`                                                     // Earliest time of a trade. Null if the file has no trades.
	To            *time.Time        `json:"to"`                                                       // Latest time of a trade. Null if the file has no trades.
	Warnings      []fileWarningBody `json:"warnings" api:"items=50"`                                  // warnings that matter when you read the analysis
}

// activityFilePreviewBody is what the import of a file would give.
type activityFilePreviewBody struct {
	MediaType       string               `json:"media_type" api:"max=100" example:"text/csv"` // media type, determined from the file's content regardless of its name
	AlreadyImported bool                 `json:"already_imported"`                            // whether the same file has already been imported for the trader with the same options
	Accounts        []previewAccountBody `json:"accounts" api:"items=100"`                    // accounts whose trades the file contains, the first 100 of them
	FirstTrades     []previewTradeBody   `json:"first_trades" api:"items=10"`                 // first trades, in the order of the file
	activityReportBody
}

// previewAccountBody is an account whose trades a file contains.
type previewAccountBody struct {
	Login    string             `json:"login" api:"max=64" example:"7001"`   // Login of the account. Empty if neither the file nor the options name one.
	Platform string             `json:"platform" api:"max=20" example:"mt5"` // platform of the account
	Currency string             `json:"currency" api:"max=16" example:"USD"` // Currency of the account (ISO 4217). Empty if it is unknown.
	Trades   int                `json:"trades" example:"240"`                // number of its trades in the file
	Known    []knownAccountBody `json:"known" api:"items=100"`               // Accounts of the trader that this one is. Their trades and the file's count only once.
}

// knownAccountBody is an account of a trader that a file contains as well. One of the two ids is set.
type knownAccountBody struct {
	IntegrationID *uuid.UUID `json:"integration_id"` // Unique identifier of the integration that the account is synced from. Null if it is from a file.
	FileID        *uuid.UUID `json:"file_id"`        // Unique identifier of the activity file that contains it. Null if it is synced.
	AccountID     uuid.UUID  `json:"account_id"`     // unique identifier of the account
}

// previewTradeBody is a trade of a file.
type previewTradeBody struct {
	ID           string          `json:"id" api:"max=512" example:"880123"`         // the trade's ID in the file, unique within its account, or one that assay derived from the trade
	AccountLogin string          `json:"account_login" api:"max=64" example:"7001"` // Login of its account. Empty if it is unknown.
	Symbol       string          `json:"symbol" api:"max=4096" example:"EURUSD"`    // symbol that was traded, as spelled in the file
	Side         record.Side     `json:"side"`                                      // direction of the trade
	Volume       response.Number `json:"volume" example:"0.10"`                     // Volume in lots. Null if it is unknown.
	OpenTime     *time.Time      `json:"open_time"`                                 // When the trade was opened. Null if it is unknown.
	CloseTime    *time.Time      `json:"close_time"`                                // When the trade was closed. Null while it is open.
	OpenPrice    response.Number `json:"open_price" example:"1.08500"`              // Price at which the trade was opened. Null if it is unknown.
	ClosePrice   response.Number `json:"close_price" example:"1.08965"`             // Price at which the trade was closed. Null while it is open, or if it is unknown.
	Profit       response.Number `json:"profit" example:"46.50"`                    // Net result in the account's currency. Null if it is unknown.
}

func previewOf(p load.Preview) activityFilePreviewBody {
	return activityFilePreviewBody{
		MediaType: p.MediaType, AlreadyImported: p.Imported, activityReportBody: reportBodyOf(p.Report),
		Accounts: response.ConvertRows(p.Accounts, func(a load.PreviewAccount) previewAccountBody {
			return previewAccountBody{
				Login: a.Login, Platform: a.Platform, Currency: a.Currency, Trades: a.Trades,
				Known: response.ConvertRows(a.Known, func(k activity.ScopeAccount) knownAccountBody {
					return knownAccountBody{store.OrNil(k.IntegrationID), store.OrNil(k.FileID), k.ID}
				}),
			}
		}),
		FirstTrades: response.ConvertRows(p.Trades, func(t record.Trade) previewTradeBody {
			return previewTradeBody{
				ID: t.ID, AccountLogin: t.AccountID, Symbol: t.Symbol, Side: t.Side, Volume: response.NumberOf(&t.Volume),
				OpenTime: store.OrNil(t.OpenTime.UTC()), CloseTime: store.OrNil(t.CloseTime.UTC()),
				OpenPrice: response.NumberOf(&t.OpenPrice), ClosePrice: response.NumberOf(&t.ClosePrice), Profit: response.NumberOf(&t.Profit),
			}
		}),
	}
}

// skippedRowsBody is a count of rows that are not trades.
type skippedRowsBody struct {
	Reason string `json:"reason" api:"max=60" example:"balance"` // why the rows were skipped, such as `balance`, `pending_order`, or `total`
	Count  int    `json:"count" example:"1"`                     // number of rows
	Lines  []int  `json:"lines" api:"items=5" example:"[2]"`     // line numbers of the first of these rows, counted from 1
}

// rejectedRowBody is a row of a file that looks like a trade but was rejected.
type rejectedRowBody struct {
	Line   int                    `json:"line" api:"min=1" example:"14"` // line number within the sheet, counted from 1
	Reason statement.RejectReason `json:"reason"`                        // why the row was rejected
}

// moneyBody is an amount of money.
type moneyBody struct {
	Currency string          `json:"currency" api:"max=16" example:"USD"`  // Currency code (ISO 4217). Empty if the currency is unknown.
	Value    response.Number `json:"value" api:"nonnull" example:"1042.5"` // amount
}

// fileWarningBody is a warning that matters when you read the analysis of a file.
type fileWarningBody struct {
	Code   string `json:"code" api:"max=60" example:"volume_in_units"`                                                 // machine-readable code, such as `volume_in_units`
	Detail string `json:"detail" api:"max=1000" example:"Volumes above 100 or in units other than lots were ignored."` // human-readable explanation
	Count  int    `json:"count"`                                                                                       // Number of trades that the warning concerns. 0 if it concerns the file as a whole.
}

func activityFileOf(f activity.File) (b activityFileBody, err error) {
	report, err := load.ReportOf(f)
	if err != nil {
		return b, err
	}
	b = activityFileBody{
		ID: f.ID, TraderID: f.TraderID, Name: f.Name, MediaType: f.MediaType, Bytes: f.Bytes, SHA256: hex.EncodeToString(f.SHA256),
		UploadedBy: f.UploadedBy, CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt, activityReportBody: reportBodyOf(report),
	}
	o, err := load.OptionsOf(f)
	b.Options = activityOptionsBody{
		Timezone: store.OrNil(o.Timezone), Currency: store.OrNil(o.Currency), AccountLogin: store.OrNil(o.AccountLogin), Platform: store.OrNil(o.Platform),
		DateOrder: store.OrNil(string(o.DateOrder)), Decimal: store.OrNil(string(o.Decimal)), InitialBalance: response.NumberOf(&o.InitialBalance),
	}
	return b, err
}

func reportBodyOf(r load.Report) activityReportBody {
	return activityReportBody{
		Format: r.Format, Confidence: r.Confidence, Delimiter: r.Delimiter, Encoding: r.Encoding, Decimal: r.Decimal, DateOrder: r.DateOrder,
		DateOrderLine: store.OrNil(r.DateLine), TimezoneBasis: r.TimezoneBasis, Timezone: r.Timezone, RowsRead: r.RowsRead, Trades: r.Trades, Lacks: r.Lacks,
		Skipped:  response.ConvertRows(r.Skipped, func(s load.Skipped) skippedRowsBody { return skippedRowsBody(s) }),
		Rejected: response.ConvertRows(r.Rejected, func(x load.Rejected) rejectedRowBody { return rejectedRowBody(x) }), RejectedRows: r.RejectedRows, Reconciled: r.Reconciled,
		NetBasis: r.NetBasis, Net: response.ConvertRows(r.Net, func(a load.Amount) moneyBody { return moneyBody{a.Currency, response.NumberOf(&a.Value)} }), From: r.From, To: r.To,
		Warnings: response.ConvertRows(r.Warnings, func(w load.Warning) fileWarningBody { return fileWarningBody(w) }),
	}
}

// upload holds the parts of an upload form.
type upload struct {
	file    *decode.File
	options statement.Options
}

// readUpload reads a file and its options.
func readUpload(o *decode.Object) (u upload, err error) {
	readUploadForm(o, &u)
	for _, fault := range u.options.Check() {
		o.Fault(fault.Option, problem.InvalidFormat, fault.Detail)
	}
	return u, o.Finish()
}

// Limits of the parts of an upload, in characters.
const (
	maxOption  = 64
	maxBalance = 40
)

func readUploadForm(o *decode.Object, u *upload) {
	text := func(name string, longest int, about, example string) string {
		field := o.Text(name, longest)
		o.RefuseNull(name, field.State)
		o.Note(name, decode.Note{About: about, Example: example})
		return field.Value
	}
	u.file = o.File("file")
	o.Note("file", decode.Note{Example: "Ticket;Open;Type;…", About: "The file: CSV or HTML of at most 64 MiB, or XLSX or ZIP of at most 32 MiB compressed and 256 MiB uncompressed, with at most 1,000,000 rows. A ZIP file may contain several statements of one platform, which are read as one. Reports of MetaTrader 4 and 5 are read as the terminal writes them, and Flex queries of Interactive Brokers also as XML. The format is determined from the content."})
	alias := o.File("activity_file")
	o.Note("activity_file", decode.Note{Example: "Ticket;Open;Type;…", About: "Alternative name of the part `file`. One of the two is required."})
	u.options = statement.Options{
		Timezone:       text("timezone", maxOption, "Timezone of times that carry none: an IANA name, an offset such as `+02:00`, `ny_close` for servers whose day ends when New York closes, or `eet`. If absent, UTC is assumed.", "Europe/Prague"),
		Currency:       text("currency", 3, "Currency of the account (ISO 4217), used if the file names none.", "USD"),
		InitialBalance: record.Decimal(text("initial_balance", maxBalance, "Initial balance of the account, with a decimal point.", "50000")),
		AccountLogin:   text("account_login", maxOption, "Login of the account, used if the file names none. Files with the same login on the same platform belong to one account. Files without a login belong to one account if they have a trade in common.", "7001"),
		Platform:       text("platform", maxOption, "Platform that the file comes from, used if its layout does not show it.", "mt5"),
		DateOrder:      value.DateOrder(text("date_order", maxOption, "Which number of a date such as 03/04/2026 is the day: `dmy` or `mdy`. If absent, the dates in the file must be unambiguous.", "dmy")),
		Decimal:        value.DecimalMark(text("decimal", maxOption, "Decimal mark: a point or a comma. If absent, the numbers in the file must be unambiguous.", ",")),
	}
	switch {
	case u.file == nil && alias == nil && o.Err() == nil:
		o.Fault("file", problem.Required, "Is required, as a part with a file name.")
	case u.file != nil && alias != nil:
		o.Fault("activity_file", problem.InvalidFormat, "Send only one file.")
	case u.file == nil:
		u.file = alias
	}
}
