package claims

import (
	"slices"
	"strings"
)

// Classes that take in many instruments.
const (
	classForex   = "forex"
	classIndices = "indices"
	classMetals  = "metals"
	classCrypto  = "crypto"
	classEnergy  = "energy"
)

// markets are what platforms call instruments, by the beginning of the symbol
// group. The longest beginning that fits counts.
var markets = []struct{ begins, instrument, class string }{
	{"XAU", "XAUUSD", classMetals},
	{"GOLD", "XAUUSD", classMetals},
	{"GC", "XAUUSD", classMetals},
	{"MGC", "XAUUSD", classMetals},
	{"XAG", "XAGUSD", classMetals},
	{"SILVER", "XAGUSD", classMetals},
	{"SI", "XAGUSD", classMetals},
	{"XPT", "XPTUSD", classMetals},
	{"XPD", "XPDUSD", classMetals},
	{"NAS", "NAS100", classIndices},
	{"US100", "NAS100", classIndices},
	{"USTEC", "NAS100", classIndices},
	{"NDX", "NAS100", classIndices},
	{"NQ", "NAS100", classIndices},
	{"MNQ", "NAS100", classIndices},
	{"US30", "US30", classIndices},
	{"DJ", "US30", classIndices},
	{"WS30", "US30", classIndices},
	{"DOW", "US30", classIndices},
	{"YM", "US30", classIndices},
	{"MYM", "US30", classIndices},
	{"US500", "SPX500", classIndices},
	{"SPX", "SPX500", classIndices},
	{"SP500", "SPX500", classIndices},
	{"ES", "SPX500", classIndices},
	{"MES", "SPX500", classIndices},
	{"GER", "GER40", classIndices},
	{"DE30", "GER40", classIndices},
	{"DE40", "GER40", classIndices},
	{"DAX", "GER40", classIndices},
	{"FDAX", "GER40", classIndices},
	{"UK100", "UK100", classIndices},
	{"FTSE", "UK100", classIndices},
	{"JP225", "JP225", classIndices},
	{"JPN225", "JP225", classIndices},
	{"NIKKEI", "JP225", classIndices},
	{"FRA40", "FRA40", classIndices},
	{"FR40", "FRA40", classIndices},
	{"CAC", "FRA40", classIndices},
	{"EU50", "EU50", classIndices},
	{"EUSTX", "EU50", classIndices},
	{"STOXX", "EU50", classIndices},
	{"HK50", "HK50", classIndices},
	{"AUS200", "AUS200", classIndices},
	{"US2000", "US2000", classIndices},
	{"RTY", "US2000", classIndices},
	{"ESP35", "ESP35", classIndices},
	{"SWI20", "SWI20", classIndices},
	{"USOIL", "OIL", classEnergy},
	{"UKOIL", "OIL", classEnergy},
	{"XTI", "OIL", classEnergy},
	{"XBR", "OIL", classEnergy},
	{"WTI", "OIL", classEnergy},
	{"BRENT", "OIL", classEnergy},
	{"CL", "OIL", classEnergy},
	{"MCL", "OIL", classEnergy},
	{"XNG", "GAS", classEnergy},
	{"NATGAS", "GAS", classEnergy},
	{"BTC", "BTCUSD", classCrypto},
	{"ETH", "ETHUSD", classCrypto},
	{"LTC", "LTCUSD", classCrypto},
	{"XRP", "XRPUSD", classCrypto},
	{"SOL", "SOLUSD", classCrypto},
	{"BNB", "BNBUSD", classCrypto},
	{"DOGE", "DOGEUSD", classCrypto},
	{"ADA", "ADAUSD", classCrypto},
}

// majors are the currencies that pairs are made of.
var majors = []string{
	"AUD", "CAD", "CHF", "CNH", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "JPY", "MXN", "NOK", "NZD", "PLN", "SEK", "SGD", "THB", "TRY", "USD", "ZAR",
}

// isPair reports whether six letters are two currencies.
func isPair(key string) bool {
	return len(key) == 6 && key[:3] != key[3:] && slices.Contains(majors, key[:3]) && slices.Contains(majors, key[3:])
}

// classifySymbol returns the instrument that a symbol group is, and the class that
// takes it in; empty when it is not known.
func classifySymbol(key string) (instrument, class string) {
	letters := strings.NewReplacer("/", "", "-", "", "_", "", ".", "").Replace(key)
	if isPair(letters) {
		return letters, classForex
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

// isClass reports whether an instrument is a class of instruments. "Gold, no forex" denies the
// class; "gold, no silver" may correct the name.
func isClass(instrument string) bool {
	return slices.Contains([]string{classForex, classIndices, classMetals, classCrypto, classEnergy}, instrument)
}
