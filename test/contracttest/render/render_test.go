package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/contracttest/render"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// key has characters that are written differently in addresses and in JSON.
const key = `sec/ret+key"<&>`

// report returns the report on a platform with three faults that sends the key back.
func report(t *testing.T) *contracttest.Report {
	t.Helper()
	server, err := reference.Start(reference.Options{
		Key:  key,
		Firm: firm.Options{Seed: 7, Start: time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC), Traders: 12, AccountsPerTrader: 1, Trades: 60, Payouts: 12},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	server.PutTrader(reference.Trader{ID: "echo", Email: key + "@example.com", FirstName: "Bearer " + key, Metadata: `{"html":"<script>alert(1)</script>"}`})
	for _, name := range []string{"half-closed", "open-auth", "envelope-items"} {
		if err := server.SetFault(name, fault.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := contracttest.Check(t.Context(), contracttest.Options{
		URL: server.URL, Key: server.Key, RootCAs: server.CertPool, Now: server.Now,
		Waivers: []contracttest.Waiver{
			{Case: "auth.no-key.health", Reason: "<b>soon</b>", Expires: "2026-12-31"}, {Case: "trades.order", Reason: "an index is missing", Expires: "2026-12-31"},
		},
		Timing: contracttest.Timing{Interval: -1, Backoff: time.Millisecond, Sustained: 20 * time.Millisecond, SustainedRate: 500},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t *testing.T, write func(io.Writer, *contracttest.Report) error, r *contracttest.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestForms(t *testing.T) {
	t.Parallel()
	r := report(t)
	forms := map[string]func(io.Writer, *contracttest.Report) error{
		"text": render.Text, "json": render.JSON, "junit": render.JUnit, "tap": render.TAP, "markdown": render.Markdown,
		"html": render.HTML, "badge": render.Badge, "badge-json": render.BadgeJSON,
	}
	for name, write := range forms {
		text := written(t, write, r)
		for _, form := range []string{key, "sec/ret", "sec%2Fret", `sec\/ret`, "sec/ret&#43;key"} {
			if strings.Contains(text, form) {
				t.Errorf("%s holds the key", name)
			}
		}
	}
	for name, want := range map[string][]string{
		"text":     {"MUST trades.closed: ", "  fix   Set both when the position closes", "  curl  curl -sS -i --cacert \"$CA_FILE\" -H \"Authorization: Bearer $API_KEY\"", "VIOLATIONS: "},
		"tap":      {"TAP version 14\n1..", "not ok ", " # SKIP not-observable: ", " # TODO warned", "  fix: \"Send the array as data.\""},
		"markdown": {"| failed | `trades.closed` |", "```sh\ncurl -sS -i"},
		"html":     {`<article class="failed" id="trades.closed">`, "&lt;b&gt;soon&lt;/b&gt;", "default-src 'none'"},
		"badge":    {"<svg ", " violations"},
	} {
		text := written(t, forms[name], r)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
	page := written(t, render.HTML, r)
	for name, text := range map[string]string{"text": written(t, render.Text, r), "markdown": written(t, render.Markdown, r), "html": page} {
		failed, warned, waived := strings.Index(text, "trades.closed"), strings.Index(text, "payouts.envelope"), strings.Index(text, "auth.no-key.health")
		if !strings.Contains(text, "no longer needed") {
			t.Errorf("%s does not say that a waiver has had its day", name)
		}
		if failed < 0 || failed > warned || warned > waived {
			t.Errorf("%s does not tell what has to be done first: places %d, %d, %d", name, failed, warned, waived)
		}
	}
	if live, core := strings.Index(page, "live-check: <b>"), strings.Index(page, "core: <b>"); live < 0 || live > core {
		t.Error("the page does not tell the verdicts from the smallest profile on")
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "src=") || strings.Contains(page, "@import") {
		t.Error("the page loads or runs something")
	}
	if n := strings.Count(page, `<div class="inside" id="x`); n != len(r.Exchanges) {
		t.Errorf("the page shows %d of %d requests", n, len(r.Exchanges))
	}
	var shield map[string]any
	if err := json.Unmarshal([]byte(written(t, render.BadgeJSON, r)), &shield); err != nil || shield["schemaVersion"] != 1.0 || shield["message"] == "" {
		t.Errorf("%v, %v", shield, err)
	}
	if err := xml.Unmarshal([]byte(written(t, render.Badge, r)), new(struct{})); err != nil {
		t.Error(err)
	}
}

func TestJSONIsReadAgain(t *testing.T) {
	t.Parallel()
	r := report(t)
	again, err := render.Read(strings.NewReader(written(t, render.JSON, r)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again, cmpopts.IgnoreUnexported(contracttest.Case{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := render.Read(strings.NewReader(`{"format":2}`)); err == nil {
		t.Error("a report of another format is read")
	}
}
