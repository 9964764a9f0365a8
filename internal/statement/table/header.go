package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// heading is a column's name taken apart.
type heading struct {
	name     string // folded, in English
	folded   string // as it is written
	composed string // the English of its words, if the name is not known or has no role
	currency string // of "Net USD", "USD neto" and "Profit (USD)"
	zoned    bool   // of "Opening Time (UTC+2)"
	zone     value.Zone
	shared   bool // of "Opening Time (CST)", which several zones share
	central  bool // it is CST
	foreign  bool // the name is not in English
}

// readHeading folds a column's name: lower case, without accents, spaces and punctuation, in
// English, so that "S / L", "s/l" and "SL" are one. Text in brackets, and a currency at the end,
// are not part of the name, but what is measured is: "Profit (pips)" and "P&L %" are no amounts.
func readHeading(text string) heading {
	h := heading{}
	if len(text) > words.MaxHeadingBytes {
		return h
	}
	measure, which := "", ""
	if strings.ContainsAny(text, "%‰") {
		measure = "%"
	}
	if open := strings.IndexAny(text, "(["); open > 0 && strings.HasSuffix(text, map[byte]string{'(': ")", '[': "]"}[text[open]]) {
		inner := text[open+1 : len(text)-1]
		text = strings.TrimSpace(text[:open])
		h.shared, h.central = value.IsSharedAbbreviation(inner), strings.EqualFold(inner, "CST")
		if h.zone, h.zoned = value.ZoneOfHeading(inner); !h.zoned && words.IsCurrency(inner) {
			h.currency = inner
		}
		switch word := words.Fold(inner); {
		case value.IsMeasure(word) || columnUnits[word]:
			measure, h.currency = word, ""
		case slices.Contains([]string{"net", "gross", "open", "close", "entry", "exit"}, word):
			which, h.currency = word, ""
		}
	}
	if first, rest, found := strings.Cut(text, " "); found && rest != "" && (words.IsCommonCurrency(first) || first == "$" || words.CurrencySigns[first] != "") { // "USD neto", in Spanish
		h.currency, text = words.CurrencySigns[first], rest
		if words.IsCommonCurrency(first) {
			h.currency = first
		}
	}
	if i := strings.LastIndexAny(text, " ,"); i > 0 {
		last := text[i+1:]
		code, signed := words.CurrencySigns[last]
		switch {
		case words.IsCommonCurrency(last):
			h.currency, text = last, text[:i]
		case signed:
			h.currency, text = cmp.Or(code, h.currency), text[:i]
		case strings.HasPrefix(last, "UTC"), strings.HasPrefix(last, "GMT"): // "Open time UTC+2"
			if offset, ok := value.ParseOffset(last); ok {
				h.zoned, h.zone, text = true, value.FixedZone(offset), text[:i]
			}
		}
	}
	if i := strings.LastIndexByte(text, '_'); i > 0 { // profit_usd, opening_time_utc
		switch last := strings.ToUpper(text[i+1:]); {
		case words.IsCommonCurrency(last):
			h.currency, text = last, text[:i]
		case last == "UTC":
			h.zoned, h.zone, text = true, value.FixedZone(0), text[:i]
		}
	}
	h.translateName(text)
	if name, ends := strings.CutSuffix(h.name, "utc"); ends && !format.IsKnownName(h.name) && format.IsKnownName(name) { // EntryDateUTC
		h.zoned, h.zone, h.name = true, value.FixedZone(0), name
	}
	if format.IsKnownName(which + h.name) { // "Price (open)" is the open price
		h.name = which + h.name
	}
	h.name += measure
	return h
}

// ReadName folds a column's name and gives it in English, without the rest of the heading.
func ReadName(text string) string { return readHeading(text).name }

// translateName folds the name of a column and gives it in English.
func (h *heading) translateName(text string) {
	h.folded = words.Fold(text)
	h.name = h.folded
	if english, ok := words.English[h.folded]; ok {
		h.name = english
	} else if a, _ := format.FindName(h.folded); a.Role == format.NoRole && format.Pairs[h.folded] == [2]format.Role{} {
		h.composed = words.Compose(text)
		if !format.IsKnownName(h.folded) {
			h.name = cmp.Or(h.composed, h.folded)
		}
	}
	h.foreign = h.name != h.folded || h.composed != "" && h.composed != h.folded
}

// composeNames gives columns that no known export explains the English of their words, unless several of them are called so: of
// "Preis" and "Kurs", either may be the price. Costs are added.
func composeNames(headings []heading) []heading {
	composed := slices.Clone(headings)
	for i := range composed {
		composed[i].name = cmp.Or(composed[i].composed, composed[i].name)
	}
	for i := range composed {
		h := &composed[i]
		if h.composed == "" || h.name == "commission" || h.name == "swap" {
			continue
		}
		if slices.ContainsFunc(composed, func(o heading) bool { return o.folded != h.folded && cmp.Or(o.composed, o.name) == h.composed }) {
			h.name = h.folded
		}
	}
	return composed
}

// columnUnits are further words in the brackets of a name, beside those of measures, that make another
// column of it. R is a trader's risk, and P and T are Sierra Chart's points and ticks.
var columnUnits = map[string]bool{
	"r": true, "unit": true, "units": true, "share": true, "shares": true, "oz": true, "p": true, "t": true, "minilots": true, "microlots": true, "value": true, "unrealized": true, "unrealised": true, "floating": true,
}
