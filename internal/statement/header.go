package statement

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// heading is a column's name taken apart.
type heading struct {
	name     string // folded
	currency string // of "Net USD", "USD neto" and "Profit (USD)"
	zoned    bool   // of "Opening Time (UTC+2)"
	zone     zone
	shared   bool // of "Opening Time (CST)", which several zones share
}

const maxHeadingBytes = 80

// readHeading folds a column's name: lower case, without accents, spaces and punctuation, in
// English, so that "S / L", "s/l" and "SL" are one. Text in brackets, and a currency at the end,
// are not part of the name, but what is measured is: "Profit (pips)" and "P&L %" are no amounts.
func readHeading(text string) heading {
	h := heading{}
	if len(text) > maxHeadingBytes {
		return h
	}
	measure, which := "", ""
	if strings.ContainsAny(text, "%‰") {
		measure = "%"
	}
	if open := strings.IndexByte(text, '('); open > 0 && strings.HasSuffix(text, ")") {
		inner := text[open+1 : len(text)-1]
		text = strings.TrimSpace(text[:open])
		h.shared = sharedAbbreviations[strings.ToUpper(inner)]
		if h.zone, h.zoned = zoneOfHeading(inner); !h.zoned && isCurrency(inner) {
			h.currency = inner
		}
		switch word := foldText(inner); {
		case measures[word] || columnUnits[word]:
			measure, h.currency = word, ""
		case slices.Contains([]string{"net", "gross", "open", "close", "entry", "exit"}, word):
			which, h.currency = word, ""
		}
	}
	if first, rest, found := strings.Cut(text, " "); found && rest != "" && (commonCurrency(first) || first == "$" || currencySigns[first] != "") { // "USD neto", in Spanish
		h.currency, text = currencySigns[first], rest
		if commonCurrency(first) {
			h.currency = first
		}
	}
	if i := strings.LastIndexAny(text, " ,"); i > 0 {
		if last := text[i+1:]; commonCurrency(last) {
			h.currency, text = last, text[:i]
		} else if code, ok := currencySigns[last]; ok {
			h.currency, text = cmp.Or(code, h.currency), text[:i]
		}
	}
	if i := strings.LastIndexByte(text, '_'); i > 0 { // profit_usd, opening_time_utc
		switch last := strings.ToUpper(text[i+1:]); {
		case commonCurrency(last):
			h.currency, text = last, text[:i]
		case last == "UTC":
			h.zoned, h.zone, text = true, fixedZone(0), text[:i]
		}
	}
	h.name = foldText(text)
	if english, ok := translations[h.name]; ok {
		h.name = english
	}
	if _, ok := knownNames[which+h.name]; ok { // "Price (open)" is the open price
		h.name = which + h.name
	}
	h.name += measure
	return h
}

// columnUnits are further words in the brackets of a name, beside measures, that make another
// column of it. R is a trader's risk, and P and T are Sierra Chart's points and ticks.
var columnUnits = map[string]bool{
	"r": true, "unit": true, "units": true, "share": true, "shares": true, "oz": true, "p": true, "t": true, "minilots": true, "microlots": true, "unrealized": true, "unrealised": true, "floating": true,
}

// foldText keeps a text's letters and digits, lower-case and without accents, and
// the number sign.
func foldText(text string) string {
	if isFolded(text) {
		return text
	}
	var b strings.Builder
	for _, c := range norm.NFKD.String(text) {
		switch {
		case c == '#' || unicode.IsDigit(c):
			b.WriteRune(c)
		case unicode.IsLetter(c):
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

func isFolded(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// currencySigns are the signs of currencies next to amounts and names. Those of several currencies
// have no code.
var currencySigns = map[string]string{
	"€": "EUR", "£": "GBP", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "₹": "INR", "R$": "BRL", "US$": "USD", "A$": "AUD", "C$": "CAD", "NZ$": "NZD", "S$": "SGD", "HK$": "HKD",
	"$": "", "¥": "", "kr": "", "Fr": "",
}

// commonCurrency keeps words such as "PNL" from being taken for currencies.
func commonCurrency(s string) bool {
	const currencies = "USD EUR GBP CHF JPY AUD CAD NZD CZK PLN HUF RON BGN SEK NOK DKK ISK SGD HKD CNY INR IDR MYR THB KRW VND PHP ZAR NGN KES TRY ILS AED SAR MXN BRL CLP COP ARS RUB UAH KZT"
	return isCurrency(s) && strings.Contains(currencies, s)
}
