package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assayhq/assay/internal/interview/claims"
)

// Classes are the instruments that people name, by the symbol class that trades
// are grouped in.
var Classes = map[string]string{
	"gold": "XAUUSD", "xau": "XAUUSD", "xauusd": "XAUUSD", "silver": "XAGUSD", "xag": "XAGUSD", "xagusd": "XAGUSD",
	"fiber": "EURUSD", "cable": "GBPUSD", "aussie": "AUDUSD", "kiwi": "NZDUSD", "loonie": "USDCAD", "swissy": "USDCHF",
	"euro us dollar": "EURUSD", "eu": "EURUSD", "gu": "GBPUSD", "uj": "USDJPY", "gj": "GBPJPY", "eurodollar": "EURUSD", // as traders call them
	"nas": "NAS100", "nasdaq": "NAS100", "nas100": "NAS100", "us100": "NAS100", "nq": "NAS100", "mnq": "NAS100", "ustec": "NAS100",
	"dow": "US30", "dj 30": "US30", "ym": "US30", "mym": "US30", "mes": "SPX500", "us tech 100": "NAS100", "us30": "US30", "dow jones": "US30", "s and p": "SPX500", "s and p five hundred": "SPX500", "us five hundred": "SPX500",
	"spx five hundred": "SPX500", "us thirty": "US30", "us one hundred": "NAS100", "nas one hundred": "NAS100", "nas 100": "NAS100", "us 30": "US30",
	"us 100": "NAS100", "us 500": "SPX500", "nasdaq one hundred": "NAS100", "ger forty": "GER40", "ger 40": "GER40", "dax forty": "GER40",
	"us500": "SPX500", "spx": "SPX500", "es": "SPX500",
	"ftse": "UK100", "uk100": "UK100", "uk 100": "UK100", "uk one hundred": "UK100", "nikkei": "JP225", "jp225": "JP225", "cac": "FRA40",
	"dax": "GER40", "ger40": "GER40", "de40": "GER40", "de 30": "GER40", "de 40": "GER40", "ger 30": "GER40", "jp 225": "JP225", "spx 500": "SPX500", "ger30": "GER40", "oil": "OIL", "crude": "OIL", "wti": "OIL", "brent": "OIL", "usoil": "OIL",
	"btc": "BTCUSD", "bitcoin": "BTCUSD", "btcusd": "BTCUSD", "btcusdt": "BTCUSD", "ethusd": "ETHUSD", "ethusdt": "ETHUSD", "solusd": "SOLUSD", "xrp": "XRPUSD", "xrpusd": "XRPUSD",
	"ethereum": "ETHUSD", "ether": "ETHUSD", "eth": "ETHUSD",
	"russell": "US2000", "hang seng": "HK50", "euro stoxx": "EU50", "natural gas": "GAS", "ripple": "XRPUSD", "solana": "SOLUSD", "platinum": "XPTUSD",
	"forex": "forex", "fx": "forex", "currencies": "forex", "currency pairs": "forex", "majors": "forex", "major pairs": "forex", "minors": "forex",
	"minor pairs": "forex", "exotics": "forex", "indices": "indices", "indexes": "indices", "crypto": "crypto", "cryptos": "crypto", "cryptocurrencies": "crypto", "metals": "metals",
}

// Codes are the currencies that people name, by their codes.
var Codes = map[string]string{
	"euro": "EUR", "pound": "GBP", "dollar": "USD", "yen": "JPY", "aussie": "AUD", "kiwi": "NZD", "loonie": "CAD", "franc": "CHF", "swissy": "CHF",
	"eur": "EUR", "gbp": "GBP", "usd": "USD", "jpy": "JPY", "aud": "AUD", "nzd": "NZD", "cad": "CAD", "chf": "CHF",
}

// Mention is an instrument where it was named.
type Mention struct {
	Class       string // the symbol class, such as XAUUSD or forex
	First, Last int    // indexes of its tokens, inclusive
}

// FindInstruments finds the instruments that are named: pairs first, then what has
// a name, the longest name first, so that no word counts twice.
func (ts Tokens) FindInstruments() (found []Mention) {
	taken := make([]bool, len(ts))
	take := func(class string, first, n int) {
		if slices.Contains(taken[first:first+n], true) {
			return
		}
		for i := range n {
			taken[first+i] = true
		}
		found = append(found, Mention{class, first, first + n - 1})
	}
	for _, i := range againstDollar(ts) {
		take(pairWithDollar(Codes[ts[i].Text]), i, 1)
	}
	for i := range ts {
		if i+1 < len(ts) && canBeginPair(ts, i) && Codes[ts[i].Text] != "" && Codes[ts[i+1].Text] != "" && ts[i].Text != ts[i+1].Text {
			take(Codes[ts[i].Text]+Codes[ts[i+1].Text], i, 2)
		}
		if t := ts[i].Text; len(t) == 6 && claims.IsPair(strings.ToUpper(t)) {
			take(strings.ToUpper(t), i, 1)
		}
	}
	for _, name := range namesByLength() {
		if !ts.HasPhrase(name) {
			continue
		}
		words := strings.Fields(name)
		for at := ts.FindWords(words, 0); at >= 0; at = ts.FindWords(words, at+1) {
			if name == "eu" && (ts.TextAt(at-1) == "the" || IsListed(ts.TextAt(at+1), DayTimes, []string{"time", "hours", "market", "markets", "stocks", "indices"})) {
				continue // the European Union
			}
			take(Classes[name], at, len(words))
		}
	}
	return found
}

// againstDollar returns where currencies are named that are traded against the dollar: "euro, pound and yen, all against
// the dollar".
func againstDollar(tokens Tokens) (places []int) {
	at := tokens.FindWords([]string{"against", "the", "dollar"}, 0)
	for i := at - 1; i >= 0; i-- {
		switch text := tokens[i].Text; {
		case Codes[text] != "" && Codes[text] != "USD":
			places = append(places, i)
		case !IsListed(text, []string{"and", "the", "all", "or", "each", "plus"}):
			return places
		}
	}
	return places
}

// pairWithDollar returns the pair of a currency and the dollar.
func pairWithDollar(code string) string {
	if IsListed(code, []string{"EUR", "GBP", "AUD", "NZD"}) {
		return code + "USD"
	}
	return "USD" + code
}

// canBeginPair reports whether a pair of currencies can begin at token i. Of three
// currencies in a row, it is unclear which two are a pair.
func canBeginPair(tokens Tokens, i int) bool {
	first, last := i, i
	for first > 0 && Codes[tokens[first-1].Text] != "" {
		first--
	}
	for last+1 < len(tokens) && Codes[tokens[last+1].Text] != "" {
		last++
	}
	return (last-first)%2 == 1
}

// namesByLength are the names of instruments, the longest first.
var namesByLength = sync.OnceValue(func() []string {
	return slices.SortedFunc(maps.Keys(Classes), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
})

// InstrumentWords returns how many words the name of an instrument has that begins at token i: 0 if there is none.
func (ts Tokens) InstrumentWords(i int) (words int) {
	name := ""
	for n := 0; n < 3 && i+n < len(ts); n++ {
		if name += " " + ts[i+n].Text; Classes[name[1:]] != "" {
			words = n + 1
		}
	}
	return words
}
