package v1_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestMissingSince: what an audit has missed is shown with the time, wherever it is listed, and has the
// time at the end of its row in an export.
func TestMissingSince(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	trader := "/v1/traders/" + b.ids(t)["T-1"].String()
	for _, mark := range []string{
		`UPDATE traders SET missing_since = '2026-03-01T02:00:00Z' WHERE external_id = 'T-1' AND organization_id = $1`,
		`UPDATE accounts SET missing_since = '2026-03-01T02:00:00Z' WHERE external_id = 'A-1' AND organization_id = $1`,
		`UPDATE payouts SET missing_since = '2026-03-01T02:00:00Z' WHERE external_id = 'P-1' AND organization_id = $1`,
		`UPDATE trades SET missing_since = '2026-03-01T02:00:00Z' WHERE id = '1' AND integration_id IN (SELECT id FROM integrations WHERE organization_id = $1)`,
	} {
		b.exec(t, mark, b.org.ID)
	}
	type row struct {
		ID           string
		External     string  `json:"external_id"`
		MissingSince *string `json:"missing_since"`
	}
	var got []string
	note := func(list string, rows []row) {
		for _, r := range rows {
			since := "shown"
			if r.MissingSince != nil {
				since = *r.MissingSince
			}
			got = append(got, list+" "+cmp.Or(r.External, r.ID)+" "+since)
		}
	}
	detail := decodeInto[struct{ Accounts, Payouts []row }](t, b.send(t, "GET", trader, b.key, nil).want(t, http.StatusOK))
	note("accounts", detail.Accounts)
	note("payouts", detail.Payouts)
	for _, path := range []string{trader + "/trades", "/v1/payouts"} {
		note(path[strings.LastIndexByte(path, '/'):], decodeInto[struct{ Data []row }](t, b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)).Data)
	}
	for _, path := range []string{"/v1/traders/export", trader + "/trades/export", "/v1/payouts/export"} {
		r := b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK)
		columns, _, _ := strings.Cut(r.body, "\n")
		if !strings.HasSuffix(columns, ",missing_since") {
			t.Errorf("%s has the columns %s, want missing_since at the end", path, columns)
		}
		for _, line := range r.parseTable(t) {
			got = append(got, strings.TrimPrefix(path, trader)+" "+cmp.Or(line["external_id"], line["id"])+" "+cmp.Or(line["missing_since"], "shown"))
		}
	}
	want := []string{
		"accounts A-1 2026-03-01T02:00:00Z", "accounts A-2 shown",
		"payouts P-1 2026-03-01T02:00:00Z", "payouts P-2 shown",
		"/trades 1 2026-03-01T02:00:00Z", "/trades 2 shown", "/trades 1 2026-03-01T02:00:00Z",
		"/payouts P-1 2026-03-01T02:00:00Z", "/payouts P-2 shown",
		"/v1/traders/export T-1 2026-03-01T02:00:00Z", "/v1/traders/export T-2 shown",
		"/trades/export 1 2026-03-01T02:00:00Z", "/trades/export 2 shown", "/trades/export 1 2026-03-01T02:00:00Z",
		"/v1/payouts/export P-1 2026-03-01T02:00:00Z", "/v1/payouts/export P-2 shown",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("missing_since (-want +got):\n%s", diff)
	}
}
