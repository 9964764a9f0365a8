package customapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
)

// fuzzRecord decodes a record as the only one of a page and checks what holds
// for every kind of record.
func fuzzRecord(t *testing.T, stream record.Stream, item string) *connectors.Page {
	t.Helper()
	page, err := customapi.DecodePage([]byte("["+item+"]"), stream, time.Time{}, 200)
	if err != nil {
		if json.Valid([]byte("[" + strings.ReplaceAll(item, "\x00", "\xff") + "]")) {
			t.Fatalf("a valid list was refused: %v", err)
		}
		return &connectors.Page{}
	}
	if page.Len()+len(page.Rejected) != page.Seen {
		t.Fatalf("%d accepted, %d rejected, %d seen", page.Len(), len(page.Rejected), page.Seen)
	}
	for _, r := range page.Rejected {
		storable(t, r.Key, r.Raw, r.Pointer, r.Rule, r.Detail)
		if r.Key == "" || r.Rule == "" || r.Detail == "" {
			t.Fatalf("rejected %+v", r)
		}
	}
	for _, f := range page.Findings {
		if f.Count < 1 || len(f.Samples) > record.MaxSamples {
			t.Fatalf("finding %+v", f)
		}
	}
	return page
}

// storable fails for text that Postgres does not take.
func storable(t *testing.T, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("%q is not storable", s)
		}
	}
}

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

func FuzzTrader(f *testing.F) {
	for _, seed := range []string{fullTrader, bareTrader, with(bareTrader, "kyc_status", `"x"`, "tags", `[1,"",{}]`), `{"id":1e3}`, `null`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, item string) {
		for _, r := range fuzzRecord(t, record.StreamTraders, item).Traders {
			required(t, r.ID)
			storable(t, append(r.Tags, r.Email, r.FirstName, r.LastName, r.Country, r.Phone, r.KYCStatus)...)
			metadata(t, r.Metadata)
			if r.UpdatedAt.IsZero() {
				t.Fatal("no updated_at")
			}
		}
	})
}

func FuzzAccount(f *testing.F) {
	for _, seed := range []string{fullAccount, bareAccount, with(bareAccount, "platform", `"x"`, "balance", `"1,00"`), `{"id":true}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, item string) {
		for _, r := range fuzzRecord(t, record.StreamAccounts, item).Accounts {
			required(t, r.ID, r.TraderID)
			storable(t, r.Platform, r.Login, r.Program, r.Phase, r.Status, r.Currency)
			numbers(t, r.InitialBalance, r.Balance, r.Equity)
			metadata(t, r.Metadata)
			if r.UpdatedAt.IsZero() {
				t.Fatal("no updated_at")
			}
		}
	})
}

func FuzzTrade(f *testing.F) {
	for _, seed := range []string{fullTrade, bareTrade, with(bareTrade, "side", "1", "lots", "0.5"), with(bareTrade, "profit", "1e99999"), `[]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, item string) {
		for _, r := range fuzzRecord(t, record.StreamTrades, item).Trades {
			required(t, r.ID, r.AccountID, r.Symbol)
			numbers(t, r.Volume, r.OpenPrice, r.ClosePrice, r.StopLoss, r.TakeProfit, r.Commission, r.Swap, r.Profit)
			if r.UpdatedAt.IsZero() || r.OpenTime.IsZero() || r.Side != record.Buy && r.Side != record.Sell {
				t.Fatalf("trade %+v", r)
			}
		}
	})
}

func FuzzPayout(f *testing.F) {
	for _, seed := range []string{fullPayout, barePayout, with(barePayout, "amount", `"12.5"`), with(barePayout, "status", `"x"`)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, item string) {
		for _, r := range fuzzRecord(t, record.StreamPayouts, item).Payouts {
			required(t, r.ID, r.TraderID, r.Status)
			storable(t, r.AccountID, r.Currency)
			numbers(t, r.Amount)
			if r.UpdatedAt.IsZero() {
				t.Fatal("no updated_at")
			}
		}
	})
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{`{"data":[` + bareTrader + `],"next_cursor":"x"}`, `{"items":[1],"next_cursor":5}`, `[` + bareTrader + `]`, `{"data":null}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		page, err := customapi.DecodePage(body, record.StreamTraders, at(10, 0, 0), 2)
		if err == nil {
			storable(t, page.Next)
		} else if page != nil {
			t.Fatal("a page and an error")
		}
	})
}
