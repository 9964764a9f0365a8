package v1_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// parseTable reads a CSV answer: its columns by name, of each row.
func (r reply) parseTable(t *testing.T) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	check(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestExportTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, record.Batch{Traders: []record.Trader{
		{ID: "1", FirstName: `=cmd("x")`, LastName: "Smith, \"Ann\"", Email: "@sum", Phone: "+49 1", Country: "DE", Tags: []string{"-1", "vip"}},
		{ID: "2", FirstName: "Zoë", Country: "FR"},
	}})
	r := b.send(t, "GET", "/v1/traders/export?country=de", b.key, nil).want(t, http.StatusOK)
	if got := r.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("media type %q", got)
	}
	rows := r.parseTable(t)
	if len(rows) != 1 {
		t.Fatalf("%d traders, want the one of the country", len(rows))
	}
	got := []string{rows[0]["full_name"], rows[0]["email"], rows[0]["phone"], rows[0]["tags"], rows[0]["external_id"], rows[0]["registered_at"]}
	if diff := cmp.Diff([]string{`'=cmd("x") Smith, "Ann"`, "'@sum", "'+49 1", "'-1, vip", "1", ""}, got); diff != "" {
		t.Errorf("the trader whose texts look like formulas (-want +got):\n%s", diff)
	}
	if rows := b.send(t, "GET", "/v1/traders/export", b.key, nil).want(t, http.StatusOK).parseTable(t); len(rows) != 2 {
		t.Errorf("%d traders without a filter, want 2", len(rows))
	}
	if r := b.send(t, "GET", "/v1/traders/export?search=nobody", b.key, nil).want(t, http.StatusOK); !strings.HasPrefix(r.body, "id,full_name,") || len(r.parseTable(t)) != 0 {
		t.Errorf("nobody is exported as %q", r.body)
	}
	b.send(t, "GET", "/v1/traders/export?page=2", b.key, nil).want(t, http.StatusUnprocessableEntity)
}

func TestExportTrades(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	path := "/v1/traders/" + b.ids(t)["T-1"].String() + "/trades/export"
	rows := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK).parseTable(t)
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row["id"], row["account_external_id"], row["volume"], row["open_price"], row["commission"], row["open_time"], row["close_time"]}, " "))
	}
	want := []string{
		"1 A-2    2026-01-12T10:00:00Z 2026-01-12T10:00:01Z",
		"2 A-1 123456789012345678901234567890.123456789   2026-01-11T10:00:00Z ",
		"1 A-1 0.1 1.085 -3.5 2026-01-10T10:00:00Z 2026-01-10T11:00:00Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
	if rows := b.send(t, "GET", path+"?symbol=XAUUSD", b.key, nil).want(t, http.StatusOK).parseTable(t); len(rows) != 1 {
		t.Errorf("%d trades of the symbol, want 1", len(rows))
	}
	b.send(t, "GET", "/v1/traders/01a21680-97e6-7054-9418-b8df2e463d69/trades/export", b.key, nil).want(t, http.StatusNotFound)
}

func TestExportPayouts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, record.Batch{
		Traders: []record.Trader{{ID: "1", FirstName: "=Zoe"}},
		Payouts: []record.Payout{{ID: "p1", TraderID: "1", Status: "pending", Amount: "12345678901234567890.10", Currency: "USD"}, {ID: "p2", Status: "paid"}},
	})
	rows := b.send(t, "GET", "/v1/payouts/export?status=pending&sort=amount", b.key, nil).want(t, http.StatusOK).parseTable(t)
	if len(rows) != 1 {
		t.Fatalf("%d payouts, want the one that is pending", len(rows))
	}
	got := []string{rows[0]["external_id"], rows[0]["trader_id"], rows[0]["trader_name"], rows[0]["amount"], rows[0]["currency"], rows[0]["requested_at"]}
	if diff := cmp.Diff([]string{"p1", b.ids(t)["1"].String(), "'=Zoe", "12345678901234567890.1", "USD", ""}, got); diff != "" {
		t.Errorf("payout (-want +got):\n%s", diff)
	}
	log := b.send(t, "GET", "/v1/audit?action=organization.list_exported", b.key, nil).want(t, http.StatusOK).body
	if !strings.Contains(log, `"after":{"filters":["status"],"list":"payouts"}`) || strings.Contains(log, "pending") {
		t.Errorf("the audit log has no entry of the export, or the value of its filter: %s", log)
	}
	b.send(t, "HEAD", "/v1/payouts/export", b.key, nil).want(t, http.StatusOK)
	if n := strings.Count(b.send(t, "GET", "/v1/audit?action=organization.list_exported", b.key, nil).body, `"payouts"`); n != 1 {
		t.Errorf("%d entries after a request for the head alone, want 1", n)
	}
}

func TestExportInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, record.Batch{Traders: []record.Trader{{ID: "1", FirstName: "Zoe"}}})
	trader := b.ids(t)["1"].String()
	for _, reference := range []string{"-1", "b"} {
		b.send(t, "POST", "/v1/interviews", b.key, map[string]any{"trader_id": trader, "reference": reference, "reason": "payout_review"}).want(t, http.StatusCreated)
	}
	rows := b.send(t, "GET", "/v1/interviews/export?sort=created_at", b.key, nil).want(t, http.StatusOK).parseTable(t)
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row["reference"], row["trader_id"], row["trader_name"], row["reason"], row["status"], row["decision"]}, " "))
	}
	if diff := cmp.Diff([]string{"'-1 " + trader + " Zoe payout_review invited ", "b " + trader + " Zoe payout_review invited "}, got); diff != "" {
		t.Errorf("interviews (-want +got):\n%s", diff)
	}
	if rows := b.send(t, "GET", "/v1/interviews/export?reference=b", b.key, nil).want(t, http.StatusOK).parseTable(t); len(rows) != 1 {
		t.Errorf("%d interviews with the reference, want 1", len(rows))
	}
}

// TestHeadOfArchive asks for the heads of the zip files, which have no data that could leave.
func TestHeadOfArchive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	interview := b.held(t).Interview
	for of, id := range map[string]uuid.UUID{"interview": interview.ID, "trader": interview.Trader.ID} {
		path := "/v1/" + of + "s/"
		head := b.send(t, "HEAD", path+id.String()+"/export", b.key, nil).want(t, http.StatusOK)
		if head.header.Get("Content-Type") != "application/zip" || !strings.Contains(head.header.Get("Content-Disposition"), of+"-"+id.String()+".zip") {
			t.Errorf("head of a %s: %v", of, head.header)
		}
		b.send(t, "HEAD", path+uuid.NewString()+"/export", b.key, nil).want(t, http.StatusNotFound)
		recorded := func() int {
			return strings.Count(b.send(t, "GET", "/v1/audit?action="+of+".exported", b.key, nil).want(t, http.StatusOK).body, id.String())
		}
		if n := recorded(); n != 0 {
			t.Errorf("the audit log has %d entries of the head of a %s, want none", n, of)
		}
		b.send(t, "GET", path+id.String()+"/export", b.key, nil).want(t, http.StatusOK)
		if recorded() == 0 {
			t.Errorf("the audit log has no entry of the export of a %s", of)
		}
	}
}
