package v1_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

// part is a part of a form. If it has a file name, it is a file.
type part struct{ name, file, content string }

// formMedia is the media type of the bodies that form returns.
const formMedia = "multipart/form-data; boundary=the-boundary"

// form writes a form as curl -F does.
func form(parts ...part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "--the-boundary\r\nContent-Disposition: form-data; name=%q", p.name)
		if p.file != "" {
			fmt.Fprintf(&b, "; filename=%q\r\nContent-Type: application/octet-stream", p.file)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", p.content)
	}
	return b.String() + "--the-boundary--\r\n"
}

// statement returns a CSV file of n trades.
func statement(n int) string {
	var b strings.Builder
	b.WriteString("Ticket,Symbol,Side,Volume,Open Time,Close Time,Open Price,Close Price,Profit\n")
	for i := range n {
		at := time.Date(2026, 6, 15, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * 37 * time.Minute)
		fmt.Fprintf(&b, "%d,EURUSD,%s,0.50,%s,%s,1.07%03d,1.08%03d,%d.25\n", 1000+i, []string{"buy", "sell"}[i%2],
			at.Format(time.DateTime), at.Add(11*time.Minute).Format(time.DateTime), i%999+1, i%998+1, i-2)
	}
	return b.String()
}

// named creates a trader of the API's organization.
func (b *testAPI) named(t testing.TB, name string) uuid.UUID {
	t.Helper()
	made, err := directory.CreateTrader(t.Context(), b.db, store.SystemChange(b.org.ID), directory.NewTrader{FullName: name})
	check(t, err)
	return made.ID
}

func filesOf(trader uuid.UUID) string { return "/v1/traders/" + trader.String() + "/activity-files" }

func (b *testAPI) upload(t testing.TB, trader uuid.UUID, parts ...part) reply {
	t.Helper()
	return b.ask(t, request{method: "POST", path: filesOf(trader), key: b.key, body: form(parts...), header: with("Content-Type", formMedia)})
}

// uploaded is the part of an activity file that the tests check.
type uploaded struct {
	ID                                                    uuid.UUID
	Name, MediaType, SHA256, Format, Timezone, UploadedBy string
	TimezoneBasis, Reconciled                             string
	Bytes, Trades, RowsRead                               int
	Options                                               map[string]any
}

func TestUploadActivityFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	text := statement(40)
	made := b.upload(t, trader, part{"file", `C:\Users\ada\Statement "June".csv`, text}, part{name: "timezone", content: "+02:00"},
		part{name: "account_login", content: "7001"}, part{name: "initial_balance", content: "50000.00"}).want(t, http.StatusCreated)
	f := decodeInto[uploaded](t, made)
	want := uploaded{
		ID: f.ID, Name: f.Name, MediaType: "text/csv", SHA256: f.SHA256, Format: f.Format, Timezone: "+02:00", TimezoneBasis: "given",
		Reconciled: "none", Bytes: len(text), Trades: 40, RowsRead: 41, UploadedBy: "test",
		Options: map[string]any{"timezone": "+02:00", "account_login": "7001", "initial_balance": 50000.0, "currency": nil, "platform": nil, "date_order": nil, "decimal": nil},
	}
	if diff := cmp.Diff(want, f); diff != "" || !strings.HasPrefix(f.Name, "Statement") {
		t.Errorf("file %q (-want +got):\n%s", f.Name, diff)
	}
	location := strings.TrimPrefix(made.header.Get("Location"), "https://assay.example")
	got := b.send(t, "GET", location, b.key, nil).want(t, http.StatusOK)
	if got.body != text || got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment; filename=") {
		t.Errorf("%d bytes come back under %v", len(got.body), got.header)
	}
	list := decodeInto[struct{ Data []uploaded }](t, b.send(t, "GET", filesOf(trader), b.key, nil).want(t, http.StatusOK))
	if diff := cmp.Diff([]uploaded{f}, list.Data); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	b.send(t, "DELETE", location, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "GET", location, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	b.send(t, "DELETE", location, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}

// TestUploadStatementOfTerminal uploads the report of a terminal as curl -F sends it, with the
// media type that curl makes of its name, and in UTF-16 as MT5 writes it. It comes back as an
// attachment, which no browser shows as a page.
func TestUploadStatementOfTerminal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	for _, tt := range []struct {
		name, format string
		encoding     encoding.Encoding
		want         string
	}{
		{"mt5_report.html", "mt5_report", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"},
		{"mt4_detailed.htm", "mt4_statement", encoding.Nop, "utf-8"},
	} {
		example, err := os.ReadFile("../../internal/statement/testdata/sources/" + tt.name)
		check(t, err)
		content, err := tt.encoding.NewEncoder().Bytes(example)
		check(t, err)
		body := strings.Replace(form(part{"file", tt.name, string(content)}, part{name: "timezone", content: "ny_close"}), "application/octet-stream", "text/html", 1)
		made := b.ask(t, request{method: "POST", path: filesOf(trader), key: b.key, body: body, header: with("Content-Type", formMedia)}).want(t, http.StatusCreated)
		type file struct {
			Name, MediaType, Format, Encoding, Delimiter, Reconciled, NetBasis string
			Trades                                                             int
		}
		want := file{tt.name, "text/html", tt.format, tt.want, "", "results_block", "verified_by_total", 6}
		if diff := cmp.Diff(want, decodeInto[file](t, made)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		got := b.send(t, "GET", strings.TrimPrefix(made.header.Get("Location"), "https://assay.example"), b.key, nil).want(t, http.StatusOK)
		if got.body != string(content) || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d bytes come back under %v", tt.name, len(got.body), got.header)
		}
	}
}

// TestUploadPackedStatement uploads a statement in a ZIP archive, which comes back as it was sent.
func TestUploadPackedStatement(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("Statement.csv")
	check(t, err)
	_, err = io.WriteString(w, statement(12))
	check(t, err)
	check(t, z.Close())
	trader := b.named(t, "Ada")
	made := b.upload(t, trader, part{"file", "Statement.zip", packed.String()}).want(t, http.StatusCreated)
	if f := decodeInto[uploaded](t, made); f.MediaType != "application/zip" || f.Trades != 12 {
		t.Errorf("read %+v", f)
	}
	got := b.send(t, "GET", strings.TrimPrefix(made.header.Get("Location"), "https://assay.example"), b.key, nil).want(t, http.StatusOK)
	if got.body != packed.String() || got.header.Get("Content-Type") != "application/zip" {
		t.Errorf("%d bytes come back under %v", len(got.body), got.header)
	}
}

// TestUploadOfStockBrokers uploads what brokers for stocks export. It comes back as it was sent.
func TestUploadOfStockBrokers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	for _, tt := range []struct{ name, format, media string }{
		{"ibkr_activity.csv", "ibkr", "text/csv"},
		{"ibkr_flex.xml", "ibkr", "application/xml"},
		{"thinkorswim.csv", "thinkorswim", "text/csv"},
	} {
		example, err := os.ReadFile("../../internal/statement/testdata/sources/" + tt.name)
		check(t, err)
		made := b.upload(t, trader, part{"file", tt.name, string(example)}, part{name: "timezone", content: "America/New_York"}).want(t, http.StatusCreated)
		if f := decodeInto[uploaded](t, made); f.MediaType != tt.media || f.Format != tt.format || f.Trades != 5 {
			t.Errorf("%s: read %+v", tt.name, f)
		}
		got := b.send(t, "GET", strings.TrimPrefix(made.header.Get("Location"), "https://assay.example"), b.key, nil).want(t, http.StatusOK)
		if got.body != string(example) || !strings.HasPrefix(got.header.Get("Content-Type"), tt.media) || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d bytes come back under %v", tt.name, len(got.body), got.header)
		}
	}
}

// TestUploadOfEveryFamily previews and uploads the example of every family as curl -F sends it. All
// hold the same trades, so that their totals are equal, and what a preview says holds for the upload.
func TestUploadOfEveryFamily(t *testing.T) {
	t.Parallel()
	b := setup(t)
	examples, err := filepath.Glob("../../internal/statement/testdata/sources/*")
	check(t, err)
	type read struct {
		Format string
		Trades int
		Net    []struct{ Value float64 }
	}
	stated := 0
	for _, path := range examples {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "matchtrader_finance") || strings.HasPrefix(name, "matchtrader_open") {
			continue // payments and open positions have no result
		}
		content, err := os.ReadFile(path)
		check(t, err)
		trader := b.named(t, name)
		parts := []part{{"file", name, string(content)}, {name: "timezone", content: "UTC"}}
		body := b.ask(t, request{method: "POST", path: filesOf(trader) + "/preview", key: b.key, body: form(parts...), header: with("Content-Type", formMedia)}).want(t, http.StatusOK)
		seen, made := decodeInto[read](t, body), decodeInto[read](t, b.upload(t, trader, parts...).want(t, http.StatusCreated))
		if diff := cmp.Diff(seen, made); diff != "" {
			t.Errorf("%s: the upload differs from its preview (-preview +upload):\n%s", name, diff)
		}
		if made.Trades != 5 && made.Trades != 6 { // with one that is open
			t.Errorf("%s has %d trades", name, made.Trades)
		}
		for _, net := range made.Net {
			if stated++; net.Value != 1239.55 {
				t.Errorf("%s has a net result of %v", name, net.Value)
			}
		}
	}
	if stated < 25 {
		t.Errorf("%d of %d examples state a net result", stated, len(examples))
	}
}

// TestUploadTellsWhatItLeavesOut checks that a trade in the future is listed with its line, that
// a file that ends within a row is refused with its line, and that an analysis of the present
// says where the trades of an older file are.
func TestUploadTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	const future = "9001,EURUSD,buy,0.50,2050-06-15 08:00:00,2050-06-15 09:00:00,1.07001,1.08001,5.25\n"
	made := b.upload(t, trader, part{"file", "a.csv", statement(3) + future}).want(t, http.StatusCreated)
	f := decodeInto[struct {
		Trades, RejectedRows int
		Rejected             []struct {
			Line   int
			Reason string
		}
	}](t, made)
	if f.Trades != 3 || f.RejectedRows != 1 || len(f.Rejected) != 1 || f.Rejected[0].Line != 5 || f.Rejected[0].Reason != "in_future" {
		t.Errorf("told %+v", f)
	}
	cut := statement(4)
	refused := b.upload(t, trader, part{"file", "cut.csv", cut[:len(cut)-25]})
	refused.wantProblem(t, http.StatusUnprocessableEntity, "file_not_understood")
	if !strings.Contains(refused.body, "Line 5: the file ends within this row") {
		t.Errorf("refused with %s", refused.body)
	}

	type outside struct {
		Trades   int
		From, To time.Time
	}
	type answer struct {
		Totals  struct{ Trades int }
		Outside struct{ Before, After *outside }
	}
	path := "/v1/traders/" + trader.String() + "/activity?timezone=UTC"
	now := decodeInto[answer](t, b.send(t, "GET", path+"&from=2026-07-01T00:00:00Z&to=2026-09-01T00:00:00Z", b.key, nil).want(t, http.StatusOK))
	before := now.Outside.Before
	if now.Totals.Trades != 0 || before == nil || before.Trades != 3 || now.Outside.After != nil {
		t.Fatalf("activity %+v, want three trades before the window", now)
	}
	query := "&from=" + before.From.Format(time.RFC3339Nano) + "&to=" + before.To.Add(time.Second).Format(time.RFC3339Nano)
	then := decodeInto[answer](t, b.send(t, "GET", path+query, b.key, nil).want(t, http.StatusOK))
	if then.Totals.Trades != 3 || then.Outside.Before != nil || then.Outside.After != nil {
		t.Errorf("activity of that time %+v, want the three trades", then)
	}
}

// TestPreviewActivityFile previews a file of an account that a platform and another file know, and
// checks that nothing of it stays.
func TestPreviewActivityFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	login := part{name: "account_login", content: "7001"}
	known := decodeInto[uploaded](t, b.upload(t, trader, part{"file", "before.csv", statement(5)}, login).want(t, http.StatusCreated))
	preview := func(parts ...part) reply {
		return b.ask(t, request{method: "POST", path: filesOf(trader) + "/preview", key: b.key, body: form(parts...), header: with("Content-Type", formMedia)})
	}
	type shown struct {
		Format, TimezoneBasis string
		DateOrderLine         *int
		Trades, RejectedRows  int
		AlreadyImported       bool
		Accounts              []struct {
			Login  string
			Trades int
			Known  []struct{ IntegrationID, FileID *uuid.UUID }
		}
		FirstTrades []struct {
			ID, Symbol, Side string
			OpenTime         time.Time
			Profit           float64
		}
	}
	dayFirst := "Ticket;Symbol;Side;Volume;Open Time;Close Time;Open Price;Close Price;Profit\n" +
		"1;XAUUSD;buy;0.5;03/04/2026 10:00;03/04/2026 11:00;1.1;1.2;1.5\n2;EURUSD;sell;0.5;13/04/2026 10:00;13/04/2026 11:00;1.1;1.2;-2.5\n"
	p := decodeInto[shown](t, preview(part{"file", "after.csv", dayFirst}, login, part{name: "timezone", content: "+02:00"}).want(t, http.StatusOK))
	if p.Trades != 2 || p.DateOrderLine == nil || *p.DateOrderLine != 3 || p.TimezoneBasis != "given" || p.AlreadyImported || len(p.FirstTrades) != 2 {
		t.Fatalf("the preview says %+v", p)
	}
	if first := p.FirstTrades[0]; first.Symbol != "XAUUSD" || first.Side != "buy" || first.Profit != 1.5 || !first.OpenTime.Equal(time.Date(2026, 4, 3, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("the first trade is %+v", first)
	}
	if a := p.Accounts; len(a) != 1 || a[0].Login != "7001" || a[0].Trades != 2 || len(a[0].Known) != 1 || a[0].Known[0].FileID == nil || *a[0].Known[0].FileID != known.ID {
		t.Errorf("the accounts are %+v", a)
	}
	same := decodeInto[shown](t, preview(part{"file", "before.csv", statement(5)}, login).want(t, http.StatusOK))
	if !same.AlreadyImported || len(same.Accounts[0].Known) != 0 {
		t.Errorf("of what is imported already the preview says %+v", same)
	}
	long := decodeInto[shown](t, preview(part{"file", "long.csv", statement(40)}).want(t, http.StatusOK))
	if long.Trades != 40 || len(long.FirstTrades) != 10 || long.Accounts[0].Login != "" || len(long.Accounts[0].Known) != 0 {
		t.Errorf("of a long file the preview says %+v", long)
	}
	preview(part{"file", "poem.csv", "name,colour\nrose,red\n"}).wantProblem(t, http.StatusUnprocessableEntity, "file_not_understood")
	list := decodeInto[struct{ Data []uploaded }](t, b.send(t, "GET", filesOf(trader), b.key, nil).want(t, http.StatusOK))
	if len(list.Data) != 1 || list.Data[0].ID != known.ID {
		t.Errorf("after the previews the trader has the files %+v", list.Data)
	}
	b.ask(t, request{method: "POST", path: filesOf(uuid.New()) + "/preview", key: b.key, body: form(part{"file", "a.csv", statement(1)}), header: with("Content-Type", formMedia)}).
		wantProblem(t, http.StatusNotFound, "not_found")
}

// TestUploadActivityFileAgain checks that equal bytes are one file, which is read again if the
// options differ.
func TestUploadActivityFileAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	first := b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated)
	again := b.upload(t, trader, part{"activity_file", "b.csv", statement(5)}).want(t, http.StatusOK)
	if again.body != first.body || again.header.Get("Location") != first.header.Get("Location") {
		t.Errorf("the same file is\n%s\nthe second time, and was\n%s", again.body, first.body)
	}
	zoned := b.upload(t, trader, part{"file", "a.csv", statement(5)}, part{name: "timezone", content: "eet"}).want(t, http.StatusCreated)
	if x, y := decodeInto[uploaded](t, first), decodeInto[uploaded](t, zoned); x.ID != y.ID || y.Timezone != "eet" || y.Trades != 5 {
		t.Errorf("read again it is %+v", y)
	}
}

// TestUploadCanBeRepeated checks that repetitions are recognized by the content of the form,
// because clients choose another boundary each time.
func TestUploadCanBeRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	a := b.post(t, filesOf(trader), "upload-1", form(part{"file", "a.csv", statement(5)}))
	a.header.Set("Content-Type", formMedia)
	first := b.attempt(t, a).wantNew(t, http.StatusCreated)
	a.body = strings.ReplaceAll(a.body, "the-boundary", "another-one")
	a.header.Set("Content-Type", strings.ReplaceAll(formMedia, "the-boundary", "another-one"))
	b.attempt(t, a).wantReplay(t, first)
	a.body = strings.ReplaceAll(a.body, "a.csv", "b.csv")
	b.attempt(t, a).wantProblem(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	trader := b.named(t, "Ada")
	file := part{"file", "a.csv", statement(5)}
	ambiguous := "Ticket,Symbol,Side,Volume,Open Time,Close Time,Profit\n1,EURUSD,buy,0.5,03/04/2026 08:00,03/04/2026 09:00,1.25\n"
	for _, tt := range []struct {
		name   string
		parts  []part
		status int
		code   string
		says   string // part of the body
	}{
		{"no file", []part{{name: "currency", content: "USD"}}, 422, "validation_failed", `"#/file"`},
		{"a text for a file", []part{{name: "file", content: "1,2"}}, 422, "validation_failed", `"#/file"`},
		{"two files", []part{file, file}, 422, "validation_failed", `"#/file"`},
		{"two files of both names", []part{file, {"activity_file", "b.csv", "x"}}, 422, "validation_failed", `"#/activity_file"`},
		{"a file for a text", []part{file, {"timezone", "z", "UTC"}}, 422, "validation_failed", `"#/timezone"`},
		{"an unknown part", []part{file, {name: "colour", content: "red"}}, 422, "validation_failed", `"#/colour"`},
		{"a part twice", []part{file, {name: "currency", content: "USD"}, {name: "currency", content: "EUR"}}, 422, "validation_failed", `"#/currency"`},
		{"all options wrong", []part{
			file,
			{name: "currency", content: "usd"},
			{name: "timezone", content: "Moon"},
			{name: "initial_balance", content: "much"},
			{name: "platform", content: "x"},
			{name: "date_order", content: "ymd"},
			{name: "decimal", content: ";"},
		}, 422, "validation_failed", `"#/decimal"`},
		{"a text that is too long", []part{file, {name: "currency", content: strings.Repeat("x", 5000)}}, 422, "validation_failed", `"#/currency"`},
		{"many parts", append([]part{file}, make([]part, 30)...), 400, "invalid_form", "20 parts"},
		{"a page", []part{{"file", "a.csv", "<!DOCTYPE html><html><table><tr><td>1</td></tr></table></html>"}}, 422, "file_not_understood", "No table of trades"},
		{"a report of a tester", []part{{"file", "a.html", "<html><title>Strategy Tester Report</title></html>"}}, 422, "file_not_understood", "strategy tester"},
		{"XML", []part{{"file", "a.xml", "<?xml version='1.0'?><a/>"}}, 415, "unsupported_file_type", "HTML"},
		{"PDF", []part{{"file", "a.csv", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"}}, 415, "unsupported_file_type", ""},
		{"a workbook that is none", []part{{"file", "a.xlsx", "PK\x03\x04" + strings.Repeat("x", 100)}}, 422, "file_not_understood", ""},
		{"a large workbook", []part{{"file", "a.xlsx", "PK\x03\x04" + strings.Repeat("x", 32<<20)}}, 413, "file_too_large", "32 MiB"},
		{"empty", []part{{"file", "a.csv", ""}}, 422, "file_not_understood", "empty"},
		{"another table", []part{{"file", "a.csv", "name,colour\nrose,red\n"}}, 422, "file_not_understood", "Seen"},
		{"dates of two readings", []part{{"file", "a.csv", ambiguous}}, 422, "ambiguous_dates", `"#/date_order"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := b.upload(t, trader, tt.parts...)
			r.wantProblem(t, tt.status, tt.code)
			if !strings.Contains(r.body, tt.says) {
				t.Errorf("%s says nothing of %q", r.body, tt.says)
			}
		})
	}
	if n := b.readText(t, `SELECT count(*)::text FROM activity_files`); n != "0" {
		t.Errorf("%s files were kept", n)
	}
	b.upload(t, trader, part{"file", "a.csv", ambiguous}, part{name: "date_order", content: "dmy"}).want(t, http.StatusCreated)
}

// TestUploadThatBreaksOff checks that a form without an end is refused, and nothing of it is
// stored.
func TestUploadThatBreaksOff(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	trader := b.named(t, "Ada")
	whole := form(part{"file", "a.csv", statement(50)})
	for _, body := range []string{whole[:200], whole[:len(whole)-8], "--the-boundary", "nothing of the kind"} {
		b.ask(t, request{method: "POST", path: filesOf(trader), key: b.key, body: body, header: with("Content-Type", formMedia)}).
			wantProblem(t, http.StatusBadRequest, "invalid_form")
	}
	if n := b.readText(t, `SELECT count(*)::text FROM activity_files`); n != "0" {
		t.Errorf("%s files were kept", n)
	}
}

func TestUploadsOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	made := b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated)
	location := strings.TrimPrefix(made.header.Get("Location"), "https://assay.example")
	other := b.named(t, "Bob")
	elsewhere := strings.Replace(location, trader.String(), other.String(), 1)
	upload := request{method: "POST", path: filesOf(trader), key: b.other, body: form(part{"file", "a.csv", statement(5)}), header: with("Content-Type", formMedia)}
	b.ask(t, upload).wantProblem(t, http.StatusNotFound, "not_found")
	for _, q := range []request{
		{method: "GET", path: filesOf(trader), key: b.other},
		{method: "GET", path: location, key: b.other},
		{method: "DELETE", path: location, key: b.other},
		{method: "GET", path: "/v1/traders/" + trader.String() + "/activity", key: b.other},
		{method: "GET", path: elsewhere, key: b.key},
		{method: "DELETE", path: elsewhere, key: b.key},
	} {
		b.ask(t, q).wantProblem(t, http.StatusNotFound, "not_found")
	}
	_, reading := newOrganization(t, b.db, auth.TradersRead)
	upload.key = reading
	b.ask(t, upload).wantProblem(t, http.StatusForbidden, "insufficient_scope")
}

func TestCrossingUploads(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	trader := b.named(t, "Ada")
	replies := make([]reply, 4)
	var group sync.WaitGroup
	for i := range replies {
		group.Go(func() { replies[i] = b.upload(t, trader, part{"file", "a.csv", statement(500)}) })
	}
	group.Wait()
	made := 0
	for _, r := range replies {
		if r.status == http.StatusCreated {
			made++
		}
		if got := decodeInto[uploaded](t, r); got.ID != decodeInto[uploaded](t, replies[0]).ID || got.Trades != 500 {
			t.Errorf("answered %d %s", r.status, r.body)
		}
	}
	if n := b.readText(t, `SELECT count(*)::text FROM activity_trades`); made != 1 || n != "500" {
		t.Errorf("%d files were made, with %s trades", made, n)
	}
}

// TestUploadToAFullDisk checks that nothing is stored, and that the sender may come back. Writing
// to the device fails as writing to a full disk does.
func TestUploadToAFullDisk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	for name, open := range map[string]func() (*os.File, error){
		"full":    func() (*os.File, error) { return os.OpenFile("/dev/full", os.O_RDWR, 0) },
		"no room": func() (*os.File, error) { return nil, errors.New("made by the test") },
	} {
		b.spool = open
		b.restart(t)
		r := b.upload(t, trader, part{"file", "a.csv", statement(5000)})
		r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
		if r.header.Get("Retry-After") == "" || strings.Contains(r.body, "made by the test") {
			t.Errorf("%s: answered %v %s", name, r.header, r.body)
		}
	}
	b.spool = nil
	b.restart(t)
	b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated)
}

// TestSpooledFilesHaveNoName checks that a killed process leaves no partial file.
func TestSpooledFilesHaveNoName(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	b := setup(t)
	b.upload(t, b.named(t, "Ada"), part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated)
	entries, err := os.ReadDir(folder)
	check(t, err)
	if len(entries) > 0 {
		t.Errorf("%v is left", entries[0])
	}
}

// TestActivityFileEvents checks that both kinds of events are queued for a receiver together with
// the change.
func TestActivityFileEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.named(t, "Ada")
	hook, err := webhooks.CreateEndpoint(t.Context(), b.db, store.SystemChange(b.org.ID), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: []string{"activity_file.*"}})
	check(t, err)
	b.upload(t, trader, part{"file", "a.csv", "name,colour\nrose,red\n"}).wantProblem(t, 422, "file_not_understood")
	made := decodeInto[uploaded](t, b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusCreated))
	b.upload(t, trader, part{"file", "a.csv", statement(5)}).want(t, http.StatusOK)
	r := b.send(t, "GET", "/v1/webhooks/"+hook.ID.String()+"/deliveries", b.key, nil).want(t, http.StatusOK)
	got := decodeInto[struct {
		Data []struct {
			Event   struct{ Type event.Kind }
			Payload struct{ Data map[string]any }
		}
	}](t, r)
	var told []string
	for _, d := range got.Data {
		told = append(told, fmt.Sprint(d.Event.Type, " ", d.Payload.Data))
	}
	path := "/v1/traders/" + trader.String()
	want := []string{
		fmt.Sprintf("activity_file.processed map[file_id:%s path:%s/activity-files/%s trader_id:%s trades:5]", made.ID, path, made.ID, trader),
		fmt.Sprintf("activity_file.failed map[code:file_not_understood path:%s trader_id:%s]", path, trader),
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}
