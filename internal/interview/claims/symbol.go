package claims

import (
	"slices"
	"strings"
)

// Classes that take in many instruments.
const (
	ClassForex   = "forex"
	ClassIndices = "indices"
	ClassMetals  = "metals"
	ClassCrypto  = "crypto"
	ClassEnergy  = "energy"
)

// markets are what platforms call instruments, by the beginning of the symbol
// group. The longest beginning that fits counts.
var markets = []struct{ begins, instrument, class string }{
	{"XAU", "XAUUSD", ClassMetals},
	{"GOLD", "XAUUSD", ClassMetals},
	{"GC", "XAUUSD", ClassMetals},
	{"MGC", "XAUUSD", ClassMetals},
	{"XAG", "XAGUSD", ClassMetals},
	{"SILVER", "XAGUSD", ClassMetals},
	{"SI", "XAGUSD", ClassMetals},
	{"XPT", "XPTUSD", ClassMetals},
	{"XPD", "XPDUSD", ClassMetals},
	{"NAS", "NAS100", ClassIndices},
	{"US100", "NAS100", ClassIndices},
	{"USTEC", "NAS100", ClassIndices},
	{"NDX", "NAS100", ClassIndices},
	{"NQ", "NAS100", ClassIndices},
	{"MNQ", "NAS100", ClassIndices},
	{"US30", "US30", ClassIndices},
	{"DJ", "US30", ClassIndices},
	{"WS30", "US30", ClassIndices},
	{"DOW", "US30", ClassIndices},
	{"YM", "US30", ClassIndices},
	{"MYM", "US30", ClassIndices},
	{"US500", "SPX500", ClassIndices},
	{"SPX", "SPX500", ClassIndices},
	{"SP500", "SPX500", ClassIndices},
	{"ES", "SPX500", ClassIndices},
	{"MES", "SPX500", ClassIndices},
	{"GER", "GER40", ClassIndices},
	{"DE30", "GER40", ClassIndices},
	{"DE40", "GER40", ClassIndices},
	{"DAX", "GER40", ClassIndices},
	{"FDAX", "GER40", ClassIndices},
	{"UK100", "UK100", ClassIndices},
	{"FTSE", "UK100", ClassIndices},
	{"JP225", "JP225", ClassIndices},
	{"JPN225", "JP225", ClassIndices},
	{"NIKKEI", "JP225", ClassIndices},
	{"FRA40", "FRA40", ClassIndices},
	{"FR40", "FRA40", ClassIndices},
	{"CAC", "FRA40", ClassIndices},
	{"EU50", "EU50", ClassIndices},
	{"EUSTX", "EU50", ClassIndices},
	{"STOXX", "EU50", ClassIndices},
	{"HK50", "HK50", ClassIndices},
	{"AUS200", "AUS200", ClassIndices},
	{"US2000", "US2000", ClassIndices},
	{"RTY", "US2000", ClassIndices},
	{"ESP35", "ESP35", ClassIndices},
	{"SWI20", "SWI20", ClassIndices},
	{"USOIL", "OIL", ClassEnergy},
	{"UKOIL", "OIL", ClassEnergy},
	{"XTI", "OIL", ClassEnergy},
	{"XBR", "OIL", ClassEnergy},
	{"WTI", "OIL", ClassEnergy},
	{"BRENT", "OIL", ClassEnergy},
	{"CL", "OIL", ClassEnergy},
	{"MCL", "OIL", ClassEnergy},
	{"XNG", "GAS", ClassEnergy},
	{"NATGAS", "GAS", ClassEnergy},
	{"BTC", "BTCUSD", ClassCrypto},
	{"ETH", "ETHUSD", ClassCrypto},
	{"LTC", "LTCUSD", ClassCrypto},
	{"XRP", "XRPUSD", ClassCrypto},
	{"SOL", "SOLUSD", ClassCrypto},
	{"BNB", "BNBUSD", ClassCrypto},
	{"DOGE", "DOGEUSD", ClassCrypto},
	{"ADA", "ADAUSD", ClassCrypto},
}

// majors are the currencies that pairs are made of.
var majors = []string{
	"AUD", "CAD", "CHF", "CNH", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "JPY", "MXN", "NOK", "NZD", "PLN", "SEK", "SGD", "THB", "TRY", "USD", "ZAR",
}

// IsPair reports whether six letters are two currencies.
func IsPair(key string) bool {
	return len(key) == 6 && key[:3] != key[3:] && slices.Contains(majors, key[:3]) && slices.Contains(majors, key[3:])
}

// classifySymbol returns the instrument that a symbol group is, and the class that
// takes it in; empty when it is not known.
func classifySymbol(key string) (instrument, class string) {
	letters := strings.NewReplacer("/", "", "-", "", "_", "", ".", "").Replace(key)
	if IsPair(letters) {
		return letters, ClassForex
	}
	longest := 0
	for _, m := range markets {
		rest, ok := strings.CutPrefix(letters, m.begins)
		// Two letters have to stand alone or before the month of a future.
		if !ok || len(m.begins) <= longest || len(m.begins) == 2 && rest != "" && (len(rest) < 2 || rest[len(rest)-1] < '0' || rest[len(rest)-1] > '9') {
			continue
		}
		longest, instrument, class = len(m.begins), m.instrument, m.class
	}
	return instrument, class
}

// CoversSymbol reports whether a claim's set names the symbol group.
func CoversSymbol(set []string, key string) (named, known bool) {
	instrument, class := classifySymbol(key)
	if instrument == "" {
		return slices.Contains(set, key), false
	}
	return slices.Contains(set, instrument) || slices.Contains(set, class), true
}

// IsClass reports whether an instrument is a class of instruments. "Gold, no forex" denies the
// class; "gold, no silver" may correct the name.
func IsClass(instrument string) bool {
	return slices.Contains([]string{ClassForex, ClassIndices, ClassMetals, ClassCrypto, ClassEnergy}, instrument)
}
