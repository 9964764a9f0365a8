package sheet

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/assayhq/assay/internal/statement/words"
)

// Units of cells beside the signs and codes of currencies.
const (
	Percent = "percent" // the number is shown as a percentage
	Date    = "date"    // it is shown as a date or a time
)

// readUnits reads what the styles of a workbook's cells show next to a number, by the index of the
// style: a percent sign, or the sign or code of a currency, or that it shows a date. It is nil if no
// style shows any.
func (a *archive) readUnits(book string, all links) (units []string, err error) {
	part := path.Join(path.Dir(book), "styles.xml")
	for _, l := range all {
		if strings.HasSuffix(l.kind, "/styles") {
			part = l.target
		}
	}
	formats := map[string]string{"9": Percent, "10": Percent} // and others that every program knows
	for _, id := range []string{"14", "15", "16", "17", "18", "19", "20", "21", "22", "45", "46", "47"} {
		formats[id] = Date
	}
	some, cells := false, false
	err = a.visitElements(part, func(m *markup) error {
		switch string(m.name) {
		case "numFmt":
			formats[m.attributeText("numFmtId")] = unitOfFormat(m.attributeText("formatCode"))
		case "cellStyleXfs":
			cells = false
		case "cellXfs":
			cells = true
		case "xf":
			if cells {
				units = append(units, formats[m.attributeText("numFmtId")])
				some = some || units[len(units)-1] != ""
			}
		}
		if len(units) > maxStyles || len(formats) > maxStyles {
			return refuseDamaged()
		}
		return nil
	})
	if !some {
		units = nil
	}
	return units, err
}

// maxStyles is Excel's own limit.
const maxStyles = 65_490

// unitOfFormat returns what a format such as [$€-407]#,##0.00, 0.00% or dd.mm.yyyy makes of positive numbers.
func unitOfFormat(code string) string {
	var shown strings.Builder
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		switch rest := code[i+1:]; code[i] {
		case '%':
			return Percent
		case '"':
			text, _, _ := strings.Cut(rest, `"`)
			shown.WriteString(text)
			i += len(text) + 1
		case '[': // a currency with its language, or a color or a condition
			text, _, _ := strings.Cut(rest, "]")
			if currency, found := strings.CutPrefix(text, "$"); found {
				currency, _, _ = strings.Cut(currency, "-")
				shown.WriteString(currency)
			}
			i += len(text) + 1
		case '\\', '_', '*':
			i++
		case 'd', 'D', 'm', 'M', 'y', 'Y', 'h', 'H', 's', 'S':
			return Date
		default:
			if code[i] == '$' || code[i] >= 0x80 {
				shown.WriteByte(code[i])
			}
		}
	}
	for _, c := range shown.String() {
		if unicode.Is(unicode.Sc, c) {
			return string(c)
		}
	}
	if code := strings.ToUpper(strings.TrimSpace(shown.String())); words.IsCommonCurrency(code) {
		return code
	}
	return ""
}

// styleUnit returns the unit of the style with a number.
func (g *grid) styleUnit(style []byte) string {
	if len(g.units) == 0 || len(style) == 0 {
		return ""
	}
	if i, err := strconv.Atoi(string(style)); err == nil && i >= 0 && i < len(g.units) {
		return g.units[i]
	}
	return ""
}
