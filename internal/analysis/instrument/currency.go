package instrument

import (
	"slices"
	"strings"
)

// currencies are the codes that news calendars and symbols use.
var currencies = [...]string{
	"AUD", "BRL", "CAD", "CHF", "CLP", "CNH", "CNY", "COP", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR",
	"JPY", "KRW", "MXN", "NOK", "NZD", "PHP", "PLN", "RON", "RUB", "SEK", "SGD", "THB", "TRY", "TWD", "USD", "ZAR",
}

// marketCurrencies says which currency's news moves instruments that are not named
// by currencies, by the beginning of the symbol group. The longest beginning that
// fits counts.
var marketCurrencies = [...]struct{ begins, currency string }{
	{"AUS200", "AUD"},
	{"ASX", "AUD"},
	{"CHINA", "CNY"},
	{"CN50", "CNY"},
	{"HK50", "HKD"},
	{"HSI", "HKD"},
	{"DAX", "EUR"},
	{"DE30", "EUR"},
	{"DE40", "EUR"},
	{"GER", "EUR"},
	{"FDAX", "EUR"},
	{"EU50", "EUR"},
	{"STOXX", "EUR"},
	{"EUSTX", "EUR"},
	{"ESP35", "EUR"},
	{"FRA40", "EUR"},
	{"FR40", "EUR"},
	{"CAC", "EUR"},
	{"IT40", "EUR"},
	{"NETH25", "EUR"},
	{"UK100", "GBP"},
	{"FTSE", "GBP"},
	{"JP225", "JPY"},
	{"JPN225", "JPY"},
	{"NIKKEI", "JPY"},
	{"NI225", "JPY"},
	{"SUI20", "CHF"},
	{"SMI", "CHF"},
	{"SWI20", "CHF"},
	{"SGP", "SGD"},
	{"US30", "USD"},
	{"US100", "USD"},
	{"US500", "USD"},
	{"US2000", "USD"},
	{"USTEC", "USD"},
	{"USOIL", "USD"},
	{"UKOIL", "USD"},
	{"NAS", "USD"},
	{"NDX", "USD"},
	{"NQ", "USD"},
	{"MNQ", "USD"},
	{"ES", "USD"},
	{"MES", "USD"},
	{"YM", "USD"},
	{"MYM", "USD"},
	{"RTY", "USD"},
	{"M2K", "USD"},
	{"SPX", "USD"},
	{"SP500", "USD"},
	{"DJ", "USD"},
	{"DOW", "USD"},
	{"WS30", "USD"},
	{"DXY", "USD"},
	{"USDX", "USD"},
	{"VIX", "USD"},
	{"GOLD", "USD"},
	{"SILVER", "USD"},
	{"XAU", "USD"},
	{"XAG", "USD"},
	{"XPT", "USD"},
	{"XPD", "USD"},
	{"GC", "USD"},
	{"MGC", "USD"},
	{"SI", "USD"},
	{"CL", "USD"},
	{"MCL", "USD"},
	{"WTI", "USD"},
	{"BRENT", "USD"},
	{"XTI", "USD"},
	{"XBR", "USD"},
	{"XNG", "USD"},
	{"NATGAS", "USD"},
	{"NG", "USD"},
	{"COPPER", "USD"},
	{"HG", "USD"},
	{"BTC", "USD"},
	{"ETH", "USD"},
	{"LTC", "USD"},
	{"XRP", "USD"},
	{"SOL", "USD"},
	{"BNB", "USD"},
	{"DOGE", "USD"},
	{"ADA", "USD"},
}

// Currencies returns the currencies whose news move a symbol group: both
// of a pair, the quote currency of metals and coins against one, and that of
// the market for indices, futures and commodities. Nil when it is not known:
// a guess would count news that does not matter.
func Currencies(key string) []string {
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/-_.", r) {
			return -1
		}
		return r
	}, key)
	var found []string
	if len(letters) == 6 {
		for _, part := range [...]string{letters[:3], letters[3:]} {
			if slices.Contains(currencies[:], part) && !slices.Contains(found, part) {
				found = append(found, part)
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	longest := 0
	for _, m := range marketCurrencies {
		if len(m.begins) > longest && beginsWith(letters, m.begins) {
			longest, found = len(m.begins), []string{m.currency}
		}
	}
	return found
}

// BaseAndQuote returns the currencies of a symbol group: what is bought, where that is
// a currency, and in what it is paid.
func BaseAndQuote(key string) (base, quote string) {
	if len(key) == 6 && slices.Contains(currencies[:], key[3:]) {
		if slices.Contains(currencies[:], key[:3]) {
			base = key[:3]
		}
		return base, key[3:]
	}
	if found := Currencies(key); len(found) == 1 {
		return "", found[0]
	}
	return "", ""
}

// beginsWith reports whether a symbol begins with a market's name. Names of two
// or three letters must stand alone or before a digit or a futures month, or
// "SI" would be the beginning of a share.
func beginsWith(symbol, name string) bool {
	rest, ok := strings.CutPrefix(symbol, name)
	if !ok || len(name) > 3 || rest == "" || len(name) == 3 && strings.HasPrefix(rest, "USD") {
		return ok
	}
	if rest[0] >= '0' && rest[0] <= '9' {
		return true
	}
	return strings.IndexByte("FGHJKMNQUVXZ", rest[0]) >= 0 && len(rest) >= 2 && rest[1] >= '0' && rest[1] <= '9'
}
