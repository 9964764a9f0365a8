package v1

import (
	"encoding/csv"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/review"
	"github.com/assayhq/assay/store/privacy"
)

// tableAnswer documents the files that answerTable writes. All exports of lists share it.
func tableAnswer() []Answer {
	return []Answer{{
		Status: http.StatusOK, Shared: "Table", Media: []string{decode.MediaCSV}, Headers: []string{"Content-Disposition"}, About: "The rows as CSV. " + tableDescription,
	}}
}

// tableDescription says how to read the files.
const tableDescription = "The first line contains the column names; later versions may append columns. Numbers keep all their digits, and times are in UTC. " +
	"A text that a spreadsheet would evaluate as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a line break, is prefixed with an apostrophe. " +
	"The same is done within a text, after a comma, a semicolon, a quotation mark, a tab or a line break, where some spreadsheets begin a new cell. " +
	"If an error occurs after the response has begun, the connection is closed early, so a complete response is a complete export. The export is recorded in the audit log."

// exportTraders answers GET /v1/traders/export with all traders that match the filter.
func (a *API) exportTraders(w http.ResponseWriter, r *http.Request, f directory.TraderFilter) error {
	columns := []string{"id", "full_name", "email", "external_id", "country", "phone", "kyc_status", "status", "tags", "source", "registered_at", "created_at", "missing_since"}
	return a.answerTable(w, r, privacy.ListExport{List: "traders"}, columns, func(add func(...string) error) error {
		return directory.EachTrader(r.Context(), a.store, callerOrganization(r), f, func(t directory.Trader) error {
			return add(t.ID.String(), textCell(t.FullName), textCell(t.Email), textCell(t.ExternalID), textCell(t.Country), textCell(t.Phone), textCell(t.KYCStatus),
				t.Status, safeCell(strings.Join(t.Tags, ", ")), t.Source, timeCell(t.RegisteredAt), timeCell(&t.CreatedAt), timeCell(t.MissingSince))
		})
	})
}

// exportTrades answers GET /v1/traders/{id}/trades/export with all trades that match the filter.
func (a *API) exportTrades(w http.ResponseWriter, r *http.Request, f directory.TradeFilter) error {
	columns := []string{
		"id", "account_id", "account_external_id", "symbol", "side", "volume", "open_time", "close_time", "open_price", "close_price",
		"stop_loss", "take_profit", "commission", "swap", "profit", "missing_since",
	}
	return a.exportOf(w, r, "trades", "trader_id", columns, func(id uuid.UUID, add func(...string) error) error {
		return directory.EachTrade(r.Context(), a.store, callerOrganization(r), id, f, func(t directory.Trade) error {
			return add(safeCell(t.ID), idCell(t.AccountID), safeCell(t.AccountExternalID), safeCell(t.Symbol), string(t.Side), numberCell(t.Volume),
				timeCell(t.OpenTime), timeCell(t.CloseTime), numberCell(t.OpenPrice), numberCell(t.ClosePrice),
				numberCell(t.StopLoss), numberCell(t.TakeProfit), numberCell(t.Commission), numberCell(t.Swap), numberCell(t.Profit), timeCell(t.MissingSince))
		})
	})
}

// exportPayouts answers GET /v1/payouts/export with all payouts that match the filter.
func (a *API) exportPayouts(w http.ResponseWriter, r *http.Request, f directory.PayoutFilter) error {
	columns := []string{
		"id", "external_id", "trader_id", "trader_name", "trader_email", "account_external_id", "status", "amount", "currency", "requested_at", "paid_at",
		"missing_since",
	}
	return a.answerTable(w, r, privacy.ListExport{List: "payouts"}, columns, func(add func(...string) error) error {
		return directory.EachPayout(r.Context(), a.store, callerOrganization(r), f, func(p directory.ListedPayout) error {
			return add(p.ID.String(), safeCell(p.ExternalID), idCell(p.TraderID), textCell(p.TraderName), textCell(p.TraderEmail), textCell(p.AccountExternalID),
				textCell(p.Status), numberCell(p.Amount), textCell(p.Currency), timeCell(p.RequestedAt), timeCell(p.PaidAt), timeCell(p.MissingSince))
		})
	})
}

// exportInterviews answers GET /v1/interviews/export with all interviews that match the filter.
func (a *API) exportInterviews(w http.ResponseWriter, r *http.Request, f review.Filter) error {
	columns := []string{
		"id", "reference", "trader_id", "trader_name", "trader_email", "trader_external_id", "reason", "status", "partial", "attention_level", "review_priority",
		"high_findings", "decision", "decision_reason", "decided_by", "decided_at", "communicated_at", "assignee", "created_by", "created_at", "started_at",
		"submitted_at", "completed_at",
	}
	return a.answerTable(w, r, privacy.ListExport{List: "interviews"}, columns, func(add func(...string) error) error {
		return review.Each(r.Context(), a.store, callerOrganization(r), f, func(i interviews.Interview) error { return add(interviewCells(i)...) })
	})
}

// interviewCells returns the cells of an interview in an export.
func interviewCells(i interviews.Interview) []string {
	var d interviews.Verdict
	var decidedAt *time.Time
	if len(i.Decisions) > 0 {
		d = i.Decisions[0]
		decidedAt = &d.DecidedAt
	}
	priority := ""
	if i.ReviewPriority != nil {
		priority = strconv.Itoa(*i.ReviewPriority)
	}
	return []string{
		i.ID.String(), textCell(i.Reference), i.TraderID.String(), textCell(i.TraderName), textCell(i.TraderEmail), textCell(i.TraderExternalID),
		i.Reason, string(i.Status), strconv.FormatBool(i.Partial), textCell(i.AttentionLevel), priority, strconv.Itoa(i.HighFindings),
		string(d.Decision), textCell(d.Reason), safeCell(d.DecidedBy), timeCell(decidedAt), timeCell(i.CommunicatedAt), textCell(i.AssigneeName), safeCell(i.CreatedBy),
		timeCell(&i.CreatedAt), timeCell(i.StartedAt), timeCell(i.SubmittedAt), timeCell(i.CompletedAt),
	}
}

// errNoBody ends the reading of a table whose rows are not sent.
var errNoBody = errors.New("the response has no body")

// answerTable answers with a CSV file of the rows that fill adds, and records the export. If an error occurs after sending
// has begun, the connection is broken off, so that nobody mistakes a part for the whole.
func (a *API) answerTable(w http.ResponseWriter, r *http.Request, e privacy.ListExport, columns []string, fill func(add func(...string) error) error) error {
	table := csv.NewWriter(w)
	name := e.List
	if e.Of != "" {
		name += "-" + e.OwnerID.String()
	}
	begun := false
	begin := func() error {
		if r.Method != http.MethodHead {
			if err := a.recordExport(r, e); err != nil {
				return err
			}
		}
		begun = true
		beginDownload(w, decode.MediaCSV+"; charset=utf-8", name+".csv")
		return table.Write(columns)
	}
	err := fill(func(cells ...string) error {
		if r.Method == http.MethodHead {
			return errNoBody
		}
		if !begun {
			if err := begin(); err != nil {
				return err
			}
		}
		return table.Write(cells)
	})
	if err == nil && !begun || errors.Is(err, errNoBody) {
		err = begin()
	}
	if err == nil {
		table.Flush()
		err = table.Error()
	}
	if err != nil && begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

// recordExport records an export and the names of its filters.
func (a *API) recordExport(r *http.Request, e privacy.ListExport) error {
	e.Filters = slices.DeleteFunc(slices.Sorted(maps.Keys(r.URL.Query())), func(name string) bool { return name == "sort" })
	return privacy.RecordListExport(r.Context(), a.store, changeOf(r), e)
}

// What formula consists of, as characters of a class of an expression.
const (
	// formulaSigns begin a formula. Full-width characters count in East Asian versions.
	formulaSigns = "=+@＝＋－＠-"
	// cellSeparators may begin a cell in the middle of a text, because spreadsheets of many countries
	// expect semicolons or tabs in the place of commas.
	cellSeparators = ",;\t\r\n\""
)

// formula matches the beginning of what some spreadsheet evaluates.
var formula = regexp.MustCompile(`((?:^|[` + cellSeparators + `])[ \t]*)([` + formulaSigns + `])`)

// safeCell returns a text that no spreadsheet takes for a formula.
func safeCell(text string) string {
	if !mayHoldFormula(text) {
		return text
	}
	text = formula.ReplaceAllString(text, "$1'$2")
	if text != "" && strings.ContainsRune("\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// mayHoldFormula reports whether formula can match, which takes longer to find out for certain.
func mayHoldFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return strings.ContainsRune(formulaSigns, first) || strings.ContainsAny(text, cellSeparators)
}

func textCell(text *string) string {
	if text == nil {
		return ""
	}
	return safeCell(*text)
}

func timeCell(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func numberCell(number *record.Decimal) string {
	if number == nil {
		return ""
	}
	return string(*number)
}

func idCell(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}
