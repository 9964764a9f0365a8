package customapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
)

// fuzzRecord decodes a record as the only one of a page and checks what holds
// for every kind of record.
func fuzzRecord(t *testing.T, stream record.Stream, item string) *connectors.Page {
	t.Helper()
	page, err := customapi.DecodePage([]byte("["+item+"]"), stream, time.Time{}, 200)
	if err != nil && json.Valid([]byte("["+strings.ReplaceAll(item, "\x00", "\xff")+"]")) {
		t.Fatalf("a valid list was refused: %v", err)
	}
	return connectortest.CheckPage(t, page, err)
}

func FuzzTrader(f *testing.F) {
	for _, seed := range []string{fullTrader, bareTrader, with(bareTrader, "kyc_status", `"x"`, "tags", `[1,"",{}]`), `{"id":1e3}`, `null`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, item string) {
		for _, r := range fuzzRecord(t, record.StreamTraders, item).Traders {
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
			connectortest.Required(t, r.TraderID)
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
			if r.UpdatedAt.IsZero() || r.OpenTime.IsZero() {
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
			connectortest.Required(t, r.TraderID, r.Status)
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
		connectortest.CheckPage(t, page, err)
	})
}
