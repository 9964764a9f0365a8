package claims

import (
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
	"dax": "GER40", "ger40": "GER40", "de40": "GER40", "ger30": "GER40", "oil": "OIL", "crude": "OIL", "wti": "OIL", "brent": "OIL", "usoil": "OIL",
	"btc": "BTCUSD", "bitcoin": "BTCUSD", "btcusd": "BTCUSD", "ethereum": "ETHUSD", "eth": "ETHUSD",
	"forex": "forex", "fx": "forex", "currencies": "forex", "currency pairs": "forex", "indices": "indices", "indexes": "indices", "crypto": "crypto", "metals": "metals",
}

// instrumentVerbs make a sentence one about what is traded.
var instrumentVerbs = []string{"trade", "trades", "trading", "traded", "only", "focus", "mainly", "mostly", "stick to", "pairs", "instrument", "instruments", "markets"}

// instruments reads which instruments are named.
func (st *statement) instruments(asked Topic) {
	if asked != Instruments && !st.hasAny(instrumentVerbs) {
		return
	}
	var (
		set         []string
		first, last = len(st.tokens), -1
	)
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		words := strings.Fields(strings.ReplaceAll(name, "&", " & "))
		at := find(st.tokens, words, 0)
		if at < 0 || st.negated(at) {
			continue
		}
		if !slices.Contains(set, classes[name]) {
			set = append(set, classes[name])
		}
		first, last = min(first, at), max(last, at+len(words)-1)
	}
	if len(set) == 0 {
		return
	}
	only := find(st.tokens, []string{"only"}, 0)
	if only < 0 {
		only = find(st.tokens, []string{"just"}, 0)
	}
	if only >= 0 {
		first, last = min(first, only), max(last, only)
	}
	slices.Sort(set)
	st.claim(Claim{Topic: Instruments, Op: OneOf, Set: set, Only: only >= 0}, first, last)
}
