package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/dslipak/pdf"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/storetest"
)

// paperStatements is how many statements the printed report has: enough for many sheets.
const paperStatements = 40

// longReport is a report of statements, each of which begins and ends with words of its own.
func longReport(t *testing.T) string {
	t.Helper()
	checks := []map[string]any{}
	for n := range paperStatements {
		checks = append(checks, map[string]any{
			"id": fmt.Sprintf("c%d", n), "topic": "risk_per_trade", "statement": fmt.Sprintf("begins%02d and risks half a percent", n), "segment_id": "s1", "start_ms": 0, "end_ms": 0,
			"quote": strings.Repeat("I never risk more than half a percent of the account. ", 1+n%9), "verdict": "inconsistent", "reason": nil,
			"detail": fmt.Sprintf("The account lost more in 12 of 40 trades. ends%02d", n), "confirmed": false, "found_by": "rules", "evidence": []any{},
		})
	}
	text, err := json.Marshal(map[string]any{
		"version": 1, "generated_at": "2026-11-20T09:30:00Z", "ruleset_version": nil, "engines": map[string]any{"stt": nil, "llm": nil},
		"inputs":  map[string]any{"trades": 40, "accounts": 1, "window": map[string]any{"from": nil, "to": nil}, "files": 0, "transcript_quality": nil},
		"summary": "Forty statements differ.", "summary_draft": nil, "attention_level": "medium", "review_priority": 15, "findings": []any{}, "claim_checks": checks,
		"data_gaps": []any{}, "disclaimer": "A finding is an observation.",
	})
	check(t, err)
	return string(text)
}

// TestReportOnPaper prints a report on the papers of both continents: no sheet splits a statement, and
// each one says whose it is, which of how many, and the hash of the report. It takes long because a
// browser prints many sheets twice.
func TestReportOnPaper(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	a := startAPI(t)
	a.signedIn(t, b, "owner")
	db, conn := storetest.Open(t, a.database), storetest.Conn(t, a.database)
	org := storetest.One[uuid.UUID](t, conn, `SELECT id FROM organizations`)
	made := storetest.Completed(t, db, org, storetest.NewInterview("Zoe Example "+strings.Repeat("Wolfeschlegelstein", 8), "zoe@example.com"), "Half a percent")
	_, err := conn.Exec(t.Context(), `UPDATE interview_reports SET report = $1`, longReport(t))
	check(t, err)
	b.do(t, chromedp.Navigate(a.url+"/interviews/"+made.ID.String()+"/print"))
	b.sees(t, "SHA-256 of the report")
	b.lookAt(t, "interview-print")
	hash := ask(t, b, chromedp.Evaluate[string](`document.querySelector(".hash").innerText`))
	for _, paper := range []struct {
		name          string
		width, height float64 // in inches
	}{{"A4", 8.27, 11.69}, {"Letter", 8.5, 11}} {
		t.Run(paper.name, func(t *testing.T) {
			sheets := b.printed(t, paper.name, paper.width, paper.height)
			if len(sheets) < 3 {
				t.Fatalf("%d sheets, want several", len(sheets))
			}
			for n, sheet := range sheets {
				for _, want := range []string{"Interview with Zoe Example", "Report, version 1", "SHA-256 " + hash, fmt.Sprintf("Page %d of %d", n+1, len(sheets))} {
					if !strings.Contains(sheet, squeeze(want)) {
						t.Errorf("sheet %d lacks %q:\n%s", n+1, want, sheet)
					}
				}
			}
			for n := range paperStatements {
				first, last := sheetWith(sheets, fmt.Sprintf("begins%02d", n)), sheetWith(sheets, fmt.Sprintf("ends%02d", n))
				if first < 0 || first != last {
					t.Errorf("statement %d begins on sheet %d and ends on sheet %d", n, first+1, last+1)
				}
			}
		})
	}
}

// printed prints the tab's page, and returns the text of each sheet without its spaces, which a PDF
// does not contain everywhere.
func (b *tab) printed(t *testing.T, name string, width, height float64) (sheets []string) {
	t.Helper()
	made := ask(t, b, func(ctx context.Context, _ *chromedp.Target) ([]byte, error) {
		result, err := chromedp.Call(ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{PaperWidth: width, PaperHeight: height, PrintBackground: new(true)})
		if err != nil {
			return nil, err
		}
		return result.Data, nil
	})
	if dir := os.Getenv(screenshots); dir != "" {
		check(t, os.WriteFile(filepath.Join(dir, "interview-print-"+name+".pdf"), made, 0o600))
	}
	document, err := pdf.NewReader(bytes.NewReader(made), int64(len(made)))
	check(t, err)
	const margin, head = 16 / 25.4, 20 / 25.4
	for n := range document.NumPage() {
		var text strings.Builder
		left := width
		for _, piece := range document.Page(n + 1).Content().Text {
			text.WriteString(piece.S)
			if piece.X/72 > width-margin {
				t.Errorf("sheet %d: %q is in the right margin", n+1, piece.S)
			}
			if y := piece.Y / 72; y > head && y < height-head {
				left = min(left, piece.X/72)
			}
		}
		if n == 0 && left > margin+0.1 {
			t.Errorf("sheet %d begins %.1f in. from its left edge, want %.1f", n+1, left, margin)
		}
		sheets = append(sheets, squeeze(text.String()))
	}
	return sheets
}

// squeeze returns a text without its spaces.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// sheetWith returns the first sheet that contains the text, or -1 if there is none.
func sheetWith(sheets []string, text string) int {
	for n, sheet := range sheets {
		if strings.Contains(sheet, text) {
			return n
		}
	}
	return -1
}
