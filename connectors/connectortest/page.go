package connectortest

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// Rules returns the names of the page's findings, separated by spaces.
func Rules(p *connectors.Page) string {
	var names []string
	for _, f := range p.Findings {
		names = append(names, f.Rule)
	}
	return strings.Join(names, " ")
}

// Rejections returns rule and member of the page's rejected records, separated by
// commas.
func Rejections(p *connectors.Page) string {
	var all []string
	for _, r := range p.Rejected {
		all = append(all, r.Rule+" "+r.Pointer)
	}
	return strings.Join(all, ", ")
}

// CheckPage checks the result of decoding any body: what is on the page of any kind
// of platform can be stored. It returns the page, or an empty one for a body that
// is no page.
func CheckPage(t testing.TB, p *connectors.Page, err error) *connectors.Page {
	t.Helper()
	if err != nil {
		if p != nil {
			t.Fatal("a page and an error")
		}
		return &connectors.Page{}
	}
	if p.Len()+len(p.Rejected) != p.Seen {
		t.Fatalf("%d accepted, %d rejected, %d seen", p.Len(), len(p.Rejected), p.Seen)
	}
	requireStorable(t, p.Next)
	for _, r := range p.Rejected {
		Required(t, r.Key, r.Rule, r.Detail)
		requireStorable(t, r.Raw, r.Pointer)
	}
	for _, f := range p.Findings {
		if f.Count < 1 || len(f.Samples) > record.MaxSamples {
			t.Fatalf("finding %+v", f)
		}
	}
	checkRecords(t, p.Batch)
	return p
}

// checkRecords checks every text and number of the records. Which fields are
// required in addition to ids differs from platform to platform.
func checkRecords(t testing.TB, b record.Batch) {
	t.Helper()
	for _, r := range b.Traders {
		Required(t, r.ID)
		requireStorable(t, append(r.Tags, r.Email, r.FirstName, r.LastName, r.Country, r.Phone, r.KYCStatus)...)
		requireMetadata(t, r.Metadata)
		requireMetadata(t, r.Unrecognized)
	}
	for _, r := range b.Accounts {
		Required(t, r.ID)
		requireStorable(t, r.TraderID, r.Platform, r.Login, r.Program, r.Phase, r.Status, r.Currency, r.PartnerID)
		requireNumbers(t, r.InitialBalance, r.Balance, r.Equity)
		requireMetadata(t, r.Metadata)
		requireMetadata(t, r.Unrecognized)
	}
	for _, r := range b.Trades {
		Required(t, r.ID, r.AccountID, r.Symbol)
		requireNumbers(t, r.Volume, r.OpenPrice, r.ClosePrice, r.StopLoss, r.TakeProfit, r.Commission, r.Swap, r.Profit)
		if r.Side != record.Buy && r.Side != record.Sell {
			t.Fatalf("trade %+v", r)
		}
	}
	for _, r := range b.Payouts {
		Required(t, r.ID)
		requireStorable(t, r.TraderID, r.AccountID, r.Status, r.Currency)
		requireNumbers(t, r.Amount)
		requireMetadata(t, r.Metadata)
	}
}

// Required fails for text that is empty or cannot be stored.
func Required(t testing.TB, texts ...string) {
	t.Helper()
	requireStorable(t, texts...)
	for _, s := range texts {
		if s == "" {
			t.Fatal("a required field is empty")
		}
	}
}

// requireStorable fails for text that Postgres does not accept.
func requireStorable(t testing.TB, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Fatalf("%q is not storable", s)
		}
	}
}

func requireMetadata(t testing.TB, text string) {
	t.Helper()
	requireStorable(t, text)
	if text != "" && (!json.Valid([]byte(text)) || text[0] != '{') {
		t.Fatalf("metadata %q", text)
	}
}

func requireNumbers(t testing.TB, all ...record.Decimal) {
	t.Helper()
	for _, d := range all {
		if again, err := record.ParseDecimal(string(d)); d != "" && (err != nil || again != d) {
			t.Fatalf("number %q: %v", d, err)
		}
	}
}
