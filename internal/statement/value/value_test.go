package value_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/value"
)

// parseNumber reads a number under a decimal mark, as a cell of text.
func parseNumber(text string, mark value.DecimalMark) (d record.Decimal, ok bool) {
	n, ok := value.ScanNumber(text)
	if !ok {
		return "", false
	}
	return n.ToDecimal(mark)
}

// parseTime reads a date and time under an order, in UTC.
func parseTime(text string, order value.DateOrder) (at time.Time, ok bool) {
	s, ok := value.ScanStamp(text)
	if !ok {
		return time.Time{}, false
	}
	at, ok = s.WallTime(order, false)
	return at.Add(-s.Offset), ok
}

// smallExponent matches numbers such as 3.14E-05.
var smallExponent = regexp.MustCompile(`^([-+]?\d(?:[.,]\d+)?)[eE]-\d+$`)

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"1234.5", "1,234.50", "1 234,5", "- 0.08", "$(20.00)", "0.50 Lots", "1.234.567", "--1", "1e5", "-2.5E-06", "+1e-3", "€", "(1", "1.2.3", "0xA", "٣"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, mark := range []value.DecimalMark{value.Point, value.Comma} {
			d, ok := parseNumber(text, mark)
			if !ok {
				continue
			}
			if again, err := record.ParseDecimal(string(d)); err != nil || again != d {
				t.Fatalf("%q gives %q", text, d)
			}
			// The digits are those of the text, whatever is between them and without those of an exponent.
			text := smallExponent.ReplaceAllString(text, "$1")
			keep := func(c rune) rune {
				if c >= '0' && c <= '9' {
					return c
				}
				return -1
			}
			have := strings.Trim(strings.Map(keep, string(d)), "0")
			if want := strings.Trim(strings.Map(keep, text), "0"); have != want {
				t.Fatalf("%q gives %q", text, d)
			}
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{"2026.06.13 09:10", "13/06/2026 09:10:00", "6/13/2026 9:10:00 PM", "10 Jun 2026 09:10:41.134", "46186.38", "1781341800", "2026-09-1603:49:58", "2026-02-30", "00/00/0000 00:00", "Jun 5, 2026 12:00 AM +05:30", "Sat Jun 13 2026 05:10:00 GMT-0400 (Eastern Daylight Time)"} {
		f.Add(seed, int64(1_781_341_800))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		for _, order := range []value.DateOrder{value.DMY, value.MDY} {
			if at, ok := parseTime(text, order); ok && !at.IsZero() && (at.Year() < 1989 || at.Year() > 2101) {
				t.Fatalf("%q gives %v", text, at)
			}
		}
		const from, to = 631152000, 4102444800 // 1990 to 2100
		want := time.Unix(from+(unix%(to-from)+to-from)%(to-from), 0).UTC()
		for layout, order := range map[string]value.DateOrder{
			"02/01/2006 15:04:05": value.DMY, "1/2/2006 3:04:05 PM": value.MDY, "2006.01.02 15:04:05": "", "2 Jan 2006 15:04:05.000": "",
			time.RFC3339: "", "2006-01-0215:04:05": "", "January 2, 2006 15:04:05 -07:00": "",
		} {
			if got, ok := parseTime(want.Format(layout), order); !ok || !got.Equal(want) {
				t.Fatalf("%q gives %v, %t", want.Format(layout), got, ok)
			}
		}
	})
}
