package claims

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// classes are the instruments that people name, by the symbol class that trades
// are grouped in.
var classes = map[string]string{
	"gold": "XAUUSD", "xau": "XAUUSD", "xauusd": "XAUUSD", "silver": "XAGUSD", "xag": "XAGUSD", "xagusd": "XAGUSD",
	"euro dollar": "EURUSD", "eurusd": "EURUSD", "eur usd": "EURUSD", "euro us dollar": "EURUSD", "fiber": "EURUSD",
	"pound dollar": "GBPUSD", "gbpusd": "GBPUSD", "gbp usd": "GBPUSD", "cable": "GBPUSD",
	"dollar yen": "USDJPY", "usdjpy": "USDJPY", "usd jpy": "USDJPY", "pound yen": "GBPJPY", "gbpjpy": "GBPJPY", "euro yen": "EURJPY", "eurjpy": "EURJPY",
	"aussie": "AUDUSD", "audusd": "AUDUSD", "kiwi": "NZDUSD", "nzdusd": "NZDUSD", "loonie": "USDCAD", "usdcad": "USDCAD", "swissy": "USDCHF", "usdchf": "USDCHF",
	"nas": "NAS100", "nasdaq": "NAS100", "nas100": "NAS100", "us100": "NAS100", "nq": "NAS100", "ustec": "NAS100",
	"dow": "US30", "us30": "US30", "dow jones": "US30", "s&p": "SPX500", "us500": "SPX500", "spx": "SPX500", "es": "SPX500",
	"ftse": "UK100", "uk100": "UK100", "nikkei": "JP225", "jp225": "JP225", "cac": "FRA40",
	"dax": "GER40", "ger40": "GER40", "de40": "GER40", "ger30": "GER40", "oil": "OIL", "crude": "OIL", "wti": "OIL", "brent": "OIL", "usoil": "OIL",
	"btc": "BTCUSD", "bitcoin": "BTCUSD", "btcusd": "BTCUSD", "ethereum": "ETHUSD", "eth": "ETHUSD",
	"forex": "forex", "fx": "forex", "currencies": "forex", "currency pairs": "forex", "indices": "indices", "indexes": "indices", "crypto": "crypto", "metals": "metals",
}

// instrumentVerbs make a sentence one about what is traded.
var instrumentVerbs = []string{"trade", "trades", "trading", "traded", "only", "focus", "mainly", "mostly", "stick to", "pairs", "instrument", "instruments", "markets"}

// codes are the currencies that people name, by their codes.
var codes = map[string]string{
	"euro": "EUR", "pound": "GBP", "dollar": "USD", "yen": "JPY", "aussie": "AUD", "kiwi": "NZD", "loonie": "CAD", "franc": "CHF", "swissy": "CHF",
	"eur": "EUR", "gbp": "GBP", "usd": "USD", "jpy": "JPY", "aud": "AUD", "nzd": "NZD", "cad": "CAD", "chf": "CHF",
}

// named is an instrument where it was named.
type named struct {
	class       string
	first, last int
}

// instruments reads which instruments are named.
func (st *statement) instruments(asked Topic) {
	if asked != Instruments && !st.hasAny(instrumentVerbs) {
		return
	}
	var set []string
	first, last := len(st.tokens), -1
	for _, n := range st.named() {
		if !slices.Contains(set, n.class) {
			set = append(set, n.class)
		}
		first, last = min(first, n.first), max(last, n.last)
	}
	if len(set) == 0 {
		return
	}
	only := slices.IndexFunc(st.tokens, func(t token) bool { return t.text == "only" || t.text == "exclusively" })
	if at := find(st.tokens, []string{"nothing", "but"}, 0); at >= 0 && only < 0 {
		only = at
	}
	if only >= 0 {
		first, last = min(first, only), max(last, only)
	}
	slices.Sort(set)
	st.claim(Claim{Topic: Instruments, Op: OneOf, Set: set, Only: only >= 0}, first, last)
}

// about is the instruments that the clause names, sorted.
func (st *statement) about() (set []string) {
	for _, n := range st.named() {
		set = append(set, n.class)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// excepted reports whether what stands at token i is what is left out: "everything
// except gold".
func (st *statement) excepted(i int) bool {
	for _, phrase := range exceptions {
		words := strings.Fields(phrase)
		if at := find(st.tokens, words, 0); at >= 0 && at < i {
			return true
		}
	}
	return false
}

// exceptions begin what is left out.
var exceptions = []string{"except", "excluding", "apart from", "other than", "everything but", "anything but", "all but"}

// named finds the instruments of a clause that are not denied: pairs first, then
// what has a name, the longest name first, so that no word counts twice.
func (st *statement) named() (found []named) {
	taken := make([]bool, len(st.tokens))
	take := func(class string, first, n int) {
		if slices.Contains(taken[first:first+n], true) {
			return
		}
		for i := range n {
			taken[first+i] = true
		}
		if !st.negated(first) && !st.excepted(first) {
			found = append(found, named{class, first, first + n - 1})
		}
	}
	for i := range st.tokens {
		if i+1 < len(st.tokens) && codes[st.tokens[i].text] != "" && codes[st.tokens[i+1].text] != "" && st.tokens[i].text != st.tokens[i+1].text {
			take(codes[st.tokens[i].text]+codes[st.tokens[i+1].text], i, 2)
		}
		if t := st.tokens[i].text; len(t) == 6 && isPair(strings.ToUpper(t)) {
			take(strings.ToUpper(t), i, 1)
		}
	}
	byLength := slices.SortedFunc(maps.Keys(classes), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, name := range byLength {
		words := strings.Fields(strings.ReplaceAll(name, "&", " & "))
		for at := find(st.tokens, words, 0); at >= 0; at = find(st.tokens, words, at+1) {
			take(classes[name], at, len(words))
		}
	}
	return found
}
