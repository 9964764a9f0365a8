package statement_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/statement/refusal"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
)

// textExamples are the examples of all families that are lists with marks between their cells.
func textExamples(t *testing.T) []*example {
	t.Helper()
	var all []*example
	for _, f := range listFamilies() {
		if e := f.openExample(t); f.words == nil && !isMarkup(e.content) {
			all = append(all, e)
		}
	}
	return all
}

// splitRows returns the lines of an example. at is the one of a trade that every example with closed
// positions has in the middle.
func (e *example) splitRows(t *testing.T) (lines []string, at int) {
	t.Helper()
	lines = strings.SplitAfter(string(e.content), "\n")
	for i, line := range lines {
		if strings.Contains(line, "4182.78") || strings.Contains(line, "4 182.78") || strings.Contains(line, "4.182,78") {
			return lines, i
		}
	}
	return lines, -1
}

// checkLoss fails if a changed file is read without a trade of the example, and says nothing of it.
// A list of executions gives other positions without one of them, so that nothing may be missing.
func (e *example) checkLoss(t *testing.T, content string, o statement.Options) {
	t.Helper()
	got, _, err := e.readStatement(t, []byte(content), o)
	var refused *refusal.Error
	if errors.As(err, &refused) {
		if !strings.Contains(strings.ToLower(refused.Detail), "line ") {
			t.Errorf("the refusal names no line: %s", refused.Detail)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range e.want[false].Trades {
		if !slices.ContainsFunc(got.Trades, func(trade record.Trade) bool { return isSame(trade, want) }) {
			t.Errorf("%s of %s is missing, and the file is read", want.Symbol, want.OpenTime)
		}
	}
}

// isSame compares trades without their ids, which are hashes in some families.
func isSame(a, b record.Trade) bool {
	a.ID, b.ID = "", ""
	return a == b
}

// A row with other marks between its cells than the rest is never left out.
func TestMixedDelimiters(t *testing.T) {
	t.Parallel()
	for _, e := range textExamples(t) {
		lines, at := e.splitRows(t)
		if at < 0 {
			continue
		}
		own := string(delimiterOf(e.content))
		for _, other := range []string{",", ";", "\t", "|"} {
			if other == own {
				continue
			}
			t.Run(fmt.Sprintf("%s/%q", e.file, other), func(t *testing.T) {
				t.Parallel()
				changed := slices.Clone(lines)
				changed[at] = strings.ReplaceAll(changed[at], own, other)
				e.checkLoss(t, strings.Join(changed, ""), e.options)
			})
		}
	}
}

// A row of another family among the trades is refused or left out, and takes no trade along.
func TestRowsOfOtherFamilies(t *testing.T) {
	t.Parallel()
	all := textExamples(t)
	for _, e := range all {
		lines, at := e.splitRows(t)
		if at < 0 {
			continue
		}
		t.Run(e.file, func(t *testing.T) {
			t.Parallel()
			for _, other := range all {
				rows, from := other.splitRows(t)
				if from < 0 || other.file == e.file {
					continue
				}
				changed := slices.Insert(slices.Clone(lines), at, rows[from])
				e.checkLoss(t, strings.Join(changed, ""), e.options)
			}
		})
	}
}

// Days and hours that do not exist refuse the file with the line.
func TestImpossibleTimes(t *testing.T) {
	t.Parallel()
	for _, e := range textExamples(t) {
		lines, at := e.splitRows(t)
		if at < 0 {
			continue
		}
		changes := map[string]func(string) string{
			"the 32nd": strings.NewReplacer("2026.01.14", "2026.01.32", "2026-01-14", "2026-01-32", "2026/01/14", "2026/01/32", "14/01/2026", "32/01/2026", "01/14/2026", "01/32/2026", "1/14/2026", "1/32/2026", "1/14/26", "1/32/26", "14/01/26", "32/01/26", "14 Jan 2026", "32 Jan 2026", "14.01.2026", "32.01.2026", "20260114", "20260132").Replace,
			"minute 75": func(line string) string {
				return strings.NewReplacer(":05", ":75", ";090500", ";097500").Replace(line)
			},
		}
		for name, change := range changes {
			t.Run(e.file+"/"+name, func(t *testing.T) {
				t.Parallel()
				changed := slices.Clone(lines)
				if changed[at] = change(lines[at]); changed[at] == lines[at] {
					t.Fatal("nothing was changed")
				}
				_, _, err := e.readStatement(t, []byte(strings.Join(changed, "")), e.options)
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("ine %d: a date or time cannot be read", at+1)) {
					t.Errorf("line %d: got %v", at+1, err)
				}
			})
		}
	}
}

// Trades after the present are no trades, whatever the family.
func TestFutureOfEveryFamily(t *testing.T) {
	t.Parallel()
	for _, e := range textExamples(t) {
		t.Run(e.file, func(t *testing.T) {
			t.Parallel()
			o := e.options
			o.Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			got, _, err := e.readStatement(t, e.content, o)
			var refused *refusal.Error
			if err != nil && !errors.As(err, &refused) {
				t.Fatal(err)
			}
			if err == nil && slices.ContainsFunc(got.Trades, func(r record.Trade) bool { return r.OpenTime.After(o.Now) || r.CloseTime.After(o.Now) }) {
				t.Error("a trade of July was taken in June")
			}
		})
	}
}

// A file that ends early is refused, or read up to a line's end: no trade is half of one.
func TestCutOfEveryFamily(t *testing.T) {
	t.Parallel()
	for _, e := range textExamples(t) {
		t.Run(e.file, func(t *testing.T) {
			t.Parallel()
			content := bytes.TrimSpace(e.content)
			step := 3
			if testing.Short() {
				step = 29
			}
			for n := len(content) - 2; n > 0; n -= step {
				rest, _, _ := bytes.Cut(content[n:], []byte("\n"))
				if content[n-1] == '\n' || !bytes.ContainsRune(rest, delimiterOf(content)) {
					continue // after a row, or within its last cell, which may be all of it
				}
				got, _, err := e.readStatement(t, content[:n], e.options)
				if err != nil {
					var refused *refusal.Error
					if !errors.As(err, &refused) {
						t.Fatal(err)
					}
					continue
				}
				for _, trade := range got.Trades {
					if !slices.ContainsFunc(e.want[false].Trades, func(want record.Trade) bool {
						if trade.Open() { // its close may have been cut off, in a line of its own
							return trade.Symbol == want.Symbol && trade.Side == want.Side && trade.OpenTime.Equal(want.OpenTime) && trade.OpenPrice == want.OpenPrice && trade.Volume == want.Volume
						}
						return isSame(trade, want)
					}) {
						t.Fatalf("after %d bytes, %q: %+v", n, content[max(0, n-30):n], trade)
					}
				}
			}
		})
	}
}

// XML that ends early is refused wherever it ends, also between two trades.
func TestCutXML(t *testing.T) {
	t.Parallel()
	content := bytes.TrimSpace(load(t, "ibkr_flex.xml"))
	for n := len(content) - 1; n > len("<FlexQueryResponse "); n-- {
		_, err := read(t, "a.xml", content[:n], statement.Options{})
		var refused *refusal.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Detail, "Line ") || !strings.Contains(refused.Detail, "truncated") {
			t.Fatalf("after %d bytes, %q: %v", n, content[max(0, n-20):n], err)
		}
	}
}

// A formula is no number, and its text is not worked out.
func TestFormulas(t *testing.T) {
	t.Parallel()
	for _, formula := range []string{"=1+1", "=HYPERLINK(\"http://a\")", "@SUM(1,1)", "+1+cmd|' /C calc'!A0", "=1,2"} {
		_, err := read(t, "a.csv", []byte(plain+strings.Replace(aTrade, "50.5", `"`+strings.ReplaceAll(formula, `"`, `""`)+`"`, 1)), statement.Options{})
		if err == nil || !strings.Contains(err.Error(), "Line 2: a number cannot be read") || strings.Contains(err.Error(), "cmd") {
			t.Errorf("%s: got %v", formula, err)
		}
	}
}
