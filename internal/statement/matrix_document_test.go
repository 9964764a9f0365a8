package statement_test

import (
	"fmt"
	"slices"
	"strings"
)

const matrixHead = `# Statements

<!-- Generated from what internal/statement reads: run its TestMatrix with -update. -->

Each example below holds the same trades as its platform exports them. A test writes every example in the languages in which its platform is known to write, in each encoding, order of dates and form of numbers, reads it,
and writes down here what came of it:

- *yes*: trades, accounts, net result and the agreement with the file's own totals are the example's, to the cent.
- *asks for* an option: nothing in the file decides, so that it is refused with the option's name. Send it again with ` + "`-F date_order=dmy`" + `, for example.
- *read with the day first*, or *the month first*: nothing in the file decides, and the platform always writes dates in this order. A file that was changed to the other order needs ` + "`date_order`" + `.
- –: there is no such file. Without letters beyond ASCII, a file in a code page is the same as in UTF-8. An XML file is no workbook, and a workbook's numbers are not text.

The statements of MT4 that are known are in English. Platforms that write in other languages than those below are read by their columns' names, as far as these are known ([internal/statement](../../internal/statement/README.md)).

`

// footnotes number the texts of refusals.
type footnotes []string

func (n *footnotes) numberOutcome(outcome string) string {
	if outcome == asMeant || outcome == nonexistent || outcome == byDay || outcome == byMonth || strings.HasPrefix(outcome, "asks for") {
		return outcome
	}
	i := slices.Index(*n, outcome)
	if i < 0 {
		i = len(*n)
		*n = append(*n, outcome)
	}
	return fmt.Sprintf("refused (%d)", i+1)
}

// matrixDocument shows the outcomes in three tables: encodings, dates and numbers.
func matrixDocument(all []family, results []outcomes) string {
	var b strings.Builder
	var notes footnotes
	b.WriteString(matrixHead)
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	header := func(cells ...string) {
		row(cells...)
		b.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
	}
	reference := map[string]outcomes{}
	for i, f := range all {
		if f.words == nil {
			reference[f.file] = results[i]
		}
	}
	// usual is how a writing of an example is read in the encoding in which it usually comes.
	usual := func(file string, w writing) string {
		if w.dates.serial {
			return reference[file][inXLSX][w.name()]
		}
		return reference[file]["UTF-8"][w.name()]
	}

	b.WriteString("## Languages and encodings\n\n")
	header(append([]string{"example", "language"}, matrixEncodings()...)...)
	reads := 0
	for i, f := range all {
		cells := []string{"`" + f.file + "`", f.language}
		for _, e := range matrixEncodings() {
			var others []string // outcomes that differ from the usual ones
			exists := false
			for _, w := range listWritings() {
				got := results[i][e][w.name()]
				if got == nonexistent {
					continue
				}
				exists = true
				reads++
				if got != usual(f.file, w) && !slices.Contains(others, notes.numberOutcome(got)) {
					others = append(others, notes.numberOutcome(got))
				}
			}
			switch {
			case !exists:
				cells = append(cells, nonexistent)
			case len(others) == 0:
				cells = append(cells, asMeant)
			default:
				cells = append(cells, strings.Join(others, ", "))
			}
		}
		row(cells...)
	}
	fmt.Fprintf(&b, "\nThe code page is the one of the language: Windows-1250, -1251, -1252 or -1256, GBK or Shift_JIS. %d files were read for this page.\n", reads)

	table := func(title, about string, styles []writing) {
		b.WriteString("\n## " + title + "\n\n" + about + "\n\n")
		names := []string{"example"}
		for _, w := range styles {
			names = append(names, w.name())
		}
		header(names...)
		for _, f := range all {
			if f.words != nil {
				continue
			}
			cells := []string{"`" + f.file + "`"}
			for _, w := range styles {
				cells = append(cells, notes.numberOutcome(usual(f.file, w)))
			}
			row(cells...)
		}
	}
	dates := len(dateStyles())
	table("Dates", "Each was also read in every language and encoding above, with the same outcome.", listWritings()[:dates])
	table("Numbers", "A space between thousands may also be one that does not break.", listWritings()[dates:])

	if len(notes) > 0 {
		b.WriteString("\n## Refusals\n\n")
		for i, text := range notes {
			fmt.Fprintf(&b, "%d. %s\n", i+1, text)
		}
	}
	return b.String()
}
