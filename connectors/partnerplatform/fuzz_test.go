package partnerplatform_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

// fuzzPage decodes a body as a page of the stream and checks what holds for every
// page. It returns an empty page for a body that is no page.
func fuzzPage(t *testing.T, stream record.Stream, body []byte) *connectors.Page {
	t.Helper()
	req := connectors.PageRequest{Stream: stream, UpdatedSince: at(10, 0, 0)}
	page, err := partnerplatform.DecodePage(body, req)
	page = connectortest.CheckPage(t, page, err)
	if n, ok := partnerplatform.Position(page.Next); !ok || page.Next != "" && n != 2 {
		t.Fatalf("next %q", page.Next)
	}
	return page
}

func seeds(f *testing.F, stream record.Stream, items ...string) {
	f.Helper()
	smallest := bare(stream)
	for _, item := range append(items, smallest, `{}`, `5`) {
		f.Add([]byte(`{"data":[` + item + `],"metadata":{"total_count":"1"}}`))
	}
	f.Add([]byte(`{"total_count":-1,"items":[` + smallest + `,null]}`))
	f.Add([]byte(`[` + strings.Repeat(smallest+",", 120) + smallest + `]`))
}

func FuzzCustomers(f *testing.F) {
	seeds(f, record.StreamTraders, fullCustomer, `{"id":1e3,"user":{"email":["x"]},"ip":"\ud800"}`)
	f.Fuzz(func(t *testing.T, body []byte) { fuzzPage(t, record.StreamTraders, body) })
}

func FuzzAccounts(f *testing.F) {
	seeds(f, record.StreamAccounts, fullAccount, `{"login":7,"customer":5,"balance":"1,0","status":"\u0130"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, record.StreamAccounts, body).Accounts {
			connectortest.Required(t, r.Login)
		}
	})
}

// fuzzTrades checks trades of one of the two lists.
func fuzzTrades(f *testing.F, stream record.Stream) {
	f.Helper()
	seeds(f, stream, fullTrade, with(bareClosed, "side", "1.0", "volume", "1e2", "account", `{"accountNr":"x"}`), `{"id":1,"account":"\u001f"}`)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range fuzzPage(t, stream, body).Trades {
			if r.Open() != (stream == record.StreamTradesOpen) {
				t.Fatalf("trade %+v", r)
			}
		}
	})
}

func FuzzOpenTrades(f *testing.F)   { fuzzTrades(f, record.StreamTradesOpen) }
func FuzzClosedTrades(f *testing.F) { fuzzTrades(f, record.StreamTradesClosed) }

func FuzzPayouts(f *testing.F) {
	seeds(f, record.StreamPayouts, fullPayout, `{"payoutNr":1,"account":{"id":2},"requestAmount":"x"}`)
	f.Fuzz(func(t *testing.T, body []byte) { fuzzPage(t, record.StreamPayouts, body) })
}

// From any cursor, a page is read or refused, and the cursor that follows can be
// read.
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
