package partnerplatform_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

// storable fails for text that Postgres does not take.
func storable(t *testing.T, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("%q is not storable", s)
		}
	}
}

// required fails for text that is empty as well.
func required(t *testing.T, texts ...string) {
	t.Helper()
	storable(t, texts...)
	for _, s := range texts {
		if s == "" {
			t.Fatal("a required field is empty")
		}
	}
}

func metadata(t *testing.T, text string) {
	t.Helper()
	storable(t, text)
	if text != "" && (!json.Valid([]byte(text)) || text[0] != '{') {
		t.Fatalf("metadata %q", text)
	}
}

func numbers(t *testing.T, all ...record.Decimal) {
	t.Helper()
	for _, d := range all {
		if again, err := record.ParseDecimal(string(d)); d != "" && (err != nil || again != d) {
			t.Fatalf("number %q: %v", d, err)
		}
	}
}

// fuzzPage decodes a body as a page of the stream and checks what holds for
// every page. It returns an empty page for a body that is none.
func fuzzPage(t *testing.T, stream record.Stream, body []byte) *connectors.Page {
	t.Helper()
	req := connectors.PageRequest{Stream: stream, UpdatedSince: at(10, 0, 0)}
	page, err := partnerplatform.DecodePage(body, req)
	if err != nil {
		if page != nil {
			t.Fatal("a page and an error")
		}
		return &connectors.Page{}
	}
	if page.Len()+len(page.Rejected) != page.Seen {
		t.Fatalf("%d accepted, %d rejected, %d seen", page.Len(), len(page.Rejected), page.Seen)
	}
	if n, ok := partnerplatform.Position(page.Next); !ok || page.Next != "" && n != 2 {
		t.Fatalf("next %q", page.Next)
	}
	for _, r := range page.Rejected {
		storable(t, r.Raw, r.Pointer)
		required(t, r.Key, r.Rule, r.Detail)
	}
	for _, f := range page.Findings {
		if f.Count < 1 || len(f.Samples) > record.MaxSamples {
			t.Fatalf("finding %+v", f)
		}
	}
	return page
}

func seeds(f *testing.F, stream record.Stream, items ...string) {
	f.Helper()
	smallest := bare(stream)
	for _, item := range append(items, smallest.String(), `{}`, `5`) {
		f.Add([]byte(`{"data":[` + item + `],"metadata":{"total_count":"1"}}`))
	}
	f.Add([]byte(`{"total_count":-1,"items":[` + smallest.String() + `,null]}`))
	f.Add([]byte(`[` + strings.Repeat(smallest.String()+",", 120) + smallest.String() + `]`))
}

func FuzzCustomers(f *testing.F) {
	seeds(f, record.StreamTraders, fullCustomer, `{"id":1e3,"user":{"email":["x"]},"ip":"\ud800"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, record.StreamTraders, body).Traders {
			required(t, r.ID)
			storable(t, r.Email, r.FirstName, r.LastName, r.Country, r.Phone, r.KYCStatus)
			metadata(t, r.Metadata)
		}
	})
}

func FuzzAccounts(f *testing.F) {
	seeds(f, record.StreamAccounts, fullAccount, `{"login":7,"customer":5,"balance":"1,0","status":"\u0130"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, record.StreamAccounts, body).Accounts {
			required(t, r.ID, r.Login)
			storable(t, r.TraderID, r.Platform, r.Program, r.Phase, r.Status, r.Currency, r.PartnerID)
			numbers(t, r.InitialBalance, r.Balance, r.Equity)
			metadata(t, r.Metadata)
		}
	})
}

// fuzzTrades checks trades of one of the two lists.
func fuzzTrades(f *testing.F, stream record.Stream) {
	f.Helper()
	seeds(f, stream, fullTrade, bareClosed.with("side", "1.0", "volume", "1e2", "account", `{"accountNr":"x"}`).String(), `{"id":1,"account":"\u001f"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, stream, body).Trades {
			required(t, r.ID, r.AccountID, r.Symbol)
			numbers(t, r.Volume, r.OpenPrice, r.ClosePrice, r.StopLoss, r.TakeProfit, r.Commission, r.Swap, r.Profit)
			if r.Open() != (stream == record.StreamTradesOpen) || r.Side != record.Buy && r.Side != record.Sell {
				t.Fatalf("trade %+v", r)
			}
		}
	})
}

func FuzzOpenTrades(f *testing.F)   { fuzzTrades(f, record.StreamTradesOpen) }
func FuzzClosedTrades(f *testing.F) { fuzzTrades(f, record.StreamTradesClosed) }

func FuzzPayouts(f *testing.F) {
	seeds(f, record.StreamPayouts, fullPayout, `{"payoutNr":1,"account":{"id":2},"requestAmount":"x"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, record.StreamPayouts, body).Payouts {
			required(t, r.ID)
			storable(t, r.TraderID, r.AccountID, r.Status, r.Currency)
			numbers(t, r.Amount)
			metadata(t, r.Metadata)
		}
	})
}

// From any cursor, a page is read or refused, and what follows it can be read.
func FuzzCursor(f *testing.F) {
	full := body(between(0, 100), total(900))
	first, err := partnerplatform.DecodePage(full, connectors.PageRequest{Stream: record.StreamPayouts})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", first.Next, "2.1.1.0.0.1.0", "2.1.1.0.0.1.2", "2.1.1.0.0.1.3", "1.9.3.zz.1.a.1", "3.1.1.0.0.1.0", "2.1.1.0.0.01.0", "2.1.1.0.0.A.0",
		"-1.1.1.0.0.1.0", "2.1.1.3w5e11264sgsf.3w5e11264sgsf.1.0", "....", "2.1.1.0.0.1.0.0", "next",
	} {
		f.Add(seed, 100, "900")
	}
	f.Add(first.Next, 0, "-9")
	f.Fuzz(func(t *testing.T, cursor string, rows int, length string) {
		n, ok := partnerplatform.Position(cursor)
		if n < 1 || !ok && n != 1 {
			t.Fatalf("page %d, read %t", n, ok)
		}
		encoded, err := json.Marshal(strings.ToValidUTF8(length, "\uFFFD"))
		if err != nil {
			t.Fatal(err)
		}
		text := body(between(0, max(rows, 0)%300), `,"total_count":`+string(encoded))
		page, err := partnerplatform.DecodePage(text, connectors.PageRequest{Stream: record.StreamPayouts, Cursor: cursor})
		if err != nil {
			return
		}
		if page.Next == "" {
			return
		}
		if page.Next == cursor {
			t.Fatal("the cursor stands still")
		}
		if _, ok := partnerplatform.Position(page.Next); !ok {
			t.Fatalf("%q leads to %q, which cannot be read", cursor, page.Next)
		}
	})
}
